"""Rounding: numbers that differ by little become one.

ISO/IEC 20889, rounding. A number halfway between two steps goes up (2.5 to 3), as in the pre-checks' preview of pseudonymisation levels.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from anonscope.columns.images import Exactly, Image, number_in, number_text
from anonscope.errors import shown
from anonscope.transform.cells.numbers import as_number, interval_around, multiple, step_below, sum_of
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import ColumnTransformation, Effect, positive

_DIRECTIONS = ("nearest", "floor", "ceiling")


@dataclass(frozen=True, slots=True, kw_only=True)
class Round(ColumnTransformation):
    """Round every number of a column to a multiple of `to`."""

    name: ClassVar[str] = "round"
    title: ClassVar[str] = "Round"
    standard: ClassVar[str] = "rounding"
    effect: ClassVar[Effect] = "recoding"

    to: float
    direction: Literal["nearest", "floor", "ceiling"] = "nearest"

    def __post_init__(self) -> None:
        ColumnTransformation.__post_init__(self)
        positive(self, "to", self.to)
        if self.direction not in _DIRECTIONS:
            raise self.fail(f"direction must be one of {', '.join(_DIRECTIONS)}")

    @property
    def words(self) -> str:
        way = {"nearest": "", "floor": " down", "ceiling": " up"}[self.direction]
        return f"round {shown(self.column)}{way} to {number_text(self.to)}"

    def apply(self, table: Table) -> Table:
        # One after the other, because each occurs many times in the next.
        numbered = table.computed("x", table.number(self.column)).computed("i", self._index("x"))
        return ColumnTransformation.apply(self, numbered.computed("rounded", multiple("i", self.to)))

    def expression(self, table: Table) -> Expression:
        return as_number(table, self.column, "rounded", whole=self.to == int(self.to))

    def _index(self, x: str) -> str:
        """Return the SQL for how many steps from zero a number is rounded to."""
        if self.direction == "floor":
            return step_below(x, self.to)
        if self.direction == "ceiling":
            return f"-{step_below(f'-({x})', self.to)}"
        if self.to == int(self.to):
            return f"FLOOR({x} / CAST({number_text(self.to)} AS DOUBLE) + CAST(1 AS DOUBLE) / 2)"
        return step_below(x, self.to, -self.to / 2)

    def image_of(self, released: str) -> Image:
        number = number_in(released)
        if number is None:
            return Exactly(released)
        below, above = {"nearest": (0.5, 0.5), "floor": (0.0, 1.0), "ceiling": (1.0, 0.0)}[self.direction]
        low, high = sum_of(number, -below * self.to), sum_of(number, above * self.to)
        # The ceiling of an interval is in and its lower end out; as a closed interval it holds one number too many, never too few.
        return interval_around(low, high, self.to, closed=self.direction == "ceiling")
