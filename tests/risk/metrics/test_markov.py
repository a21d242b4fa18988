"""Markov model risk: worked examples, then its own laws."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given

import anonscope as an
from reference.metrics import view
from support.strategies import Table, audited, law, tables

Run = Callable[..., an.Audit]
TOY = {"who": ["u1", "u1", "u2", "u2", "u3", "u3"], "known": list("AAABBB"), "secret": list("xxyxyy")}


def test_the_toy_table_with_person_ids(audit: Run) -> None:
    """First record: 1 - 3/6 * (1 - 2/3) * (1 - 2/3) * (1 - 2/3); third: 1 - 3/6 * (2/3)^3."""
    risk = audit(columns=TOY, quasi_identifiers=["known"], sensitive=["secret"], person="who")["markov"]

    assert risk.max == pytest.approx(1 - 1 / 2 * (1 / 3) ** 3)
    assert risk.min == pytest.approx(1 - 1 / 2 * (2 / 3) ** 3)


def test_the_toy_table_without_person_ids(audit: Run) -> None:
    """Every record is another person: one third of the class, and of those with its value."""
    risk = audit(columns=TOY, quasi_identifiers=["known"], sensitive=["secret"])["markov"]

    assert risk.max == pytest.approx(1 - 1 / 2 * (2 / 3) * (1 / 3) * (2 / 3))
    assert risk.min == pytest.approx(1 - 1 / 2 * (2 / 3) ** 3)


def test_it_stays_near_one(audit: Run) -> None:
    """A hundred classes of ten with ten different values each: nobody is exposed, and it says 0.99."""
    risk = audit(zip=[i // 10 for i in range(1000)], v=[i % 10 for i in range(1000)], quasi_identifiers=["zip"], sensitive=["v"])["markov"]

    assert risk.min > 0.99


def test_no_policy_uses_it(audit: Run) -> None:
    """Its paper says that it cannot be read as low, medium or high."""
    for name in an.preset_names():
        result = audit(columns=TOY, quasi_identifiers=["known"], sensitive=["secret"], policy=name)
        assert all(rule.rule.metric != "markov" for rule in result.verdict.rules)


@law
@given(table=tables(sensitive=1))
def test_it_is_one_exactly_when_a_factor_vanishes(table: Table) -> None:
    """Without ids: when a class is a single record or has one sensitive value, or when somebody's value is theirs alone."""
    bare = replace(table, person=None)
    for m in audited(bare).select("markov"):
        seen = view(bare, dict(bare.attackers)[m.scenario], m.sensitive)
        groups = [[seen.values[r] for r in records] for records in seen.members.values()]
        homogeneous = any(len(set(group)) == 1 for group in groups)
        own = any(seen.values.count(value) == 1 for value in seen.values)
        assert (m.max == 1) == (homogeneous or own)


@law
@given(table=tables(sensitive=1))
def test_a_homogeneous_class_makes_it_one(table: Table) -> None:
    """l = 1 anywhere is enough, with person ids or without; a class of one record is such a class."""
    audit = audited(table)
    for m in audit.select("markov"):
        (diversity,) = audit.select("l_diversity", scenario=m.scenario, sensitive=m.sensitive)
        if diversity.value == 1:
            assert m.max == 1


@law
@given(table=tables(sensitive=1))
def test_it_is_at_least_one_minus_the_share_of_the_largest_class(table: Table) -> None:
    """The other factors can only shrink the product, so with many classes it is near 1 from the start."""
    for m, scenario in ((m, s) for s in audited(table).scenarios for m in audited(table).select("markov", scenario=s.name)):
        largest = max(size for size, _ in scenario.sizes.records)
        assert m.min >= 1 - largest / table.rows - 1e-12
