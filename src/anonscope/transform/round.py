"""Rounding: numbers that differ by little become one.

ISO/IEC 20889, rounding. A number halfway between two steps goes up (2.5 to 3), as in the pre-checks' preview of pseudonymisation levels.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from anonscope.errors import shown
from anonscope.images import Exactly, Image, Interval, number_text
from anonscope.transform.numbers import as_number, multiple, steps_in
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import ColumnTransformation, Effect, positive

_DIRECTIONS = {"nearest": "FLOOR({steps} + CAST(1 AS DOUBLE) / 2)", "floor": "FLOOR({steps})", "ceiling": "CEIL({steps})"}


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

    def expression(self, table: Table) -> Expression:
        index = _DIRECTIONS[self.direction].format(steps=steps_in(table.number(self.column), self.to))
        return as_number(table, self.column, multiple(index, self.to), whole=self.to == int(self.to))

    def image_of(self, released: str) -> Image:
        try:
            number = float(released)
        except ValueError:
            return Exactly(released)
        below, above = {"nearest": (0.5, 0.5), "floor": (0.0, 1.0), "ceiling": (1.0, 0.0)}[self.direction]
        low, high = number - below * self.to, number + above * self.to
        # The ceiling of an interval is in and its lower end out; as a closed interval it holds one number too many, never too few.
        return Interval(low, high, closed=self.direction == "ceiling")
