"""Uniqueness-only risk: worked examples, then its own laws."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given

import anonscope as an
from support.strategies import Table, audited, law, tables

Run = Callable[..., an.Audit]


def test_the_rarest_birth_year_stands_out_most(audit: Run) -> None:
    """Three born 1991, six born 1993, one born 1999."""
    risk = audit(year=[1991] * 3 + [1993] * 6 + [1999], quasi_identifiers=["year"])["uniqueness"]

    assert risk.max == 1
    assert risk.min == pytest.approx(0.2218, abs=5e-5)


def test_null_is_a_value(audit: Run) -> None:
    """The person with no recorded sex is still alone."""
    assert audit(sex=["F", "F", None], quasi_identifiers=["sex"])["uniqueness"].max == 1


def test_one_big_crowd_has_no_uniqueness(audit: Run) -> None:
    """Exactly 0, whatever the size."""
    risk = audit(sex=["F"] * 7, quasi_identifiers=["sex"])["uniqueness"]

    assert (risk.min, risk.mean, risk.max) == (0, 0, 0)


def test_the_only_record_is_unique(audit: Run) -> None:
    """log 1 / log 1 says nothing; a table of one person hides nobody."""
    risk = audit(sex=["F"], quasi_identifiers=["sex"])["uniqueness"]

    assert (risk.min, risk.mean, risk.max) == (1, 1, 1)


def test_it_counts_records_even_at_event_level(audit: Run) -> None:
    """Equation 2 knows no persons: the ids change nothing."""
    columns = {"zip": list("11122"), "who": list("aabbb")}
    with_ids = audit(columns=columns, quasi_identifiers=["zip"], person="who")["uniqueness"]

    assert with_ids == audit(columns=columns, quasi_identifiers=["zip"])["uniqueness"]


def test_it_is_measured_for_the_whole_combination_only(audit: Run) -> None:
    """SCORR scores single attributes by uniformity and correlation, not by uniqueness."""
    result = audit(age=[1, 2], sex=["F", "M"], quasi_identifiers=["age", "sex"])

    assert [m.attributes for m in result.select("uniqueness")] == [None]


@law
@given(table=tables())
def test_the_highest_uniqueness_follows_from_k(table: Table) -> None:
    """max R_uq = 1 - log k / log n, in every scenario."""
    for m in audited(table).select("uniqueness"):
        (k,) = audited(table).select("k_anonymity", scenario=m.scenario, level="record")
        expected = 1 - math.log(k.value) / math.log(table.rows) if table.rows > 1 else 1
        assert m.max == pytest.approx(expected, abs=1e-12)


@law
@given(table=tables())
def test_the_lowest_uniqueness_is_that_of_the_largest_class(table: Table) -> None:
    """min R_uq is 0 exactly when one class holds everybody."""
    for m, scenario in zip(audited(table).select("uniqueness"), audited(table).scenarios, strict=True):
        assert (m.min == 0) == (scenario.sizes.classes == 1 and table.rows > 1)
