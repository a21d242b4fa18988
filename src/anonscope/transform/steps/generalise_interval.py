"""Numbers become intervals of one width, or between cuts.

R. Aufschläger et al. (2023), section 4.2, discretisation. Whole numbers get closed intervals, [30-39], as in its figures 3 and 7;
other numbers get half-open ones, [30, 40), as in its equation 7. Which one is chosen by `whole`, not guessed from the data, so
that a recipe means the same on new data.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import inf, isfinite
from typing import ClassVar

from anonscope.columns.images import Image, Interval, number_in, number_text
from anonscope.engines.values import number_as_text
from anonscope.errors import shown
from anonscope.transform.cells.numbers import NOT_A_NUMBER, interval_around, multiple, step_below
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import ColumnTransformation, Effect, positive


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneraliseInterval(ColumnTransformation):
    """Replace numbers by the interval they lie in: of one `width`, counted from `start`, or between `cuts`."""

    name: ClassVar[str] = "generalise_interval"
    title: ClassVar[str] = "Generalise to intervals"
    standard: ClassVar[str] = "generalisation"
    effect: ClassVar[Effect] = "recoding"

    width: float | None = None
    start: float = 0
    cuts: tuple[float, ...] = ()
    whole: bool = True  # values are whole numbers, and intervals closed
    labels: tuple[str, ...] = ()  # what the intervals between cuts are called, if not by their ends

    def __post_init__(self) -> None:
        ColumnTransformation.__post_init__(self)
        if (self.width is None) == (not self.cuts):
            raise self.fail("give either a width or cuts")
        if self.width is not None:
            positive(self, "width", self.width)
        for key, number in (("start", self.start), *(("cuts", cut) for cut in self.cuts)):
            if isinstance(number, bool) or not isinstance(number, int | float) or not isfinite(number):
                raise self.fail(f"{key} must be made of numbers")
        if any(low >= high for low, high in pairwise(self.cuts)):
            raise self.fail("cuts must rise; otherwise intervals would overlap or be empty")
        used = [self.start, *([self.width] if self.width is not None else []), *self.cuts]
        if self.whole and any(number != int(number) for number in used):
            raise self.fail("closed intervals need whole numbers; say whole = false for half-open ones")
        if self.labels and (len(self.labels) != len(self.cuts) + 1 or not self.cuts):
            raise self.fail(f"labels must be one more than cuts, not {len(self.labels)} for {len(self.cuts)}")
        if not all(isinstance(label, str) and label for label in self.labels) or len(set(self.labels)) < len(self.labels):
            raise self.fail("labels must be texts that differ")

    @property
    def words(self) -> str:
        if self.width is not None:
            return f"put {shown(self.column)} into intervals of {number_text(self.width)}"
        return f"put {shown(self.column)} into {len(self.cuts) + 1} intervals"

    def apply(self, table: Table) -> Table:
        # One after the other, because each occurs many times in the next.
        numbered = table.computed("x", table.number(self.column))
        if self.width is not None:
            numbered = numbered.computed("i", step_below("x", self.width, self.start))
            above = multiple("i + 1", self.width, self.start)
            numbered = numbered.computed("low", multiple("i", self.width, self.start))
            numbered = numbered.computed("high", f"({above} - 1)" if self.whole else above)
        return ColumnTransformation.apply(self, numbered)

    def expression(self, table: Table) -> Expression:
        fails, problem = "x IS NULL", NOT_A_NUMBER
        if self.whole:
            fails, problem = "x IS NULL OR x <> FLOOR(x)", "cannot be read as whole numbers (say whole = false for others)"
        return Expression(self._by_width() if self.width is not None else self._by_cuts(table), "VARCHAR", fails, problem)

    def _by_width(self) -> str:
        low, high = number_as_text("low"), number_as_text("high")
        if not self.whole:
            return f"CONCAT('[', {low}, ', ', {high}, ')')"
        if self.width == 1:
            return low
        # All at once, because every further || copies what is there so far.
        return f"CONCAT('[', {low}, '-', {high}, ']')"

    def _by_cuts(self, table: Table) -> str:
        *bounded, (_, last) = ((high, table.engine.text(label)) for (_, high), label in self._intervals())
        tests = " ".join(f"WHEN x < CAST({number_text(high)} AS DOUBLE) THEN {label}" for high, label in bounded)
        return f"CASE {tests} ELSE {last} END"

    def _intervals(self) -> list[tuple[tuple[float, float], str]]:
        """Return the ends of every interval between cuts, and what it is called."""
        ends = list(pairwise((-inf, *self.cuts, inf)))
        return list(zip(ends, self.labels or [self._label(*end) for end in ends], strict=True))

    def image_of(self, released: str) -> Image:
        for (low, high), label in self._intervals() if self.labels else []:
            if label == released:
                return Interval(low, high, written=released)
        number = number_in(released)
        if number is not None:
            # An interval of one number, which may have been written otherwise: 3 as 3.0.
            return interval_around(number, number, 1, closed=True, written=released)
        image = ColumnTransformation.image_of(self, released)
        if self.width is None or not isinstance(image, Interval) or not isfinite(image.high - image.low):
            return image
        return interval_around(image.low, image.high, self.width, closed=image.closed, written=released)

    def _label(self, low: float, high: float) -> str:
        if self.whole and -inf < low and high < inf:
            return number_text(low) if high == low + 1 else Interval(low, high - 1, closed=True).label
        return Interval(low, high).label
