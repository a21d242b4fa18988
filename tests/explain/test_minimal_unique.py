"""Minimal sample uniques against their definition."""

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonscope as an
import reference_explain
from anonscope.explain.minimal_unique import minimal_uniques, relative_score
from explained import opened, tuples_of, wide_tables
from strategies import Table, law


@law
@given(table=wide_tables(), size=st.integers(1, 4))
def test_the_sets_are_those_of_the_definition(table: Table, size: int) -> None:
    """Every set, with as many records as are unique on it and on no part of it."""
    tuples = tuples_of(table)
    found = minimal_uniques(tuples, tuples.places(table.quasi_identifiers), size)
    expected = reference_explain.records_by_set(reference_explain.minimal_uniques(table, table.quasi_identifiers, size))

    assert {frozenset(s.attributes): s.records for s in found.sets} == expected


@law
@given(table=wide_tables())
def test_the_sets_are_minimal_and_unique(table: Table) -> None:
    """On the set nobody else is alike; without any one of its attributes somebody is."""
    tuples = tuples_of(table)
    for s in minimal_uniques(tuples, tuples.places(table.quasi_identifiers), 4).sets:
        alone = [n == 1 for n in reference_explain.crowd(table, s.attributes)]
        parts = [reference_explain.crowd(table, [a for a in s.attributes if a != left_out]) for left_out in s.attributes]
        assert sum(unique and all(part[r] > 1 for part in parts) for r, unique in enumerate(alone)) == s.records


@law
@given(table=wide_tables())
def test_every_record_has_its_set_and_its_score(table: Table) -> None:
    """In the record-level table: one of the smallest sets, and the sum of (M - s)! over all of them."""
    with opened(table) as data:
        rows = an.audit(data).records(None, scenario="default").to_pylist()
    expected = reference_explain.minimal_uniques(table, table.quasi_identifiers, 3)

    assert sorted(row["row"] for row in rows) == list(range(1, table.rows + 1))
    for row in rows:
        sets = expected[row["row"] - 1]
        assert row["suda_score"] == pytest.approx(reference_explain.suda_score(sets, len(table.quasi_identifiers)))
        if sets:
            named = frozenset(row["minimal_unique_set"].split(" + "))
            assert named in sets and len(named) == min(map(len, sets))
        else:
            assert row["minimal_unique_set"] is None


def test_the_score_of_many_attributes_does_not_overflow() -> None:
    """(M - s)! / (M - 1)! instead of factorials."""
    assert relative_score(8, 3) == pytest.approx(math.factorial(5) / math.factorial(7))
    assert 0 < relative_score(5000, 3) < 1e-6


def test_a_worked_example() -> None:
    """Anna is the only one in the north; Bea is told apart by age and sex together."""
    table = pa.table(
        {
            "place": ["north", "south", "south", "south", "south"],
            "age": [30, 30, 30, 40, 40],
            "sex": ["F", "F", "M", "M", "M"],
        }
    )
    with an.read(table, quasi_identifiers=["place", "age", "sex"]) as data:
        why = an.audit(data).why()

    assert {s.attributes: s.records for s in why.unique_sets} == {("place",): 1, ("age", "sex"): 1, ("place", "sex"): 1}
    # Score 2 for the single attribute, 1 for each pair; place takes part in 3 of 4.
    assert why.contributions == pytest.approx({"place": 3 / 4, "age": 1 / 4, "sex": 2 / 4})
    assert why.unique_by_size == (1, 2, 0)
