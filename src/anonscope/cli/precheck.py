"""`anonscope precheck`: a look at a table before a pseudonymisation level is chosen."""

from anonscope.cli import options as opt
from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.progress import progress_bar
from anonscope.cli.tables import accept, opened
from anonscope.operations.wishes.columns import Alike
from anonscope.operations.wishes.engine import Resources
from anonscope.operations.wishes.output import Report
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.roles import Proposed, RoleWishes
from anonscope.operations.wishes.words import said


@flattened
def precheck(
    source: opt.Source, *, roles: RoleWishes, proposed: Proposed, alike: Alike, reading: Reading, report: Report, resources: Resources
) -> None:
    """Show how columns are spread, how small groups are, and what pseudonymisation levels would cost.

    Nothing is written or changed. Exits 0, or 2 if the input cannot be used.

    Example: anonscope precheck patients.csv -q age -q zip -q sex -s charges --like charges=income
    """
    import anonscope as an

    form = report_format(report.format, report.output, full=report.full)
    with opened(source, roles, reading, resources) as data, progress_bar(quiet=report.quiet) as progress:
        accept(data, proposed, progress)
        result = an.precheck(data, **said(alike), progress=progress)
    emit(result, form, report.output)
