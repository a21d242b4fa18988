"""A hierarchy for every column of a table: given or made, by what the column holds and means."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import ColumnNotFound, HierarchyError, OptionError, RoleError

N = 200
PEOPLE = {
    "age": [i % 90 for i in range(N)],
    "zip": [f"{10000 + 7 * i}" for i in range(N)],
    "sex": ["F" if i % 2 else "M" for i in range(N)],
    "race": [1 + i % 7 for i in range(N)],
    "diagnosis": [f"{'EIJ'[i % 3]}{10 + i % 30}.{i % 9}" for i in range(N)],
    "born": [f"{1930 + i % 10}-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(N)],
    "income": [1000.5 + 13.25 * i for i in range(N)],
    "town": [f"town {i % 12}" if i % 12 else None for i in range(N)],
}


def built(columns: dict[str, list[Any]], **options: Any) -> dict[str, an.Hierarchy]:
    with an.read(pa.table(columns), quasi_identifiers=list(columns), threads=1, **options) as data:
        return an.build_hierarchies(data)


def test_every_column_gets_the_ladder_that_fits_it() -> None:
    """By its type, and by what its name and values say it is about."""
    first = {column: hierarchy.words[0] for column, hierarchy in built(PEOPLE).items()}

    assert first == {
        "age": "in bands of 5 years",
        "zip": "first 4 digits",
        "sex": "everything",
        "race": "in 4 groups, the rare and like ones together",
        "diagnosis": "ICD-10 category",
        "born": "month",
        "income": "in bands of 50",
        "town": "in 6 groups, rare ones with a common one",
    }


def test_a_missing_value_is_in_no_hierarchy() -> None:
    """It stays missing, and so does an empty text of a typed table."""
    made = built({"town": ["a", "b", None, ""]})["town"]

    assert sorted(made.leaves) == ["a", "b"]


def test_a_column_without_values_has_a_hierarchy_without_leaves() -> None:
    """There is nothing to coarsen, and nothing fails."""
    made = built({"town": pa.array([None, None], pa.string())})["town"]

    assert (made.leaves, made.height) == ((), 1)


def test_a_given_hierarchy_takes_the_place_of_an_automatic_one(tmp_path: Path) -> None:
    """For that column only."""
    path = tmp_path / "sexes.csv"
    path.write_text("F;any\nM;any\nX;any\n", encoding="utf-8")
    made = built({"sex": ["F", "M"], "age": [1, 2]}, hierarchies={"sex": path})

    assert made["sex"].name == "sexes.csv"
    assert made["age"].name == "age"


def test_uncovered_values_are_counted_not_named(tmp_path: Path) -> None:
    """Column, file and numbers."""
    path = tmp_path / "sexes.csv"
    path.write_text("F;any\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match=r"'sexes.csv' does not cover 2 of the 3 values of column 'sex'") as caught:
        built({"sex": ["F", "secret", "hidden"]}, hierarchies={"sex": path})

    assert "secret" not in str(caught.value)


def test_values_are_those_of_the_audit() -> None:
    """Numbers in their canonical text, only the first records if so asked, the same from any order of rows."""
    made = built({"x": [3.0, 1.0, 2.5, 1.0]})["x"]

    assert made.leaves == ("1", "2.5", "3")
    assert built({"x": [1.0, 1.0, 2.5, 3.0]})["x"] == made
    assert built({"x": ["a", "b", "c"]}, rows=2)["x"].leaves == ("a", "b")


def test_what_cannot_be_coarsened_is_said() -> None:
    """An unknown column, no column, a name for a list, something that is no table, nested values."""
    with an.read(pa.table({"age": [1], "tags": [["a"]]})) as data:
        with pytest.raises(ColumnNotFound, match="Did you mean 'age'"):
            an.build_hierarchies(data, ["agee"])
        with pytest.raises(RoleError, match="nothing to make a hierarchy for"):
            an.build_hierarchies(data)
        with pytest.raises(RoleError, match=r"write \['age'\]"):
            an.build_hierarchies(data, "age")
        with pytest.raises(RoleError, match="nested values"):
            an.build_hierarchies(data, ["tags"])
    with pytest.raises(OptionError, match="takes what read"):
        an.build_hierarchies("patients.csv")  # type: ignore[arg-type]


def test_an_audit_reads_the_hierarchy_of_a_quasi_identifier_and_measures_as_without(tmp_path: Path) -> None:
    """It serves generalisation; a file that is no hierarchy is refused all the same."""
    path = tmp_path / "sexes.csv"
    path.write_text("F;any\nM;any\n", encoding="utf-8")
    table = pa.table({"sex": ["F", "M", "M"], "ill": ["flu", "flu", "gout"]})

    def audited(**options: Any) -> an.Audit:
        with an.read(table, quasi_identifiers=["sex"], sensitive=["ill"], **options) as data:
            return an.audit(data)

    assert audited(hierarchies={"sex": path}).measurements == audited().measurements
    path.write_text("F;any\nF;any\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match="line 2"):
        audited(hierarchies={"sex": path})
