"""Parquet, Arrow, JSON lines, Excel and frames give the same counts as the text they came from."""

import io
import json
from decimal import Decimal

import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import anonscope as an
from anonscope.errors import RoleError, SourceError

PEOPLE = {"zip": ["01234", "01234", "1234", None], "age": [30, 30, 41, 41], "dose": [1.0, 1.0, -0.0, 0.0]}


def counts(source, columns=("zip", "age", "dose"), **options):
    """Return the class sizes of a source."""
    with an.read(source, quasi_identifiers=list(columns), **options) as data:
        return an.audit(data).scenarios[0].sizes.records


def as_parquet(folder):
    pyarrow.parquet.write_table(pa.table(PEOPLE), folder / "people.parquet")
    return folder / "people.parquet"


def as_feather(folder):
    pyarrow.feather.write_feather(pa.table(PEOPLE), folder / "people.feather")
    return folder / "people.feather"


def as_stream(folder):
    table = pa.table(PEOPLE)
    with pa.OSFile(str(folder / "people.arrow"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return folder / "people.arrow"


def as_json_lines(folder):
    rows = [dict(zip(PEOPLE, row, strict=True)) for row in zip(*PEOPLE.values(), strict=True)]
    (folder / "people.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows).replace("-0.0", "0.0"))
    return folder / "people.jsonl"


def as_excel(folder):
    book = openpyxl.Workbook()
    for row in [tuple(PEOPLE), *zip(*PEOPLE.values(), strict=True)]:
        book.active.append(row)
    book.save(folder / "people.xlsx")
    return folder / "people.xlsx"


MAKERS = {
    "parquet": as_parquet,
    "feather": as_feather,
    "stream": as_stream,
    "json lines": as_json_lines,
    "excel": as_excel,
    "pandas": lambda folder: pd.DataFrame(PEOPLE),
    "polars": lambda folder: pl.DataFrame(PEOPLE),
    "lazy polars": lambda folder: pl.DataFrame(PEOPLE).lazy(),
    "arrow": lambda folder: pa.table(PEOPLE),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_every_source_counts_alike(tmp_path, kind):
    """One pair of look-alikes and two loners; minus zero is zero, a missing zip is a value."""
    assert counts(MAKERS[kind](tmp_path)) == ((1, 2), (2, 1))
    assert counts(MAKERS[kind](tmp_path), ["dose"]) == ((2, 2),)
    assert counts(MAKERS[kind](tmp_path), ["zip"], rows=2) == ((2, 1),)


@pytest.mark.parametrize("kind", ["parquet", "feather", "json lines", "excel"])
def test_the_bytes_tell_the_format_when_the_name_does_not(tmp_path, kind):
    """A file without an ending is recognised by what it holds."""
    path = MAKERS[kind](tmp_path)
    path.rename(tmp_path / "people")

    assert counts(tmp_path / "people") == ((1, 2), (2, 1))


def test_standard_input_is_read_whole(tmp_path, monkeypatch):
    """A pipe may carry any format."""
    data = as_parquet(tmp_path).read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    assert counts("-") == ((1, 2), (2, 1))


def test_nan_and_empty_text_are_missing():
    """In typed sources as in text, which could not tell them apart from a missing value."""
    table = pa.table({"x": [float("nan"), None, 1.0], "y": ["", None, None]})

    assert counts(table, ["x"]) == ((1, 1), (2, 1))
    assert counts(table, ["y"]) == ((3, 1),)


def test_whole_numbers_are_the_same_in_every_type():
    """1 as integer, as float and as text is written '1'."""
    for values in ([1, 1], [1.0, 1.0], ["1", "1"]):
        with an.read(pa.table({"q": ["a", "a"], "s": values}), quasi_identifiers=["q"], sensitive=["s"]) as data:
            an.audit(data)
            assert data.engine.rows("SELECT v FROM dictionary WHERE attribute = 1") == [("1",)]


def test_a_pandas_index_means_nothing():
    """Shuffled or filtered frames are counted like any other."""
    frame = pd.DataFrame(PEOPLE).sample(frac=1, random_state=1)

    assert counts(frame[frame["age"] > 0]) == ((1, 2), (2, 1))


def test_a_pandas_column_of_mixed_types_is_compared_as_it_prints():
    """Numbers and text in one object column."""
    assert counts(pd.DataFrame({"x": [1, "a", None, 1]}, dtype=object), ["x"]) == ((1, 2), (2, 1))


def test_the_first_sheet_is_read_unless_another_is_named(tmp_path):
    """A workbook with two sheets says so."""
    book = openpyxl.Workbook()
    book.active.append(("a",))
    book.active.append((1,))
    second = book.create_sheet("second")
    for row in (("b",), (2,), (2,)):
        second.append(row)
    book.save(tmp_path / "two.xlsx")
    with an.read(tmp_path / "two.xlsx", quasi_identifiers=["a"]) as data:
        assert any("2 sheets" in warning for warning in an.audit(data).warnings)

    assert counts(tmp_path / "two.xlsx", ["b"], sheet="second") == ((2, 1),)


def test_nested_values_are_refused_by_name():
    """A list has no class to belong to."""
    with (
        pytest.raises(RoleError, match="'x' holds nested values"),
        an.read(pa.table({"x": [[1], [2]]}), quasi_identifiers=["x"]) as data,
    ):
        an.audit(data)


@pytest.mark.parametrize("name", ["people.parquet", "people.feather", "people.xlsx"])
def test_a_damaged_file_is_named(tmp_path, name):
    """What is not what its name says is an error, not a guess."""
    (tmp_path / name).write_bytes(b"not a table, whatever the name says")

    with pytest.raises(SourceError, match=name):
        an.read(tmp_path / name)


def test_columns_that_differ_by_case_are_refused(tmp_path):
    """The Parquet reader would rename one of them silently."""
    pyarrow.parquet.write_table(pa.table([pa.array([1]), pa.array([2])], names=["Age", "age"]), tmp_path / "case.parquet")

    with pytest.raises(SourceError, match="differ only by case"):
        an.read(tmp_path / "case.parquet")


@pytest.mark.parametrize("source", [3, {"a": [1]}, pd.Series([1])])
def test_what_is_no_table_is_refused(source):
    """A number, a dict or a series is not a table."""
    with pytest.raises(SourceError):
        an.read(source)


def test_half_precision_numbers_are_counted():
    """The engine knows no such type, so they are widened first."""
    assert counts(pa.table({"x": pa.array([1, 1, 2], pa.float16())}), ["x"]) == ((1, 1), (2, 1))


def test_a_picture_is_no_table(tmp_path):
    """It is told which kinds are read, and no option that would not help."""
    picture = tmp_path / "chart.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
    with pytest.raises(SourceError, match=r"none of the kinds that tables are read from: \.csv"):
        an.read(picture)


def test_decimals_of_more_digits_than_the_engine_has_are_read():
    """Those that fit into its own stay numbers; longer ones are texts with every digit."""
    short, long = Decimal("12.50"), Decimal("1" + "0" * 45 + ".25")
    kind = pa.decimal256(60, 2)
    table = pa.table({"a": pa.array([short, None, short], kind), "b": pa.array([long, None, short], kind)})
    with an.read(table, quasi_identifiers=["a", "b"]) as data:
        rows = data.engine.rows(f"SELECT * FROM {data.relation.origin}")
    assert [tuple(row) for row in rows] == [(short, "1" + "0" * 45 + ".25"), (None, None), (short, "12.50")]
