"""`anonscope approximate`: how many hide how well in a table too large to be grouped whole."""

from anonscope.cli import options as opt
from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.tables import opened
from anonscope.operations.wishes.engine import Elsewhere, Resources
from anonscope.operations.wishes.output import Report
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.roles import RoleWishes
from anonscope.operations.wishes.sketching import Sketching
from anonscope.operations.wishes.words import said


@flattened
def approximate(
    source: opt.SourceOrDatabase,
    *,
    sketching: Sketching,
    roles: RoleWishes,
    reading: Reading,
    report: Report,
    resources: Resources,
    elsewhere: Elsewhere,
) -> None:
    """Estimate how many records are alone or in small groups, in one pass and little memory. It gives no verdict.

    Exits 0, or 2 if the input cannot be used.

    Example: anonscope approximate 'claims/*.parquet' -q age -q zip -q sex
    """
    import anonscope as an

    form = report_format(report.format, report.output, full=report.full)
    with opened(source, roles, reading, resources, elsewhere) as data:
        found = an.approximate(data, **said(sketching))
    emit(found, form, report.output)
