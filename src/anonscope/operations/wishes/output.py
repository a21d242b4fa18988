"""What comes out at a prompt, and where it goes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from anonscope.operations.wishes.words import Wish, Words

ReportFormat = Literal["text", "json", "markdown", "html"]
FormulasWish = Literal["refuse", "mark", "keep"]
_PANEL = "What comes out"
_FORCE = Words(help="Replace files that exist.")
_FORMULAS = Words(
    help="Cells of text that office programs take for formulas: refuse them, mark them with an apostrophe, or keep them.",
    wrong="What becomes of formulas is one of refuse, mark, keep, not {}.",
)
_FORMAT = Words(
    help="Default: the ending of the output file, else text.",
    shown=False,
    wrong="A report is written as text, json, markdown or html, not as {}.",
)
_FULL = Words(help="Print everything to the terminal, instead of a first screen of 24 lines.")


@dataclass(frozen=True, kw_only=True)
class Quiet(Wish):
    """Whether work that takes long says how far it is."""

    panel: ClassVar[str | None] = _PANEL

    quiet: Annotated[bool, Words(help="No progress bar.")] = False


@dataclass(frozen=True, kw_only=True)
class Report(Quiet):
    """A report, on the terminal or in a file."""

    panel: ClassVar[str | None] = _PANEL

    format: Annotated[ReportFormat | None, _FORMAT] = None
    full: Annotated[bool, _FULL] = False
    output: Annotated[Path | None, Words(help="Write the report to a file.", flags=("--output", "-o"), metavar="FILE")] = None


@dataclass(frozen=True, kw_only=True)
class ReportBeside(Quiet):
    """A report of a release that is written as well, so that it has a file of its own."""

    panel: ClassVar[str | None] = _PANEL

    format: Annotated[ReportFormat | None, _FORMAT] = None
    full: Annotated[bool, _FULL] = False
    report: Annotated[Path | None, Words(help="Write the report: .html, .json, .md, .txt.", metavar="FILE")] = None
    force: Annotated[bool, _FORCE] = False
    formulas: Annotated[FormulasWish, _FORMULAS] = "refuse"


@dataclass(frozen=True, kw_only=True)
class Replacing(Wish):
    """Whether files that exist are replaced."""

    panel: ClassVar[str | None] = _PANEL

    force: Annotated[bool, _FORCE] = False


@dataclass(frozen=True, kw_only=True)
class Released(Replacing):
    """How a release is written of which there is no report."""

    panel: ClassVar[str | None] = _PANEL

    formulas: Annotated[FormulasWish, _FORMULAS] = "refuse"


@dataclass(frozen=True, kw_only=True)
class Details(Wish):
    """What an audit tells beside the verdict: reasons, records, statements."""

    panel: ClassVar[str | None] = _PANEL

    explain: Annotated[
        bool | None,
        Words(
            help="Say why and what to do next. HTML and Markdown do by themselves; said outright, blame is exact however long it takes.",
            flags=("--explain/--no-explain",),
            shown=False,
        ),
    ] = None
    plan: Annotated[
        bool,
        Words(
            help="Lead with the best release that can be found, or with what would have to give; from the counts, in seconds.",
            flags=("--plan/--no-plan",),
        ),
    ] = True
    records: Annotated[
        Path | None,
        Words(
            help="Write every record's risks to a .csv or .parquet file, riskiest first. It helps an attacker: keep it apart.",
            metavar="FILE",
        ),
    ] = None
    records_with_values: Annotated[bool, Words(help="With the values of each record; must be confirmed.")] = False
    shows_people: Annotated[bool, Words(help="Confirms --records-with-values.", flags=("--i-understand-this-shows-people",))] = False
    largest_set: Annotated[
        int | None,
        Words(
            help="Minimal unique sets of up to so many attributes count in the records' SUDA scores. All sizes, if not given.",
            metavar="N",
            least=1,
            wrong="The largest set must have at least one attribute, not {}.",
        ),
    ] = None
    approximate: Annotated[
        bool, Words(help="Only estimate how many hide how well, in one pass and little memory. Nothing is judged, so it exits 1.")
    ] = False
    show_sql: Annotated[bool, Words(help="Print every statement that was run to standard error.")] = False


@dataclass(frozen=True, kw_only=True)
class Printed(Quiet):
    """How a proposal is printed."""

    panel: ClassVar[str | None] = _PANEL

    format: Annotated[
        Literal["text", "json"], Words(help="How to print it.", wrong="A proposal is printed as text or json, not as {}.")
    ] = "text"
    full: Annotated[bool, _FULL] = False


@dataclass(frozen=True, kw_only=True)
class Ending(Wish):
    """How fragments are written."""

    panel: ClassVar[str | None] = _PANEL

    ending: Annotated[
        Literal["csv", "tsv", "parquet", "arrow"],
        Words(help="Format of the fragments.", wrong="A fragment is written as csv, tsv, parquet or arrow, not as {}."),
    ] = "csv"
