"""Estimates of how many people are alone in the population, from the class sizes of a sample of it.

Three models of the same unknown, each with its own idea of how class sizes are made:

* Zayatz: L. V. Zayatz (1991), "Estimation of the percent of unique population elements on a microdata file using the sample";
  the class sizes of the population are distributed as those of the sample.
* Pitman: N. Hoshino (2001), "Applying Pitman's sampling formula to microdata disclosure risk assessment", Journal of Official
  Statistics 17(4); a superpopulation in which new combinations keep turning up, fitted by maximum likelihood.
* slide negative binomial: G. Chen and S. Keller-McNulty (1998), "Estimation of identification disclosure risk in microdata",
  Journal of Official Statistics 14(1); every class of the population has one member and a negative binomial number of others.
  The paper fits moments; here the fit is by the likelihood of the classes that were seen, which exists more often.

And one about a record: what 1/F is to be expected when f look-alikes were drawn (R. Benedetti and L. Franconi 1998).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonscope.io.figures import per_cent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[Any]

# Below this Pitman's alpha is taken for zero: the sums change by less than rounding does.
_SMALLEST_ALPHA = 1e-7
_LARGE = 1e4
_LARGEST_ALPHA = 1 - 1e-9
# A fit that runs to the end of these scales has no optimum within them.
_NARROWEST, _WIDEST = -25.0, 40.0


@dataclass(frozen=True, slots=True)
class SampleCounts:
    """The class sizes of a sample, how often each occurs, and the size of the population it was drawn from."""

    sizes: "Floats"
    counts: "Floats"
    population: int

    @property
    def members(self) -> int:
        return int((self.sizes * self.counts).sum())

    @property
    def classes(self) -> int:
        return int(self.counts.sum())

    @property
    def uniques(self) -> int:
        return int(self.counts[self.sizes == 1].sum())

    @property
    def fraction(self) -> float:
        return self.members / self.population


class NoEstimate(Exception):
    """A model has nothing to say about these class sizes; the text says why."""


def sample_of(frequencies: tuple[tuple[int, int], ...], population: int) -> SampleCounts:
    """Return class-size frequencies as arrays."""
    import numpy as np

    sizes, counts = np.array(frequencies, dtype=float).T
    return SampleCounts(sizes, counts, population)


def zayatz(sample: SampleCounts) -> float:
    """Return the share of the population that is unique, by Zayatz."""
    if sample.uniques == 0:
        return 0.0
    # How likely a population class of each size is to show exactly one member, if its sizes are as frequent as in the sample.
    shown_once = float((sample.counts * _one_drawn(sample)).sum())
    return min(1.0, sample.uniques**2 / shown_once / sample.population)


def _one_drawn(sample: SampleCounts) -> "Floats":
    """Return the hypergeometric chance that one member of a class of each size is drawn."""
    import numpy as np
    from scipy.special import gammaln

    drawn, left = sample.members, sample.population - sample.members
    others = sample.sizes - 1
    possible = others <= left
    # i C(N - i, n - 1) / C(N, n), taken apart so that nothing large is ever subtracted from something large: for a small
    # class the quotient of the factorials is a product of i factors, each near the share that is not drawn.
    log_chance = np.full(len(sample.sizes), -np.inf)
    log_chance[possible] = (
        np.log(sample.sizes[possible])
        + np.log(drawn / sample.population)
        + _log_falling(float(left), others[possible], gammaln)
        - _log_falling(float(sample.population - 1), others[possible], gammaln)
    )
    return np.asarray(np.exp(log_chance))


def _log_falling(top: float, factors: "Floats", gammaln: Callable[..., Any]) -> "Floats":
    """Return log(top (top - 1) ... (top - factors + 1)) for each number of factors."""
    import numpy as np

    result = np.asarray(gammaln(top + 1) - gammaln(top - factors + 1))
    few = factors <= _FEW_FACTORS
    steps = np.arange(_FEW_FACTORS)
    exact = np.concatenate(([0.0], np.cumsum(np.log(np.maximum(top - steps, 1.0)))))
    result[few] = exact[factors[few].astype(int)]
    return result


_FEW_FACTORS = 1000


def pitman(sample: SampleCounts) -> float:
    """Return the share of the population that is unique, by Pitman's model with its likelihood's optimum (Hoshino 2001)."""
    if sample.classes == sample.members:
        raise NoEstimate("every record is unique, and the likelihood of Pitman's model grows without an optimum")
    if sample.classes == 1:
        raise NoEstimate("all records are in one class, and the likelihood of Pitman's model has no optimum")
    theta, alpha = fit_pitman(sample)
    _check_fit("Pitman's model", sample, pitman_share(theta, alpha, sample.members))
    return pitman_share(theta, alpha, sample.population)


def pitman_share(theta: float, alpha: float, population: int) -> float:
    """Return the share of a population that is expected to be unique under Pitman's model: exact, whatever its size.

    It is G(theta + 1) G(theta + alpha + N - 1) / (G(theta + alpha) G(theta + N)) with G the gamma function, written as a quotient of
    two beta functions because two gammas of large numbers are nearly equal. Hoshino's and ARX's form for large N,
    G(theta + 1) / G(theta + alpha) N ^ (alpha - 1), exceeds 1 where N is not large against theta.
    """
    from math import exp

    from scipy.special import betaln

    rest = 1 - alpha
    return min(1.0, exp(float(betaln(theta + alpha + population - 1, rest) - betaln(theta + alpha, rest))))


def fit_pitman(sample: SampleCounts) -> tuple[float, float]:
    """Return theta and alpha where both derivatives of the log likelihood are zero; alpha is 0 at the edge of the model."""
    from scipy.optimize import brentq

    def slope(alpha: float) -> float:
        alpha = 0.0 if alpha < _SMALLEST_ALPHA else alpha
        return _slope_in_alpha(sample, _theta(sample, alpha), alpha)

    # The likelihood along its ridge (the best theta for each alpha) rises and then falls; its top is where the slope is zero.
    if slope(0.0) <= 0:
        return _theta(sample, 0.0), 0.0
    if slope(_LARGEST_ALPHA) >= 0:
        raise NoEstimate("nearly every record is unique, and the likelihood of Pitman's model grows without an optimum")
    alpha = float(brentq(slope, 0.0, _LARGEST_ALPHA, xtol=1e-14, rtol=1e-14, maxiter=500))
    return _theta(sample, alpha), alpha


def _theta(sample: SampleCounts, alpha: float) -> float:
    """Return the theta at which the likelihood is largest for this alpha: theta may be anything above -alpha."""
    from math import exp

    from scipy.optimize import brentq

    def slope(scale: float) -> float:
        theta = exp(scale) - alpha
        return _sum_of_inverses(theta, alpha, sample.classes) - _sum_of_inverses(theta, 1.0, sample.members)

    if slope(_NARROWEST) <= 0 or slope(_WIDEST) >= 0:
        raise NoEstimate("the likelihood of Pitman's model has no optimum for these class sizes")
    return exp(float(brentq(slope, _NARROWEST, _WIDEST, xtol=1e-14, rtol=1e-14, maxiter=500))) - alpha


def _sum_of_inverses(theta: float, alpha: float, classes: int) -> float:
    """Return the sum of 1 / (theta + i alpha) over i = 1 .. classes - 1."""
    from math import log1p

    from scipy.special import digamma

    if alpha == 0:
        return (classes - 1) / theta
    first, last = theta / alpha + 1, theta / alpha + classes
    if first < _LARGE:
        return float(digamma(last) - digamma(first)) / alpha
    # Two digammas of large numbers are nearly equal; their asymptotic series is subtracted term by term instead.
    difference = log1p((classes - 1) / first) - (1 / last - 1 / first) / 2 - (1 / last**2 - 1 / first**2) / 12
    return difference / alpha


def _slope_in_alpha(sample: SampleCounts, theta: float, alpha: float) -> float:
    from scipy.special import digamma

    u = sample.classes
    # The sum of i / (theta + i alpha), by way of the sum of inverses: i = ((theta + i alpha) - theta) / alpha.
    rising = (u - 1 - theta * _sum_of_inverses(theta, alpha, u)) / alpha if alpha > 0 else u * (u - 1) / (2 * theta)
    several = sample.sizes > 1
    falling = (sample.counts[several] * (digamma(sample.sizes[several] - alpha) - digamma(1 - alpha))).sum()
    return float(rising - falling)


def slide_negative_binomial(sample: SampleCounts) -> float:
    """Return the share of the population that is unique, if every class has one member and a negative binomial number of others."""
    from math import exp, log1p

    shape, others = fit_slide_negative_binomial(sample)
    alone_if_seen = exp(_log_likelihood(sample_of(((1, 1),), sample.population), shape, others, sample.fraction))
    _check_fit("the slide negative binomial", sample, sample.classes * alone_if_seen / sample.members)
    # With mean m the chance of no others is (1 + m / shape) ^ -shape.
    alone = exp(-shape * log1p(others / shape))
    return min(1.0, alone / (1 + others))


def fit_slide_negative_binomial(sample: SampleCounts) -> tuple[float, float]:
    """Return the shape and the mean of the number of others at which the classes that were seen are likeliest."""
    import numpy as np
    from scipy.optimize import minimize

    if sample.classes == sample.members:
        raise NoEstimate("every record is unique, and the slide negative binomial has no optimum")
    if len(sample.sizes) == 1:
        raise NoEstimate("all classes have one size, and the slide negative binomial has no optimum")

    def cost(x: "Floats") -> float:
        return -_log_likelihood(sample, float(np.exp(x[0])), float(np.exp(x[1])), sample.fraction)

    mean = max(sample.members / sample.classes - 1, 1e-3) / sample.fraction
    starts = [np.array([np.log(shape), np.log(others)]) for shape in (0.01, 0.1, 1.0, 10.0) for others in (mean / 10, mean)]
    start = min(starts, key=cost)
    found = minimize(cost, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9, "maxiter": 4000, "maxfev": 8000})
    shape, others = np.exp(found.x)
    if not found.success or not np.isfinite(found.fun) or abs(found.x).max() > _WIDEST:
        raise NoEstimate("the fit of the slide negative binomial does not settle for these class sizes")
    return float(shape), float(others)


def _log_likelihood(sample: SampleCounts, shape: float, others: float, drawn: float) -> float:
    """Return the log likelihood of the class sizes, given that a class is seen at all, when a share of the population was drawn.

    Drawing a share of the population leaves the one member with that chance, and thins the others to a negative binomial
    with a mean that is smaller by the same share.
    """
    import numpy as np
    from scipy.special import gammaln

    mean = others * drawn
    log_none, log_step = -shape * np.log1p(mean / shape), np.log(mean) - np.log(shape + mean)

    def log_chance(k: "Floats") -> "Floats":
        return np.asarray(gammaln(k + shape) - gammaln(shape) - gammaln(k + 1) + log_none + k * log_step)

    with_first = log_chance(sample.sizes - 1) + np.log(drawn)
    if drawn < 1:
        seen = np.logaddexp(with_first, log_chance(sample.sizes) + np.log1p(-drawn))
        unseen = (1 - drawn) * np.exp(log_none)
    else:
        seen, unseen = with_first, 0.0
    return float((sample.counts * seen).sum() - sample.classes * np.log1p(-unseen))


def _check_fit(model: str, sample: SampleCounts, expected: float) -> None:
    """Raise if a model, once fitted, does not even describe the sample: then it has nothing to say about what was not drawn."""
    actual = sample.uniques / sample.members
    apart = abs(expected - actual)
    if apart > _FAR and apart * sample.members > _FEW_RECORDS:
        raise NoEstimate(f"{model} does not fit: it expects {per_cent(expected)} of the sample to be unique, and {per_cent(actual)} are")


# Two in a hundred; in a small sample that may be one record, which says nothing about a model.
_FAR, _FEW_RECORDS = 0.02, 3

ESTIMATORS: dict[str, Callable[[SampleCounts], float]] = {
    "zayatz": zayatz,
    "pitman": pitman,
    "slide negative binomial": slide_negative_binomial,
}


def estimate(name: str, sample: SampleCounts) -> float:
    """Return an estimate by its name; where the sample is the whole population there is nothing to estimate."""
    return sample.uniques / sample.members if sample.members == sample.population else ESTIMATORS[name](sample)


def expected_inverse(sizes: "Floats", shares: "Floats") -> "Floats":
    """Return E[1/F | f] when each of f look-alikes was drawn with chance p: F given f is negative binomial.

    Benedetti and Franconi's individual risk. For f of 1 and 2 in closed form; above that their approximation.
    """
    import numpy as np

    f, p = np.asarray(sizes, dtype=float), np.asarray(shares, dtype=float)
    risk = p / (f - 1 + p)
    rest = 1 - p
    # Near p = 1 both closed forms subtract equal infinities; their limit is 1 / f, which is what the approximation gives there.
    safe = rest > _NEARLY_ALL
    odds = np.divide(p, rest, out=np.zeros_like(p), where=safe)
    bits = -np.log(p)
    risk = np.where(safe & (f == 1), odds * bits, risk)
    risk = np.where(safe & (f == 2), odds - odds**2 * bits, risk)
    return np.asarray(np.clip(risk, 0.0, 1 / f))


_NEARLY_ALL = 1e-6
