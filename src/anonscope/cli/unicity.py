"""`anonscope unicity`: how many points of somebody's events single them out."""

from anonscope.cli import options as opt
from anonscope.cli.flattened import flattened
from anonscope.cli.tables import TableAnywhere
from anonscope.operations.wishes.versions import Pointing
from anonscope.operations.wishes.words import said


@flattened
def unicity(
    source: opt.SourceOrDatabase,
    *,
    pointing: Pointing,
    table: TableAnywhere,
) -> None:
    """Say how many people are singled out by 1, 2, ... points of their events.

    Exits 0, or 2 if the input cannot be used.

    Example: anonscope unicity visits.csv --person patient --point day --point clinic --coarsen day=month --attribute sex
    """
    import anonscope as an

    form = table.form()
    with table.opened(source) as data:
        found = an.unicity(data, **said(pointing))
    table.emit(found, form)
