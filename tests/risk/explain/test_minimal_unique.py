"""Minimal sample uniques against their definition."""

import csv
import math
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonscope as an
from anonscope.errors import AnonscopeError
from anonscope.risk.explain.minimal_unique import minimal_uniques, relative_score
from reference import explain as reference_explain
from support.explained import opened, tuples_of, wide_tables
from support.strategies import Table, law


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
    """In the record-level table: one of the smallest sets, and the sum of (M - s)! over all of them, sets of every size."""
    with opened(table) as data:
        rows = an.audit(data).records(None, scenario="default").to_pylist()
    expected = reference_explain.minimal_uniques(table, table.quasi_identifiers, len(table.quasi_identifiers))

    assert sorted(row["row"] for row in rows) == list(range(1, table.rows + 1))
    for row in rows:
        sets = expected[row["row"] - 1]
        assert row["special_uniqueness"] == reference_explain.suda_score(sets, len(table.quasi_identifiers))
        if sets:
            named = frozenset(row["minimal_unique_set"].split(" + "))
            assert named in sets and len(named) == min(map(len, sets))
        else:
            assert row["minimal_unique_set"] is None


def test_the_score_of_many_attributes_does_not_overflow() -> None:
    """(M - s)! / (M - 1)! instead of factorials."""
    assert relative_score(8, 3) == pytest.approx(math.factorial(5) / math.factorial(7))
    assert 0 < relative_score(5000, 3) < 1e-6


def suda2(rows: list[tuple[str, ...]]) -> list[int]:
    """Return SUDA2's scores by its own recursion, which shares nothing with sets counted level by level.

    Manning, Haglin and Keane's idea: a set is minimal for a record if dropping any one attribute brings somebody else in; larger
    sets are reached from smaller ones on which the record still has company, and never beyond one on which it has none.
    """
    width, scores = len(rows[0]), []
    for row in rows:
        minimal: list[frozenset[int]] = []

        def search(chosen: tuple[int, ...], alike: list[tuple[str, ...]], first: int, row=row, minimal=minimal) -> None:
            for a in range(first, width):
                left = [other for other in alike if other[a] == row[a]]
                if len(left) > 1:
                    search((*chosen, a), left, a + 1)
                else:
                    minimal.append(frozenset((*chosen, a)))

        search((), rows, 0)
        # What was reached by one order of attributes may contain what is unique by another.
        kept = {found for found in minimal if not any(other < found for other in minimal)}
        scores.append(sum(math.factorial(width - len(found)) for found in kept))
    return scores


def test_scores_are_those_of_suda2(data_folder: Path) -> None:
    """On real records with seven attributes: all sizes by default; up to three attributes some records would score less."""
    with (data_folder / "nist_acs/national2019.csv").open(encoding="utf-8", newline="") as file:
        columns = ("AGEP", "SEX", "MSP", "HISP", "RAC1P", "EDU", "NOC")
        rows = [tuple(row[column] for column in columns) for row, _ in zip(csv.DictReader(file), range(600), strict=False)]
    table = pa.table({column: [row[i] for row in rows] for i, column in enumerate(columns)})
    with an.read(table, quasi_identifiers=columns) as data:
        audit = an.audit(data)
        found, three = audit.records(None), audit.records(None, largest_set=3)

    expected = suda2(rows)
    scores = dict(zip(found["row"].to_pylist(), found["special_uniqueness"].to_pylist(), strict=True))
    assert [scores[i + 1] for i in range(len(rows))] == expected
    assert found.schema.field("special_uniqueness").type == pa.int64()
    assert found.schema.metadata[b"suda_complete"] == b"true"
    low = dict(zip(three["row"].to_pylist(), three["special_uniqueness"].to_pylist(), strict=True))
    fewer = [i for i, score in enumerate(expected) if low[i + 1] != score]
    assert fewer and all(low[i + 1] < expected[i] for i in fewer)
    assert three.schema.metadata[b"suda_complete"] == b"false"


def test_scores_print_as_whole_numbers(tmp_path: Path) -> None:
    """In a CSV file too, and with 25 attributes, whose 24! is larger than any 64-bit integer."""
    for width, alone in ((4, "6"), (25, str(math.factorial(24)))):
        table = pa.table({f"a{i}": ["x", "y", "y"] if i == 0 else ["z"] * 3 for i in range(width)})
        with an.read(table, quasi_identifiers=table.column_names) as data:
            an.audit(data).records(None, save=tmp_path / "records.csv")
        with (tmp_path / "records.csv").open(encoding="utf-8", newline="") as file:
            scores = {row["row"]: row["special_uniqueness"] for row in csv.DictReader(file)}
        assert scores == {"1": alone, "2": "0", "3": "0"}
        (tmp_path / "records.csv").unlink()


def test_the_largest_set_is_bounded_or_refused() -> None:
    """Sizes that are asked for and cannot be looked at are an error, not a smaller score without a word."""
    table = pa.table({f"a{i}": [str(i * j % 3) for j in range(8)] for i in range(30)})
    with an.read(table, quasi_identifiers=table.column_names) as data:
        audit = an.audit(data)
        with pytest.raises(AnonscopeError, match=r"Sets of up to 20 of 30 attributes are too many"):
            audit.records(largest_set=20)
        with pytest.raises(AnonscopeError, match="at least one attribute"):
            audit.records(largest_set=0)


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
