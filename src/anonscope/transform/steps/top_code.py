"""Top coding: nobody stands out by being the oldest or the richest.

ISO/IEC 20889, top and bottom coding. Safe Harbor (45 CFR 164.514(b)(2)(i)(C)) has all ages of 90 and above in one category.
"""

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from anonscope.columns.images import Interval
from anonscope.errors import shown
from anonscope.transform.cells.coded_end import CodedEnd
from anonscope.transform.transformation import Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class TopCode(CodedEnd):
    """Replace every number of a column above a ceiling by the ceiling, or all from it on by a label such as 90+."""

    name: ClassVar[str] = "top_code"
    title: ClassVar[str] = "Top-code"
    standard: ClassVar[str] = "top and bottom coding"
    effect: ClassVar[Effect] = "recoding"

    ceiling: float | None = None

    def __post_init__(self) -> None:
        self.check("ceiling")

    @property
    def limit(self) -> float | None:
        return self.ceiling

    @property
    def words(self) -> str:
        return f"top-code {shown(self.column)}"

    def found(self, counts: str, needed: int) -> str:
        return f"SELECT MAX(x) FROM (SELECT x, SUM(n) OVER (ORDER BY x DESC) AS m FROM ({counts}) AS t) AS c WHERE m >= {needed}"

    def inside(self, number: str, limit: str) -> str:
        return f"{number} >= {limit}"

    def interval(self, limit: float, *, closed: bool = False) -> Interval:
        return Interval(limit, inf)
