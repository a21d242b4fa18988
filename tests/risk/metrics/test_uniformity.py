"""Uniformity-only risk: worked examples, then its own laws."""

from collections.abc import Callable

import pytest
from hypothesis import given

import anonscope as an
from support.strategies import Table, audited, law, tables

Run = Callable[..., an.Audit]


def test_a_group_that_is_mostly_one_person(audit: Run) -> None:
    """Three visits of one patient and one of another: three quarters of the group are the first."""
    risk = audit(zip=["1"] * 4, who=["a", "a", "a", "b"], quasi_identifiers=["zip"], person="who")["uniformity"]

    assert (risk.min, risk.mean, risk.max) == pytest.approx((1 / 4, (3 * 3 / 4 + 1 / 4) / 4, 3 / 4))


def test_without_ids_every_record_is_another_person(audit: Run) -> None:
    """It is one over the size of the class, the prosecutor's risk; its mean is classes over records."""
    risk = audit(year=[1991] * 3 + [1993] * 6 + [1999], quasi_identifiers=["year"])["uniformity"]

    assert (risk.min, risk.mean, risk.max) == pytest.approx((1 / 6, 3 / 10, 1))


def test_every_attribute_is_scored_on_its_own(audit: Run) -> None:
    """Two visits each by two women; the ages tell them apart, the sex does not."""
    result = audit(age=[30, 30, 40, 40], sex=["F"] * 4, who=list("aabb"), quasi_identifiers=["age", "sex"], person="who")

    assert {m.attributes: m.max for m in result.select("uniformity")} == {None: 1, ("age",): 1, ("sex",): 0.5}


def test_every_scenario_scores_its_own_attributes(audit: Run) -> None:
    """An attacker's attributes, and no others."""
    result = audit(age=[1, 2], sex=["F", "F"], quasi_identifiers=["age", "sex"], scenarios={"sex only": ["sex"]})

    assert [m.attributes for m in result.select("uniformity", scenario="sex only")] == [None, ("sex",)]


def test_records_without_a_person_are_one_unknown_person(audit: Run) -> None:
    """Two of three records have no id: as far as anybody knows they are the same person."""
    risk = audit(zip=["1"] * 3, who=["a", None, None], quasi_identifiers=["zip"], person="who")["uniformity"]

    assert (risk.min, risk.max) == pytest.approx((1 / 3, 2 / 3))


def test_an_empty_id_is_no_id(audit: Run) -> None:
    """In a typed table too: '' is the absence of one, as it would be in a CSV file."""
    risk = audit(zip=["1"] * 2, who=["", None], quasi_identifiers=["zip"], person="who")["uniformity"]

    assert risk.max == 1


@law
@given(table=tables())
def test_without_ids_the_highest_uniformity_is_one_over_k(table: Table) -> None:
    """max R_uf = 1 / k, and the mean is the number of classes over the number of records."""
    if table.person is not None:
        return
    for m in audited(table).select("uniformity"):
        if m.attributes is None:
            (k,) = audited(table).select("k_anonymity", scenario=m.scenario)
            (average,) = audited(table).select("average_class_size", scenario=m.scenario)
            assert m.max == pytest.approx(1 / k.value, abs=1e-12)
            assert m.mean == pytest.approx(1 / average.value, abs=1e-12)


@law
@given(table=tables())
def test_uniformity_is_one_when_a_class_is_one_person(table: Table) -> None:
    """At event level a person-based k of 1 and a highest uniformity of 1 are the same finding."""
    for k in audited(table).select("k_anonymity", level="person"):
        whole = audited(table).select("uniformity", scenario=k.scenario)[0]
        assert whole.attributes is None
        assert (k.value == 1) == (whole.max == 1)


@law
@given(table=tables())
def test_the_busiest_person_sets_a_floor(table: Table) -> None:
    """Some class holds at least the share of one person's records that the whole table does."""
    if table.person is None:
        return
    who = table[table.person]
    busiest = max(who.count(person) for person in who) / table.rows
    assert all(m.max >= busiest - 1e-12 for m in audited(table).select("uniformity"))
