"""`anonscope approximate`: how many hide how well in a table too large to be grouped whole."""

from anonscope.cli import options as opt
from anonscope.cli.flattened import flattened
from anonscope.cli.tables import TableAnywhere
from anonscope.operations.wishes.sketching import Sketching
from anonscope.operations.wishes.words import said


@flattened
def approximate(
    source: opt.SourceOrDatabase,
    *,
    sketching: Sketching,
    table: TableAnywhere,
) -> None:
    """Estimate how many records are alone or in small groups, in one pass and little memory. It gives no verdict.

    Exits 0, or 2 if the input cannot be used.

    Example: anonscope approximate 'claims/*.parquet' -q age -q zip -q sex
    """
    import anonscope as an

    form = table.form()
    with table.opened(source) as data:
        found = an.approximate(data, **said(sketching))
    table.emit(found, form)
