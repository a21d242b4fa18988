"""Who is starred where others are not is suppressed, whichever method starred them; a column starred for everybody is not."""

import random
from typing import Any

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.columns.hierarchy import Hierarchy

METHODS = ("global", "local", "mondrian")


def flat(column: str, values: list[str]) -> Hierarchy:
    """Return a hierarchy that knows nothing between values and "*"."""
    leaves = tuple(sorted(set(values)))
    return Hierarchy(column, leaves, (("*",) * len(leaves),))


def released(table: dict[str, list[str]], method: str, **options: Any) -> tuple[an.Anonymisation, list[tuple[str, ...]]]:
    """Return an anonymisation, and the quasi-identifiers of its release record by record."""
    with an.read(pa.table(table), quasi_identifiers=list(table)) as data:
        ladders = {column: flat(column, values) for column, values in table.items()}
        found = an.anonymise(data, method=method, hierarchies=ladders, **options)  # type: ignore[arg-type]
        rows = [] if found.release is None else list(zip(*(found.release.table[column].to_pylist() for column in table), strict=True))
    return found, rows


HALVES = {
    "age": ["30"] * 10 + [str(40 + i) for i in range(10)],
    "zip": ["1000"] * 10 + [str(2000 + i) for i in range(10)],
}


@pytest.mark.parametrize("method", METHODS)
def test_half_a_table_is_not_starred_without_being_counted(method: str) -> None:
    """Ten records alike and ten that nobody is like: half of the table would say nothing, and 5 % may."""
    found, rows = released(HALVES, method, limits={"k_anonymity": 5}, suppression=0.05)

    # What is left is to star both columns for everybody, which suppresses nobody and is said.
    assert found.met and found.suppressed == 0
    assert rows == [("*", "*")] * 20
    assert any('age, zip are "*" for everybody: generalised, not suppressed' in note for note in found.notes)


@pytest.mark.parametrize("method", METHODS)
def test_where_half_may_go_half_is_counted(method: str) -> None:
    """The same with a limit of one half: ten records keep everything."""
    found, rows = released(HALVES, method, limits={"k_anonymity": 5}, suppression=0.5)

    assert found.met and found.suppressed == 10
    assert rows == [("30", "1000")] * 10 + [("*", "*")] * 10
    assert "10 of 20 records (50.0 %) are suppressed" in found.render("text")
    assert not any("for everybody" in note for note in found.notes)


@pytest.mark.parametrize("method", METHODS)
def test_one_column_starred_for_everybody_suppresses_nobody(method: str) -> None:
    """A column that is unique to everybody says nothing any more; the other one does."""
    table = {"age": ["30"] * 10 + ["40"] * 10, "zip": [str(i) for i in range(20)]}
    found, rows = released(table, method, limits={"k_anonymity": 5}, suppression=0.0)

    assert found.met and found.suppressed == 0
    assert rows == [("30", "*")] * 10 + [("40", "*")] * 10
    assert any('zip is "*" for everybody: generalised, not suppressed' in note for note in found.notes)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("fate", ["keep", "drop"])
def test_what_is_reported_is_what_is_in_the_release(method: str, fate: str) -> None:
    """Random tables: records that went, and those with nothing but stars beside others that say more, are the number that is told."""
    draws = random.Random(7)
    for _ in range(4):
        table = {column: [draws.choice("aaabbcdef") for _ in range(30)] for column in ("p", "q", "r")}
        share = draws.choice([0.0, 0.1, 0.4])
        found, rows = released(table, method, limits={"k_anonymity": 3}, suppression=share, suppressed=fate)
        if not found.met:
            continue
        starred = sum(set(row) == {"*"} for row in rows)
        expected = 30 - len(rows) + (starred if starred < len(rows) else 0)

        assert found.suppressed == expected <= share * 30 + 1e-9
