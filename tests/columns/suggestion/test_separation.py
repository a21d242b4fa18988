"""Distinction, separation, and the search for minimal sets of columns, against the obvious way."""

from itertools import combinations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonscope as an

values = st.sampled_from([None, " ", "a", "b", "c"])
tables = st.integers(2, 5).flatmap(
    lambda width: st.lists(st.tuples(*[values] * width), min_size=2, max_size=12).map(
        lambda rows: {f"x{i}": [row[i] for row in rows] for i in range(width)}
    )
)


def obvious(table: dict[str, list], almost: float) -> set[tuple[str, ...]]:
    """Every set of columns that is almost unique and has no subset that is: try them all."""
    rows = len(next(iter(table.values())))
    usable = [name for name, column in table.items() if 1 < len(set(column)) <= rows / 2]
    found: set[tuple[str, ...]] = set()
    for size in range(1, len(usable) + 1):
        for columns in combinations(usable, size):
            different = len(set(zip(*(table[name] for name in columns), strict=True)))
            if different >= almost * rows and not any(set(smaller) < set(columns) for smaller in found):
                found.add(columns)
    return found


def searched(table: dict[str, list], **options) -> an.Suggestion:
    from anonscope.columns.suggestion.propose import propose

    typed = pa.table({name: pa.array(column, pa.string()) for name, column in table.items()})
    with an.read(typed) as data:
        return propose(data.engine, data.relation, **options)


@settings(deadline=None, max_examples=40)
@given(table=tables, almost=st.sampled_from([0.5, 0.95, 1.0]))
def test_the_search_finds_what_trying_all_sets_finds(table, almost):
    """All minimal sets and only those, NULL and the empty text being values of their own."""
    found = searched(table, almost=almost, budget=30.0)

    assert found.search.complete
    assert {c.columns for c in found.search.combinations} == obvious(table, almost)


@settings(deadline=None, max_examples=40)
@given(table=tables)
def test_distinction_and_separation_are_what_they_say(table):
    """Distinct values over records; pairs of records that differ over all pairs."""
    found = searched(table, budget=0.0)
    for name, column in table.items():
        rows = len(column)
        pairs = list(combinations(column, 2))
        assert found[name].evidence.distinction == pytest.approx(len(set(column)) / rows)
        assert found[name].evidence.separation == pytest.approx(sum(a != b for a, b in pairs) / len(pairs))
        assert found[name].evidence.unique == pytest.approx(sum(column.count(v) == 1 for v in column) / rows)


def test_sets_of_more_than_ten_columns_are_found():
    """There is no cap: here only twelve columns together tell the records apart."""
    width = 12
    table = {f"x{i}": [str((row >> i) & 1) for row in range(2**width)] for i in range(width)}
    found = searched(table, almost=1.0, budget=20.0)

    assert [c.columns for c in found.search.combinations] == [tuple(table)]


def test_a_search_that_runs_out_of_time_says_so():
    """Sets of any size are still found on the way, and how far the levels got is told."""
    table = {f"x{i}": [str(hash_of(row, i) % 3) for row in range(400)] for i in range(40)}
    found = searched(table, budget=0.2).search

    assert not found.complete
    assert found.tried_up_to < 40
    assert "stopped early" in an.suggest(pa.table(table), time_budget=0.2).to_text()


def hash_of(row: int, column: int) -> int:
    return ((row + 1) * 2654435761 + (column + 7) * 40503 * (row + 3)) >> 7


def test_sets_found_in_a_sample_are_counted_over_all_records():
    """In every seventh record a and b differ, in the whole table they do not: what the sample says does not stand."""
    rows = 60_000
    table = {"a": [str(i % 300) for i in range(rows)], "b": [str((i // 300) % 100) for i in range(rows)]}
    found = searched(table, budget=20.0).search

    assert found.records < rows
    assert all(c.whole_table for c in found.combinations)
    assert found.combinations == ()
