"""Random numbers of 64 bits, from the operating system or from a seed, and what steps draw from them.

With a seed the words are those of SHAKE-256 (FIPS 202) under a key made of the seed: the same on any machine, and whoever knows some of
them cannot work out the others, which the usual generators of numerical software allow. Everything drawn from the words uses only
operations that IEEE 754 rounds in one way, so that a recorded seed gives the same bytes again everywhere.
"""

import hashlib
import json
import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Words = NDArray[np.uint64]

_BITS = 64


class Chance(ABC):
    """What a step draws, from independent words that are all as likely."""

    @abstractmethod
    def words(self, count: int) -> "Words":
        """Return the next words."""

    def uniform(self, count: int) -> "Floats":
        """Return numbers from 0 to below 1: multiples of 2^-53, all as likely."""
        import numpy as np

        return np.asarray((self.words(count) >> np.uint64(11)) * 2.0**-53)

    def integers(self, below: int, count: int) -> "Integers":
        """Return whole numbers from 0 to below a limit, all exactly as likely: words that would favour some are drawn again."""
        import numpy as np

        fair = 2**_BITS // below * below
        found = self.words(count)
        while fair < 2**_BITS and len(again := np.flatnonzero(found >= np.uint64(fair))):
            found[again] = self.words(len(again))
        return np.asarray(found % np.uint64(below), dtype=np.int64)

    def below(self, threshold: int, count: int) -> "NDArray[np.bool_]":
        """Return yes with a chance of exactly threshold / 2^64."""
        import numpy as np

        assert 0 <= threshold < 2**_BITS, "a certain yes is not drawn"
        return np.asarray(self.words(count) < np.uint64(threshold))

    def permutation(self, count: int) -> "Integers":
        """Return the numbers from 0 on in an order that is as likely as any other."""
        import numpy as np

        return np.asarray(np.argsort(self.words(count), kind="stable"))

    def normal(self, count: int) -> "Floats":
        """Return normally distributed numbers of mean 0 and standard deviation 1."""
        import numpy as np

        # In the middle of steps of 2^-52, so that neither end, which would be infinite, comes up.
        return _normal_quantile(np.asarray(((self.words(count) >> np.uint64(12)) + 0.5) * 2.0**-52, dtype=np.float64))


class OperatingSystem(Chance):
    """Words of the operating system's cryptographic generator: nobody can draw them again."""

    def words(self, count: int) -> "Words":
        import numpy as np

        return np.frombuffer(os.urandom(8 * count), dtype="<u8").astype(np.uint64)


class Repeatable(Chance):
    """Words that hang on a seed and on what they are for: two steps under one seed must not draw alike, or they could be told apart."""

    def __init__(self, seed: int | str, *about: str) -> None:
        named = json.dumps(["anonscope/chance/1", str(seed), *about]).encode()
        self._key, self._calls = hashlib.sha256(named).digest(), 0

    def words(self, count: int) -> "Words":
        import numpy as np

        self._calls += 1
        stream = hashlib.shake_256(self._key + self._calls.to_bytes(8, "big"))
        return np.frombuffer(stream.digest(8 * count), dtype="<u8").astype(np.uint64)


# M. J. Wichura (1988), "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied Statistics 37(3), PPND16.
_CENTRE = (
    (
        *(3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125),
        *(45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727),
    ),
    (
        *(1.0, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077),
        *(21213.794301586595867, 39307.895800092710610, 28729.085735721942674, 5226.4952788528545610),
    ),
)
_MIDDLE = (
    (
        *(1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504),
        *(1.27045825245236838258, 0.241780725177450611770, 0.0227238449892691845833, 7.74545014278341407640e-4),
    ),
    (
        *(1.0, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550),
        *(0.148103976427480074590, 0.0151986665636164571966, 5.47593808499534494600e-4, 1.05075007164441684324e-9),
    ),
)
_FAR = (
    (
        *(6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580, 0.296560571828504891230),
        *(0.0265321895265761230930, 0.00124266094738807843860, 2.71155556874348757815e-5, 2.01033439929228813265e-7),
    ),
    (
        *(1.0, 0.599832206555887937690, 0.136929880922735805310, 0.0148753612908506148525),
        *(7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15),
    ),
)


def _normal_quantile(share: "Floats") -> "Floats":
    """Return the number below which a share of a normal distribution lies, to 16 digits."""
    import numpy as np

    from_middle = share - 0.5
    found = from_middle * _ratio(0.180625 - from_middle * from_middle, _CENTRE)
    tail = np.flatnonzero(np.abs(from_middle) > 0.425)
    depth = np.sqrt(-_logarithm(np.minimum(share[tail], 1 - share[tail])))
    far = np.where(depth <= 5, _ratio(depth - 1.6, _MIDDLE), _ratio(depth - 5, _FAR))
    found[tail] = np.where(from_middle[tail] < 0, -far, far)
    return np.asarray(found)


def _ratio(x: "Floats", coefficients: tuple[tuple[float, ...], tuple[float, ...]]) -> "Floats":
    above, below = (_polynomial(x, part) for part in coefficients)
    return above / below


def _polynomial(x: "Floats", coefficients: tuple[float, ...]) -> "Floats":
    import numpy as np

    found = np.full(len(x), coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        found = found * x + coefficient
    return np.asarray(found)


def _logarithm(x: "Floats") -> "Floats":
    """Return natural logarithms by additions and divisions alone: those of mathematical libraries differ in their last digits."""
    import numpy as np

    mantissa, exponent = np.frexp(x)
    small = mantissa < 0.5**0.5
    mantissa, exponent = np.where(small, 2 * mantissa, mantissa), exponent - small
    t = (mantissa - 1) / (mantissa + 1)
    # log m = 2 artanh t = 2 (t + t^3 / 3 + t^5 / 5 + ...), and t is at most 0.172 here.
    series = _polynomial(t * t, tuple(1 / (2 * i + 1) for i in range(12)))
    return np.asarray(exponent * 0.6931471805599453 + 2 * t * series)
