"""The values of another table that the labels of a released column may stand for, and whether a label stands for any of them."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from datetime import date
from functools import cached_property

import numpy as np

from anonscope.columns.images import Dates, Everything, Exactly, Image, Interval, Prefix, Values, number_in
from anonscope.columns.looks import Numbers, shape

DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T ].*)?")
_PART = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?(?:[T ].*)?$")
_LAST = chr(0x10FFFF)


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
        return bool(self.texts) and all(DAY.fullmatch(text) for text in self.texts)

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
        return frozenset(map(shape, self.texts))

    @cached_property
    def _sorted_days(self) -> Numbers:
        return np.sort(np.array([day for text in self.texts if (day := day_in(text)) is not None], dtype=np.int64))

    def holds(self, image: Image) -> bool:
        """Return whether a value that some record has lies in an image."""
        # A table that was coarsened the same way holds the label itself.
        if image.label in self.known and not isinstance(image, Exactly | Everything):
            return True
        match image:
            case Everything():
                return bool(self.known)
            case Exactly():
                return image.value in self.known
            case Values():
                return any(value in self.known for value in image.values)
            case Interval():
                numbers = self.sorted_numbers
                stop = np.searchsorted(numbers, image.high, "right" if image.closed else "left")
                return bool(np.searchsorted(numbers, image.low) < stop)
            case Dates():
                days = self._sorted_days
                return bool(np.searchsorted(days, image.first.toordinal()) < np.searchsorted(days, image.last.toordinal(), side="right"))
            case Prefix():
                return any(image.length in (None, len(text)) for text in self.with_ends(image.start, ""))
            case _:
                return any(image.contains(text) for text in self.texts)

    def between(self, first: str, last: str) -> bool:
        """Return whether values lie between two of them, so that naming these two may mean all from one to the other."""
        low, high = number_in(first), number_in(last)
        if low is not None and high is not None:
            return bool(np.searchsorted(self.sorted_numbers, low, "right") < np.searchsorted(self.sorted_numbers, high, "left"))
        # Codes and days of one form have an order too; words have none that a list would go by.
        if shape(first) != shape(last) or not any(mark.isdigit() for mark in first):
            return False
        return bisect_left(self._sorted, first + "\0") < bisect_left(self._sorted, last)


def day_in(text: str) -> int | None:
    """Return the number of the day that a text names in the order of the calendar, or of the first day of its month or year."""
    found = _PART.match(text)
    if found is None:
        return None
    year, month, day = (int(part or 1) for part in found.groups())
    try:
        return date(year, month, day).toordinal()
    except ValueError:
        return None
