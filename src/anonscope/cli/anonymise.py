"""`anonscope anonymise`: find the recoding that meets a policy at the least loss, and write the release."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.arguments import assignments, scenarios_of
from anonscope.cli.emit import print_text, report_format
from anonscope.cli.exceptions import Except, exceptions_of
from anonscope.cli.progress import progress_bar

_SEARCH = "What is looked for"


class Method(StrEnum):
    """How the table is recoded."""

    auto = "auto"
    global_ = "global"
    local = "local"
    mondrian = "mondrian"


class LossName(StrEnum):
    """What full-domain recoding keeps small."""

    ncp = "ncp"
    arx_loss = "arx_loss"
    arx_loss_arithmetic = "arx_loss_arithmetic"
    precision = "precision"
    entropy = "entropy"
    non_uniform_entropy = "non_uniform_entropy"
    discernibility = "discernibility"
    average_class_size = "average_class_size"


class Suppressed(StrEnum):
    """What becomes of suppressed records."""

    keep = "keep"
    drop = "drop"


PolicyName = Annotated[
    str | None,
    typer.Option("--policy", metavar="NAME|FILE", rich_help_panel=_SEARCH, help=f"Policy to meet: {opt.POLICIES}; or a TOML file."),
]
Limits = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="METRIC=NUMBER",
        rich_help_panel=_SEARCH,
        help="A limit: k_anonymity=5; beside a policy, it asks for more.",
    ),
]
MethodOption = Annotated[
    Method,
    typer.Option("--method", rich_help_panel=_SEARCH, help="global: one level a column; local: levels of its own for every combination."),
]
LossOption = Annotated[LossName, typer.Option("--loss", rich_help_panel=_SEARCH, help="What full-domain recoding keeps small.")]
Suppression = Annotated[
    float, typer.Option("--suppression", metavar="SHARE", rich_help_panel=_SEARCH, help="Largest share of the records to suppress.")
]
SuppressedOption = Annotated[
    Suppressed, typer.Option("--suppressed", rich_help_panel=_SEARCH, help='Suppressed records stay with "*" everywhere, or go.')
]
Weights = Annotated[
    list[str] | None,
    typer.Option(
        "--attribute-weight", metavar="COLUMN=WEIGHT", rich_help_panel=_SEARCH, help="What a column's loss counts. Repeat for several."
    ),
]
Levels = Annotated[
    list[str] | None,
    typer.Option(
        "--level",
        metavar="COLUMN=LEVEL",
        rich_help_panel=_SEARCH,
        help="Fix the level of a column (2) or bound it (1-3). Repeat for several.",
    ),
]
Untouched = Annotated[
    list[str] | None,
    typer.Option("--untouched", metavar="COLUMN", rich_help_panel=_SEARCH, help="Leave a column as it is. Repeat for several."),
]
TimeBudget = Annotated[
    float | None,
    typer.Option("--time-budget", metavar="SECONDS", rich_help_panel=_SEARCH, help="Stop the search, and take the best so far."),
]
KeepBest = Annotated[
    bool, typer.Option("--keep-best", rich_help_panel=_SEARCH, help="When interrupted, release the best that was found so far.")
]
Alternatives = Annotated[
    bool, typer.Option("--alternatives", rich_help_panel=_SEARCH, help="Search again with each limit relaxed, to say what that would buy.")
]
Report = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", rich_help_panel="What comes out", help="Write the report: .html, .json, .md, .txt."),
]


def anonymise(
    source: opt.Source,
    release: opt.ReleaseFile,
    policy: PolicyName = None,
    limits: Limits = None,
    excepting: Except = None,
    method: MethodOption = Method.auto,
    loss: LossOption = LossName.ncp,
    suppression: Suppression = 0.05,
    suppressed: SuppressedOption = Suppressed.keep,
    attribute_weights: Weights = None,
    levels: Levels = None,
    untouched: Untouched = None,
    time_budget: TimeBudget = None,
    keep_best: KeepBest = False,
    alternatives: Alternatives = False,
    quasi_identifiers: opt.QuasiIdentifiers = None,
    sensitive: opt.Sensitive = None,
    person: opt.Person = None,
    direct_identifiers: opt.DirectIdentifiers = None,
    insensitive: opt.Insensitive = None,
    acknowledge: opt.Acknowledge = None,
    acknowledge_rest: opt.AcknowledgeRest = None,
    scenarios: opt.Scenarios = None,
    ordered: opt.Ordered = None,
    equal: opt.Equal = None,
    hierarchies: opt.Hierarchies = None,
    roles: opt.RolesFile = None,
    accept_suggestions: opt.AcceptSuggestions = False,
    rows: opt.Rows = None,
    population: opt.Population = None,
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
    engine: opt.EngineOption = None,
    spark_master: opt.SparkMaster = None,
    spark_conf: opt.SparkConf = None,
    spark_staging: opt.SparkStaging = None,
) -> None:
    """Recode a table until it meets a policy, at the least loss, and write the release.

    Beside the release stand its manifest and, for you only, its archive: the recipe that reproduces it, and hierarchies.

    Exits 0 if the policy is met, 4 if it is met except for what --except states (the release is written, and says so), 1 if it cannot
    be met (nothing is written then), 2 if the input cannot be used.

    Example: anonscope anonymise patients.csv --accept-suggestions --policy ema-0070 -o release.csv
    """
    import anonscope as an
    from anonscope.cli.arguments import level_of, number_of
    from anonscope.io.writing import check_writable, write_text
    from anonscope.risk.policy.verdict import EXCEPTED
    from anonscope.transform.release.writing import check_release

    check_release(release, force=force, parts=engine == opt.EngineName.spark)
    form = report_format(format, report)
    if report is not None:
        check_writable(report)
    asked = assignments(limits, "A limit is written METRIC=NUMBER (for instance k_anonymity=5)")
    with an.read(
        source,
        quasi_identifiers=quasi_identifiers or (),
        sensitive=sensitive or (),
        person=person,
        direct_identifiers=direct_identifiers or (),
        scenarios=scenarios_of(scenarios),
        distance=dict.fromkeys(ordered or (), "ordered") | dict.fromkeys(equal or (), "equal"),
        hierarchies=assignments(hierarchies, "A hierarchy is written COLUMN=FILE (for instance diagnosis=diagnoses.csv)"),
        roles=roles,
        rows=rows,
        population=population,
        **opt.words(insensitive, acknowledge, acknowledge_rest),
        **opt.reading(input_format, delimiter, quote, encoding, sheet, memory_limit, threads, temp_folder),
        **opt.elsewhere(engine, spark_master, spark_conf, spark_staging),
    ) as data:
        with progress_bar(quiet=quiet) as progress:
            if accept_suggestions:
                data.accept(an.suggest(data, progress=progress))
            found = an.anonymise(
                data,
                policy,
                limits={key: number_of(value, key) for key, value in asked.items()} if limits else None,
                exceptions=exceptions_of(excepting),
                method=method.value,
                loss=loss.value,
                suppression=suppression,
                suppressed=suppressed.value,
                weights={
                    key: number_of(value, key) for key, value in assignments(attribute_weights, "A weight is written COLUMN=WEIGHT").items()
                },
                levels={key: level_of(value, key) for key, value in assignments(levels, "A level is written COLUMN=LEVEL").items()},
                untouched=untouched or (),
                time_budget=time_budget,
                keep_best=keep_best,
                explain=alternatives,
                progress=progress,
            )
        if found.release is not None:
            found.write(release, force=force)
    if report is not None:
        write_text(report, found.render(form))
    else:
        print_text(found.render(form))
    if found.release is None or found.after is None:
        typer.echo("The policy is not met; nothing was released.", err=True)
        raise typer.Exit(1)
    typer.echo(f"Release: {release}, with its manifest. {release}.archive is not for others.", err=True)
    raise typer.Exit(0 if found.met else EXCEPTED)
