"""Minimal sample uniques: the smallest sets of attributes on which a record is alone.

M. J. Elliot, A. M. Manning, R. W. Ford (2002), "A computational algorithm for handling the special uniques problem"; SUDA2 of
Manning, Haglin and Keane (2008). Of M attributes, a set of s that makes a record unique, while no part of it does, scores
(M - s)!: the smaller the set, the more larger sets contain it. A record's score is the sum over its sets.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, factorial
from typing import TYPE_CHECKING, Any

from anonscope.explain.minimal_sets import climb
from anonscope.explain.tuples import Tuples

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_SET = 3
# Sets times tuples that are looked at; wide tables of many records get smaller sets, and the result says so.
_WORK = 5 * 10**9


@dataclass(frozen=True, slots=True)
class UniqueSet:
    """A set of attributes, and how many records are unique on it but on no part of it."""

    attributes: tuple[str, ...]
    records: int


@dataclass(frozen=True, slots=True)
class MinimalUniques:
    """Every minimal unique set up to a size: the sets, and per tuple its score and its first smallest set (-1: none)."""

    size: int
    attributes: tuple[str, ...]
    sets: tuple[UniqueSet, ...]
    score: "NDArray[Any]"  # in units of (M - 1)!, the score of a single attribute
    smallest: "NDArray[Any]"  # number of a set
    contributions: dict[str, float]

    def by_size(self, n: "NDArray[Any]") -> tuple[int, ...]:
        """Return how many records have a smallest set of one attribute, of two, and so on."""
        import numpy as np

        sizes = np.array([len(s.attributes) for s in self.sets] + [0])[self.smallest]
        return tuple(int(n[sizes == size].sum()) for size in range(1, self.size + 1))


def minimal_uniques(tuples: Tuples, attributes: tuple[int, ...], size: int = LARGEST_SET) -> MinimalUniques:
    """Return the minimal sample uniques of up to `size` attributes; with person ids, unique means shared by one person only."""
    import numpy as np

    size = _affordable(len(attributes), len(tuples), min(size, len(attributes)))
    score = np.zeros(len(tuples))
    smallest = np.full(len(tuples), -1, dtype=np.int64)
    sets: list[UniqueSet] = []
    total, of_attribute = 0.0, dict.fromkeys(attributes, 0.0)
    for reached in climb(tuples, attributes, 2, size):
        if len(reached.newly) == 0:
            continue
        weight = relative_score(len(attributes), len(reached.attributes))
        records = int(tuples.n[reached.newly].sum())
        score[reached.newly] += weight
        first = reached.newly[smallest[reached.newly] < 0]
        smallest[first] = len(sets)
        sets.append(UniqueSet(tuple(tuples.attributes[a] for a in reached.attributes), records))
        total += weight * records
        for a in reached.attributes:
            of_attribute[a] += weight * records
    return MinimalUniques(
        size=size,
        attributes=tuple(tuples.attributes[a] for a in attributes),
        sets=tuple(sets),
        score=score,
        smallest=smallest,
        contributions={tuples.attributes[a]: value / total if total else 0.0 for a, value in of_attribute.items()},
    )


def relative_score(attributes: int, size: int) -> float:
    """Return (M - s)! / (M - 1)!: whole factorials would pass the largest number for some 170 attributes."""
    weight = 1.0
    for s in range(1, size):
        weight /= attributes - s
    return weight


def largest_sets(sets: Sequence[UniqueSet], top: int) -> tuple[UniqueSet, ...]:
    """Return the sets that make most records unique; of equals the smaller set first."""
    return tuple(sorted(sets, key=lambda s: (-s.records, len(s.attributes)))[:top])


def unit_of_score(attributes: int) -> int:
    """Return (M - 1)!, what a score of 1 stands for."""
    return factorial(attributes - 1)


def _affordable(attributes: int, tuples: int, size: int) -> int:
    while size > 1 and sum(comb(attributes, s) for s in range(1, size + 1)) * tuples > _WORK:
        size -= 1
    return size
