"""`anonscope fragmentation`: score or propose groups of columns that are anonymised apart."""

from anonscope.cli import options as opt
from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.progress import progress_bar
from anonscope.cli.tables import opened
from anonscope.operations.wishes.columns import Chosen, Splitting
from anonscope.operations.wishes.engine import Resources
from anonscope.operations.wishes.output import Report
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.words import said


@flattened
def fragmentation(
    source: opt.Source, *, splitting: Splitting, chosen: Chosen, reading: Reading, report: Report, resources: Resources
) -> None:
    """Score a vertical fragmentation of the columns, or propose one. The same as fragment --score.

    Exits 0, or 2 if the input cannot be used.

    Example: anonscope fragmentation patients.csv -f age,sex -f zip,occupation --target diagnosis
    """
    import anonscope as an

    form = report_format(report.format, report.output, full=report.full)
    with opened(source, reading, resources) as data, progress_bar(quiet=report.quiet) as progress:
        result = an.fragmentation(data, **said(splitting, chosen), progress=progress)
    emit(result, form, report.output)
