"""The mechanisms: noise is distributed as stated, intervals cover, and a black-box audit finds no more loss than was charged."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from scipy.stats import beta, chisquare

from anonscope.errors import BudgetError
from anonscope.synthesis.ledger import Loss
from anonscope.synthesis.mechanisms import Noise, largest, rank_error, spendable

pytest.importorskip("opendp")
DRAWS = 20_000


def draws(noise, value=0, count=DRAWS):
    """Return many noisy versions of one number."""
    return noise.added(np.full(count, value, dtype=np.int64))


def fits(found, mass, reach):
    """Return whether numbers are distributed as a mass function says, but for one time in a hundred thousand."""
    points = np.arange(-reach, reach + 1)
    expected = np.array([mass(abs(z)) for z in points])
    expected = np.append(expected / 1.0, max(1 - expected.sum(), 1e-12)) * len(found)
    seen = np.append([(found == z).sum() for z in points], (np.abs(found) > reach).sum())
    kept = expected >= 5
    return chisquare(np.append(seen[kept], seen[~kept].sum()), np.append(expected[kept], expected[~kept].sum())).pvalue > 1e-5


@pytest.mark.parametrize(("epsilon", "one"), [(Fraction(1), 1), (Fraction(1, 2), 2)])
def test_laplace_noise_is_discrete_laplace(epsilon, one):
    """Every whole number comes as often as (1-q)/(1+q) q^|z| says, q = exp(-epsilon/sensitivity)."""
    noise = Noise.for_loss(Loss(epsilon), one=one, squared=one**2)
    q = exp(-float(epsilon) / one)

    assert noise.scale == pytest.approx(one / float(epsilon), rel=1e-9)
    assert fits(draws(noise), lambda z: (1 - q) / (1 + q) * q**z, 25)


def test_gaussian_noise_is_discrete_gaussian():
    """Every whole number comes as often as exp(-z²/2σ²) says, σ² = sensitivity²/2rho."""
    noise = Noise.for_loss(Loss(rho=Fraction(1, 8)), one=4, squared=1)
    whole = sum(exp(-(z**2) / 8) for z in range(-60, 61))

    assert noise.scale == pytest.approx(2, rel=1e-9)
    assert fits(draws(noise), lambda z: exp(-(z**2) / 8) / whole, 8)


@pytest.mark.parametrize("noise", [Noise("laplace", 3.0), Noise("gaussian", 4.0), Noise("laplace", 200.0)])
@pytest.mark.parametrize("terms", [1, 6])
def test_intervals_cover_and_are_no_wider_than_needed(noise, terms):
    """95 of 100 intervals hold the truth, of sums too; with a width one less (or a hundredth), fewer than stated would."""
    found = np.abs(noise.added(np.zeros((6_000, terms), dtype=np.int64)).sum(axis=1))
    width = noise.half_width(0.95, terms)
    low, high = (found <= width).mean(), (found <= width * 0.97 - 1).mean()

    assert low >= 0.95 - 0.012
    assert high <= 0.95 + 0.012


def lower_bound(one, other, event, doubt=1e-5):
    """Return an epsilon that holds at least, by exact intervals of how often an event comes on either table."""
    hits, misses = int(event(one).sum()), int(event(other).sum())
    least = beta.ppf(doubt, hits, len(one) - hits + 1) if hits else 0.0
    most = beta.ppf(1 - doubt, misses + 1, len(other) - misses) if misses < len(other) else 1.0
    return log(least / most) if least > 0 and most > 0 else 0.0


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(2)])
def test_an_audit_from_outside_finds_no_more_than_was_charged(epsilon):
    """On neighbouring counts no event tells them apart by more than epsilon; and the audit is no blunt one: it finds most of it."""
    noise = Noise.for_loss(Loss(epsilon), one=1, squared=1)
    one, other = draws(noise, 10), draws(noise, 11)
    found = [
        lower_bound(a, b, event)
        for cut in range(6, 16)
        for a, b, event in (
            (one, other, lambda x, c=cut: x <= c),
            (other, one, lambda x, c=cut: x >= c),
            (one, other, lambda x, c=cut: x == c),
            (other, one, lambda x, c=cut: x == c),
        )
    ]

    assert max(found) <= float(epsilon)
    assert max(found) >= 0.6 * float(epsilon)
    # Half the noise that this epsilon needs is caught.
    cheat = Noise("laplace", noise.scale / 2)
    assert lower_bound(draws(cheat, 10), draws(cheat, 11), lambda x: x <= 9) > float(epsilon)


def test_the_largest_is_nearly_the_largest_and_audited():
    """The chosen score is within the stated error of the best, and neighbouring scores choose alike up to epsilon."""
    loss, scores, neighbour = Loss(Fraction(1)), [0, -1, -2], [-1, 0, -1]
    one = np.array([largest(scores, loss, 1) for _ in range(4_000)])
    other = np.array([largest(neighbour, loss, 1) for _ in range(4_000)])

    assert max(lower_bound(a, b, lambda x, c=c: x == c) for c in range(3) for a, b in ((one, other), (other, one))) <= 1
    off = rank_error(50, loss, 1, 0.05)
    far = [-3 * i for i in range(50)]
    assert np.mean([far[largest(far, loss, 1)] < -off for _ in range(1_000)]) <= 0.05


def test_what_rho_can_spend_as_epsilon_is_rounded_down():
    """Its half square is never above rho."""
    for rho in (Fraction(1, 7), Fraction(3, 1000), Fraction(2)):
        epsilon = spendable(Loss(rho=rho))
        assert epsilon**2 / 2 <= rho and float(epsilon**2 / 2) == pytest.approx(float(rho), rel=1e-9)
    with pytest.raises(BudgetError, match="nothing left"):
        spendable(Loss())
