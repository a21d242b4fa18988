"""Markov chain risk: worked examples, both readings, then its own laws."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given

import anonscope as an
from anonscope.risk.counting import Tuples, encode, fetch_tuples, open_scenario
from anonscope.risk.measuring.about import LIMIT
from anonscope.risk.metrics.markov_chain import chain_risk
from reference.tuples import bits, chain, rows_of
from support.strategies import Table, audited, law, tables

Run = Callable[..., an.Audit]


def tuples_of(table: Table, names: tuple[str, ...]) -> Tuples:
    """Return the distinct tuples of some columns, as an audit counts them."""
    with an.read(table.arrow(), quasi_identifiers=names, threads=1) as data:
        layout = encode(data.engine, data.relation, data.roles)
        open_scenario(data.engine, layout, names)
        return fetch_tuples(data.engine, layout, names)


def test_two_attributes_by_hand(audit: Run) -> None:
    """Two of each pair of values, eight records: 1/2 * 1/2 * 1/2 * 1/2 is what an attacker misses."""
    risk = audit(a=[0, 0, 1, 1] * 2, b=[0, 1, 0, 1] * 2, quasi_identifiers=["a", "b"])["markov_chain"]

    assert risk.min == risk.max == pytest.approx(1 - 1 / 16)


def test_the_order_of_the_roles_is_the_order_of_the_chain(audit: Run) -> None:
    """Not the order of the table's columns."""
    columns = {"b": list("xxyyy"), "c": list("pqqqp"), "a": list("mmmnn")}
    one = audit(columns=columns, quasi_identifiers=["a", "b", "c"]).select("markov_chain", attribute="a")[0]
    other = audit(columns=dict(reversed(columns.items())), quasi_identifiers=["a", "b", "c"]).select("markov_chain", attribute="a")[0]

    assert one == other


def test_a_named_scenario_has_its_own_order(audit: Run) -> None:
    """The chain of an attacker goes through what they know, as they list it."""
    columns = {"a": list("mmmnnm"), "b": list("xxyyyx"), "c": list("pqqqpp")}
    known = ["a", "c", "b"]
    found = audit(columns=columns, quasi_identifiers=["a", "b", "c"], scenarios={"other": known})
    alone = audit(columns=columns, quasi_identifiers=known)

    means = [m.mean for m in alone.select("markov_chain")]
    assert [m.mean for m in found.select("markov_chain", scenario="other")] == pytest.approx(means)


def test_one_attribute_leaves_nothing_to_miss(audit: Run) -> None:
    """Everybody who shares the value is the record."""
    assert audit(a=[1, 1, 2], quasi_identifiers=["a"])["markov_chain"].min == 1


def test_no_policy_uses_it() -> None:
    """It is near 1 whatever is done, so a limit would mean nothing."""
    from anonscope.risk.policy import load

    assert all(rule.metric != "markov_chain" for name in an.preset_names() for rule in load(name).rules)


def test_a_table_beyond_the_limit_says_so(audit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not measured, with the reason and what to do; never left out."""
    assert LIMIT > 10**7
    monkeypatch.setattr("anonscope.risk.measuring.about.LIMIT", 3)
    found = audit(a=[1, 2], b=[1, 2], quasi_identifiers=["a", "b"])

    for metric in ("markov_chain", "personal_information"):
        assert found[metric].status == "not measured"
        assert "--rows" in str(found[metric].reason)


def test_keys_of_several_words() -> None:
    """Attributes whose codes do not fit into one number give the same as the references."""
    names = tuple(f"q{i}" for i in range(9))
    table = Table(tuple((name, tuple((r // 2 * (i + 3)) % 293 for r in range(320))) for i, name in enumerate(names)), names)
    found = tuples_of(table, names)

    assert math.prod(found.sizes) > 2**63
    assert found.records == 320
    for start in (0, 3, 8):
        (m,) = audited(table).select("markov_chain", attribute=names[start])
        slow = chain(rows_of(table, names), start)
        assert (m.min, m.max) == pytest.approx((min(slow), max(slow)))
    (m,) = audited(table).select("personal_information", attribute="q3")
    assert m.mean == pytest.approx(sum(bits(rows_of(table, names), 3)) / 320)


def test_attributes_with_very_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs of values are counted where they occur when there are too many to keep a place for each."""
    table = Table((("a", (1, 1, 2, 2, 3, 3)), ("b", (5, 5, 6, 5, 6, 6)), ("c", (0, 1, 1, 0, 0, 0))), ("a", "b", "c"))
    found = tuples_of(table, ("a", "b", "c"))
    before = [chain_risk(found, start).tolist() for start in range(3)]
    monkeypatch.setattr("anonscope.risk.counting.tuples._DENSE", 0)

    assert [chain_risk(found, start).tolist() for start in range(3)] == before


@law
@given(table=tables())
def test_all_starts_at_once_agree_with_one_factor_after_the_other(table: Table) -> None:
    """The chains share their steps; taken one by one they give the same."""
    names = table.quasi_identifiers
    found = tuples_of(table, names)
    for start, name in enumerate(names):
        (m,) = audited(table).select("markov_chain", attribute=name, scenario="default")
        risk = chain_risk(found, start)
        assert (m.min, m.max) == pytest.approx((risk.min(), risk.max()), abs=1e-12)


@law
@given(table=tables())
def test_the_literal_reading_agrees_with_its_definition(table: Table) -> None:
    """1 - n PP with what lies outside the start, cut at 0."""
    names = table.quasi_identifiers
    found = tuples_of(table, names)
    for start in range(len(names)):
        slow = chain(rows_of(table, names), start, literal=True)
        risk = chain_risk(found, start, "literal")
        assert (risk.min(), float((risk * found.n).sum()) / table.rows, risk.max()) == pytest.approx(
            (min(slow), sum(slow) / len(slow), max(slow)), abs=1e-9
        )


@law
@given(table=tables())
def test_a_value_of_ones_own_makes_it_one(table: Table) -> None:
    """Whoever is alone with any value is found wherever the chain begins."""
    for scenario, names in table.attackers:
        rows = rows_of(table, names)
        alone = any([row[j] for row in rows].count(row[j]) == 1 for row in rows for j in range(len(names)))
        for m in audited(table).select("markov_chain", scenario=scenario):
            assert m.max == 1 or not alone
