"""Groups of at least k records that lie close together: the heuristic MDAV.

J. Domingo-Ferrer and J. M. Mateo-Sanz (2002), "Practical data-oriented microaggregation for statistical disclosure control", IEEE TKDE
14(1); J. Domingo-Ferrer and V. Torra (2005), "Ordinal, continuous and heterogeneous k-anonymity through microaggregation", Data Mining
and Knowledge Discovery 11(2), whose generic form also takes categories: equal or not, with the most common one as their centre.

Take the record farthest from the centre and its k - 1 nearest ones as a group; then the record farthest from that one, and its nearest;
go on with the rest, of which the last group may have up to 2k - 1.

Every step is one vectorised pass over the records that are left, so the work grows with the square of the records divided by k.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
# Records that have left are swept out when they are this share of all; until then they are only passed over.
_SWEEP = 8
# The nearest records are looked for among the smallest distances of this many each.
_STRIDE = 32


@dataclass(frozen=True, slots=True)
class Points:
    """Records as points: one row an attribute, one column a record."""

    numbers: Floats  # each attribute scaled; NaN is a missing value
    codes: Integers  # categories; a missing value is one of its own

    def __len__(self) -> int:
        return int(self.numbers.shape[1])

    def at(self, records: Integers) -> "Points":
        """Return some of the records; not by indexing, which would put the values of a record side by side and make sums over rows slow."""
        return Points(np.take(self.numbers, records, axis=1), np.take(self.codes, records, axis=1))


def groups(points: Points, k: int, block: int) -> Integers:
    """Return the number of the group of every record; every group has at least k, and at most 2k - 1, where there are k records."""
    label = np.zeros(len(points), dtype=np.int64)
    made = 0
    for records in _blocks(points, np.arange(len(points)), max(block, 2 * k)):
        for group in _mdav(points.at(records), k):
            label[records[group]] = made
            made += 1
    return label


def _blocks(points: Points, records: Integers, largest: int) -> Iterator[Integers]:
    """Halve the records, at the median of the attribute that spreads widest among them, until no part is too large."""
    if len(records) <= largest:
        yield records
        return
    part = points.at(records)
    spread = [float(np.nanvar(row)) if np.any(~np.isnan(row)) else 0.0 for row in part.numbers]
    spread += [1 - float(np.sum((np.bincount(row) / len(records)) ** 2)) for row in part.codes]
    widest = int(np.argmax(spread))
    row = part.numbers[widest] if widest < len(part.numbers) else part.codes[widest - len(part.numbers)]
    order = np.argsort(row, kind="stable")
    for half in (order[: len(order) // 2], order[len(order) // 2 :]):
        yield from _blocks(points, records[np.sort(half)], largest)


def _mdav(points: Points, k: int) -> Iterator[Integers]:
    left = _Left(points)
    while left.count >= 3 * k:
        first = left.farthest_from_centre()
        yield left.taken(first, k)
        yield left.taken(left.farthest, k)
    if left.count >= 2 * k:
        yield left.taken(left.farthest_from_centre(), k)
    yield left.rest()


class _Left:
    """The records that are in no group yet."""

    def __init__(self, points: Points) -> None:
        self._missing = np.isnan(points.numbers)
        self._numbers = np.where(self._missing, 0.0, points.numbers)
        self._codes = points.codes
        self._records = np.arange(len(points))
        self._buffer = np.empty_like(self._numbers)
        self._distance = _padded(len(points))
        self._gaps = bool(self._missing.any())
        self._gone = np.zeros(len(points), dtype=bool)
        self._holes = np.zeros(0, dtype=np.int64)
        self.count = len(points)
        self.farthest = -1
        self._sums = self._numbers.sum(axis=1)
        self._known = (~self._missing).sum(axis=1)
        self._tallies = [np.bincount(row) for row in self._codes]

    def farthest_from_centre(self) -> int:
        """Return the place of the record that lies farthest from the means and the most common categories."""
        centre = np.divide(self._sums, self._known, out=np.full(len(self._sums), np.nan), where=self._known > 0)
        return self._last(self._distances(centre, [int(np.argmax(tally)) for tally in self._tallies]))

    def taken(self, place: int, k: int) -> Integers:
        """Take a record and its k - 1 nearest away; `farthest` is then the place of the one left that lies farthest from it."""
        centre = np.where(self._missing[:, place], np.nan, self._numbers[:, place])
        distance = self._distances(centre, [int(row[place]) for row in self._codes])
        distance[self._holes] = np.inf
        near = self._nearest(distance, k)
        found = self._records[near]
        self._leave(near)
        self.farthest = self._last(distance)
        if len(self._holes) * _SWEEP > len(self._records):
            self.farthest = int(np.count_nonzero(~self._gone[: self.farthest]))
            self._sweep()
        return found

    def rest(self) -> Integers:
        """Return the records that are left."""
        return self._records[~self._gone]

    def _nearest(self, distance: Floats, k: int) -> Integers:
        """Return the places of the k smallest distances; ties go to the earlier records, whatever order a machine sorts in."""
        # The k-th smallest of some distances is no less than the k-th smallest of all: few records pass, and only they are sorted.
        some = self._distance.reshape(_STRIDE, -1).min(axis=0)
        bound = np.partition(some, k - 1)[k - 1] if len(some) >= k else np.inf
        passed = np.flatnonzero(distance <= bound)
        return passed[np.argsort(distance[passed], kind="stable")[:k]]

    def _distances(self, centre: Floats, modes: list[int]) -> Floats:
        """Return the squared distance of every record; a value that is missing on one side only lies 1 away."""
        buffer = np.subtract(self._numbers, centre[:, None], out=self._buffer)
        np.multiply(buffer, buffer, out=buffer)
        if self._gaps:
            for i, unknown in enumerate(np.isnan(centre)):
                buffer[i][self._missing[i]] = 0.0 if unknown else 1.0
                if unknown:
                    buffer[i][~self._missing[i]] = 1.0
        distance = np.add.reduce(buffer, axis=0, out=self._distance[: len(self._records)])
        for row, mode in zip(self._codes, modes, strict=True):
            distance += row != mode
        return distance

    def _last(self, distance: Floats) -> int:
        distance[self._holes] = -1.0
        return int(np.argmax(distance))

    def _leave(self, places: Integers) -> None:
        self._gone[places] = True
        self._holes = np.concatenate((self._holes, places))
        self.count -= len(places)
        self._sums -= self._numbers[:, places].sum(axis=1)
        self._known -= (~self._missing[:, places]).sum(axis=1)
        for tally, row in zip(self._tallies, self._codes, strict=True):
            np.subtract.at(tally, row[places], 1)

    def _sweep(self) -> None:
        kept = np.flatnonzero(~self._gone)
        self._missing, self._numbers = np.take(self._missing, kept, axis=1), np.take(self._numbers, kept, axis=1)
        self._codes, self._records = np.take(self._codes, kept, axis=1), self._records[kept]
        self._buffer, self._distance = np.empty_like(self._numbers), _padded(len(kept))
        self._gone = np.zeros(len(kept), dtype=bool)
        self._holes = np.zeros(0, dtype=np.int64)
        # Anew, so that what was taken off leaves no rounding behind.
        self._sums = self._numbers.sum(axis=1)


def _padded(count: int) -> Floats:
    """Return room for distances, filled up to a multiple of the stride by what is never nearest."""
    return np.full(-(-count // _STRIDE) * _STRIDE, np.inf)
