"""Tables that a command opens, by what was asked for."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from anonscope.cli.progress import Advance, progress_bar
from anonscope.operations.wishes.roles import Proposed
from anonscope.operations.wishes.words import Wish, said

if TYPE_CHECKING:
    from anonscope.operations.read import Data


def opened(source: Any, *groups: Wish, without: tuple[str, ...] = ()) -> "Data":
    """Return a table that was read as the groups say; wishes `without` are the command's own business."""
    import anonscope as an

    return an.read(source, **said(*groups, without=without))


@contextmanager
def prepared(
    source: Any, *groups: Wish, proposed: Proposed, quiet: bool, without: tuple[str, ...] = ()
) -> "Iterator[tuple[Data, Advance | None]]":
    """Open a table as the groups say, with the roles that were accepted, under a bar that shows how far the work is."""
    with opened(source, *groups, without=without) as data, progress_bar(quiet=quiet) as progress:
        accept(data, proposed, progress)
        yield data, progress


def accept(data: "Data", proposed: Proposed, progress: Advance | None) -> None:
    """Take over the roles that are proposed, if that was asked for."""
    import anonscope as an

    if proposed.accept_suggestions:
        data.accept(an.suggest(data, progress=progress))
