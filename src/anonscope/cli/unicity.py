"""`anonscope unicity`: how many points of somebody's events single them out."""

from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.arguments import assignments
from anonscope.cli.emit import emit, report_format

_POINTS = "What a point is"

Points = Annotated[
    list[str], typer.Option("--point", metavar="COLUMN", rich_help_panel=_POINTS, help="A column that is part of a point. Repeat.")
]
Coarsen = Annotated[
    list[str] | None,
    typer.Option(
        "--coarsen",
        metavar="COLUMN=HOW",
        rich_help_panel=_POINTS,
        help="How coarse it is known: a width of numbers, or year, month, day, hour, minute. Repeat.",
    ),
]
Attributes = Annotated[
    list[str] | None,
    typer.Option("--attribute", metavar="COLUMN", rich_help_panel=_POINTS, help="Known of the person as well. Repeat for several."),
]
Most = Annotated[int, typer.Option("--most", metavar="N", rich_help_panel=_POINTS, help="Up to how many points are known.")]
People = Annotated[int, typer.Option("--people", metavar="N", rich_help_panel=_POINTS, help="How many people are drawn.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", rich_help_panel=_POINTS, help="Seed of what is drawn.")]


def unicity(
    source: opt.SourceOrDatabase,
    points: Points,
    person: opt.Person = None,
    coarsen: Coarsen = None,
    attributes: Attributes = None,
    most: Most = 6,
    people: People = 1000,
    seed: Seed = 1,
    roles: opt.RolesFile = None,
    rows: opt.Rows = None,
    input_format: opt.InputFormatOption = None,
    delimiter: opt.Delimiter = None,
    quote: opt.Quote = None,
    encoding: opt.Encoding = None,
    table: opt.Table = None,
    sheet: opt.Sheet = None,
    format: opt.FormatOption = None,
    output: opt.Output = None,
    quiet: opt.Quiet = False,
    memory_limit: opt.MemoryLimit = None,
    threads: opt.Threads = None,
    temp_folder: opt.TempFolder = None,
    engine: opt.EngineOption = None,
    spark_master: opt.SparkMaster = None,
    spark_conf: opt.SparkConf = None,
    spark_staging: opt.SparkStaging = None,
) -> None:
    """Say how many people are singled out by 1, 2, ... points of their events.

    Exits 0, or 2 if the input cannot be used.

    Example: anonscope unicity visits.csv --person patient --point day --point clinic --coarsen day=month --attribute sex
    """
    import anonscope as an

    form = report_format(format, output)
    with an.read(
        source,
        person=person,
        roles=roles,
        rows=rows,
        table=table,
        **opt.reading(input_format, delimiter, quote, encoding, sheet, memory_limit, threads, temp_folder),
        **opt.elsewhere(engine, spark_master, spark_conf, spark_staging),
    ) as data:
        found = an.unicity(
            data,
            points,
            coarsen=assignments(coarsen, "How coarse a column is known is written COLUMN=HOW (for instance day=month)"),
            attributes=attributes or (),
            most=most,
            people=people,
            seed=seed,
        )
    emit(found, form, output)
