"""Minimal sample uniques: the smallest sets of attributes on which a record is alone.

M. J. Elliot, A. M. Manning, R. W. Ford (2002), "A computational algorithm for handling the special uniques problem"; SUDA2 of
Manning, Haglin and Keane (2008). Of M attributes, a set of s that makes a record unique, while no part of it does, scores
(M - s)!: the smaller the set, the more larger sets contain it. A record's score is the sum over its sets.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, factorial
from typing import TYPE_CHECKING, Any

from anonscope.risk.explain import LARGEST_SET
from anonscope.risk.explain.minimal_sets import climb
from anonscope.risk.explain.tuples import ExplainedTuples

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Sets times tuples that are looked at; wide tables of many records get smaller sets, and the result says so.
_WORK = 5 * 10**9
# Sets that are looked at: some seconds' worth where nobody asked for a size, and some minutes' where somebody did.
_SETS, _ASKED_SETS = 10**5, 10**6


@dataclass(frozen=True, slots=True)
class UniqueSet:
    """A set of attributes, and how many records are unique on it but on no part of it."""

    attributes: tuple[str, ...]
    records: int


@dataclass(frozen=True, slots=True)
class MinimalUniques:
    """Every minimal unique set up to a size: the sets, and per tuple how many it has of each size and its first smallest one (-1: none).

    `complete` where no larger set can be one: all sizes were looked at, or nobody was left to be unique on more.
    """

    size: int
    attributes: tuple[str, ...]
    sets: tuple[UniqueSet, ...]
    counts: "NDArray[Any]"  # a row a tuple: its sets of one attribute, of two, and so on
    smallest: "NDArray[Any]"  # number of a set
    contributions: dict[str, float]
    complete: bool
    unique_on: dict[tuple[str, ...], int]  # records unique on one attribute, or on two, whatever the parts do
    worst_by_size: tuple[tuple[tuple[str, ...], int], ...]  # of every size that was looked at, the set on which most records are unique

    def scores(self, chosen: "NDArray[Any]") -> list[int]:
        """Return the scores of some tuples: the sum of (M - s)! over their sets, a whole number however large."""
        import numpy as np

        weights = [factorial(len(self.attributes) - size) for size in range(1, self.counts.shape[1] + 1)]
        # Few tuples differ in how many sets of each size they have.
        different, place = np.unique(self.counts[chosen], axis=0, return_inverse=True)
        known = [sum(w * n for w, n in zip(weights, row, strict=True)) for row in different.tolist()]
        return [known[i] for i in place.reshape(-1).tolist()]

    def by_size(self, n: "NDArray[Any]") -> tuple[int, ...]:
        """Return how many records have a smallest set of one attribute, of two, and so on."""
        import numpy as np

        sizes = np.array([len(s.attributes) for s in self.sets] + [0])[self.smallest]
        return tuple(int(n[sizes == size].sum()) for size in range(1, self.size + 1))


def minimal_uniques(tuples: ExplainedTuples, attributes: tuple[int, ...], size: int | None = LARGEST_SET) -> MinimalUniques:
    """Return the minimal sample uniques of up to `size` attributes, or of any number of them.

    With person ids, unique means shared by one person only. Where there are too many sets, only smaller ones are looked at.
    """
    import numpy as np

    size = affordable(len(attributes), len(tuples), size)
    counts = np.zeros((len(tuples), size), dtype=np.int32)
    left, reached_size = 0, 0
    smallest = np.full(len(tuples), -1, dtype=np.int64)
    sets: list[UniqueSet] = []
    total, of_attribute = 0.0, dict.fromkeys(attributes, 0.0)
    unique_on: dict[tuple[str, ...], int] = {}
    worst: dict[int, tuple[tuple[int, ...], int]] = {}
    for reached in climb(tuples, attributes, 2, size):
        if len(reached.attributes) > reached_size:
            # Who is unique on some set is so on all that contain it: once nobody is left, larger sets add nothing.
            if reached_size and not left:
                break
            left, reached_size = 0, len(reached.attributes)
        left += reached.safe_records
        unique, length = tuples.records - reached.safe_records, len(reached.attributes)
        if length <= 2:
            unique_on[tuple(tuples.attributes[a] for a in reached.attributes)] = unique
        if length not in worst or unique > worst[length][1]:
            worst[length] = (reached.attributes, unique)
        if len(reached.newly) == 0:
            continue
        weight = relative_score(len(attributes), len(reached.attributes))
        records = int(tuples.n[reached.newly].sum())
        counts[reached.newly, len(reached.attributes) - 1] += 1
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
        counts=counts,
        smallest=smallest,
        complete=not left or reached_size == len(attributes),
        contributions={tuples.attributes[a]: value / total if total else 0.0 for a, value in of_attribute.items()},
        unique_on=unique_on,
        worst_by_size=tuple((tuple(tuples.attributes[a] for a in names), unique) for names, unique in worst.values()),
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


def affordable(attributes: int, tuples: int, asked: int | None) -> int:
    """Return how large sets may be for all of them to be looked at: up to the size that was asked for, or any."""
    size, most = (attributes, _SETS) if asked is None else (min(asked, attributes), _ASKED_SETS)
    while size > 1:
        sets = sum(comb(attributes, s) for s in range(1, size + 1))
        if sets <= most and sets * tuples <= _WORK:
            break
        size -= 1
    return size
