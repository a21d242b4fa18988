"""`anonscope explore`: what a release at some levels would be like, without making it."""

from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.anonymise import Limits
from anonscope.cli.arguments import assignments, scenarios_of
from anonscope.cli.emit import emit, report_format
from anonscope.cli.progress import progress_bar

_WHAT_IF = "What if"

PolicyName = Annotated[
    str | None,
    typer.Option("--policy", metavar="NAME|FILE", rich_help_panel=_WHAT_IF, help=f"Policy to judge by: {opt.POLICIES}; or a TOML file."),
]
Levels = Annotated[
    list[str] | None,
    typer.Option(
        "--level",
        metavar="COLUMN=LEVEL",
        rich_help_panel=_WHAT_IF,
        help="Level of a column; others stay as they are. Repeat for several.",
    ),
]
Suppression = Annotated[
    float, typer.Option("--suppression", metavar="SHARE", rich_help_panel=_WHAT_IF, help="Largest share of the records to suppress.")
]


def explore(
    source: opt.Source,
    levels: Levels = None,
    policy: PolicyName = None,
    limits: Limits = None,
    suppression: Suppression = 0.05,
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
    """Say what a release with its columns at some levels would be like: verdict, groups, what is suppressed and lost.

    Nothing is made and nothing is written. Without --policy and --limit it is judged as an audit is.

    Exits 0 if the release would meet the policy, 1 if it would not (or a rule cannot be told), 2 if the input cannot be used.

    Example: anonscope explore patients.csv -q age -q zip -q sex -s diagnosis --level age=2 --level zip=1 --limit k_anonymity=5
    """
    import anonscope as an
    from anonscope.cli.arguments import number_of, whole_level_of
    from anonscope.io.writing import check_writable

    form = report_format(format, output)
    if output is not None:
        check_writable(output)
    asked = assignments(limits, "A limit is written METRIC=NUMBER (for instance k_anonymity=5)")
    chosen = assignments(levels, "A level is written COLUMN=LEVEL (for instance age=2)", split_last=True)
    at = {column: whole_level_of(text, column) for column, text in chosen.items()}
    with (
        an.read(
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
        ) as data,
        progress_bar(quiet=quiet) as progress,
    ):
        if accept_suggestions:
            data.accept(an.suggest(data, progress=progress))
        found = an.explore(
            data,
            policy,
            limits={key: number_of(value, key) for key, value in asked.items()} if limits else None,
            levels=at,
            suppression=suppression,
            progress=progress,
        )
    emit(found, form, output)
    raise typer.Exit(found.verdict.exit_code)
