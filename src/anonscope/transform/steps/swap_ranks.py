"""Rank swapping: values change places with values that are nearly as large.

R. A. Moore (1996), "Controlled Data-Swapping Techniques for Masking Public Use Microdata Sets", U.S. Bureau of the Census: two
values are swapped only if their ranks differ by at most p per cent of the number of records.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from anonscope.columns.images import number_text
from anonscope.errors import shown
from anonscope.transform.cells.numbers import NOT_A_NUMBER
from anonscope.transform.randomness.draws import RandomColumnTransformation, coded, moved, numbers
from anonscope.transform.randomness.words import Chance
from anonscope.transform.table import Expression, Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapRanks(RandomColumnTransformation):
    """Swap values of a column in pairs whose ranks differ by at most `percent` of the records that have a value."""

    name: ClassVar[str] = "swap_ranks"
    title: ClassVar[str] = "Swap ranks"
    standard: ClassVar[str] = "permutation"

    percent: float
    order: Literal["number", "text"] = "number"

    def __post_init__(self) -> None:
        RandomColumnTransformation.__post_init__(self)
        if isinstance(self.percent, bool) or not isinstance(self.percent, int | float) or not 0 < self.percent <= 100:
            raise self.fail("percent must be a number above 0 and at most 100")
        if self.order not in ("number", "text"):
            raise self.fail("order must be number or text")

    @property
    def words(self) -> str:
        return f"swap values of {shown(self.column)} within {number_text(self.percent)} % of the ranks"

    def mixes(self, column: str) -> bool:
        return column == self.column

    def drawn(self, table: Table) -> Table:
        import numpy as np

        # Equal values share a rank; the sort is stable, so that ties keep the order of the records.
        rank = self._ranks(table)
        present = np.flatnonzero(rank)
        by_rank = present[np.argsort(rank[present], kind="stable")]
        source = np.arange(len(rank))
        if len(by_rank):
            reach = int(len(by_rank) * self.percent / 100)
            if not reach:
                raise self.fail(
                    f"percent is too small for column {shown(self.column)}: {number_text(self.percent)} % of "
                    f"{len(by_rank):,} values is less than one rank, so nothing would be swapped"
                )
            source[by_rank] = by_rank[partners(len(by_rank), reach, self.chance)]
        return moved(table, self.column, source)

    def expression(self, table: Table) -> Expression:
        _, kind = table.at(self.column)
        fails = f"{table.number(self.column)} IS NULL" if self.order == "number" else None
        return Expression(
            f"CAST(drawn AS {kind})", kind, fails, f'{NOT_A_NUMBER}, so they have no rank (order = "text" ranks them as text)'
        )

    def _ranks(self, table: Table) -> "NDArray[np.int64]":
        """Return the rank of every record's value, from 1; 0 where it has none."""
        import numpy as np

        if self.order == "text":
            return coded(table, self.column)[1] + 1
        value = numbers(table, self.column)
        known = ~np.isnan(value)
        rank = np.zeros(len(value), dtype=np.int64)
        rank[known] = np.unique(value[known], return_inverse=True)[1] + 1
        return rank


def partners(count: int, reach: int, chance: Chance) -> "NDArray[np.int64]":
    """Return for every rank the one it changes places with, at most `reach` away; some may be left over and stay.

    Ranks are cut into blocks of reach + 1, from a random start, and paired at random within a block: that needs no loop over
    records, and no pair is too far apart.
    """
    import numpy as np

    size = reach + 1
    block = (np.arange(count) + chance.integers(size, 1)) // size
    dealt = np.lexsort((chance.words(count), block))
    starts = np.searchsorted(block, block)
    ends = np.searchsorted(block, block, side="right")
    within = np.arange(count) - starts
    mate = starts + (within ^ 1)
    partner = np.empty(count, dtype=np.int64)
    partner[dealt] = dealt[np.where(mate < ends, mate, np.arange(count))]
    return partner
