"""`anonscope associations`: how much columns say about each other."""

from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.emit import emit, report_format
from anonscope.cli.progress import progress_bar

Columns = Annotated[
    list[str] | None,
    typer.Option("--column", "-c", metavar="COLUMN", help="A column to compare; all by default. Repeat for several."),
]


def associations(
    source: opt.Source,
    columns: Columns = None,
    rows: opt.Rows = None,
    input_format: opt.InputFormatOption = None,
    delimiter: opt.Delimiter = None,
    quote: opt.Quote = None,
    encoding: opt.Encoding = None,
    sheet: opt.Sheet = None,
    format: opt.FormatOption = None,
    output: opt.Output = None,
    quiet: opt.Quiet = False,
    memory_limit: opt.MemoryLimit = None,
    threads: opt.Threads = None,
    temp_folder: opt.TempFolder = None,
) -> None:
    """Measure mutual information, Pearson's correlation and Cramér's V of every pair of columns.

    Exits 0, or 2 if the input cannot be used.

    Example: anonscope associations patients.csv -c age -c sex -c diagnosis -o associations.html
    """
    import anonscope as an
    from anonscope.io.writing import check_writable

    form = report_format(format, output)
    if output is not None:
        check_writable(output)
    with (
        an.read(
            source,
            rows=rows,
            **opt.reading(input_format, delimiter, quote, encoding, sheet, memory_limit, threads, temp_folder),
        ) as data,
        progress_bar(quiet=quiet) as progress,
    ):
        result = an.associations(data, columns or None, progress=progress)
    emit(result, form, output)
