"""`anonscope precheck`: a look at a table before a pseudonymisation level is chosen."""

from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.arguments import assignments
from anonscope.cli.emit import emit, report_format
from anonscope.cli.progress import progress_bar

Like = Annotated[
    list[str] | None,
    typer.Option("--like", metavar="COLUMN=KIND", help="Preview a column like an age, zip, income or diagnosis. Repeat for several."),
]


def precheck(
    source: opt.Source,
    quasi_identifiers: opt.QuasiIdentifiers = None,
    sensitive: opt.Sensitive = None,
    person: opt.Person = None,
    weight: opt.Weight = None,
    roles: opt.RolesFile = None,
    like: Like = None,
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
    """Show how columns are spread, how small groups are, and what pseudonymisation levels would cost.

    Nothing is written or changed. Exits 0, or 2 if the input cannot be used.

    Example: anonscope precheck patients.csv -q age -q zip -q sex -s charges --like charges=income
    """
    import anonscope as an
    from anonscope.io.writing import check_writable

    form = report_format(format, output)
    if output is not None:
        check_writable(output)
    with (
        an.read(
            source,
            quasi_identifiers=quasi_identifiers or (),
            sensitive=sensitive or (),
            person=person,
            weight=weight,
            roles=roles,
            rows=rows,
            **opt.reading(input_format, delimiter, quote, encoding, sheet, memory_limit, threads, temp_folder),
        ) as data,
        progress_bar(quiet=quiet) as progress,
    ):
        result = an.precheck(
            data,
            like=assignments(like, "A preview is asked for as COLUMN=KIND (for instance charges=income)", split_last=True),
            progress=progress,
        )
    emit(result, form, output)
