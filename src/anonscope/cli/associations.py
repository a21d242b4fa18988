"""`anonscope associations`: how much columns say about each other."""

from anonscope.cli import options as opt
from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.progress import progress_bar
from anonscope.cli.tables import opened
from anonscope.operations.wishes.columns import Chosen
from anonscope.operations.wishes.engine import Resources
from anonscope.operations.wishes.output import Report
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.words import said


@flattened
def associations(source: opt.Source, *, chosen: Chosen, reading: Reading, report: Report, resources: Resources) -> None:
    """Measure mutual information, Pearson's correlation and Cramér's V of every pair of columns.

    Exits 0, or 2 if the input cannot be used.

    Example: anonscope associations patients.csv -c age -c sex -c diagnosis -o associations.html
    """
    import anonscope as an

    form = report_format(report.format, report.output, full=report.full)
    with opened(source, reading, resources) as data, progress_bar(quiet=report.quiet) as progress:
        result = an.associations(data, **said(chosen), progress=progress)
    emit(result, form, report.output)
