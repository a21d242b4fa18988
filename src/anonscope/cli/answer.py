"""`anonscope answer`: noisy answers to a file of queries."""

from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.emit import emit, report_format
from anonscope.cli.flattened import flattened
from anonscope.cli.progress import progress_bar
from anonscope.cli.tables import opened
from anonscope.operations.wishes.engine import Elsewhere, Resources
from anonscope.operations.wishes.output import Report
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.registering import Registered
from anonscope.operations.wishes.synthesis import NoisyThere
from anonscope.operations.wishes.words import said

Queries = Annotated[Path, typer.Argument(metavar="QUERIES", help="TOML file that declares the domain and the budget, and asks.")]


@flattened
def answer(
    source: opt.SourceOrDatabase,
    *,
    queries: Queries,
    there: NoisyThere,
    reading: Reading,
    registered: Registered,
    report: Report,
    resources: Resources,
    elsewhere: Elsewhere,
) -> None:
    """Answer queries with noise that hides every person: counts, tables, sums, means, quantiles, with intervals and an exact budget.

    With -o answers.csv or .parquet the answers are written as a table. Exits 0, or 2 if the input cannot be used or is over budget.

    Example: anonscope answer visits.csv queries.toml -o answers.html
    """
    import anonscope as an
    from anonscope.errors import OptionError
    from anonscope.io.writing import check_writable
    from anonscope.operations.answer import TABLES
    from anonscope.operations.registering.answers import registering_answers
    from anonscope.report import FORMATS_BY_SUFFIX
    from anonscope.synthesis.queries import load_queries

    as_table = report.output is not None and report.format is None and report.output.suffix.lower() in TABLES
    form = ""
    if report.output is not None and as_table:
        check_writable(report.output)
    else:
        endings = (*TABLES, *FORMATS_BY_SUFFIX)
        if report.output is not None and report.format is None and report.output.suffix.lower() not in endings:
            raise OptionError(f"Answers are written as {', '.join(endings)}, or as --format says.")
        form = report_format(report.format, report.output, full=report.full)
    # Before anything is opened: what is over budget must not touch the data.
    asked = load_queries(queries)
    with registering_answers(registered, asked) as out:
        with opened(source, reading, resources, elsewhere) as data, progress_bar(quiet=report.quiet) as progress:
            found = an.answer(data, asked, **said(there), progress=progress)

        def write(path: Path | None) -> None:
            if as_table and path is not None:
                found.save(path)
            else:
                emit(found, form, path, beside=path is not None)

        out(found, report.output, write)
    if report.output is not None:
        typer.echo(f"Written: {report.output}", err=True)
