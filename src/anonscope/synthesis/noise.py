"""Noise through OpenDP, whose scale keeps an exact loss, and how wide the interval around a noisy number is.

The mechanisms are discrete: Laplace and Gaussian noise on whole numbers (C. Canonne, G. Kamath and T. Steinke, 2020), and the largest of
noisy scores. OpenDP's own statement of what each loses is compared with the fraction that the ledger was charged, and it must not be more.
OpenDP draws from the operating system; there is no seed, because noise that can be drawn again can be taken off again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil, exp, inf, log, log1p, nextafter, sqrt
from typing import TYPE_CHECKING, Any, Literal

from anonscope.errors import BudgetError, MissingExtra
from anonscope.synthesis.ledger import Loss

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["laplace", "gaussian"]
_GROWTH = 1 + 2**-40  # a scale that loses a hair too much is raised by so much
_TRIES = 100
# Sums of noise are convolved at this scale at most; wider noise has the same shape, only wider.
_SHAPE = 64


@cache
def open_dp() -> Any:
    """Return OpenDP, or say how to get it."""
    try:
        import opendp.prelude as dp
    except ImportError:
        raise MissingExtra("Noisy answers", "opendp") from None
    # What OpenDP calls contributed are its constructors whose proofs have not all been vetted yet: nearly all of them.
    dp.enable_features("contrib")
    return dp


@dataclass(frozen=True, slots=True)
class Noise:
    """Noise on whole numbers of which one person changes no more than `one` in sum (`squared`: in sum of squares), for a loss."""

    kind: Kind
    scale: float

    @classmethod
    def for_loss(cls, loss: Loss, *, one: int, squared: int) -> "Noise":
        """Return the least noise that loses no more: Laplace where the loss is an epsilon, Gaussian where it is a rho."""
        if loss.rho:
            return cls("gaussian", _kept(_gaussian, sqrt(Fraction(squared) / (2 * loss.rho)), _root(squared), loss.rho))
        if not loss.epsilon:
            raise BudgetError("There is nothing left to spend on an answer.")
        return cls("laplace", _kept(_laplace, float(Fraction(one) / loss.epsilon), one, loss.epsilon))

    def added(self, values: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return the values with noise, each with its own."""
        import numpy as np

        if not values.size:
            return values.astype(np.int64)
        mechanism = _laplace(self.scale) if self.kind == "laplace" else _gaussian(self.scale)
        return np.array(mechanism([int(value) for value in values.ravel()]), dtype=np.int64).reshape(values.shape)

    def half_width(self, confidence: float, terms: int = 1) -> int:
        """Return how far from the truth a noisy number, or the sum of several, is at most, with this confidence."""
        if terms < 1:
            return 0
        if self.kind == "laplace":
            return _laplace_width(self.scale, confidence) if terms == 1 else _laplace_sum_width(self.scale, confidence, terms)
        return _gaussian_width(self.scale * sqrt(terms), confidence)


def largest(scores: Sequence[int], loss: Loss, one: int) -> int:
    """Return the place of a score that is nearly the largest, where one person changes each by at most `one`."""
    return int(_noisy_largest(_kept(_noisy_largest, float(2 * one / spendable(loss)), one, spendable(loss)))(list(scores)))


def rank_error(candidates: int, loss: Loss, one: int, doubt: float) -> int:
    """Return how much smaller than the largest the chosen score is at most, but for a `doubt`."""
    scale = _kept(_noisy_largest, float(2 * one / spendable(loss)), one, spendable(loss))
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


def _integers() -> Any:
    dp = open_dp()
    return dp.vector_domain(dp.atom_domain(T="i64"))


@cache
def _laplace(scale: float) -> Any:
    dp = open_dp()
    return dp.m.make_laplace(_integers(), dp.l1_distance(T="i64"), scale)


@cache
def _gaussian(scale: float) -> Any:
    dp = open_dp()
    return dp.m.make_gaussian(_integers(), dp.l2_distance(T="f64"), scale)


@cache
def _noisy_largest(scale: float) -> Any:
    dp = open_dp()
    return dp.m.make_noisy_max(_integers(), dp.linf_distance(T="i64"), dp.max_divergence(), scale)


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


def _laplace_width(scale: float, confidence: float) -> int:
    # P(|Z| > t) = 2 q^(t+1) / (1 + q) with q = exp(-1/scale).
    doubt, q = 1 - confidence, exp(-1 / scale)
    return max(0, ceil(-scale * (log(doubt / 2) + log1p(q))) - 1)


@cache
def _laplace_sum_width(scale: float, confidence: float, terms: int) -> int:
    """Of a sum of independent discrete Laplace numbers, by convolution."""
    import numpy as np

    if scale > _SHAPE:
        return ceil(_laplace_sum_width(float(_SHAPE), confidence, terms) * scale / _SHAPE) + 1
    q = exp(-1 / scale)
    # Far enough for the sum to be there almost surely: its tail falls like that of a single one beyond some deviations.
    reach = int(scale * (12 * sqrt(2 * terms) + 60)) + 10
    size = 1 << (2 * reach).bit_length()
    angle = 2 * np.pi * np.arange(size // 2 + 1) / size
    # The characteristic function of one: (1-q)^2 / (1 - 2 q cos t + q^2).
    mass = np.fft.irfft(((1 - q) ** 2 / (1 - 2 * q * np.cos(angle) + q * q)) ** terms, size)
    tail = 1 - (np.cumsum(mass[: size // 2]) * 2 - mass[0])
    return int(np.argmax(tail <= 1 - confidence))


@cache
def _gaussian_width(deviation: float, confidence: float) -> int:
    import numpy as np
    from scipy.stats import norm

    if deviation > 10_000:
        return ceil(float(norm.isf((1 - confidence) / 2)) * deviation) + 1
    points = np.arange(int(deviation * 12) + 20)
    mass = np.exp(-(points**2) / (2 * deviation**2))
    tail = 1 - (2 * np.cumsum(mass) - mass[0]) / (2 * mass.sum() - mass[0])
    return int(np.argmax(tail <= 1 - confidence))
