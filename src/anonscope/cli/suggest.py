"""`anonscope suggest`: which role every column should have, and why."""

import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.arguments import assignments
from anonscope.cli.emit import print_text, shown_source
from anonscope.cli.progress import progress_bar


class SuggestFormat(StrEnum):
    """How a suggestion is printed."""

    text = "text"
    json = "json"


Alpha = Annotated[float, typer.Option("--alpha", metavar="PERCENT", help="Risk rate above which a column counts as sensitive.")]
Beta = Annotated[float, typer.Option("--beta", metavar="PERCENT", help="Risk rate from which a column counts as a quasi-identifier.")]
Force = Annotated[
    list[str] | None, typer.Option("--force", metavar="COLUMN=ROLE", help="Give a column a role whatever is found. Repeat for several.")
]
Forbid = Annotated[
    list[str] | None, typer.Option("--forbid", metavar="COLUMN", help="Give a column no role whatever is found. Repeat for several.")
]
TimeBudget = Annotated[
    float,
    typer.Option(
        "--time-budget",
        metavar="SECONDS",
        help="How long a usual machine may search for sets of columns that tell all records apart; counted in steps, not by the clock.",
    ),
]
Dictionary = Annotated[
    Path | None,
    typer.Option(
        "--dictionary", metavar="FILE", help="What columns are: a CSV table of names and labels, a Table Schema (JSON), or a Stata file."
    ),
]
FormatOption = Annotated[SuggestFormat, typer.Option("--format", help="How to print it.")]


def suggest(
    source: opt.SourceOrDatabase,
    save_roles: opt.SaveRoles = None,
    alpha: Alpha = 25.0,
    beta: Beta = 1.0,
    force: Force = None,
    forbid: Forbid = None,
    time_budget: TimeBudget = 2.0,
    dictionary: Dictionary = None,
    rows: opt.Rows = None,
    input_format: opt.InputFormatOption = None,
    delimiter: opt.Delimiter = None,
    quote: opt.Quote = None,
    encoding: opt.Encoding = None,
    sheet: opt.Sheet = None,
    table: opt.Table = None,
    format: FormatOption = SuggestFormat.text,
    quiet: opt.Quiet = False,
    memory_limit: opt.MemoryLimit = None,
    threads: opt.Threads = None,
    temp_folder: opt.TempFolder = None,
    engine: opt.EngineOption = None,
    spark_master: opt.SparkMaster = None,
    spark_conf: opt.SparkConf = None,
    spark_staging: opt.SparkStaging = None,
) -> None:
    """Propose a role for every column, with confidence and reasons. Nothing is applied.

    Exits 0, or 2 if the input cannot be used.

    Example: anonscope suggest patients.csv --save-roles patients.roles.toml
    """
    import anonscope as an
    from anonscope.io.writing import check_writable, write_text

    forced = assignments(force, "A forced role is written COLUMN=ROLE (for instance region=quasi-identifier)", split_last=True)
    if save_roles is not None:
        check_writable(save_roles)
    with (
        an.read(
            source,
            rows=rows,
            table=table,
            **opt.reading(input_format, delimiter, quote, encoding, sheet, memory_limit, threads, temp_folder),
            **opt.elsewhere(engine, spark_master, spark_conf, spark_staging),
        ) as data,
        progress_bar(quiet=quiet) as progress,
    ):
        proposed = an.suggest(
            data,
            alpha=alpha,
            beta=beta,
            force=forced,
            forbid=forbid or (),
            time_budget=time_budget,
            dictionary=dictionary,
            progress=progress,
        )
    if save_roles is not None:
        write_text(save_roles, proposed.to_toml())
    print_text(proposed.to_json() + "\n" if format == SuggestFormat.json else proposed.to_text())
    if save_roles is not None:
        then = f"anonscope audit {shown_source(source, table)} --roles {shlex.quote(str(save_roles))}"
        typer.echo(f"Roles: {save_roles}. Read the reasons, change what is wrong, then: {then}", err=True)


def how_to_accept(source: str) -> str:
    """Return what to type after a suggestion."""
    return (
        "No quasi-identifier was given, and nothing is measured on a guess. To go on, either\n"
        f"  accept the proposal:  anonscope audit {source} --accept-suggestions\n"
        f"  or keep and edit it:  anonscope suggest {source} --save-roles roles.toml\n"
        f"                        anonscope audit {source} --roles roles.toml\n"
        f"  or name the columns:  anonscope audit {source} -q COLUMN -q COLUMN -s COLUMN\n"
    )
