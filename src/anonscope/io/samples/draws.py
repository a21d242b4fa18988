"""Random draws that give the same values on every platform and in every version of Python.

Of `random.Random` only `random()` is promised to keep its sequence between versions, and only plus, minus, times and
divide give the same float everywhere (a logarithm may differ in its last bit). So everything is built from these.
"""

from bisect import bisect
from collections.abc import Mapping, Sequence
from itertools import accumulate
from random import Random
from typing import Generic, TypeVar

T = TypeVar("T")


class Weighted(Generic[T]):
    """Values and how often each occurs, relative to the others."""

    def __init__(self, weights: Mapping[T, float]) -> None:
        self.values = tuple(weights)
        self._cumulative = tuple(accumulate(weights.values()))

    def at(self, u: float) -> T:
        """Return the value at a place between 0 and 1."""
        # A weight of zero shares its upper end with its neighbour; bisect steps over it to the right.
        return self.values[min(bisect(self._cumulative, u * self._cumulative[-1]), len(self.values) - 1)]


class Draws:
    """One stream of random values."""

    def __init__(self, seed: int) -> None:
        self.uniform = Random(seed).random  # noqa: S311 (people are invented here, not secrets)

    def of(self, weighted: Weighted[T]) -> T:
        """Return a value by its weight."""
        return weighted.at(self.uniform())

    def one(self, values: Sequence[T]) -> T:
        """Return any of the values, all alike."""
        return values[int(self.uniform() * len(values))]

    def whole(self, low: int, high: int) -> int:
        """Return a whole number from low to high, both included."""
        return low + int(self.uniform() * (high - low + 1))

    def chance(self, probability: float) -> bool:
        """Return True as often as the probability says."""
        return self.uniform() < probability

    def known(self, value: T, share: float) -> T | None:
        """Return the value, or None as often as nobody wrote it down."""
        return value if self.uniform() < share else None

    def skewed(self, mean: float, most: int) -> int:
        """Return a whole number from 1 to most, many small and few large, with about this mean."""
        stop = 1 / mean
        count = 1
        while count < most and self.uniform() >= stop:
            count += 1
        return count

    def spread(self) -> float:
        """Return a factor around 1: most near it, none below 0.4 or above 1.6."""
        return 0.4 + 0.4 * (self.uniform() + self.uniform() + self.uniform())
