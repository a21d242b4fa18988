"""A release is read back as a stranger reads it: by Python's csv module and by pyarrow, and by nothing that wrote it."""

import csv
import errno
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

import anonscope as an
from anonscope.engines import DuckDB
from anonscope.errors import OutOfMemory, SourceError
from anonscope.io import read_back as module
from anonscope.io.read_back import read_back
from anonscope.transform.steps import DropColumn, Round

NASTY = [
    *(
        "a",
        "",
        None,
        " blank before",
        "blank after ",
        'a "quote"',
        '"',
        '""',
        '"""',
        "comma, here",
        "two\nlines",
        "c\rr",
        "\r\n",
        "\r",
        "\n",
    ),
    *("tab\t", "'", "#", "\\", '\\"', "\\N", "NULL", "null", "NaN", "nan", "N/A", "0.0", "-0.0", "é", "e\u0301", "\u2028", "\x0b", "\x0c"),
    *("\x1c", "\x85", "\ufeffmark", "nul\x00here", "😀", "semi;colon", "|", "  ", "\u00a0", "ＮＵＬＬ", "x" * 5_000),
]


def by_csv_module(path: Path, delimiter: str) -> list[list[str | None]]:
    with open(path, encoding="utf-8", newline="") as file:
        return [[value or None for value in line] for line in csv.reader(file, delimiter=delimiter)]


def back(path: Path, form: str, delimiter: str = ",") -> tuple[tuple[str, ...], list[list[str | None]]]:
    engine = DuckDB(threads=1)
    try:
        found = read_back(path, form, engine, delimiter=delimiter)
        listed = ", ".join(f"c{i}" for i in range(len(found.columns)))
        table = engine.batches(f"SELECT {listed} FROM {found.relation.origin}").read_all()
        rows = [list(row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]
        assert found.records == len(rows)
        return found.columns, rows
    finally:
        engine.close()


@pytest.mark.parametrize("names", [("a", "b"), ("two\nlines", 'a "quote"'), (" a", "b "), ("x,y", "x;y")])
@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("csv", ";"), ("csv", "|"), ("tsv", "\t")])
def test_text_is_read_as_pythons_csv_module_reads_it(tmp_path, names, form, delimiter):
    """Whatever needs quotes, whatever looks like a missing value, whatever columns are called."""
    target = tmp_path / f"release.{form}"
    engine = DuckDB(threads=1)
    engine.register("arrow_source", pa.table([pa.array(NASTY), pa.array(NASTY[::-1])], names=["c0", "c1"]))
    listed = ", ".join(f"c{i} AS {engine.quote(name)}" for i, name in enumerate(names))
    engine.write(f"SELECT {listed} FROM arrow_source", target, "csv", delimiter)
    engine.close()
    header, *lines = by_csv_module(target, delimiter)
    columns, rows = back(target, form, delimiter)

    assert tuple(header) == columns == names
    assert rows == lines == [[value or None for value in line] for line in zip(NASTY, reversed(NASTY), strict=True)]


TEXTS = st.none() | st.text(st.sampled_from("a\"',;\n\r\t \\#é\u2028\x00"), max_size=6)


@seed(1)
@settings(deadline=None, max_examples=60)
@given(rows=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=20), block=st.sampled_from([64, 1_000, 1 << 20]))
def test_any_text_survives(tmp_path_factory, rows, block):
    """As many records as were written, each as the csv module has it, however the parser cuts the file into blocks."""
    folder = tmp_path_factory.mktemp("text")
    table = pa.table({"a": pa.array([a for a, _ in rows], pa.string()), "b": pa.array([b for _, b in rows], pa.string())})
    with an.read(table, threads=1) as data, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        release = an.apply([DropColumn(column="b")], data) if len(rows) % 2 else None
        target = folder / "release.csv"
        if release is not None:
            release.save(target, formulas="keep")
        else:
            data.engine.write(f"SELECT c0 AS a, c1 AS b FROM {data.relation.origin}", target, "csv", ",")
        _, found = back(target, "csv")
    expected = [[a or None] if release is not None else [a or None, b or None] for a, b in rows]

    assert by_csv_module(target, ",")[1:] == found == expected


def test_a_record_longer_than_a_block_is_read(tmp_path, monkeypatch):
    """Once, and none of those before it twice."""
    monkeypatch.setattr(module, "_BLOCK", 4_096)
    values = [f"v{i}" for i in range(2_000)] + ["x" * 50_000] + [f"w{i}" for i in range(2_000)]
    with open(tmp_path / "release.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["a", "b"], *([value, "1"] for value in values)])
    _, rows = back(tmp_path / "release.csv", "csv")

    assert sorted(row[0] or "" for row in rows) == sorted(values)


def test_typed_files_are_read_as_pyarrow_reads_them(tmp_path):
    """Missing values, NaN, zones and exact numbers are what pyarrow finds."""
    moment = datetime(2020, 1, 31, 12, tzinfo=UTC)
    table = pa.table(
        {"x": [0.5, None, 2.0], "t": ["a", "", None], "d": [Decimal("1.50"), None, Decimal("2.25")], "w": [moment, None, moment]}
    )
    with an.read(table, threads=1) as data:
        made = an.apply(Round(column="x", to=0.5), data)
        for name in ("release.parquet", "release.arrow"):
            made.save(tmp_path / name, formulas="keep")
    for form, found in (
        ("parquet", pq.read_table(tmp_path / "release.parquet")),
        ("arrow", pa.ipc.open_file(tmp_path / "release.arrow").read_all()),
    ):
        columns, rows = back(tmp_path / f"release.{form}", form)
        assert columns == tuple(found.column_names) == ("x", "t", "d", "w")
        assert rows == [list(row) for row in zip(*found.to_pydict().values(), strict=True)]


@pytest.mark.parametrize("form", ["csv", "parquet", "arrow"])
def test_what_cannot_be_read_is_said_without_a_cell(tmp_path, form):
    """Arrow would quote the line."""
    (tmp_path / "release").write_bytes(b"a,b\nsecret\n" if form == "csv" else b"secret")
    with pytest.raises(SourceError) as error:
        back(tmp_path / "release", form)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("name", ["_text", "_has_line_ends_within"])
@pytest.mark.parametrize("error", [OSError(errno.EMFILE, "Too many open files"), MemoryError()])
def test_what_the_machine_lacks_does_not_make_a_release_unreadable(tmp_path, monkeypatch, name, error):
    """Before the first batch or within the engine: whoever publishes would take it for a defect of what was written."""
    (tmp_path / "a.csv").write_text("age\n30\n")

    def lacking(*_):
        raise error

    monkeypatch.setattr(module, name, lacking)
    with pytest.raises((OSError, MemoryError, OutOfMemory)):
        back(tmp_path / "a.csv", "csv")
