"""Tables that a command opens, by what was asked for."""

from typing import TYPE_CHECKING, Any

from anonscope.cli.progress import Advance
from anonscope.operations.wishes.roles import Proposed
from anonscope.operations.wishes.words import Wish, said

if TYPE_CHECKING:
    from anonscope.operations.read import Data


def opened(source: Any, *groups: Wish, without: tuple[str, ...] = ()) -> "Data":
    """Return a table that was read as the groups say; wishes `without` are the command's own business."""
    import anonscope as an

    return an.read(source, **said(*groups, without=without))


def accept(data: "Data", proposed: Proposed, progress: Advance | None) -> None:
    """Take over the roles that are proposed, if that was asked for."""
    import anonscope as an

    if proposed.accept_suggestions:
        data.accept(an.suggest(data, progress=progress))
