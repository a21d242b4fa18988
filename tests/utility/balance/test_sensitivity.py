"""Whether the best version hangs on the weights, and the weights that limits ask for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonscope.errors import OptionError
from anonscope.utility.balance import BalanceWeights, WeighedVersion, rut, sweep, weights_within
from support.strategies import law

# Table 10: utility and risk of the three levels on ACS records.
ACS = (WeighedVersion("P1", 0.9972, 0.6260), WeighedVersion("P2", 0.8580, 0.2156), WeighedVersion("P3", 0.7579, 0.0739))


def test_the_sweep_over_table_10():
    """With safety first P3 is best, with utility first P2, at the very end P1; each pair of levels changes places once or never."""
    found = sweep(ACS)

    assert [step.alpha for step in found.steps] == [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    assert [step.best for step in found.steps] == ["P3", "P3", "P3", "P3", "P2", "P2", "P1"]
    assert not found.stable_best
    assert [(e.below, e.above) for e in found.exchanges] == [("P3", "P2"), ("P3", "P1"), ("P2", "P1")]
    assert found.exchanges[0].alpha == pytest.approx(0.1417 / (0.1417 + 0.1001))
    assert found.stable_pairs == 0
    assert dict(found.steps[3].ranking)["P2"] == pytest.approx(0.8212, abs=5e-5)


def test_one_version_that_is_better_in_everything_stays_best():
    """Then nothing hangs on the weights."""
    found = sweep([WeighedVersion("worse", 0.5, 0.5), WeighedVersion("better", 0.6, 0.4)])

    assert found.stable_best
    assert (found.exchanges, found.stable_pairs) == ((), 1)
    assert sweep([WeighedVersion("only", 0.1, 0.1)]).stable_pairs == 1


def test_level_versions_keep_their_order():
    """Versions with the same numbers never change places."""
    found = sweep([WeighedVersion("a", 0.5, 0.5), WeighedVersion("b", 0.5, 0.5)])

    assert (found.stable_best, found.stable_pairs) == (True, 1)


def test_a_limit_on_risk_sets_the_weight_of_safety():
    """R <= 0.3 needs P2 or P3; P2 overtakes P1 where beta is 0.1392 / (0.1392 + 0.4104), and below that P1 would be chosen."""
    found = weights_within(ACS, most_risk=0.3)

    assert found.version == "P2"
    assert found.weights is not None
    assert found.weights.beta == pytest.approx(0.1392 / (0.1392 + 0.4104))
    assert sweep(ACS, [found.weights.alpha + 0.01]).steps[0].best == "P1"


def test_a_limit_on_utility_sets_the_weight_of_utility():
    """U >= 0.8 rules out P3; the smallest alpha that prefers another is where P2 overtakes it."""
    found = weights_within(ACS, least_utility=0.8)

    assert found.version == "P2"
    assert found.weights is not None
    assert found.weights.alpha == pytest.approx(0.1417 / (0.1417 + 0.1001))


def test_both_limits_may_leave_one_version_or_none():
    """P2 keeps both; nothing keeps R <= 0.1 and U >= 0.8; nothing at all has no risk. That is an answer, not an error."""
    assert weights_within(ACS, most_risk=0.3, least_utility=0.8).version == "P2"
    assert weights_within(ACS, most_risk=0.1, least_utility=0.8).reason == "No version keeps both limits."
    assert weights_within(ACS, most_risk=0.0).reason == "No version keeps the limit on risk."


def test_a_version_between_two_better_ones_has_no_weights():
    """A version below the line between two others is never best, whatever the weights."""
    versions = (WeighedVersion("a", 1.0, 1.0), WeighedVersion("between", 0.4, 0.6), WeighedVersion("b", 0.0, 0.0))
    found = weights_within(versions, most_risk=0.7, least_utility=0.3)

    assert found.weights is None
    assert "no weights make it the best" in (found.reason or "")


def test_limits_and_versions_must_mean_something():
    """No version, two of one name, no limit, a share beyond 1, no alpha."""
    for wrong in (
        lambda: sweep([]),
        lambda: sweep([ACS[0], ACS[0]]),
        lambda: sweep(ACS, []),
        lambda: sweep(ACS, [1.5]),
        lambda: weights_within(ACS),
        lambda: weights_within(ACS, most_risk=2),
        lambda: weights_within(ACS, least_utility=-1),
        lambda: WeighedVersion("x", 2, 0),
    ):
        with pytest.raises(OptionError):
            wrong()


SHARES = st.integers(0, 20).map(lambda n: n / 20)
VERSIONS = st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=5).map(
    lambda found: [WeighedVersion(f"v{i}", u, r) for i, (u, r) in enumerate(found)]
)


@law
@given(versions=VERSIONS, most_risk=SHARES)
def test_the_smallest_weight_is_found(versions, most_risk):
    """No smaller weight of safety on a fine grid makes a version best that keeps the limit, and the one found does."""
    found = weights_within(versions, most_risk=most_risk)
    kept = [version for version in versions if version.risk <= most_risk]
    grid = [BalanceWeights(1 - i / 200) for i in range(201)]

    def serves(weights: BalanceWeights) -> bool:
        best = max(rut(version.utility, version.risk, weights) for version in versions)
        return any(rut(version.utility, version.risk, weights) >= best - 1e-9 for version in kept)

    if found.weights is None:
        assert not any(map(serves, grid))
    else:
        assert serves(found.weights)
        assert not any(serves(weights) for weights in grid if weights.beta < found.weights.beta - 1e-6)


@law
@given(versions=VERSIONS)
def test_between_the_ends_of_a_sweep_nothing_else_happens(versions):
    """Pairs that keep their places at the ends keep them in between, because balances are straight lines."""
    found = sweep(versions)
    orders = [[name for name, _ in step.ranking] for step in found.steps]
    changed = {frozenset((exchange.below, exchange.above)) for exchange in found.exchanges}
    for step in found.steps:
        values = dict(step.ranking)
        for one in values:
            for other in values:
                if one != other and frozenset((one, other)) not in changed:
                    first = dict(found.steps[0].ranking)
                    assert (values[one] - values[other]) * (first[one] - first[other]) >= -1e-9
    assert all(len(order) == len(versions) for order in orders)
