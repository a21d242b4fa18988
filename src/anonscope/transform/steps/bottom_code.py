"""Bottom coding: nobody stands out by being the youngest or the poorest.

ISO/IEC 20889, top and bottom coding.
"""

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from anonscope.columns.images import Interval
from anonscope.errors import shown
from anonscope.transform.cells.coded_end import CodedEnd
from anonscope.transform.transformation import Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class BottomCode(CodedEnd):
    """Replace every number of a column below a floor by the floor, or by a label such as <18."""

    name: ClassVar[str] = "bottom_code"
    title: ClassVar[str] = "Bottom-code"
    standard: ClassVar[str] = "top and bottom coding"
    effect: ClassVar[Effect] = "recoding"

    floor: float | None = None

    def __post_init__(self) -> None:
        self.check("floor")

    @property
    def limit(self) -> float | None:
        return self.floor

    @property
    def words(self) -> str:
        return f"bottom-code {shown(self.column)}"

    def found(self, counts: str, needed: int) -> str:
        # The label leaves the floor itself out, so what counts is how many records are below it.
        without = "- n" if self.label else ""
        return f"SELECT MIN(x) FROM (SELECT x, SUM(n) OVER (ORDER BY x) {without} AS m FROM ({counts}) AS t) AS c WHERE m >= {needed}"

    def inside(self, number: str, limit: str) -> str:
        return f"{number} < {limit}"

    def interval(self, limit: float, *, closed: bool = False) -> Interval:
        return Interval(-inf, limit, closed=closed)
