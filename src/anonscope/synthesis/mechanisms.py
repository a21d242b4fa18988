"""What a private method asks of chance: noise on counts, and a choice among scores, each for an exact rho.

OpenDP draws both from the operating system (`OpenDP`). With a seed, which is for tests, the same is drawn from numpy (`Seeded`), and
nothing is guaranteed: noise that can be drawn again can be taken off again.
"""

import secrets
from fractions import Fraction
from math import inf, nextafter, sqrt
from typing import Any, Protocol

import numpy as np

from anonscope.errors import BudgetError, MissingExtra
from anonscope.risk.counting.arrays import Integers

_GROWTH = 1 + 2**-40
_TRIES = 100


class Mechanisms(Protocol):
    """Noise and choices; one person changes counts by at most `change` records in all."""

    @property
    def guarded(self) -> bool:
        """Whether a guarantee may rest on it."""
        ...

    def noisy(self, counts: Integers, rho: Fraction, change: int) -> Integers:
        """Return counts of which each record is in one, with noise."""
        ...

    def choose(self, scores: Integers, rho: Fraction, change: int) -> int:
        """Return the place of a score that is nearly the largest, where one person changes each by at most `change`."""
        ...


def deviation(rho: Fraction, change: int) -> float:
    """Return the deviation of Gaussian noise on a histogram for rho: all records of a person may be in one cell."""
    return sqrt(Fraction(change) ** 2 / (2 * rho))


class OpenDP:
    """Discrete Gaussian noise and the largest of noisy scores, from OpenDP."""

    guarded = True

    def __init__(self) -> None:
        try:
            # Not its prelude, which loads a great deal more.
            from opendp import domains, measurements, measures, metrics
            from opendp.mod import enable_features
        except ImportError:
            raise MissingExtra("Synthesis with differential privacy", "opendp") from None
        # What OpenDP calls contributed are its constructors whose proofs have not all been vetted yet: nearly all of them.
        enable_features("contrib")
        whole = domains.vector_domain(domains.atom_domain(T="i64"))
        self._gaussian = lambda scale: measurements.make_gaussian(whole, metrics.l2_distance(T="f64"), scale)
        self._largest = lambda scale: measurements.make_noisy_max(
            whole, metrics.linf_distance(T="i64"), measures.zero_concentrated_divergence(), scale
        )

    def noisy(self, counts: Integers, rho: Fraction, change: int) -> Integers:
        mechanism = _kept(self._gaussian, deviation(rho, change), float(change), rho)
        return np.array(mechanism(counts.ravel().tolist()), dtype=np.int64).reshape(counts.shape)

    def choose(self, scores: Integers, rho: Fraction, change: int) -> int:
        return int(_kept(self._largest, deviation(rho, change), change, rho)(scores.tolist()))


class Seeded:
    """The same from a seed, for tests: nothing is guaranteed."""

    guarded = False

    def __init__(self, seed: int) -> None:
        self._chance = np.random.default_rng(seed)

    def noisy(self, counts: Integers, rho: Fraction, change: int) -> Integers:
        noise = np.rint(self._chance.normal(0.0, deviation(rho, change), counts.shape))
        return np.asarray(counts + noise.astype(np.int64))

    def choose(self, scores: Integers, rho: Fraction, change: int) -> int:
        drawn = scores / deviation(rho, change) + self._chance.gumbel(size=scores.shape)
        return int(drawn.argmax())


def mechanisms_of(seed: int | None) -> Mechanisms:
    """Return OpenDP, or what draws from a seed, which is for tests."""
    return OpenDP() if seed is None else Seeded(seed)


def chance_of(seed: int | None) -> np.random.Generator:
    """Return what records are drawn with, from the operating system unless there is a seed."""
    return np.random.default_rng(secrets.randbits(256) if seed is None else [seed, 1])


def _kept(make: Any, scale: float, change: float, limit: Fraction) -> Any:
    """Return a mechanism of which OpenDP itself says that it loses no more than the limit; its scale is raised by hairs until it does."""
    for _ in range(_TRIES):
        made = make(scale)
        if Fraction(made.map(change)) <= limit:
            return made
        scale = nextafter(scale * _GROWTH, inf)
    raise BudgetError("OpenDP cannot keep this promise; state a larger epsilon.")
