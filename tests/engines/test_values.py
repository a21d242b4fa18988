"""One rule of equality: what is one value to a count is one value in every file, and what is two is two."""

import csv
import math
from collections import Counter
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import anonscope as an
from anonscope.errors import Defect
from anonscope.transform.steps import DropColumn
from support.said import all_said

FORMATS = ("csv", "tsv", "parquet", "arrow")


def rows_of(path: Path) -> list[tuple[Any, ...]]:
    """Return the records of a file as a stranger reads it; an empty field of text is missing."""
    if path.suffix in (".csv", ".tsv"):
        with path.open(newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ","))[1:]
        return [tuple(field or None for field in line) for line in lines]
    table = pq.read_table(path) if path.suffix == ".parquet" else feather.read_table(path)
    return [tuple(map(repr, row)) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]


def released(table: pa.Table, folder: Path, form: str, limits: dict[str, float], **roles: Any) -> list[tuple[Any, ...]]:
    with all_said(an.read(table, **roles)) as data:
        found = an.anonymise(data, limits=limits, suppression=0.0)
        assert found.met
        return rows_of(found.write(folder / f"release.{form}"))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("values", [[0.0, -0.0, 5.0, 5.0], [math.nan, None, 5.0, 5.0], ["", None, "a", "a"], [b"", None, b"a", b"a"]])
def test_values_that_count_as_one_are_one_in_the_file(tmp_path, form, values):
    """Two records of each value were asked for, and a stranger finds two of each."""
    table = pa.table({"x": values, "n": [1, 2, 3, 4]})
    rows = released(table, tmp_path, form, {"k_anonymity": 2}, quasi_identifiers=["x"])
    assert min(Counter(row[0] for row in rows).values()) == 2


@pytest.mark.parametrize("form", FORMATS)
def test_missing_and_empty_are_no_diversity(tmp_path, form):
    """l = 2 was asked for: nobody is in a class of nothing but missing values."""
    table = pa.table({"q": ["a", "a", "b", "b"], "s": ["", None, "x", "y"]})
    rows = released(table, tmp_path, form, {"l_diversity": 2}, quasi_identifiers=["q"], sensitive=["s"])
    classes = {row[0] for row in rows}
    assert all(len({row[1] for row in rows if row[0] == q}) >= 2 for q in classes)


@pytest.mark.parametrize("form", FORMATS)
def test_missing_and_empty_are_no_two_persons(tmp_path, form):
    """Nor are a person without an id and one whose id is empty: "a" has one person, so it cannot stand alone."""
    table = pa.table({"q": ["a", "a", "b", "b"], "who": ["", None, "1", "2"]})
    rows = released(table, tmp_path, form, {"k_anonymity": 2}, quasi_identifiers=["q"], person="who")
    # The id may have been left out, so people are counted as they stood in the table, in which every released value is a group's.
    assert rows and "a" not in {row[0] for row in rows}


DISTINCT = {
    "durations": pa.array([timedelta(microseconds=1), timedelta(microseconds=2), timedelta(days=1, hours=1), None]),
    "nanoseconds": pa.array([1, 2, 3_000, None], pa.duration("ns")),
    "moments": pa.array([datetime(2020, 1, 1, 0, 0, 0, i, UTC) for i in range(4)], pa.timestamp("us", "Europe/Berlin")),
    "fine moments": pa.array([1, 2, 1_000, None], pa.timestamp("ns")),
    "decimals": pa.array([Decimal("34.50"), Decimal("0.00"), Decimal("-34.50"), None], pa.decimal128(10, 2)),
    "small floats": pa.array([0.1, 16777217.0, math.inf, None], pa.float32()),
    "floats": pa.array([0.1, 0.1 + 0.2, 1e300, -math.inf]),
    "bytes": pa.array([b"\\x41", b"A", b"\x00", None]),
    "words": pa.array(["\u00e9", "e\u0301", " \u00e9", "\u00e9 "]),
    "nothings": pa.array(["NA", "null", "NaN", None]),
    "quotes": pa.array(['"', '""', ",", "\n"]),
    "lines": pa.array(["a\r", "a\n", "a\r\n", "a"]),
    "categories": pa.array(["a", "b", "*", None]).dictionary_encode(),
}


@pytest.mark.parametrize("form", FORMATS)
def test_values_that_differ_differ_in_the_file(tmp_path, form):
    """Of every type; an audit counts four, and a file has four."""
    table = pa.table({name: pa.concat_arrays([values, values]) for name, values in DISTINCT.items()})
    for name in DISTINCT:
        with all_said(an.read(table.select([name]), quasi_identifiers=[name])) as data:
            assert an.audit(data).scenarios[0].sizes.classes == 4, name
    with all_said(an.read(table.append_column("x", [[1] * 8]))) as data:
        path = an.apply(DropColumn(column="x"), data).save(tmp_path / f"release.{form}")
    assert [len(set(column)) for column in zip(*rows_of(Path(path)), strict=True)] == [4] * len(DISTINCT)


@pytest.mark.parametrize(("values", "withheld"), [(["", None], True), (["", ""], False), ([math.nan, 1.0], False), ([0.0, -0.0], True)])
def test_a_table_with_one_value_in_two_forms_is_withheld(values, withheld):
    """Its numbers are those of the rule, and whoever reads that very table tells more apart."""
    table = pa.table({"q": values * 10})
    found = an.audit(table, "trusted-internal", quasi_identifiers=["q"])
    assert found.verdict.two_forms == (("q",) if withheld else ())
    assert any("two forms" in warning for warning in found.warnings) == withheld
    assert not withheld or found.verdict.outcome == "withhold"


def test_what_took_another_form_is_said(tmp_path):
    """In the notes of an anonymisation, and in what a recipe did."""
    table = pa.table({"q": ["", "", "a", "a"], "x": [1.0, 2.0, -0.0, 0.0], "n": [1, 2, 3, 4]})
    with all_said(an.read(table, quasi_identifiers=["q"])) as data:
        found = an.anonymise(data, limits={"k_anonymity": 2})
        assert any("'q', 'x'" in note and "missing" in note for note in found.notes)
        assert "missing" in an.apply(DropColumn(column="n"), data).to_text()


def test_the_same_values_link_across_types_and_formats(tmp_path):
    """Decimals, floats and empty text of a typed table are found again in the CSV that was written of it."""
    table = pa.table({"d": pa.array([Decimal("34.50"), Decimal("1.00")] * 4, pa.decimal128(6, 2)), "f": [5.0, 6.0] * 4, "t": ["", "b"] * 4})
    with all_said(an.read(table, quasi_identifiers=["d", "f", "t"])) as data:
        path = an.anonymise(data, limits={"k_anonymity": 2}).write(tmp_path / "release.csv")
    with all_said(an.read(table, quasi_identifiers=["d", "f", "t"])) as data:
        found = an.compare(data, path)
    assert found.versions[1].utility("ncp").value == 0


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_a_file_with_one_value_in_two_forms_is_not_published(tmp_path, monkeypatch, form):
    """If something of ours let two forms through, the file that was read back tells."""
    monkeypatch.setattr("anonscope.io.sources.in_one_form", lambda relation: relation)
    with all_said(an.read(pa.table({"x": [0.0, -0.0, 5.0, 5.0]}), quasi_identifiers=["x"])) as data:
        found = an.anonymise(data, limits={"k_anonymity": 2})
        with pytest.raises(Defect, match="in two forms"):
            found.write(tmp_path / f"release.{form}")
    assert list(tmp_path.iterdir()) == []
