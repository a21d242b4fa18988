"""Who holds the counts and tells nothing of them but with noise: all that a private method sees of a table.

`Here` counts, and adds OpenDP's noise on this machine. On Spark both can be left to the workers (`inside.py`), so that only noisy
numbers ever leave the cluster. Every question says what it costs and how much one person changes; the ledger was charged before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Protocol

import numpy as np

from anonscope.risk.counting.arrays import Integers
from anonscope.synthesis.counts import Counts, GroupedCounts
from anonscope.synthesis.mechanisms import Mechanisms

Together = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Columns that might be counted together; the score is how far they are from what is `expected`, less `off`, times `weight`."""

    columns: Together
    expected: Integers
    off: int
    weight: int = 1


class Curator(Protocol):
    """Noisy counts and choices; one person changes counts by at most `change` records in all."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many cells every column has."""
        ...

    @property
    def guarded(self) -> bool:
        """Whether a guarantee may rest on it."""
        ...

    def noisy(self, sets: Sequence[Together], rho: Fraction, change: int) -> list[Integers]:
        """Return the counts over several sets of columns with noise, for rho each."""
        ...

    def choose(self, candidates: Sequence[Candidate], rho: Fraction, change: int) -> int:
        """Return the place of a candidate whose score is nearly the largest."""
        ...

    def moments(self, features: Sequence[Integers], constant: int, rho: Fraction, change: int) -> Integers:
        """Return the sums of products of all features of all records, the first of which is a constant, with noise."""
        ...

    def grouped(self, groups: Sequence[Integers]) -> "Curator":
        """Return the same with cells put together: `groups` says to which new cell every cell of a column belongs."""
        ...


class Here:
    """Counts that this machine has or fetches, and noise that it adds."""

    def __init__(self, counts: Counts, mechanisms: Mechanisms) -> None:
        self._counts, self._mechanisms = counts, mechanisms
        self._known: dict[Together, Integers] = {}

    @property
    def sizes(self) -> tuple[int, ...]:
        return self._counts.sizes

    @property
    def guarded(self) -> bool:
        return self._mechanisms.guarded

    def noisy(self, sets: Sequence[Together], rho: Fraction, change: int) -> list[Integers]:
        return [self._mechanisms.noisy(found, rho, change) for found in self._true(sets)]

    def choose(self, candidates: Sequence[Candidate], rho: Fraction, change: int) -> int:
        true = self._true([candidate.columns for candidate in candidates])
        scores = [one.weight * (int(np.abs(table - one.expected).sum()) - one.off) for one, table in zip(candidates, true, strict=True)]
        most = max(candidate.weight for candidate in candidates)
        return self._mechanisms.choose(np.array(scores, dtype=np.int64), rho, change * most)

    def moments(self, features: Sequence[Integers], constant: int, rho: Fraction, change: int) -> Integers:
        width = len(self.sizes)
        pairs = self._true([*combinations(range(width), 2)])
        single = self._true([(i,) for i in range(width)])
        starts = np.cumsum([1, *(feature.shape[1] for feature in features)])
        found = np.zeros((starts[-1], starts[-1]), dtype=np.int64)
        found[0, 0] = constant**2 * int(single[0].sum())
        each = iter(pairs)
        for i, feature in enumerate(features):
            rows = slice(starts[i], starts[i + 1])
            found[0, rows] = constant * (single[i] @ feature)
            found[rows, rows] = feature.T @ (single[i][:, None] * feature)
            for j in range(i + 1, width):
                found[rows, starts[j] : starts[j + 1]] = feature.T @ next(each) @ features[j]
        # One record adds the outer product of its features, whose sum of squares is the square of theirs.
        largest = constant**2 + sum(int((feature**2).sum(axis=1).max()) for feature in features)
        upper = np.triu_indices(len(found))
        noisy = np.zeros_like(found)
        noisy[upper] = self._mechanisms.noisy(found[upper], rho, change * largest)
        return np.asarray(np.triu(noisy) + np.triu(noisy, 1).T)

    def grouped(self, groups: Sequence[Integers]) -> "Here":
        return Here(GroupedCounts(self._counts, groups), self._mechanisms)

    def _true(self, sets: Sequence[Together]) -> list[Integers]:
        """Return true counts, each of them counted once."""
        lacking = [columns for columns in dict.fromkeys(sets) if columns not in self._known]
        self._known.update(zip(lacking, self._counts.several(lacking), strict=True))
        return [self._known[columns] for columns in sets]
