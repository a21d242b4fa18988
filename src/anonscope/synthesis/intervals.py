"""How wide an interval around a noisy number is: exact for discrete noise, on whichever side it falls."""

from functools import cache
from math import ceil, exp, log, log1p, sqrt

import numpy as np

# Sums of noise are convolved at this scale at most; wider noise has the same shape, only wider.
_SHAPE = 64


def laplace_width(scale: float, confidence: float) -> int:
    """Return the half width around one number with discrete Laplace noise."""
    # P(|Z| > t) = 2 q^(t+1) / (1 + q) with q = exp(-1/scale).
    doubt, q = 1 - confidence, exp(-1 / scale)
    return max(0, ceil(-scale * (log(doubt / 2) + log1p(q))) - 1)


@cache
def laplace_sum_width(scale: float, confidence: float, terms: int) -> int:
    """Return the half width around the sum of several independent ones, by convolution."""
    if scale > _SHAPE:
        return ceil(laplace_sum_width(float(_SHAPE), confidence, terms) * scale / _SHAPE) + 1
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
def gaussian_width(deviation: float, confidence: float) -> int:
    """Return the half width around a number with discrete Gaussian noise."""
    from scipy.stats import norm

    if deviation > 10_000:
        return ceil(float(norm.isf((1 - confidence) / 2)) * deviation) + 1
    points = np.arange(int(deviation * 12) + 20)
    mass = np.exp(-(points**2) / (2 * deviation**2))
    tail = 1 - (2 * np.cumsum(mass) - mass[0]) / (2 * mass.sum() - mass[0])
    return int(np.argmax(tail <= 1 - confidence))
