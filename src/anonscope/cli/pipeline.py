"""`anonscope pipeline`: identify, de-identify the riskiest first, evaluate every dimension, choose, and write the release."""

from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.arguments import assignments, scenarios_of
from anonscope.cli.emit import print_text, report_format
from anonscope.cli.progress import progress_bar

_STAGES = "The stages"
Alpha = Annotated[
    float,
    typer.Option("--alpha", metavar="PERCENT", rich_help_panel=_STAGES, help="Risk rate above which a column counts as sensitive."),
]
Beta = Annotated[
    float,
    typer.Option("--beta", metavar="PERCENT", rich_help_panel=_STAGES, help="Risk rate from which a column counts as a quasi-identifier."),
]
PolicyName = Annotated[
    str, typer.Option("--policy", metavar="NAME|FILE", rich_help_panel=_STAGES, help=f"Policy to meet: {opt.POLICIES}; or a TOML file.")
]
Levels = Annotated[
    list[str] | None,
    typer.Option(
        "--level",
        metavar="COLUMN=LEVEL",
        rich_help_panel=_STAGES,
        help="The level of its hierarchy that is a column's de-identified form; else the coarsest below the last. Repeat for several.",
    ),
]
Forbid = Annotated[
    list[str] | None,
    typer.Option(
        "--forbid", metavar="COLUMN", rich_help_panel=_STAGES, help="Give a column no role whatever its rate. Repeat for several."
    ),
]
Release = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="RELEASE", rich_help_panel="What comes out", help="The release to write: .csv, .tsv, .parquet, .arrow."
    ),
]
Report = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", rich_help_panel="What comes out", help="Write the report: .html, .json, .md, .txt."),
]


def pipeline(
    source: opt.Source,
    release: Release = None,
    alpha: Alpha = 25.0,
    beta: Beta = 1.0,
    policy: PolicyName = "pipeline",
    levels: Levels = None,
    forbid: Forbid = None,
    quasi_identifiers: opt.QuasiIdentifiers = None,
    sensitive: opt.Sensitive = None,
    person: opt.Person = None,
    direct_identifiers: opt.DirectIdentifiers = None,
    insensitive: opt.Insensitive = None,
    acknowledge: opt.Acknowledge = None,
    acknowledge_rest: opt.AcknowledgeRest = None,
    scenarios: opt.Scenarios = None,
    hierarchies: opt.Hierarchies = None,
    roles: opt.RolesFile = None,
    rows: opt.Rows = None,
    input_format: opt.InputFormatOption = None,
    delimiter: opt.Delimiter = None,
    quote: opt.Quote = None,
    encoding: opt.Encoding = None,
    sheet: opt.Sheet = None,
    format: opt.FormatOption = None,
    report: Report = None,
    force: opt.Force = False,
    quiet: opt.Quiet = False,
    memory_limit: opt.MemoryLimit = None,
    threads: opt.Threads = None,
    temp_folder: opt.TempFolder = None,
) -> None:
    """Identify roles by risk rates, and find the fewest quasi-identifiers whose de-identification meets a policy.

    With -o the release is written; beside it stand its manifest and, for you only, its archive: recipe and hierarchies.

    Exits 0 if the policy is met, 1 if it cannot be met (nothing is written then), 2 if the input cannot be used.

    Example: anonscope pipeline registry.csv -o release.csv --report report.html
    """
    import anonscope as an
    from anonscope.io.writing import check_writable, write_text
    from anonscope.transform.release.writing import check_release

    if release is not None:
        check_release(release, force=force, parts=False)
    form = report_format(format, report)
    if report is not None:
        check_writable(report)
    files = assignments(hierarchies, "A hierarchy is written COLUMN=FILE (for instance age=ages.csv)")
    with an.read(
        source,
        quasi_identifiers=quasi_identifiers or (),
        sensitive=sensitive or (),
        person=person,
        direct_identifiers=direct_identifiers or (),
        scenarios=scenarios_of(scenarios),
        roles=roles,
        rows=rows,
        **opt.words(insensitive, acknowledge, acknowledge_rest),
        **opt.reading(input_format, delimiter, quote, encoding, sheet, memory_limit, threads, temp_folder),
    ) as data:
        with progress_bar(quiet=quiet) as progress:
            found = an.pipeline(
                data,
                policy,
                alpha=alpha,
                beta=beta,
                levels={key: _level(value, key) for key, value in assignments(levels, "A level is written COLUMN=LEVEL").items()},
                hierarchies=files,
                forbid=forbid or (),
                progress=progress,
            )
        if found.met and release is not None:
            found.write(release, force=force)
    if report is not None:
        write_text(report, found.render(form))
    else:
        print_text(found.render(form))
    if not found.met:
        typer.echo("The policy is not met; nothing was released.", err=True)
    elif release is not None:
        typer.echo(f"Release: {release}, with its manifest. {release}.archive is not for others.", err=True)
    raise typer.Exit(0 if found.met else 1)


def _level(text: str, key: str) -> int:
    from anonscope.errors import OptionError

    if not text.isdecimal():
        raise OptionError(f"The level of {key!r} is a whole number, not {text!r}.")
    return int(text)
