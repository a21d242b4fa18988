"""The options commands share, each spelled once."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from anonscope.cli.arguments import assignments

# Literals, so that `anonscope --help` loads no engine; a test holds them to the registries they mirror.
POLICIES = (
    "arx-default, ema-0070, hipaa-safe-harbor, output-10, pipeline, public-medium, public-strict, research-attacked, research-shared, "
    "scorr, synthetic, trusted-internal"
)


class Format(StrEnum):
    """How a report is written."""

    text = "text"
    json = "json"
    markdown = "markdown"
    html = "html"


class InputFormat(StrEnum):
    """What a source can be."""

    csv = "csv"
    tsv = "tsv"
    parquet = "parquet"
    arrow = "arrow"
    jsonl = "jsonl"
    excel = "excel"


class EngineName(StrEnum):
    """Who counts; a database counts its own tables."""

    duckdb = "duckdb"
    spark = "spark"


_ROLES, _READING, _OUTPUT, _ENGINE = "Which column is what", "Reading the source", "What comes out", "Engine"
_POPULATION = "Who the records were drawn from"

Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="CSV, TSV, Parquet, Arrow, JSON lines or Excel file (text also as .gz), a folder or quoted pattern of parts; "
        "- for standard input.",
    ),
]
SourceOrDatabase = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="CSV, TSV, Parquet, Arrow, JSON lines or Excel file (text also as .gz), a folder or quoted pattern of parts; "
        "- for standard input; a database such as postgresql://user@host/database, with --table; "
        "with --engine spark also an address that Spark reads, or a table of its catalogue.",
    ),
]
QuasiIdentifiers = Annotated[
    list[str] | None,
    typer.Option(
        "--quasi-identifier", "-q", metavar="COLUMN", rich_help_panel=_ROLES, help="What an outsider may know. Repeat for several."
    ),
]
Sensitive = Annotated[
    list[str] | None,
    typer.Option("--sensitive", "-s", metavar="COLUMN", rich_help_panel=_ROLES, help="What nobody may learn. Repeat for several."),
]
Person = Annotated[
    str | None,
    typer.Option(
        "--person", "-p", metavar="COLUMN", rich_help_panel=_ROLES, help="Id of the person, if one person may have several records."
    ),
]
DirectIdentifiers = Annotated[
    list[str] | None,
    typer.Option(
        "--direct-identifier", "-d", metavar="COLUMN", rich_help_panel=_ROLES, help="Names, numbers: must be removed, never counted."
    ),
]
Insensitive = Annotated[
    list[str] | None,
    typer.Option(
        "--insensitive",
        "-i",
        metavar="COLUMN",
        rich_help_panel=_ROLES,
        help="Neither known outside nor harmful: it may be released as it is. Repeat for several.",
    ),
]
Acknowledge = Annotated[
    list[str] | None,
    typer.Option(
        "--acknowledge",
        metavar="COLUMN=REASON",
        rich_help_panel=_ROLES,
        help="Why a column without a role may be released as it is; the report and the manifest keep it. Repeat for several.",
    ),
]
AcknowledgeRest = Annotated[
    str | None,
    typer.Option(
        "--acknowledge-rest",
        metavar="REASON",
        rich_help_panel=_ROLES,
        help="Why all other columns without a role may be, unless they look like direct identifiers.",
    ),
]
Household = Annotated[str | None, typer.Option("--household", metavar="COLUMN", rich_help_panel=_ROLES, help="Id of the household.")]
Weight = Annotated[str | None, typer.Option("--weight", "-w", metavar="COLUMN", rich_help_panel=_ROLES, help="Survey weight.")]
Scenarios = Annotated[
    list[str] | None,
    typer.Option(
        "--scenario",
        metavar="NAME=COLUMN,COLUMN",
        rich_help_panel=_ROLES,
        help="A further attacker and what they know. Repeat for several.",
    ),
]
Ordered = Annotated[
    list[str] | None,
    typer.Option("--ordered", metavar="COLUMN", rich_help_panel=_ROLES, help="Sensitive column whose values have an order (t-closeness)."),
]
Equal = Annotated[
    list[str] | None,
    typer.Option(
        "--equal", metavar="COLUMN", rich_help_panel=_ROLES, help="Numeric sensitive column whose order means nothing (t-closeness)."
    ),
]
RecipeFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--recipe",
        metavar="FILE",
        rich_help_panel=_ROLES,
        help="The recipe that made the release, which says what its values stand for; the one in its archive is read by itself.",
    ),
]
UnknownLabels = Annotated[
    list[str] | None,
    typer.Option(
        "--unknown",
        metavar="[COLUMN=]HOW",
        rich_help_panel=_ROLES,
        help="What a released value stands for that nothing explains: anything, observed (what it replaced, record by record), itself "
        "(a value that the other table lacks) or prefix (the first characters of values). For all columns or, repeated, by column.",
    ),
]
Hierarchies = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="COLUMN=FILE",
        rich_help_panel=_ROLES,
        help="How the values of a column coarsen: a CSV file as ARX writes it, or TOML. For a sensitive column it serves t-closeness, "
        "for a quasi-identifier generalisation. Repeat for several.",
    ),
]
RolesFile = Annotated[
    Path | None, typer.Option("--roles", metavar="FILE", rich_help_panel=_ROLES, help="Roles from a TOML file; options go first.")
]
SaveRoles = Annotated[
    Path | None, typer.Option("--save-roles", metavar="FILE", rich_help_panel=_ROLES, help="Write the roles to a TOML file.")
]

AcceptSuggestions = Annotated[
    bool,
    typer.Option("--accept-suggestions", rich_help_panel=_ROLES, help="Use the roles that `suggest` proposes; options and file go first."),
]
Rows = Annotated[int | None, typer.Option("--rows", metavar="N", rich_help_panel=_READING, help="Only the first N records.")]
InputFormatOption = Annotated[
    InputFormat | None,
    typer.Option("--input-format", rich_help_panel=_READING, help="Format of the source, if its name and bytes do not tell."),
]
Delimiter = Annotated[str | None, typer.Option("--delimiter", metavar="CHAR", rich_help_panel=_READING, help="Delimiter of a text file.")]
Quote = Annotated[str | None, typer.Option("--quote", metavar="CHAR", rich_help_panel=_READING, help="Quote of a text file.")]
Encoding = Annotated[
    str | None, typer.Option("--encoding", metavar="NAME", rich_help_panel=_READING, help="Encoding of a text file, e.g. windows-1252.")
]
Table = Annotated[
    str | None, typer.Option("--table", metavar="NAME", rich_help_panel=_READING, help="Table or view of a database, also schema.table.")
]
Sheet = Annotated[str | None, typer.Option("--sheet", metavar="NAME", rich_help_panel=_READING, help="Sheet of a workbook.")]

Population = Annotated[
    str | None,
    typer.Option("--population", metavar="FILE", rich_help_panel=_POPULATION, help="A table of everybody, one row a person."),
]
PopulationColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--population-column",
        metavar="COLUMN=COLUMN",
        rich_help_panel=_POPULATION,
        help="What a quasi-identifier is called in the population, if not the same. Repeat for several.",
    ),
]
SamplingFraction = Annotated[
    float | None,
    typer.Option("--sampling-fraction", metavar="SHARE", rich_help_panel=_POPULATION, help="Share of the population that is in the table."),
]
PopulationSize = Annotated[
    int | None, typer.Option("--population-size", metavar="N", rich_help_panel=_POPULATION, help="Or: how many people there are.")
]
RiskThreshold = Annotated[
    float,
    typer.Option("--risk-threshold", metavar="RISK", rich_help_panel=_POPULATION, help="Count the records whose risk is above this."),
]

ZipPopulations = Annotated[
    Path | None,
    typer.Option(
        "--zip-populations", metavar="FILE", rich_help_panel=_OUTPUT, help="CSV of ZIP3 and people, for the policy hipaa-safe-harbor."
    ),
]
PolicyOption = Annotated[
    str,
    typer.Option(
        "--policy", metavar="NAME|FILE", rich_help_panel=_OUTPUT, help=f"Policy to judge by: {POLICIES}; or a TOML file of your own."
    ),
]
Pairs = Annotated[
    bool,
    typer.Option("--pairs", rich_help_panel=_OUTPUT, help="Measure every two quasi-identifiers together as well (information theory)."),
]
JoinSensitive = Annotated[
    bool,
    typer.Option(
        "--join-sensitive",
        rich_help_panel=_OUTPUT,
        help="Measure each sensitive column also against an attacker who knows the other ones.",
    ),
]
LiteralChain = Annotated[
    bool,
    typer.Option("--literal-chain", rich_help_panel=_OUTPUT, help="Measure Markov chain risk to the letter of its equation as well."),
]
FormatOption = Annotated[
    Format | None,
    typer.Option("--format", rich_help_panel=_OUTPUT, help="Default: the ending of the output file, else text.", show_default=False),
]
Output = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", rich_help_panel=_OUTPUT, help="Write the report to a file.")]
ReleaseFile = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="RELEASE", rich_help_panel=_OUTPUT, help="The release to write: .csv, .tsv, .parquet, .arrow."),
]
ReleaseFileOrUri = Annotated[
    str,
    typer.Option("--output", "-o", metavar="RELEASE", rich_help_panel=_OUTPUT, help="The release to write: .csv, .tsv, .parquet, .arrow."),
]
Force = Annotated[bool, typer.Option("--force", rich_help_panel=_OUTPUT, help="Replace files that exist.")]
MadeBy = Annotated[
    Path | None,
    typer.Option(
        "--recipe",
        metavar="FILE",
        rich_help_panel=_READING,
        help="The recipe that made this table, if it is a release whose manifest is not beside it.",
    ),
]
Explain = Annotated[
    bool | None,
    typer.Option(
        "--explain/--no-explain",
        rich_help_panel=_OUTPUT,
        help="Say why and what to do next. HTML and Markdown do by themselves; said outright, blame is exact however long it takes.",
        show_default=False,
    ),
]
LargestSet = Annotated[
    int | None,
    typer.Option(
        "--largest-set",
        metavar="N",
        min=1,
        rich_help_panel=_OUTPUT,
        help="Minimal unique sets of up to so many attributes count in the records' SUDA scores. All sizes, if not given.",
    ),
]
Records = Annotated[
    Path | None,
    typer.Option(
        "--records",
        metavar="FILE",
        rich_help_panel=_OUTPUT,
        help="Write every record's risks to a .csv or .parquet file, riskiest first. It helps an attacker: keep it apart.",
    ),
]
RecordsWithValues = Annotated[
    bool, typer.Option("--records-with-values", rich_help_panel=_OUTPUT, help="With the values of each record; must be confirmed.")
]
ShowsPeople = Annotated[
    bool,
    typer.Option("--i-understand-this-shows-people", rich_help_panel=_OUTPUT, help="Confirms --records-with-values."),
]
ShowSql = Annotated[bool, typer.Option("--show-sql", rich_help_panel=_OUTPUT, help="Print every statement that was run to standard error.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress bar.", rich_help_panel=_OUTPUT)]

MemoryLimit = Annotated[
    str | None,
    typer.Option("--memory-limit", metavar="SIZE", rich_help_panel=_ENGINE, help="e.g. 1GB; what does not fit goes to a private folder."),
]
Threads = Annotated[int | None, typer.Option("--threads", metavar="N", rich_help_panel=_ENGINE, help="Number of threads.")]
TempFolder = Annotated[
    Path | None,
    typer.Option("--temp-folder", metavar="FOLDER", rich_help_panel=_ENGINE, help="Where to make the private folder, if not in /tmp."),
]
EngineOption = Annotated[
    EngineName | None,
    typer.Option("--engine", rich_help_panel=_ENGINE, help="Who counts: DuckDB, or Spark. Default: duckdb.", show_default=False),
]
SparkMaster = Annotated[
    str | None,
    typer.Option(
        "--spark-master", metavar="MASTER", rich_help_panel=_ENGINE, help="local[*], spark://host:port, yarn, k8s://…; default local[*]."
    ),
]
SparkConf = Annotated[
    list[str] | None,
    typer.Option("--spark-conf", metavar="KEY=VALUE", rich_help_panel=_ENGINE, help="A setting of Spark. Repeat for several."),
]
SparkStaging = Annotated[
    str | None,
    typer.Option(
        "--spark-staging", metavar="FOLDER", rich_help_panel=_ENGINE, help="Folder that all workers see, for what is computed on the way."
    ),
]


def character(given: str | None) -> str | None:
    """Return a delimiter as it is; a tab may be written as a word."""
    return {"\\t": "\t", "tab": "\t"}.get(given, given) if given is not None else None


def reading(
    input_format: InputFormat | None,
    delimiter: str | None,
    quote: str | None,
    encoding: str | None,
    sheet: str | None,
    memory_limit: str | None,
    threads: int | None,
    temp_folder: Path | None,
) -> dict[str, Any]:
    """Return what commands pass on to `read` about how a source is read, and by how much of an engine."""
    return {
        "format": input_format.value if input_format else None,
        "delimiter": character(delimiter),
        "quote": quote,
        "encoding": encoding,
        "sheet": sheet,
        "memory_limit": memory_limit,
        "threads": threads,
        "temp_folder": temp_folder,
    }


def words(insensitive: list[str] | None, acknowledge: list[str] | None, acknowledge_rest: str | None) -> dict[str, Any]:
    """Return what commands pass on to `read` about columns that are in no measurement."""
    return {
        "insensitive": insensitive or (),
        "acknowledge": assignments(acknowledge, "An acknowledgement is written COLUMN=REASON (for instance ward='names no small group')"),
        "acknowledge_rest": acknowledge_rest,
    }


def elsewhere(
    engine: EngineName | None, spark_master: str | None, spark_conf: list[str] | None, spark_staging: str | None
) -> dict[str, Any]:
    """Return what commands pass on to `read` about which engine counts."""
    return {
        "engine": engine.value if engine else None,
        "spark_master": spark_master,
        "spark_conf": assignments(spark_conf, "A setting of Spark is written KEY=VALUE (for instance spark.executor.memory=8g)"),
        "spark_staging": spark_staging,
    }


def unknown_labels(given: list[str] | None) -> Any:
    """Return what --unknown says: one word for all columns, or one a column."""
    from anonscope.errors import OptionError

    words = given or []
    if all("=" in word for word in words):
        return {column: how for column, _, how in (word.rpartition("=") for word in words)} or "anything"
    if len(words) > 1:
        raise OptionError("--unknown says one thing for all columns, or COLUMN=HOW for each; not both.")
    return words[0]
