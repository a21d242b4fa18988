"""Correlation-only risk: worked examples, then its own laws."""

from collections.abc import Callable

import pytest
from hypothesis import given

import anonscope as an
from support.strategies import Table, audited, law, tables

Run = Callable[..., an.Audit]


def test_a_district_that_gives_the_diagnosis_away(audit: Run) -> None:
    """In the first district three of four have the flu, in the second all have."""
    risk = audit(zip=["1"] * 4 + ["2"] * 2, ill=["flu"] * 3 + ["HIV"] + ["flu"] * 2, quasi_identifiers=["zip"], sensitive=["ill"])[
        "correlation"
    ]

    assert (risk.min, risk.mean, risk.max) == pytest.approx((1 / 4, (3 * 3 / 4 + 1 / 4 + 2) / 6, 1))


def test_each_attribute_with_each_sensitive_attribute(audit: Run) -> None:
    """Two attributes and two sensitive ones are four pairs, beside the whole combination with each."""
    result = audit(
        age=[1, 1, 2, 2],
        sex=["F", "M", "F", "M"],
        ill=["x", "y", "x", "y"],
        paid=[5, 5, 6, 7],
        quasi_identifiers=["age", "sex"],
        sensitive=["ill", "paid"],
    )

    assert {(m.attributes, m.sensitive): m.max for m in result.select("correlation")} == {
        (None, "ill"): 1,
        (("age",), "ill"): 0.5,
        (("sex",), "ill"): 1,
        (None, "paid"): 1,
        (("age",), "paid"): 1,
        (("sex",), "paid"): 0.5,
    }


def test_a_constant_sensitive_attribute_is_known_to_everybody(audit: Run) -> None:
    """1 for all records, in every scope."""
    result = audit(zip=list("1122"), ill=["flu"] * 4, quasi_identifiers=["zip"], sensitive=["ill"])

    assert all((m.min, m.mean, m.max) == (1, 1, 1) for m in result.select("correlation"))


def test_a_missing_diagnosis_can_be_inferred_too(audit: Run) -> None:
    """A class whose diagnoses are all missing gives away that they are."""
    assert audit(zip=["1", "1", "2"], ill=[None, None, "flu"], quasi_identifiers=["zip"], sensitive=["ill"])["correlation"].min == 1


def test_it_counts_records_even_at_event_level(audit: Run) -> None:
    """Equation 4 knows no persons: the ids change nothing."""
    columns = {"zip": list("11122"), "who": list("aabbb"), "ill": list("xxyyz")}
    with_ids = audit(columns=columns, quasi_identifiers=["zip"], sensitive=["ill"], person="who")

    assert with_ids.select("correlation") == audit(columns=columns, quasi_identifiers=["zip"], sensitive=["ill"]).select("correlation")


@law
@given(table=tables(sensitive=1))
def test_the_commonest_value_sets_a_floor(table: Table) -> None:
    """Whatever the quasi-identifiers, some class holds at least the table's share of the commonest value."""
    audit = audited(table)
    commonest = {facts.name: facts.commonest for facts in audit.sensitive}

    assert all(m.max >= commonest[m.sensitive] - 1e-12 for m in audit.select("correlation"))


@law
@given(table=tables(sensitive=1))
def test_knowing_more_never_lowers_the_highest_correlation(table: Table) -> None:
    """The whole combination splits every attribute's classes, and some part is at least as uneven as the class was."""
    audit = audited(table)
    for m in audit.select("correlation"):
        if m.attributes is not None:
            (whole,) = [w for w in audit.select("correlation", scenario=m.scenario, sensitive=m.sensitive) if w.attributes is None]
            assert whole.max >= m.max - 1e-12
            assert whole.mean >= m.mean - 1e-12
