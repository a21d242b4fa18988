"""`anonscope compare`: an original and its releases side by side."""

from enum import StrEnum
from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.arguments import assignments
from anonscope.cli.emit import emit, report_format
from anonscope.cli.progress import progress_bar

_COMPARED = "What is compared"


class Total(StrEnum):
    """How the losses of columns become one."""

    mean = "mean"
    maximum = "maximum"


Releases = Annotated[list[str], typer.Argument(metavar="RELEASE...", help="Versions of the same people, in any format a source may have.")]
Names = Annotated[
    list[str] | None, typer.Option("--name", metavar="NAME", rich_help_panel=_COMPARED, help="What to call a release. Repeat, one each.")
]
Key = Annotated[
    str | None, typer.Option("--key", metavar="COLUMN", rich_help_panel=_COMPARED, help="Match records by this column, not by their order.")
]
External = Annotated[
    str | None,
    typer.Option("--external", metavar="FILE", rich_help_panel=_COMPARED, help="A table an attacker may hold, for every version."),
]
ExternalColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--external-column",
        metavar="COLUMN=COLUMN",
        rich_help_panel=_COMPARED,
        help="What a released column is called in the external table. Repeat for several.",
    ),
]
Weights = Annotated[
    list[str] | None,
    typer.Option(
        "--attribute-weight", metavar="COLUMN=WEIGHT", rich_help_panel=_COMPARED, help="What a column counts in the balance. Repeat."
    ),
]
Like = Annotated[
    list[str] | None,
    typer.Option(
        "--like", metavar="COLUMN=KIND", rich_help_panel=_COMPARED, help="A column is like an age, zip, income or diagnosis. Repeat."
    ),
]
TotalOption = Annotated[Total, typer.Option("--total", rich_help_panel=_COMPARED, help="The balance takes the mean column, or the worst.")]
MostRisk = Annotated[
    float | None, typer.Option("--most-risk", metavar="RISK", rich_help_panel=_COMPARED, help="Choose the balance's weights by this limit.")
]
LeastUtility = Annotated[
    float | None, typer.Option("--least-utility", metavar="UTILITY", rich_help_panel=_COMPARED, help="Or by this one, or by both.")
]


Model = Annotated[
    str | None,
    typer.Option("--model", metavar="COLUMN", rich_help_panel=_COMPARED, help="Learn to predict this column from each release (extra ml)."),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", rich_help_panel=_COMPARED, help="With --model: seed of what is drawn.")]


def compare(
    source: opt.Source,
    releases: Releases,
    names: Names = None,
    key: Key = None,
    external: External = None,
    external_columns: ExternalColumns = None,
    attribute_weights: Weights = None,
    like: Like = None,
    total: TotalOption = Total.mean,
    most_risk: MostRisk = None,
    least_utility: LeastUtility = None,
    model: Model = None,
    seed: Seed = 1,
    policy: opt.PolicyOption = "scorr",
    quasi_identifiers: opt.QuasiIdentifiers = None,
    sensitive: opt.Sensitive = None,
    person: opt.Person = None,
    direct_identifiers: opt.DirectIdentifiers = None,
    insensitive: opt.Insensitive = None,
    acknowledge: opt.Acknowledge = None,
    acknowledge_rest: opt.AcknowledgeRest = None,
    weight: opt.Weight = None,
    recipes: opt.RecipeFiles = None,
    hierarchies: opt.Hierarchies = None,
    unknown: opt.UnknownLabels = None,
    roles: opt.RolesFile = None,
    accept_suggestions: opt.AcceptSuggestions = False,
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
    """Put an original and its releases side by side: risk, what is left, and the balance of the two.

    Exits 0, or 2 if the input cannot be used.

    Example: anonscope compare patients.csv release.csv stricter.csv --roles patients.roles.toml -o comparison.html
    """
    import anonscope as an
    from anonscope.cli.arguments import number_of

    form = report_format(format, output)
    if output is not None:
        from anonscope.io.writing import check_writable

        check_writable(output)
    ladders = assignments(hierarchies, "A hierarchy is written COLUMN=FILE (for instance diagnosis=diagnoses.csv)")
    with (
        an.read(
            source,
            quasi_identifiers=quasi_identifiers or (),
            sensitive=sensitive or (),
            person=person,
            direct_identifiers=direct_identifiers or (),
            weight=weight,
            roles=roles,
            **opt.words(insensitive, acknowledge, acknowledge_rest),
            **opt.reading(input_format, delimiter, quote, encoding, sheet, memory_limit, threads, temp_folder),
            **opt.elsewhere(engine, spark_master, spark_conf, spark_staging),
        ) as data,
        progress_bar(quiet=quiet) as progress,
    ):
        if accept_suggestions:
            data.accept(an.suggest(data, progress=progress))
        weights = assignments(attribute_weights, "A weight is written COLUMN=WEIGHT")
        found = an.compare(
            data,
            *releases,
            names=names,
            policy=policy,
            key=key,
            hierarchies={**data.roles.hierarchies, **ladders},
            recipe=recipes,
            unknown=opt.unknown_labels(unknown),
            external=external,
            external_columns=assignments(external_columns, "An external column is written COLUMN=COLUMN") or None,
            weights={column: number_of(text, column) for column, text in weights.items()} or None,
            like=assignments(like, "A likeness is written COLUMN=KIND (for instance pincp=income)"),
            total=total.value,
            most_risk=most_risk,
            least_utility=least_utility,
            model=model,
            seed=seed,
            progress=progress,
        )
    emit(found, form, output)
