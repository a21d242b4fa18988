"""What is looked for when a table is recoded."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from anonscope.operations.wishes.policy import Meeting
from anonscope.operations.wishes.words import Wish, Words

Method = Literal["auto", "global", "subtree", "local", "mondrian"]
Start = Literal["global", "subtree", "mondrian"]
Loss = Literal[
    "ncp", "arx_loss", "arx_loss_arithmetic", "precision", "entropy", "non_uniform_entropy", "discernibility", "average_class_size"
]
Suppressed = Literal["keep", "drop"]
_PANEL = "What is looked for"
_SUPPRESSED = Words(
    help='Suppressed records stay with "*" everywhere, or go.',
    wrong="Suppressed records stay or go: say keep or drop, not {}.",
)
_SUPPRESSION = Words(
    help="Largest share of the records to suppress.",
    metavar="SHARE",
    least=0,
    most=1,
    wrong="A suppression limit is a share from 0 to 1, not {}.",
)
_LEVELS = Words(
    help="Fix the level of a column (2) or bound it (1-3).",
    flags=("--level",),
    metavar="COLUMN=LEVEL",
    entry="A level is written COLUMN=LEVEL (for instance age=2, or age=1-3)",
)
_UNTOUCHED = Words(help="Leave a column as it is.", metavar="COLUMN")


@dataclass(frozen=True, kw_only=True)
class Search(Meeting):
    """What must be met, and how it is looked for."""

    panel: ClassVar[str | None] = _PANEL

    method: Annotated[
        Method,
        Words(
            help="auto: the best of all; global: one level a column; subtree: one label a value; "
            "local: levels of its own for every combination.",
            wrong="No method is called {}. There are: auto, global, subtree, local, mondrian.",
        ),
    ] = "auto"
    loss: Annotated[
        Loss,
        Words(
            help="What full-domain recoding keeps small.",
            wrong="No loss is called {}. There are: ncp, arx_loss, arx_loss_arithmetic, precision, entropy, non_uniform_entropy, "
            "discernibility, average_class_size.",
        ),
    ] = "ncp"
    suppression: Annotated[float, _SUPPRESSION] = 0.05
    weights: Annotated[
        Mapping[str, float] | None,
        Words(
            help="What a column's loss counts.",
            flags=("--attribute-weight",),
            metavar="COLUMN=WEIGHT",
            entry="A weight is written COLUMN=WEIGHT (for instance age=2)",
        ),
    ] = None
    levels: Annotated[Mapping[str, int | tuple[int, int]] | None, _LEVELS] = None
    untouched: Annotated[Iterable[str], _UNTOUCHED] = ()
    time_budget: Annotated[
        float | None,
        Words(
            help="Stop the search, and take the best so far.",
            metavar="SECONDS",
            least=0,
            wrong="A time budget is a number of seconds, 0 or more, not {}.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Anonymising(Search):
    """How the whole table is recoded."""

    panel: ClassVar[str | None] = _PANEL

    suppressed: Annotated[Suppressed, _SUPPRESSED] = "keep"
    start: Annotated[
        Start | None,
        Words(
            help="Let local recoding begin with what this method finds.",
            wrong="Local recoding can begin with global, subtree or mondrian, not with {}.",
        ),
    ] = None
    steps: Annotated[
        Mapping[str, int] | None,
        Words(
            help="Let a method look at so many tuples at most, as a plan did: the same answer on every machine.",
            metavar="METHOD=N",
            entry="Steps are written METHOD=N, N being a whole number (for instance local=2000000)",
        ),
    ] = None
    as_planned: Annotated[
        bool,
        Words(help="Search as far as a plan does, so that its figures come true; without it, further, and mostly losing less."),
    ] = False


@dataclass(frozen=True, kw_only=True)
class Interrupted(Anonymising):
    """How the whole table is recoded where somebody may interrupt it."""

    panel: ClassVar[str | None] = _PANEL

    explain: Annotated[
        bool,
        Words(help="Search again with each limit relaxed, to say what that would buy.", flags=("--alternatives",)),
    ] = False
    keep_best: Annotated[bool, Words(help="When interrupted, release the best that was found so far.")] = False


@dataclass(frozen=True, kw_only=True)
class Tried(Wish):
    """What a release is tried at."""

    panel: ClassVar[str | None] = "What if"

    levels: Annotated[
        Mapping[str, int] | None,
        Words(
            help="Level of a column; others stay as they are.",
            flags=("--level",),
            metavar="COLUMN=LEVEL",
            entry="A level is written COLUMN=LEVEL (for instance age=2)",
            split_last=True,
        ),
    ] = None
    suppression: Annotated[float, _SUPPRESSION] = 0.05


@dataclass(frozen=True, kw_only=True)
class Trying(Tried, Meeting):
    """What a release is tried at, and what it is judged by."""


@dataclass(frozen=True, kw_only=True)
class Planning(Meeting):
    """What a plan must meet, and how far it may go."""

    panel: ClassVar[str | None] = _PANEL

    suppression: Annotated[float, _SUPPRESSION] = 0.05
    suppressed: Annotated[Suppressed, _SUPPRESSED] = "keep"
    levels: Annotated[Mapping[str, int | tuple[int, int]] | None, _LEVELS] = None
    untouched: Annotated[Iterable[str], _UNTOUCHED] = ()
    seconds: Annotated[
        float | None,
        Words(
            help="Search by the clock, for so long. Default: a number of steps, or as long as the audit of a large table takes.",
            metavar="SECONDS",
            above=0,
            shown=False,
            wrong="The seconds of a plan are a number above 0, not {}.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Repeating(Wish):
    """An earlier recipe that a plan goes by."""

    panel: ClassVar[str | None] = _PANEL

    like: Annotated[
        str | Path | None,
        Words(help="Recipe of an earlier delivery: does it still do, and if not, the smallest change.", metavar="RECIPE", reads=Path),
    ] = None
