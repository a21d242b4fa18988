"""Tables that a command opens, by what was asked for; and the groups that several commands ask for together."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from anonscope.cli.emit import emit, report_format
from anonscope.cli.progress import Advance, progress_bar
from anonscope.operations.wishes.engine import Elsewhere, Resources, SparkWishes
from anonscope.operations.wishes.output import Report
from anonscope.operations.wishes.population import Drawn
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.roles import Acknowledging, Proposed, RoleWishes
from anonscope.operations.wishes.words import Wish, said

if TYPE_CHECKING:
    from anonscope.operations.read import Data
    from anonscope.operations.result import Result


class _Together:
    """Groups about one table and its report: how it is read, and where the report goes."""

    report: Report

    def form(self) -> str:
        """Return the format of the report; a file that cannot be written is told now."""
        return report_format(self.report.format, self.report.output, full=self.report.full)

    def opened(self, source: Any) -> "Data":
        """Return the table, read as the groups say."""
        return opened(source, *self._reading())

    def emit(self, found: "Result", form: str) -> None:
        """Write the report, or print it."""
        emit(found, form, self.report.output)

    def _reading(self) -> Iterator[Wish]:
        groups = (getattr(self, one.name) for one in fields(self))  # type: ignore[arg-type]
        return (group for group in groups if not isinstance(group, Report | Proposed))


@dataclass(frozen=True, kw_only=True)
class TableAnywhere(_Together):
    """A table of any source, with the roles that are named."""

    roles: RoleWishes
    reading: Reading
    report: Report
    resources: Resources
    elsewhere: Elsewhere


class _WithRoles(_Together):
    """Groups about a table whose roles may be those that are proposed."""

    proposed: Proposed

    def prepared(self, source: Any) -> "AbstractContextManager[tuple[Data, Advance | None]]":
        """Open the table with the roles that were accepted, under a bar that shows how far the work is."""
        return prepared(source, *self._reading(), proposed=self.proposed, quiet=self.report.quiet)


@dataclass(frozen=True, kw_only=True)
class OriginalTable(_WithRoles):
    """The table that a release was made of."""

    roles: RoleWishes
    acknowledging: Acknowledging
    proposed: Proposed
    reading: Reading
    report: Report
    resources: Resources


@dataclass(frozen=True, kw_only=True)
class TableToRelease(_WithRoles):
    """A table that may become a release."""

    roles: RoleWishes
    acknowledging: Acknowledging
    proposed: Proposed
    drawn: Drawn
    reading: Reading
    report: Report
    resources: Resources
    spark: SparkWishes


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
