"""The values of an original column, in an order in which what releases say of them is mostly a stretch."""

import re
from bisect import bisect_left
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Literal

import numpy as np

from anonscope.columns.images import Dates, Everything, Exactly, Image, Interval, Prefix, Values, number_in
from anonscope.engines.values import CODE, NUMBER
from anonscope.risk.counting.arrays import Floats, Integers

Kind = Literal["number", "date", "category"]
_NUMBER, _CODE = re.compile(NUMBER), re.compile(CODE)
_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T ].*)?")
_LAST = "\U0010ffff"


@dataclass(frozen=True, eq=False, repr=False)
class Domain:
    """Values in rising order of their numbers (days, for dates) or of their texts; a missing value comes last, if there is one."""

    kind: Kind
    values: tuple[str | None, ...]
    numbers: Floats  # of all values but the missing one; none at all for categories

    @cached_property
    def place(self) -> dict[str | None, int]:
        """Where every value stands."""
        return {value: place for place, value in enumerate(self.values)}

    @property
    def texts(self) -> int:
        """How many values are not missing."""
        return len(self.values) - (self.values[-1] is None if self.values else 0)

    @property
    def numeric(self) -> bool:
        """Whether distances between values mean something: numbers and days."""
        return self.kind != "category"

    @property
    def range(self) -> float:
        """The distance from the lowest to the highest number."""
        return float(self.numbers[-1] - self.numbers[0]) if len(self.numbers) else 0.0

    def number(self, text: str | None) -> float | None:
        """Return the number (or day) that a text is in this column, if it is one."""
        if self.kind == "category" or text is None:
            return None
        if self.kind == "number":
            return number_in(text)
        days = _days([text])
        return None if days is None else float(days[0])

    def places(self, image: Image) -> tuple[int, int] | Integers:
        """Return the values of an image, as a stretch or as places in rising order."""
        match image:
            case Everything():
                return 0, len(self.values)
            case Exactly(value):
                return self._exactly(value)
            case Interval(low, high, closed) if self.kind == "number":
                first, last = np.searchsorted(self.numbers, low), np.searchsorted(self.numbers, high, "right" if closed else "left")
                return int(first), max(int(first), int(last))
            case Dates(first_day, last_day) if self.kind == "date":
                return (
                    int(np.searchsorted(self.numbers, first_day.toordinal())),
                    int(np.searchsorted(self.numbers, last_day.toordinal(), "right")),
                )
            case Prefix(start, length):
                return self._prefix(start, length)
            case Values(values):
                found = {self.place[value] for value in (*values, image.label) if value in self.place}
                return np.array(sorted(found), dtype=np.int64)
            case Interval(low, high, closed):
                numbers = self._loose_numbers
                inside = (numbers >= low) & ((numbers <= high) if closed else (numbers < high))
                own = self.place.get(image.label)
                if own is not None:
                    inside[own] = True
                return np.flatnonzero(inside)
        return np.array([place for place, value in enumerate(self.values) if image.contains(value)], dtype=np.int64)

    @cached_property
    def _loose_numbers(self) -> Floats:
        """The numbers of a column in which not all values are; for the rest, what no interval holds (NaN)."""
        found = (number_in(value) for value in self.values)
        return np.array([np.nan if number is None else number for number in found])

    @cached_property
    def _sorted(self) -> list[tuple[str, int]]:
        return sorted((value, place) for place, value in enumerate(self.values) if value is not None)

    def _exactly(self, value: str | None) -> tuple[int, int]:
        place = self.place.get(value)
        if place is not None:
            return place, place + 1
        number = self.number(value)
        if number is not None:
            # The same number written differently.
            return int(np.searchsorted(self.numbers, number)), int(np.searchsorted(self.numbers, number, "right"))
        return 0, 0

    def _prefix(self, start: str, length: int | None) -> Integers:
        listed = self._sorted
        first, last = bisect_left(listed, (start, -1)), bisect_left(listed, (start + _LAST, -1))
        chosen = [place for text, place in listed[first:last] if length in (None, len(text))]
        return np.array(sorted(chosen), dtype=np.int64)


def domain_of(values: tuple[str | None, ...], *, category: bool = False) -> tuple[Domain, Integers]:
    """Return a column's values in their order, and the place of each of those given; they are in order of text, missing first.

    With `category`, values that look like numbers or dates are names all the same.
    """
    texts = [value for value in values if value is not None]
    missing = len(values) > len(texts)
    kind: Kind = "category"
    numbers = np.zeros(0)
    if category or not texts:
        numbers = np.zeros(0)
    elif all(_NUMBER.match(text) and not _CODE.match(text) for text in texts):
        found = np.array([float(text) for text in texts])
        if np.isfinite(found).all():
            kind, numbers = "number", found
    elif (days := _days(texts)) is not None:
        kind, numbers = "date", days
    order = np.argsort(numbers, kind="stable") if kind != "category" else np.arange(len(texts))
    place = np.empty(len(values), dtype=np.int64)
    place[missing + order] = np.arange(len(texts))
    if missing:
        place[0] = len(texts)
    listed = [texts[i] for i in order.tolist()]
    return Domain(kind, (*listed, None) if missing else tuple(listed), numbers[order] if len(numbers) else numbers), place


def _days(texts: list[str]) -> Floats | None:
    """Return dates as the days they are, or None where a text is no date."""
    found = []
    for text in texts:
        match = _DAY.fullmatch(text)
        if match is None:
            return None
        try:
            found.append(date(int(match[1]), int(match[2]), int(match[3])).toordinal())
        except ValueError:
            return None
    return np.array(found, dtype=np.float64)
