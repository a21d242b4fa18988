"""Average class size and records at risk: worked examples, then their own laws."""

from collections.abc import Callable

import pytest
from hypothesis import given

import anonscope as an
from support.strategies import Table, audited, law, tables

Run = Callable[..., an.Audit]
YEARS = [1991] * 3 + [1993] * 6 + [1999]


def test_the_average_is_records_over_classes(audit: Run) -> None:
    """Ten people in three birth years."""
    assert audit(year=YEARS, quasi_identifiers=["year"])["average_class_size"].value == pytest.approx(10 / 3)


@pytest.mark.parametrize(
    ("policy", "threshold", "share"),
    [("pipeline", 2, 0.1), ("trusted-internal", 3, 0.1), ("arx-default", 5, 0.4), ("output-10", 10, 1.0), ("scorr", 11, 1.0)],
)
def test_the_policy_says_which_classes_are_too_small(audit: Run, policy: str, threshold: int, share: float) -> None:
    """A record is at risk when its class is smaller than the policy asks for; a class of just that size is not."""
    risk = audit(year=YEARS, quasi_identifiers=["year"], policy=policy)["records_at_risk"]

    assert risk.variant == f"below {threshold}"
    assert risk.value == pytest.approx(share)


def test_at_event_level_persons_are_counted_as_well(audit: Run) -> None:
    """Ten visits of one patient and twelve of twelve: ten of 22 records, but one of 13 persons in classes."""
    result = audit(zip=["1"] * 10 + ["2"] * 12, who=["a"] * 10 + list("bcdefghijklm"), quasi_identifiers=["zip"], person="who")

    assert {m.level: m.value for m in result.select("average_class_size")} == {"record": 11, "person": 6.5}
    assert {m.level: m.value for m in result.select("records_at_risk")} == pytest.approx({"record": 10 / 22, "person": 1 / 13})


def test_the_histogram_counts_classes_by_size(audit: Run) -> None:
    """One class each of one, three and six."""
    sizes = audit(year=YEARS, quasi_identifiers=["year"]).scenarios[0].sizes

    assert sizes.records == ((1, 1), (3, 1), (6, 1))
    assert (sizes.classes, sizes.members(), sizes.below(6)) == (3, 10, 4)


@law
@given(table=tables())
def test_the_histogram_holds_every_record(table: Table) -> None:
    """No record is ever dropped, missing values or not."""
    for scenario in audited(table).scenarios:
        assert scenario.sizes.members() == table.rows == audited(table).rows


@law
@given(table=tables())
def test_the_average_lies_between_k_and_all(table: Table) -> None:
    """k <= n / G <= n, in records and in persons."""
    for m in audited(table).select("average_class_size"):
        (k,) = audited(table).select("k_anonymity", scenario=m.scenario, level=m.level)
        assert k.value <= m.value <= table.rows


@law
@given(table=tables())
def test_nobody_is_at_risk_when_k_is_large_enough(table: Table) -> None:
    """The share is 0 exactly when k reaches the threshold."""
    for m in audited(table, "research-shared").select("records_at_risk"):
        (k,) = audited(table, "research-shared").select("k_anonymity", scenario=m.scenario, level=m.level)
        assert m.variant == "below 5"
        assert (m.value == 0) == (k.value >= 5)
