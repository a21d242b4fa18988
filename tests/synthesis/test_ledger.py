"""The budget: exact under every split, never overspent, and never promising more than rho keeps."""

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonscope.errors import BudgetError
from anonscope.synthesis.ledger import Ledger, Loss, delta_of, exact, rho_within

positive = st.fractions(min_value=Fraction(1, 1000), max_value=20, max_denominator=10_000)
weights = st.dictionaries(st.text("abcdef", min_size=1), st.floats(0.001, 1000), min_size=1, max_size=8)


def test_numbers_count_as_they_are_written():
    """Ten times 0.1 is 1, which floating point misses."""
    ledger = Ledger.pure(1)
    for i in range(10):
        ledger.charge(f"count {i}", Loss(exact(0.1)))

    assert ledger.left == Loss()
    assert sum([0.1] * 10) != 1
    with pytest.raises(BudgetError, match="Over budget: one more"):
        ledger.charge("one more", Loss(Fraction(1, 10**12)))
    assert len(ledger.charges) == 10


@settings(deadline=None)
@given(epsilon=positive, delta=st.fractions(min_value=0, max_value=Fraction(1, 10), max_denominator=10_000), split=weights)
def test_every_split_makes_up_the_whole_exactly(epsilon, delta, split):
    """Whatever the weights, the parts can all be spent, nothing is left, and not the least more fits."""
    ledger = Ledger.approximate(epsilon, delta)
    ledger.charge_all(ledger.shares(split).items())

    assert ledger.spent == ledger.budget and ledger.left == Loss()
    with pytest.raises(BudgetError):
        ledger.charge("more", Loss(Fraction(1, 10**30)))


@settings(deadline=None)
@given(budget=positive, losses=st.lists(positive, min_size=1, max_size=12))
def test_several_are_charged_all_or_none(budget, losses):
    """What is spent never exceeds the budget, and a refusal spends nothing, not even the part that would fit."""
    ledger = Ledger.pure(budget)
    try:
        ledger.charge_all((str(i), Loss(loss)) for i, loss in enumerate(losses))
    except BudgetError:
        assert sum(losses) > budget and ledger.spent == Loss() and ledger.charges == []
    else:
        assert ledger.spent.epsilon == sum(losses) <= budget


@settings(deadline=None)
@given(budget=positive, losses=st.lists(positive, max_size=12))
def test_one_after_the_other_stays_within(budget, losses):
    """Sequential composition: as many as fit, in order, and what is spent is their exact sum."""
    ledger, entered = Ledger.pure(budget), Fraction()
    for loss in losses:
        if entered + loss <= budget:
            ledger.charge("q", Loss(loss))
            entered += loss
        else:
            with pytest.raises(BudgetError):
                ledger.charge("q", Loss(loss))
        assert ledger.spent.epsilon == entered and ledger.left.epsilon == budget - entered


def _slow_delta(rho: Fraction, epsilon: Fraction) -> Decimal:
    """Corollary 13 written out, at many orders, in many digits."""
    with localcontext() as context:
        context.prec = 60
        r, e = (Decimal(x.numerator) / Decimal(x.denominator) for x in (rho, epsilon))
        best = Decimal(1)
        for i in range(1, 200):
            a = 1 + Decimal(i) ** 4 / 10_000
            logarithm = (a - 1) * (a * r - e) - (a - 1).ln() + a * (1 - 1 / a).ln()
            best = min(best, logarithm.exp() if logarithm < 0 else Decimal(1))
        return best


@settings(max_examples=10, deadline=None)
@given(epsilon=st.sampled_from([Fraction(1, 10), Fraction(3, 10), Fraction(1), Fraction(3), Fraction(10)]), digits=st.integers(2, 15))
def test_rho_keeps_its_promise(epsilon, digits):
    """The rho of a budget has a delta within the stated one, above the sum of the simple rule, and a thousandth more has not."""
    delta = Fraction(1, 10**digits)
    rho = rho_within(epsilon, delta)

    assert delta_of(rho, epsilon) <= delta
    assert delta_of(rho * Fraction(1001, 1000), epsilon) > delta
    assert delta_of(rho, epsilon) <= Fraction(_slow_delta(rho, epsilon)) * Fraction(100_001, 100_000)


def test_rho_agrees_with_open_dp():
    """OpenDP's own conversion of the same rho comes to the same epsilon."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    scale = (1 / (2 * float(rho_within(Fraction(1), Fraction(1, 10**9))))) ** 0.5
    gaussian = dp.m.make_gaussian(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale)

    assert dp.c.make_zCDP_to_approxDP(gaussian).map(1).epsilon(1e-9) == pytest.approx(1, abs=1e-6)


def test_measures_do_not_mix_silently():
    """In rho an epsilon is half its square; rho has no place in epsilon, and a delta none in rho."""
    concentrated = Ledger.concentrated(1, "1e-9")
    concentrated.charge("choice", Loss(Fraction(1, 10)))
    assert concentrated.spent == Loss(rho=Fraction(1, 200))
    with pytest.raises(BudgetError, match="Gaussian noise loses rho"):
        Ledger.pure(1).charge("g", Loss(rho=Fraction(1, 100)))
    with pytest.raises(BudgetError, match="does not add up in rho"):
        concentrated.charge("d", Loss(Fraction(1, 100), Fraction(1, 100)))


@pytest.mark.parametrize("epsilon", [0, -1, "0", float("nan"), float("inf"), "many", "1/0", True, None])
def test_an_epsilon_that_means_nothing_is_a_sentence(epsilon):
    """Zero, negative, endless or no number: refused before there is a ledger."""
    with pytest.raises(BudgetError, match="epsilon must be"):
        Ledger.pure(epsilon)


@pytest.mark.parametrize("delta", [1, -0.1, 2, "x"])
def test_a_delta_that_means_nothing_is_a_sentence(delta):
    """So is a delta of 1 or more; and without one there is no Gaussian noise."""
    with pytest.raises(BudgetError, match="delta must be"):
        Ledger.approximate(1, delta)
    with pytest.raises(BudgetError, match="needs a delta above 0"):
        Ledger.concentrated(1, 0)


def test_a_ledger_is_written_exactly():
    """A third is a third, also on paper."""
    ledger = Ledger.pure(1)
    ledger.charge_all(ledger.shares({"a": 1, "b": 2}).items())

    assert [charge["epsilon"] for charge in ledger.to_dict()["charges"]] == ["1/3", "2/3"]
    assert ledger.to_dict()["left"]["epsilon"] == "0"


@pytest.mark.parametrize("epsilon", ["1e-320", 1e-320, "1e-10", "1e308", 1_000_001])
def test_an_epsilon_that_nobody_can_mean_is_refused(epsilon):
    """Before anything is drawn: some were more than a number of a machine holds, and their guarantee had hundreds of digits."""
    for opened in (Ledger.pure, lambda value: Ledger.concentrated(value, "1e-9")):
        with pytest.raises(BudgetError, match="epsilon must be from 1e-9 to 1e6"):
            opened(epsilon)


@pytest.mark.parametrize("delta", ["1e-320", 1e-31])
def test_a_delta_that_nobody_can_tell_from_none_is_refused(delta):
    with pytest.raises(BudgetError, match="delta must be 0 or at least 1e-30"):
        Ledger.concentrated(1, delta)


def test_the_ends_of_what_an_epsilon_and_a_delta_may_be_are_taken():
    for epsilon in ("1e-9", 10**6):
        assert Ledger.approximate(epsilon, "1e-30").promised.delta == Fraction(1, 10**30)
    assert Ledger.concentrated(10**6, "1e-30").budget.rho > 0
