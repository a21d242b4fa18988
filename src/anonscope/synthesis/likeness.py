"""How like its original a synthetic table is, in the cells of the domain: the total variation of columns and of all pairs of columns.

0 is the same share of records in every cell, 1 is nothing in common. It is counted from the records, so it is for whoever answers for the
table; `anonscope compare` has many more measures.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from anonscope.io.figures import per_cent
from anonscope.synthesis.counts import Counts, RecordCounts, shares
from anonscope.synthesis.domain import Domain


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """The mean total variation over columns and pairs, and which of either is furthest off."""

    columns: float
    pairs: float | None  # None: there is one column only
    worst: tuple[str, ...]
    worst_value: float

    @property
    def in_words(self) -> str:
        """The same in a sentence."""
        what = (
            f"pairs of columns are {per_cent(self.pairs)} off" if self.pairs is not None else f"its column is {per_cent(self.columns)} off"
        )
        return f"{what} on average (total variation), {' with '.join(self.worst)} most: {per_cent(self.worst_value)}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"columns": self.columns, "pairs": self.pairs, "worst": list(self.worst), "worst_value": self.worst_value}


def likeness(real: Counts, made: RecordCounts, domain: Domain) -> Likeness:
    """Return how like two tables are that have the same cells."""
    width = len(domain.columns)
    singles, pairs = [(i,) for i in range(width)], [*combinations(range(width), 2)]
    found = {}
    for columns in (*singles, *pairs):
        one, other = (shares(table.of(columns).astype(np.float64)) for table in (real, made))
        found[columns] = 0.5 * float(np.abs(one - other).sum())
    worst = max(found, key=lambda columns: found[columns])
    return Likeness(
        columns=float(np.mean([found[columns] for columns in singles])),
        pairs=float(np.mean([found[columns] for columns in pairs])) if pairs else None,
        worst=tuple(domain.names[i] for i in worst),
        worst_value=found[worst],
    )
