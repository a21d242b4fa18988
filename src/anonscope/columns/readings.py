"""How the labels of a released column are read against the values that they may stand for, and how many of its cells were read so.

A label is explained by what made it (a recipe, a hierarchy), by being a value itself, or by its notation. What nothing explains is
*not read*: it may be anything, and whoever counts with it must say so. Numbers and days that are values but all lie on a grid that the
values do not keep look rounded, and are not read either.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, log
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from anonscope.columns.images import EVERYTHING, Everything, Exactly, Image, Interval, Values, number_in, read_image
from anonscope.columns.notations import (
    ABOVE,
    BELOW,
    DAYS,
    RANGE,
    SPEAKS,
    UPPER_OUT,
    Written,
    bracketed,
    day_spans,
    mask_of,
    members,
    number_ranges,
    plain,
    widened,
)
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

_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T ].*)?")
_LAST = chr(0x10FFFF)
# All labels on a grid on which so few values lie that this is no coincidence.
_CHANCE = 1e-3


@dataclass(frozen=True, slots=True)
class Reading:
    """What a label stands for, and how that is known; an unread one stands for anything."""

    image: Image
    how: str
    read: bool = True
    core: Interval | None = None  # of a range: as it is written, without what lies between it and its neighbours


@dataclass(frozen=True, slots=True)
class Told:
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


def summary(column: str, readings: Sequence[Reading], cells: Numbers) -> tuple[ReadAs, ...]:
    """Return how the labels of a column were read, what was not read last."""
    found: dict[tuple[bool, str], list[int]] = {}
    for reading, number in zip(readings, cells.tolist(), strict=True):
        if number:
            entry = found.setdefault((not reading.read, reading.how), [0, 0])
            entry[0] += 1
            entry[1] += int(number)
    return tuple(ReadAs(column, how, labels, number, not unread) for (unread, how), (labels, number) in sorted(found.items()))


class Against:
    """The values that labels may stand for: the distinct ones of a column, with how many records have each."""

    def __init__(self, values: Sequence[str | None], cells: Numbers) -> None:
        self.values, self.cells = values, cells

    @cached_property
    def known(self) -> dict[str | None, int]:
        """Where every value stands that some record has."""
        return {value: place for place, value in enumerate(self.values) if self.cells[place]}

    @cached_property
    def texts(self) -> list[str]:
        return [value for value in self.known if value is not None]

    @cached_property
    def days(self) -> bool:
        """Whether the column holds days, so that a year or a month stands for its days."""
        return bool(self.texts) and all(_DAY.fullmatch(text) for text in self.texts)

    @cached_property
    def numbers(self) -> Numbers:
        """The numbers of all values; NaN where one is none."""
        found = (number_in(value) for value in self.values)
        return np.array([np.nan if number is None else number for number in found], dtype=np.float64)

    @cached_property
    def numeric(self) -> bool:
        """Whether most values are numbers."""
        present = np.asarray(self.cells) > 0
        return 2 * int((~np.isnan(self.numbers[present])).sum()) > len(self.texts)

    @cached_property
    def whole(self) -> bool:
        """Whether all numbers are whole ones."""
        found = self.numbers[~np.isnan(self.numbers)]
        return bool((found == np.floor(found)).all())

    @cached_property
    def by_number(self) -> dict[float, str | None]:
        return {float(number): value for value, number in zip(self.values, self.numbers, strict=True) if not np.isnan(number)}

    @cached_property
    def sorted_numbers(self) -> Numbers:
        return np.sort(self.numbers[~np.isnan(self.numbers) & (np.asarray(self.cells) > 0)])

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self.texts)

    @cached_property
    def _reversed(self) -> list[str]:
        return sorted(text[::-1] for text in self.texts)

    def with_ends(self, start: str, end: str) -> list[str]:
        """Return the values that begin so or, where no beginning is given, end so."""
        if start or not end:
            return self._sorted[bisect_left(self._sorted, start) : bisect_left(self._sorted, start + _LAST)]
        mirrored = end[::-1]
        found = self._reversed[bisect_left(self._reversed, mirrored) : bisect_left(self._reversed, mirrored + _LAST)]
        return [text[::-1] for text in found]

    @cached_property
    def shapes(self) -> frozenset[str]:
        """How values are written: a letter for letters, a digit for each digit."""
        return frozenset(map(_shape, self.texts))


class ColumnReader:
    """Reads the labels of one released column against values, with what was told of them."""

    def __init__(self, labels: Sequence[str | None], against: Against, told: Told | None = None, *, unknown: Unknown = "anything") -> None:
        self.labels, self.against, self.told, self.unknown = labels, against, told, unknown
        self._left_alone = told is not None and told.whole
        self._foreign = [label for label in labels if label is not None and label not in against.known]

    def all(self) -> list[Reading]:
        """Return what every label stands for."""
        readings = [self.read(label) for label in self.labels]
        # Ranges that all lie beside every value are in another unit than the values, or not what they seem.
        beside = [i for i, found in enumerate(readings) if found.how in _ORDERED and self.labels[i] not in self.against.known]
        speaking = sum(label not in (None, EVERYTHING) for label in self.labels)
        if beside and len(beside) == speaking and not any(self._holds(readings[i].image) for i in beside):
            for i in beside:
                readings[i] = self._unread(self.labels[i])
        # What a recipe explains may still be written otherwise in the other table, such as F there and female here.
        explained = [i for i, found in enumerate(readings) if self.labels[i] is not None and not isinstance(found.image, Everything)]
        if (
            self.told is not None
            and self.unknown == "anything"
            and explained
            and not any(self._holds(readings[i].image) for i in explained)
        ):
            for i in explained:
                readings[i] = self._unread(self.labels[i])
        return readings

    def read(self, label: str | None) -> Reading:
        """Return what one label stands for."""
        if label is None:
            # Our steps keep what is missing missing; others blank what they suppress.
            if self.told is not None and self.told.blanks:
                return Reading(Everything(), BLANKED)
            if (
                self._left_alone
                or (self.told is not None and self.told.blanks is False)
                or None in self.against.known
                or self.unknown == "itself"
            ):
                return Reading(Exactly(None), MISSING)
            return Reading(Everything(), BLANK, read=False)
        if self.told is not None:
            image = self.told.image(label)
            if isinstance(image, Everything):
                read = self.told.read or not label.strip(EVERYTHING)
                return Reading(image, ANYTHING if read else self.told.by, read=read)
            if not isinstance(image, Exactly):
                return Reading(image, self.told.by if self.told.read else TOLD)
        return self._plain(label) if label.strip(EVERYTHING) or not label else Reading(Everything(), ANYTHING)

    def _plain(self, label: str) -> Reading:
        """Read a label that nobody explains, or that is said to have been left as it was."""
        notation = self.notation(label)
        look = self._look
        doubted = self.told is not None and label in self.told.doubted
        doubtful = doubted or (look is not None and label in look[1])
        if label in self.against.known and not doubtful:
            # What is a value and a notation may be either.
            return notation if notation is not None and self._holds(notation.image) else Reading(Exactly(label), ITSELF)
        if notation is not None:
            return notation
        if doubtful:
            return self._unread(label, look[0] if look is not None and label in look[1] else UNREAD)
        number = number_in(label)
        if number is not None and self.against.numeric and number in self.against.by_number:
            return Reading(Values(frozenset([self.against.by_number[number]]), label), SAME_NUMBER)
        if self._left_alone and ((number is not None and self.against.numeric) or _shape(label) in self.against.shapes):
            # It was left as it was, and the other table writes such values: it just lacks this one.
            return Reading(Exactly(label), ITSELF)
        return self._unread(label)

    def _unread(self, label: str | None, how: str = UNREAD) -> Reading:
        if self.unknown == "itself" or label is None:
            return Reading(Exactly(label), AS_TOLD["itself"])
        if self.unknown == "prefix":
            held = frozenset(self.against.with_ends(label, ""))
            return Reading(Values(held, label), AS_TOLD["prefix"]) if held else Reading(Everything(), UNREAD, read=False)
        return Reading(Everything(), how, read=False)

    def notation(self, label: str) -> Reading | None:
        """Return what a label stands for by the way it is written; None where that says nothing."""
        if self.against.days:
            return None if label in self.against.known else self._of_days(label)
        if SPEAKS.search(label) is None:
            return None
        if label in self._brackets:
            image, how = self._brackets[label]
            return Reading(image, how) if self.against.numeric or self._holds(image) else self._listed(label)
        return self._ranged(label) or self._masked(label) or self._listed(label)

    def _of_days(self, label: str) -> Reading | None:
        found = day_spans(plain(label), label)
        if len(found) == 1:
            return Reading(*found[0])
        return self._masked(label) or self._listed(label)

    def _ranged(self, label: str) -> Reading | None:
        found = self._ranges(label)
        if len(found) != 1 or not (self.against.numeric or self._holds(found[0].range)):
            return None
        begins, ends = self._neighbours
        return Reading(widened(found[0], begins, ends), found[0].how, core=found[0].range)

    def _ranges(self, label: str) -> list[Written]:
        found = number_ranges(plain(label), label)
        # 1.000 is one or a thousand; the values tell.
        return [one for one in found if self._holds(one.range)] if len(found) > 1 else found

    def _masked(self, label: str) -> Reading | None:
        mask = mask_of(label)
        if mask is None:
            return None
        held = frozenset(value for value in self.against.with_ends(mask.start, mask.end) if mask.pattern.fullmatch(value))
        # A mask that no value fits says nothing: codes may have lost their zeros, or are written otherwise there.
        if not held:
            return None
        return Reading(Values(held, label), MASKED if mask.end else BEGINNING)

    def _listed(self, label: str) -> Reading | None:
        image = read_image(label)
        if isinstance(image, Values) and not any(value in ("...", "…") for value in image.values) and self._holds(image):
            return Reading(image, ONE_OF)
        for parts in members(label):
            if all(part in self.against.known for part in parts):
                return Reading(Values(frozenset(parts), label), ONE_OF)
        return None

    @cached_property
    def _brackets(self) -> dict[str, tuple[Interval, str]]:
        return bracketed([label for label in self.labels if label is not None])

    @cached_property
    def _neighbours(self) -> tuple[list[float], list[float]]:
        """Where the ranges of the column begin and end, each rising."""
        found = [one[0].range for label in self._foreign if len(one := self._ranges(label)) == 1]
        return sorted({one.low for one in found if one.low > -inf}), sorted({one.high for one in found if one.high < inf})

    def begins_at(self, number: float) -> bool:
        """Return whether a range of the column begins at a number."""
        return number in self._neighbours[0]

    def _holds(self, image: Image) -> bool:
        if isinstance(image, Interval):
            numbers = self.against.sorted_numbers
            stop = np.searchsorted(numbers, image.high, "right" if image.closed else "left")
            return bool(np.searchsorted(numbers, image.low) < stop)
        if isinstance(image, Values):
            return any(value in self.against.known for value in image.values)
        return any(image.contains(value) for value in self.against.texts)

    @cached_property
    def _look(self) -> tuple[str, frozenset[str]] | None:
        """What the plain numbers or days of the column look like, and which labels they are; None where they look like values."""
        if self._left_alone or self.unknown == "itself":
            return None
        if self.against.days:
            return self._cut_days()
        if not self.against.numeric:
            return None
        found = {label: number for label in self.labels if label is not None and (number := number_in(label)) is not None}
        if not found:
            return None
        numbers = np.unique(np.array(list(found.values())))
        if on_a_grid(numbers, np.unique(self.against.sorted_numbers)):
            return ROUNDED, frozenset(found)
        absent = {label for label, number in found.items() if number not in self.against.by_number}
        # Where most are no values, those that are may be so by chance.
        return (SHIFTED, frozenset(found) if 2 * len(absent) > len(found) else frozenset(absent)) if absent else None

    def _cut_days(self) -> tuple[str, frozenset[str]] | None:
        labels = {label: found for label in self.labels if label is not None and (found := _DAY.fullmatch(label))}
        days = {(found[1], found[2], found[3]) for found in labels.values()}
        values = {(found[1], found[2], found[3]) for text in self.against.texts if (found := _DAY.fullmatch(text))}
        for part in (slice(1, 3), slice(2, 3)):
            if len(days) > 1 and len({day[part] for day in days}) == 1:
                kept = next(iter(days))[part]
                if _no_coincidence(sum(value[part] == kept for value in values) / len(values), len(days)):
                    return CUT, frozenset(labels)
        return None


_ORDERED = (RANGE, UPPER_OUT, "range, lower end out", "range, both ends out", ABOVE, BELOW, DAYS)


def on_a_grid(labels: Numbers, values: Numbers) -> bool:
    """Return whether different numbers look rounded: all lie on a grid, and so few of the values do that this is no coincidence."""
    if len(labels) < 2 or not len(values):
        return False
    for digits in range(7):
        scaled = labels * 10.0**digits
        if np.abs(scaled).max() > 2**53:
            return False
        if np.abs(scaled - np.round(scaled)).max() < 1e-6:
            break
    else:
        return False
    whole = np.round(scaled).astype(np.int64)
    step = int(np.gcd.reduce(whole - whole[0]))
    others = values * 10.0**digits
    near = np.abs(others - np.round(others)) < 1e-6
    fits = near & (np.mod(np.round(others) - whole[0] % step, step) == 0)
    # A grid that people use needs no label to find it by; any other is found by the first two.
    usual = whole[0] % step == 0 and f"{step:e}"[0] in "125" and float(f"{step:.0e}") == step
    return _no_coincidence(float(fits.mean()), len(labels) - (0 if usual else 2))


def _no_coincidence(share: float, labels: int) -> bool:
    """Return whether so many labels would hardly all keep what only a share of the values keeps."""
    return labels > 0 and share < 1 and (share == 0 or labels * log(share) < log(_CHANCE))


def _shape(text: str) -> str:
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d", "9", text))
