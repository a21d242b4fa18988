"""`anonscope unicity`: how many points of somebody's events single them out."""

from anonscope.cli import options as opt
from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.tables import opened
from anonscope.operations.wishes.engine import Elsewhere, Resources
from anonscope.operations.wishes.output import Report
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.roles import RoleWishes
from anonscope.operations.wishes.versions import Pointing
from anonscope.operations.wishes.words import said


@flattened
def unicity(
    source: opt.SourceOrDatabase,
    *,
    pointing: Pointing,
    roles: RoleWishes,
    reading: Reading,
    report: Report,
    resources: Resources,
    elsewhere: Elsewhere,
) -> None:
    """Say how many people are singled out by 1, 2, ... points of their events.

    Exits 0, or 2 if the input cannot be used.

    Example: anonscope unicity visits.csv --person patient --point day --point clinic --coarsen day=month --attribute sex
    """
    import anonscope as an

    form = report_format(report.format, report.output, full=report.full)
    with opened(source, roles, reading, resources, elsewhere) as data:
        found = an.unicity(data, **said(pointing))
    emit(found, form, report.output)
