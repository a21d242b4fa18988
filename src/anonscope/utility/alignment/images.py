"""Inverse images of all released labels of a column at once: which of the original's values each may stand for.

A column's values stand in an order in which most images are a stretch (an interval, a prefix, everything); sums over stretches
come from running totals. Images with gaps list their members.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from anonscope.risk.counting.arrays import Flags, Floats, Integers


@dataclass(frozen=True, slots=True, eq=False)
class Images:
    """For every label a stretch of places `start` to `stop`, or members: the place `members[i]` belongs to the label `owners[i]`."""

    values: int  # how many places there are
    start: Integers
    stop: Integers
    owners: Integers
    members: Integers

    @property
    def labels(self) -> int:
        return len(self.start)

    @property
    def sizes(self) -> Floats:
        """How many of the original's values each label may stand for."""
        return (self.stop - self.start) + np.bincount(self.owners, minlength=self.labels).astype(np.float64)

    def total(self, amounts: Floats) -> Floats:
        """Return the sum of amounts, one a value, over the image of every label."""
        # Differences of running totals lose digits; these have some to spare.
        running = np.concatenate([[0.0], np.cumsum(amounts, dtype=np.longdouble)])
        stretches = np.asarray(running[self.stop] - running[self.start], dtype=np.float64)
        alone = np.flatnonzero(self.stop - self.start == 1)
        stretches[alone] = amounts[self.start[alone]]
        return stretches + np.bincount(self.owners, weights=amounts[self.members], minlength=self.labels)

    def contain(self, labels: Integers, places: Integers) -> Flags:
        """Return for every pair of label and value whether the value is in the label's image."""
        inside = (self.start[labels] <= places) & (places < self.stop[labels])
        if len(self.members):
            keys = np.sort(self.owners * self.values + self.members)
            wanted = labels * self.values + places
            found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            inside |= keys[found] == wanted
        return inside

    def spread(self, masses: Floats) -> Floats:
        """Return what every value gets when each label's mass is divided evenly among the values of its image."""
        sizes = self.sizes
        share = np.divide(masses, sizes, out=np.zeros(len(masses)), where=sizes > 0)
        # A label that stands for one value gives it all, to the last digit; the rest is stepped up and down along the stretches.
        alone = self.stop - self.start == 1
        exact = np.bincount(self.start[alone], weights=share[alone], minlength=self.values)
        wide = self.stop - self.start > 1
        steps = np.bincount(self.start[wide], weights=share[wide], minlength=self.values + 1)
        steps = steps - np.bincount(self.stop[wide], weights=share[wide], minlength=self.values + 1)
        running = np.asarray(np.cumsum(steps[: self.values], dtype=np.longdouble), dtype=np.float64)
        listed = np.bincount(self.members, weights=share[self.owners], minlength=self.values)
        return exact + np.maximum(running, 0.0) + listed

    def extremes(self, numbers: Floats) -> tuple[Floats, Floats]:
        """Return the lowest and the highest number of every image; `numbers` rise and may be fewer than the values.

        An image without a number gets an empty range: infinity and minus infinity.
        """
        low, high = np.full(self.labels, np.inf), np.full(self.labels, -np.inf)
        stop = np.minimum(self.stop, len(numbers))
        some = self.start < stop
        low[some], high[some] = numbers[self.start[some]], numbers[stop[some] - 1]
        numeric = self.members < len(numbers)
        np.minimum.at(low, self.owners[numeric], numbers[self.members[numeric]])
        np.maximum.at(high, self.owners[numeric], numbers[self.members[numeric]])
        return low, high


def images_of(start: Integers, stop: Integers, listed: Mapping[int, Integers], values: int) -> Images:
    """Return the images of labels, each a stretch or listed by its places in rising order."""
    start, stop = start.copy(), stop.copy()
    owners, members = [], []
    for label, places in listed.items():
        start[label] = stop[label] = 0
        if len(places) and places[-1] - places[0] + 1 == len(places):
            start[label], stop[label] = places[0], places[-1] + 1
        else:
            owners.append(np.full(len(places), label, dtype=np.int64))
            members.append(np.asarray(places, dtype=np.int64))
    nothing = [np.zeros(0, dtype=np.int64)]
    return Images(values, start, stop, np.concatenate(owners or nothing), np.concatenate(members or nothing))
