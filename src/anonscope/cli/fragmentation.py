"""`anonscope fragmentation`: score or propose groups of columns that are anonymised apart."""

from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.associations import Columns
from anonscope.cli.emit import emit, report_format
from anonscope.cli.progress import progress_bar

Fragments = Annotated[
    list[str] | None,
    typer.Option(
        "--fragment", "-f", metavar="COLUMN,COLUMN", help="One fragment to score. Repeat for every fragment; none asks for a proposal."
    ),
]
Number = Annotated[int, typer.Option("--number", "-n", metavar="N", help="How many fragments to propose.")]
Target = Annotated[str | None, typer.Option("--target", "-t", metavar="COLUMN", help="The column that is to be predicted (FMRMR).")]
Common = Annotated[
    list[str] | None,
    typer.Option("--common", metavar="COLUMN", help="A column that every fragment keeps, without a target (uFMRMR). Repeat for several."),
]


def fragmentation(
    source: opt.Source,
    fragments: Fragments = None,
    number: Number = 2,
    target: Target = None,
    common: Common = None,
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
    """Score a vertical fragmentation of the columns, or propose one.

    Exits 0, or 2 if the input cannot be used.

    Example: anonscope fragmentation patients.csv -f age,sex -f zip,occupation --target diagnosis
    """
    import anonscope as an
    from anonscope.io.writing import check_writable

    form = report_format(format, output)
    if output is not None:
        check_writable(output)
    given = [[name.strip() for name in text.split(",") if name.strip()] for text in fragments] if fragments else None
    with (
        an.read(
            source,
            rows=rows,
            **opt.reading(input_format, delimiter, quote, encoding, sheet, memory_limit, threads, temp_folder),
        ) as data,
        progress_bar(quiet=quiet) as progress,
    ):
        result = an.fragmentation(
            data, given, number=number, target=target, common=common or (), columns=columns or None, progress=progress
        )
    emit(result, form, output)
