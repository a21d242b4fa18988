"""k-anonymity: worked examples, then its own laws."""

from collections.abc import Callable

import pytest
from hypothesis import given

import anonscope as an
from support.strategies import Table, audited, law, tables

Run = Callable[..., an.Audit]


def test_k_is_the_size_of_the_smallest_class(audit: Run) -> None:
    """Three born 1991, six born 1993, one born 1999, who stands alone."""
    years = [1991] * 3 + [1993] * 6 + [1999]

    assert audit(year=years, quasi_identifiers=["year"])["k_anonymity"].value == 1
    assert audit(year=years[:-1], quasi_identifiers=["year"])["k_anonymity"].value == 3


def test_null_is_a_value(audit: Run) -> None:
    """The person with no recorded sex is still alone: k of F, F, NULL is 1."""
    assert audit(sex=["F", "F", None], quasi_identifiers=["sex"])["k_anonymity"].value == 1
    assert audit(sex=["F", "F", None, None], quasi_identifiers=["sex"])["k_anonymity"].value == 2


@pytest.mark.parametrize("word", [" ", "missing", "NULL", "None"])
def test_a_word_for_missing_is_not_missing(audit: Run, word: str) -> None:
    """NULL and a text that says so are two values."""
    assert audit(sex=["F", "F", None, word], quasi_identifiers=["sex"])["k_anonymity"].value == 1


def test_zip_codes_keep_their_zeros(audit: Run) -> None:
    """'01234' and '1234' are two places."""
    assert audit(zip=["01234", "1234"], quasi_identifiers=["zip"])["k_anonymity"].value == 1


def test_missing_numbers_in_two_guises_are_one(audit: Run) -> None:
    """NaN is a missing value, and minus zero is zero."""
    assert audit(dose=[float("nan"), None, 0.0, -0.0], quasi_identifiers=["dose"])["k_anonymity"].value == 2


def test_classes_are_made_by_all_attributes_together(audit: Run) -> None:
    """Two people of each age and two of each sex, and still everybody is alone."""
    result = audit(age=[30, 30, 40, 40], sex=["F", "M", "F", "M"], quasi_identifiers=["age", "sex"], scenarios={"age only": ["age"]})

    assert [(m.scenario, m.value) for m in result.select("k_anonymity")] == [("default", 1), ("age only", 2)]


def test_ten_visits_of_one_patient_hide_nobody(audit: Run) -> None:
    """At event level both are reported: ten records, one person."""
    result = audit(zip=["1"] * 10 + ["2"] * 10, patient=["a"] * 10 + list("bcdefghijk"), quasi_identifiers=["zip"], person="patient")

    assert {m.level: m.value for m in result.select("k_anonymity")} == {"record": 10, "person": 1}


def test_records_without_a_person_are_one_unknown_person(audit: Run) -> None:
    """Nobody can tell how many they are, so the fewest are assumed, and the audit says so."""
    result = audit(zip=["1"] * 4, patient=["a", None, None, None], quasi_identifiers=["zip"], person="patient")

    assert {m.level: m.value for m in result.select("k_anonymity")} == {"record": 4, "person": 2}
    assert any("no person id" in warning for warning in result.warnings)


@law
@given(table=tables())
def test_a_class_never_has_more_persons_than_records(table: Table) -> None:
    """So a rule that counts persons is at least as strict as one that counts records."""
    for m in audited(table).select("k_anonymity", level="person"):
        (records,) = audited(table).select("k_anonymity", scenario=m.scenario, level="record")
        assert 1 <= m.value <= records.value <= table.rows


@law
@given(table=tables())
def test_an_attacker_who_knows_less_sees_larger_classes(table: Table) -> None:
    """Every scenario knows a part of the quasi-identifiers, so its k is at least the k of all."""
    whole, *others = audited(table).select("k_anonymity", level="record")

    assert all(m.value >= whole.value for m in others)
