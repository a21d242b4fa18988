"""Distinct l-diversity: worked examples, then its own laws."""

from collections.abc import Callable

from hypothesis import given

import anonscope as an
from support.strategies import Table, audited, law, tables

Run = Callable[..., an.Audit]


def test_l_is_the_number_of_values_in_the_least_varied_class(audit: Run) -> None:
    """Three diseases in one district, one disease in the other."""
    result = audit(zip=["1"] * 3 + ["2"] * 3, ill=["flu", "HIV", "flu", "flu", "flu", "flu"], quasi_identifiers=["zip"], sensitive=["ill"])

    assert result["l_diversity"].value == 1


def test_every_sensitive_attribute_has_its_own(audit: Run) -> None:
    """One run measures any number of them."""
    result = audit(zip=["1"] * 3, ill=["a", "b", "c"], paid=[1, 1, 2], quasi_identifiers=["zip"], sensitive=["ill", "paid"])

    assert {m.sensitive: m.value for m in result.select("l_diversity")} == {"ill": 3, "paid": 2}


def test_a_missing_diagnosis_is_a_value(audit: Run) -> None:
    """An attacker who finds the class does not know whether the diagnosis is flu or not recorded."""
    assert audit(zip=["1", "1"], ill=["flu", None], quasi_identifiers=["zip"], sensitive=["ill"])["l_diversity"].value == 2


def test_two_spellings_of_a_number_are_two_values(audit: Run) -> None:
    """Text counts as written; only ranks know that '1' and '1.0' are the same number."""
    assert audit(zip=["1", "1"], dose=["1", "1.0"], quasi_identifiers=["zip"], sensitive=["dose"])["l_diversity"].value == 2


def test_a_constant_sensitive_attribute_has_one_value_in_every_class(audit: Run) -> None:
    """l is 1 whatever the quasi-identifiers are, and the audit warns of it."""
    result = audit(zip=["1", "1"], ill=["flu", "flu"], quasi_identifiers=["zip"], sensitive=["ill"])

    assert result["l_diversity"].value == 1
    assert any("one value only" in warning for warning in result.warnings)


def test_repeated_visits_do_not_add_variety(audit: Run) -> None:
    """l counts values, however many records or persons have them."""
    result = audit(zip=["1"] * 4, ill=["a", "a", "b", "b"], who=list("xyxy"), quasi_identifiers=["zip"], sensitive=["ill"], person="who")

    assert result["l_diversity"].value == 2


@law
@given(table=tables(sensitive=1))
def test_l_never_exceeds_its_cap(table: Table) -> None:
    """The cap is the smaller of k and the number of distinct sensitive values."""
    audit = audited(table)
    distinct = {facts.name: facts.values for facts in audit.sensitive}
    for m in audit.select("l_diversity"):
        (k,) = audit.select("k_anonymity", scenario=m.scenario, level="record")
        assert 1 <= m.value <= min(k.value, distinct[m.sensitive])


@law
@given(table=tables(sensitive=1))
def test_one_value_in_a_class_is_full_correlation(table: Table) -> None:
    """l = 1 and a highest correlation of 1 are the same finding."""
    audit = audited(table)
    for m in audit.select("l_diversity"):
        (whole,) = [r for r in audit.select("correlation", scenario=m.scenario, sensitive=m.sensitive) if r.attributes is None]
        assert (m.value == 1) == (whole.max == 1)
