"""What a label of a released column stands for and how that is known, and how many of its cells were read so."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from numpy.typing import NDArray

from anonscope.columns.images import Image, Interval
from anonscope.errors import OptionError, shown

Numbers = NDArray[Any]
ImageOf = Callable[[str], Image]

# What a label means that nobody explains: anything; the values that it replaced, record by record; itself, which the other table
# happens to lack; or everything that begins so.
Unknown = Literal["anything", "observed", "itself", "prefix"]
UNKNOWN: tuple[Unknown, ...] = get_args(Unknown)

ITSELF = "the value itself"
SAME_NUMBER = "the same number"
MISSING = "a missing value"
ANYTHING = "suppressed: anything"
BEGINNING = "first characters"
MASKED = "masked characters"
ONE_OF = "one of a list"
TOLD = "by the recipe"
TREE = "by the hierarchy"
BESIDE = "a value of the original"
OBSERVED = "as observed, record by record"
AS_TOLD = {"itself": "itself, as told", "prefix": "first characters, as told"}
UNREAD = "not read: may be anything"
ROUNDED = "not read: numbers that look rounded"
MADE_UP = "not read: made up by a recipe"
SHIFTED = "not read: numbers that are no values of the other table"
CUT = "not read: days that look cut"
BLANKS = "a missing value: anything, as told"
BLANKED = "blanked: anything"
BLANK = "not read: blanks where the other table has none"
TWO = "not read: two values, or all from one to the other"
OTHERWISE = "not read: fits no value of the other table, which may write them otherwise"


@dataclass(frozen=True, slots=True)
class LabelReading:
    """What a label stands for, and how that is known; an unread one stands for anything."""

    image: Image
    how: str
    read: bool = True
    core: Interval | None = None  # of a range: as it is written, without what lies between it and its neighbours


@dataclass(frozen=True, slots=True)
class ToldLabels:
    """What is known of a column's labels: what each stands for, who says so, and whether all are known or only those it names."""

    image: ImageOf
    by: str = TOLD
    whole: bool = True
    doubted: frozenset[str] = frozenset()  # labels that stand for something else than themselves, whatever they look like
    read: bool = True  # else a label that may be anything was made up: it tells more than nothing, and nobody can say how much
    blanks: bool | None = None  # whether values were blanked, so that a missing one may be anything; None where nobody knows


@dataclass(frozen=True, slots=True)
class ReadAs:
    """How many labels and cells of a column were read in one way."""

    column: str
    how: str
    labels: int
    cells: int
    read: bool


def unknown_for(column: str, unknown: "Unknown | Mapping[str, Unknown]") -> Unknown:
    """Return what a column's unexplained labels are taken for: one word for all columns, or one a column."""
    found = unknown.get(column, "anything") if isinstance(unknown, Mapping) else unknown
    if found not in UNKNOWN:
        raise OptionError(f"A label that nothing explains counts as {', '.join(UNKNOWN[:-1])} or {UNKNOWN[-1]}, not as {found!r}.")
    return found


def check_unknown(unknown: "Unknown | Mapping[str, Unknown]", columns: Sequence[str]) -> None:
    """Raise for a word that means nothing, and for a column that is not there."""
    for column in unknown if isinstance(unknown, Mapping) else ("",):
        if column and column not in columns:
            raise OptionError(f"What labels of {shown(column)} stand for is told, but that column is not among those compared.")
        unknown_for(column, unknown)


def summary(column: str, readings: Sequence[LabelReading], cells: Numbers) -> tuple[ReadAs, ...]:
    """Return how the labels of a column were read, what was not read last."""
    found: dict[tuple[bool, str], list[int]] = {}
    for reading, number in zip(readings, cells.tolist(), strict=True):
        if number:
            entry = found.setdefault((not reading.read, reading.how), [0, 0])
            entry[0] += 1
            entry[1] += int(number)
    return tuple(ReadAs(column, how, labels, number, not unread) for (unread, how), (labels, number) in sorted(found.items()))
