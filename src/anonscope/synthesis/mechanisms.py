"""All that is asked of OpenDP: noise on counts and a choice among scores, each for an exact loss.

The mechanisms are discrete: Laplace and Gaussian noise on whole numbers (C. Canonne, G. Kamath and T. Steinke, 2020), and the largest of
noisy scores. OpenDP's own statement of what each loses is compared with the fraction that the ledger was charged, and it must not be more.
OpenDP draws from the operating system. Synthesis may draw the same from a seed instead (`Seeded`), which is for tests, and nothing is
guaranteed then: noise that can be drawn again can be taken off again.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil, inf, log, nextafter, sqrt
from types import SimpleNamespace
from typing import Any, Literal, Protocol

import numpy as np

from anonscope.errors import BudgetError, MissingExtra
from anonscope.risk.counting.arrays import Integers
from anonscope.synthesis.intervals import gaussian_width, laplace_sum_width, laplace_width
from anonscope.synthesis.ledger import Loss

Kind = Literal["laplace", "gaussian"]
_GROWTH = 1 + 2**-40  # a scale that loses a hair too much is raised by so much
_TRIES = 100


@cache
def open_dp() -> Any:
    """Return what is used of OpenDP, or say how to get it."""
    try:
        # Not its prelude, which loads a great deal more.
        from opendp import domains, measurements, measures, metrics
        from opendp.mod import enable_features
    except ImportError:
        raise MissingExtra("Differential privacy", "opendp") from None
    # What OpenDP calls contributed are its constructors whose proofs have not all been vetted yet: nearly all of them.
    enable_features("contrib")
    return SimpleNamespace(whole=domains.vector_domain(domains.atom_domain(T="i64")), make=measurements, measures=measures, metrics=metrics)


@dataclass(frozen=True, slots=True)
class Noise:
    """Noise on whole numbers of which one person changes no more than `one` in sum (`squared`: in sum of squares), for a loss."""

    kind: Kind
    scale: float
    change: float = 1  # in sum, or of Gaussian noise the root of the sum of squares
    loss: Fraction = Fraction()

    @classmethod
    def for_loss(cls, loss: Loss, *, one: int, squared: int) -> "Noise":
        """Return the least noise that loses no more: Laplace where the loss is an epsilon, Gaussian where it is a rho."""
        if loss.rho:
            root = _root(squared)
            return cls("gaussian", _kept(_gaussian, sqrt(Fraction(squared) / (2 * loss.rho)), root, loss.rho), root, loss.rho)
        if not loss.epsilon:
            raise BudgetError("There is nothing left to spend on an answer.")
        return cls("laplace", _kept(_laplace, float(Fraction(one) / loss.epsilon), one, loss.epsilon), one, loss.epsilon)

    def added(self, values: Integers) -> Integers:
        """Return the values with noise, each with its own."""
        if not values.size:
            return values.astype(np.int64)
        mechanism = _laplace(self.scale) if self.kind == "laplace" else _gaussian(self.scale)
        return np.array(mechanism([int(value) for value in values.ravel()]), dtype=np.int64).reshape(values.shape)

    def half_width(self, confidence: float, terms: int = 1) -> int:
        """Return how far from the truth a noisy number, or the sum of several, is at most, with this confidence."""
        if terms < 1:
            return 0
        if self.kind == "laplace":
            return laplace_width(self.scale, confidence) if terms == 1 else laplace_sum_width(self.scale, confidence, terms)
        return gaussian_width(self.scale * sqrt(terms), confidence)


@dataclass(frozen=True, slots=True)
class Ranks:
    """Where a quantile is looked for: so many ranks from it (`targets`), each for a loss; one person changes scores by `change`."""

    at: Fraction
    targets: tuple[int, ...]
    loss: Loss
    change: int

    @property
    def scale(self) -> float:
        """The scale of each choice."""
        return _largest_scale(self.loss, self.change)


def _largest_scale(loss: Loss, one: int) -> float:
    return _kept(_noisy_largest, float(2 * one / spendable(loss)), one, spendable(loss))


def largest(scores: Sequence[int], loss: Loss, one: int) -> int:
    """Return the place of a score that is nearly the largest, where one person changes each by at most `one`."""
    return int(_noisy_largest(_largest_scale(loss, one))(list(scores)))


def rank_error(candidates: int, loss: Loss, one: int, doubt: float) -> int:
    """Return how much smaller than the largest the chosen score is at most, but for a `doubt`."""
    scale = _largest_scale(loss, one)
    # The largest of so many exponential draws is above this with at most that probability.
    return ceil(scale * (log(candidates) - log(doubt)))


def spendable(loss: Loss) -> Fraction:
    """Return the epsilon that may be lost where a loss may be: itself, or of a rho the epsilon whose half square it is, rounded down."""
    if loss.epsilon:
        return loss.epsilon
    if not loss.rho:
        raise BudgetError("There is nothing left to spend on an answer.")
    root = Fraction(nextafter(sqrt(2 * loss.rho), 0))
    while root * root > 2 * loss.rho:
        root *= 1 - Fraction(1, 2**40)
    return root


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


def choice_scale(rho: Fraction, change: int) -> float:
    """Return the scale of a choice among scores for rho, where one person changes each by at most `change`."""
    return _kept(_concentrated_largest, deviation(rho, change), change, rho)


class OpenDP:
    """Discrete Gaussian noise and the largest of noisy scores, from OpenDP."""

    guarded = True

    def __init__(self) -> None:
        open_dp()

    def noisy(self, counts: Integers, rho: Fraction, change: int) -> Integers:
        return Noise.for_loss(Loss(rho=rho), one=change, squared=change**2).added(counts)

    def choose(self, scores: Integers, rho: Fraction, change: int) -> int:
        return int(_concentrated_largest(choice_scale(rho, change))(scores.tolist()))


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


@cache
def _laplace(scale: float) -> Any:
    dp = open_dp()
    return dp.make.make_laplace(dp.whole, dp.metrics.l1_distance(T="i64"), scale)


@cache
def _gaussian(scale: float) -> Any:
    dp = open_dp()
    return dp.make.make_gaussian(dp.whole, dp.metrics.l2_distance(T="f64"), scale)


@cache
def _noisy_largest(scale: float) -> Any:
    dp = open_dp()
    return dp.make.make_noisy_max(dp.whole, dp.metrics.linf_distance(T="i64"), dp.measures.max_divergence(), scale)


@cache
def _concentrated_largest(scale: float) -> Any:
    dp = open_dp()
    return dp.make.make_noisy_max(dp.whole, dp.metrics.linf_distance(T="i64"), dp.measures.zero_concentrated_divergence(), scale)


def _kept(make: Any, scale: float, change: float, limit: Fraction) -> float:
    """Return the scale, raised by hairs until OpenDP itself says that no more is lost than the limit."""
    for _ in range(_TRIES):
        if Fraction(make(scale).map(change)) <= limit:
            return scale
        scale = nextafter(scale * _GROWTH, inf)
    raise BudgetError("OpenDP cannot keep this promise; state a larger epsilon.")


def _root(square: int) -> float:
    root = sqrt(square)
    return root if Fraction(root) ** 2 >= square else nextafter(root, inf)
