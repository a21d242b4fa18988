"""Individual risk with survey weights and household risk: worked examples, then their own laws."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonscope as an
from reference.attackers import individual, over, tuples
from support.strategies import Table, law, tables

Run = Callable[..., an.Audit]


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([4], math.log(4) / 3),
        ([2, 2], 1 - math.log(2)),
        ([1, 3, 2], (1 / 2) / (2 + 1 / 2)),
        ([1], 1),
        ([1, 1], 1 / 2),
        ([1, 1, 1], 1 / 3),
    ],
)
def test_the_formulas_by_hand(audit: Run, weights: list[float], expected: float) -> None:
    """p of 1/4, 1/2 and 1/2 in classes of one, two and three; and p of 1, where nobody is outside the sample."""
    risk = audit(zip=["1"] * len(weights), w=weights, quasi_identifiers=["zip"], weight="w")["individual_risk"]

    assert (risk.min, risk.mean, risk.max) == pytest.approx((expected,) * 3)
    assert risk.sum == pytest.approx(expected * len(weights))


def test_records_above_the_threshold_are_counted(audit: Run) -> None:
    """The lone record that stands for four is at 0.46; the two that stand for a hundred are not at risk."""
    _, above = audit(zip=["1", "2", "2"], w=[4, 50, 50], quasi_identifiers=["zip"], weight="w").select("individual_risk")

    assert (above.variant, above.count, above.value) == ("above 0.2", 1, pytest.approx(1 / 3))


@pytest.mark.parametrize(
    ("weights", "because"),
    [
        (["2", None, "3"], "missing or no number in 1 records"),
        (["2", "plenty", "3"], "missing or no number in 1 records"),
        ([2.0, -1.0, 3.0], "negative in 1 records"),
        ([2.0, float("nan"), 3.0], "missing or no number in 1 records"),
        ([2.0, float("inf"), 3.0], "missing or no number in 1 records"),
        ([0.5, 0.5, 0.5], "add up to less than their records"),
        ([0, 0, 0], "add up to less than their records"),
    ],
)
def test_unusable_weights_are_not_measured(audit: Run, weights: list[Any], because: str) -> None:
    """The reason counts the records and shows no value; household risk does not go on without the weights either."""
    found = audit(zip=["1", "1", "2"], w=weights, h=["a"] * 3, quasi_identifiers=["zip"], weight="w", household="h")

    for metric in ("individual_risk", "household_risk"):
        assert found[metric].status == "not measured"
        assert because in str(found[metric].reason)
    assert "plenty" not in found.render("json")


def test_without_a_weight_or_a_household_the_reason_is_plain(audit: Run) -> None:
    """What was not given is named."""
    found = audit(zip=["1"], quasi_identifiers=["zip"])

    assert (found["individual_risk"].reason, found["household_risk"].reason) == ("no survey weight is given", "no household is given")


def test_at_event_level_weights_say_nothing(audit: Run) -> None:
    """A weight belongs to a person, and a person has several records."""
    found = audit(zip=["1"], who=["a"], w=[3], h=["x"], quasi_identifiers=["zip"], person="who", weight="w", household="h")

    for metric in ("individual_risk", "household_risk"):
        assert "one person may have several records" in str(found[metric].reason)


def test_one_found_member_finds_the_household(audit: Run) -> None:
    """Classes of two: a household of two is found with 3/4, one with a lone record for certain, one without an id by itself."""
    found = audit(
        zip=["1", "1", "2", "2", "3"], h=["a", "a", "b", None, "b"], quasi_identifiers=["zip"], household="h", policy="trusted-internal"
    )
    risk = found["household_risk"]

    assert (risk.min, risk.mean, risk.max) == pytest.approx((0.5, (0.75 * 2 + 1 * 2 + 0.5) / 5, 1))
    assert any("without a household id (1)" in warning for warning in found.warnings)


def test_with_a_constant_weight_individual_risk_is_the_journalists_estimate(audit: Run) -> None:
    """A weight of ten for everybody says the same as a sampling fraction of a tenth."""
    years = [1991] * 3 + [1993] * 6 + [1999] + [2000] * 2
    weighted = audit(year=years, w=[10] * 12, quasi_identifiers=["year"], weight="w")["individual_risk"]
    estimated = audit(year=years, quasi_identifiers=["year"], sampling_fraction=0.1)["journalist"]

    for name in ("min", "mean", "max", "sum"):
        assert weighted.statistic(name) == pytest.approx(estimated.statistic(name))


@st.composite
def surveys(draw: st.DrawFn) -> Table:
    """Return a person-level table with weights and households, some of them missing."""
    table = draw(tables())
    weights = tuple(draw(st.lists(st.sampled_from([1, 1.5, 2, 7.25, 40]), min_size=table.rows, max_size=table.rows)))
    homes = tuple(draw(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=table.rows, max_size=table.rows)))
    kept = tuple(column for column in table.columns if column[0] != table.person)
    return Table((*kept, ("w", weights), ("h", homes)), table.quasi_identifiers, (), None, table.scenarios)


@law
@given(table=surveys(), weighted=st.booleans())
def test_the_engine_agrees_with_the_obvious_definition(table: Table, weighted: bool) -> None:
    """Sum the weights of every class, the chances of every household."""
    with an.read(
        table.arrow(),
        quasi_identifiers=table.quasi_identifiers,
        scenarios=dict(table.scenarios),
        weight="w" if weighted else None,
        household="h",
        threads=1,
    ) as data:
        found = an.audit(data)
    for scenario, attributes in table.attackers:
        classes = tuples(table, attributes)
        f, people = Counter(classes), defaultdict(float)
        for c, w in zip(classes, table["w"], strict=True):
            people[c] += w
        own = [individual(f[c], people[c]) if weighted else 1 / f[c] for c in classes]
        missed: dict[Any, float] = defaultdict(lambda: 1.0)
        homes = [h or f"record {i}" for i, h in enumerate(table["h"])]
        for h, r in zip(homes, own, strict=True):
            missed[h] *= 1 - r
        risk = found.select("household_risk", scenario=scenario)[0]
        assert (risk.min, risk.mean, risk.max) == pytest.approx(over([1 - missed[h] for h in homes]), abs=1e-9)
        if weighted:
            risk = found.select("individual_risk", scenario=scenario)[0]
            assert (risk.min, risk.mean, risk.max) == pytest.approx(over(own), abs=1e-9)
            assert risk.sum == pytest.approx(sum(own), abs=1e-9)


@law
@given(table=surveys())
def test_a_household_is_never_safer_than_its_members(table: Table) -> None:
    """One member is enough, so living together cannot lower a risk."""
    with an.read(table.arrow(), quasi_identifiers=table.quasi_identifiers, weight="w", household="h", threads=1) as data:
        found = an.audit(data)

    for name in ("min", "mean", "max"):
        assert found["household_risk"].statistic(name) >= found["individual_risk"].statistic(name) - 1e-12


def test_a_quasi_identifier_of_many_words_is_weighted() -> None:
    """Eight columns of 1,200 values do not fit into one number."""
    rows = 1200
    wide = tuple((f"w{i}", tuple(f"{(i + 1) * r % rows}" for r in range(rows))) for i in range(8))
    table = Table((*wide, ("weight", (4,) * rows), ("h", tuple(r // 2 for r in range(rows)))), tuple(name for name, _ in wide))
    with an.read(table.arrow(), quasi_identifiers=table.quasi_identifiers, weight="weight", household="h") as data:
        found = an.audit(data)

    alone = math.log(4) / 3
    assert found["individual_risk"].mean == pytest.approx(alone)
    assert found["household_risk"].mean == pytest.approx(1 - (1 - alone) ** 2)
