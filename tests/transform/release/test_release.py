"""Releases as files: order, types, names and counts are kept, and on an error nothing is written."""

import json
import math
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import anonscope as an
from anonscope.errors import AnonscopeError, RecipeError
from anonscope.transform.release.manifest import archive_path
from anonscope.transform.steps import AddNoise, DropColumn, PermuteColumn, Round, SuppressCells, SuppressRecords

ROWS = 200_000
TYPED = pa.table(
    {
        "whole": pa.array([39, None, 41], pa.int32()),
        "real": pa.array([39.4, math.nan, None]),
        "exact": pa.array([Decimal("1.50"), None, Decimal("2.25")], pa.decimal128(5, 2)),
        "day": pa.array([date(2020, 1, 31), None, date(2021, 2, 28)]),
        "true": pa.array([True, False, None]),
        "text": pa.array(["it's", " ", None]),
        'odd, "name"': pa.array(["a,b", 'c"d', "e\nf"]),
    }
)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CSV file whose first column is the number of the row, and one called r, like what the engine could call it."""
    path = tmp_path_factory.mktemp("large") / "large.csv"
    numbers = range(ROWS)
    pa_csv.write_csv(pa.table({"n": numbers, "r": [(i * 7919) % ROWS for i in numbers], "g": [i % 97 for i in numbers]}), path)
    return path


def column(path: Path, name: str) -> list[Any]:
    kinds = pa_csv.ConvertOptions(column_types={name: pa.int64()}, include_columns=[name])
    return pa_csv.read_csv(path, convert_options=kinds).column(name).to_pylist()


@pytest.mark.parametrize("audited", [False, True], ids=["fresh", "after an audit"])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_order_of_records_is_kept(large, tmp_path, threads, audited):
    """200,000 of them, through steps that compute, that look at the whole table and that drop records, whoever used the engine before."""
    steps = [
        Round(column="g", to=10),
        PermuteColumn(column="r", seed=1),
        SuppressRecords(quasi_identifiers=("g",), k=2),
        AddNoise(column="g", scale=0.25, whole=True, seed=2),
    ]
    with an.read(large, quasi_identifiers=["g"], insensitive=["n", "r"], threads=threads) as data:
        if audited:
            an.audit(data, "pipeline")
        release = an.apply(steps, data)
        release.save(tmp_path / "release.csv")
    numbers = column(tmp_path / "release.csv", "n")

    assert numbers == list(range(ROWS))
    assert sorted(column(tmp_path / "release.csv", "r")) == numbers
    assert column(tmp_path / "release.csv", "g") == [math.floor(i % 97 / 10 + 0.5) * 10 for i in numbers]


def test_records_that_go_take_nothing_else_with_them():
    """After records were dropped, what a later step draws still meets the record it was drawn for."""
    table = pa.table({"n": range(1000), "q": [i % 3 if i % 10 else i for i in range(1000)], "x": [float(i) for i in range(1000)]})
    with an.read(table, threads=2) as data:
        steps = [PermuteColumn(column="q", seed=1), SuppressRecords(quasi_identifiers=("q",), k=2), AddNoise(column="x", scale=0.1, seed=1)]
        release = an.apply(steps, data)
        made = release.table.to_pydict()

    assert len(made["n"]) == release.changes.records_after < 1000
    assert all(abs(x - n) <= 0.1 for n, x in zip(made["n"], made["x"], strict=True))


@pytest.mark.parametrize("rows", [1, 1000, ROWS + 5])
def test_the_first_records_are_the_first_records(large, rows):
    """Of a file that several threads read, and whether or not something else was asked before."""
    with an.read(large, quasi_identifiers=["g"], rows=rows, threads=2) as data:
        before = an.apply(Round(column="g", to=10), data)
        an.audit(data, "pipeline")
        after = an.apply(Round(column="g", to=10), data)
        expected = list(range(min(rows, ROWS)))
        for release in (before, after):
            assert [int(n) for n in release.table.column("n").to_pylist()] == expected
            assert release.changes.records_before == len(expected)


@pytest.mark.parametrize("name", ["release.parquet", "release.pq", "release.arrow", "release.feather"])
def test_typed_files_keep_types_and_names(tmp_path, name):
    """A column of whole numbers stays one, an untouched column stays what it was, and NaN that a step touches is a missing value."""
    with an.read(TYPED) as data:
        an.apply([Round(column="whole", to=5), Round(column="real", to=1)], data).save(tmp_path / name)
    read = pq.read_table(tmp_path / name) if name.endswith(("parquet", "pq")) else feather.read_table(tmp_path / name)

    assert read.column_names == TYPED.column_names
    assert read.schema.types == TYPED.schema.types
    assert read.column("whole").to_pylist() == [40, None, 40]
    assert read.column("real").to_pylist() == [39.0, None, None]
    for untouched in TYPED.column_names[2:]:
        assert read.column(untouched).to_pylist() == TYPED.column(untouched).to_pylist()


@pytest.mark.parametrize(("name", "delimiter"), [("release.csv", ","), ("release.tsv", "\t")])
def test_delimited_files_keep_names_and_values(tmp_path, name, delimiter):
    """Whatever needs quotes has them; a missing value is an empty field."""
    with an.read(TYPED) as data:
        an.apply(Round(column="whole", to=5), data).save(tmp_path / name)
    options = pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    strings = pa_csv.ConvertOptions(column_types=dict.fromkeys(TYPED.column_names, pa.string()), strings_can_be_null=True)
    strings.quoted_strings_can_be_null = False
    read = pa_csv.read_csv(tmp_path / name, parse_options=options, convert_options=strings)

    assert read.column_names == TYPED.column_names
    assert read.column("whole").to_pylist() == ["40", None, "40"]
    assert read.column("text").to_pylist() == ["it's", " ", None]
    assert read.column('odd, "name"').to_pylist() == ["a,b", 'c"d', "e\nf"]


def test_a_column_that_is_all_there_is_keeps_its_missing_values(tmp_path):
    """A missing value alone in its line is still a record when the file is read again."""
    with an.read(pa.table({"a": ["x", None, "y"], "b": [1, 2, 3]})) as data:
        an.apply(DropColumn(column="b"), data).save(tmp_path / "release.csv")
    with an.read(tmp_path / "release.csv", quasi_identifiers=["a"]) as data:
        assert an.audit(data, "pipeline").rows == 3


def test_counts_of_what_changed():
    """Numbers that are only written differently did not change; a value that was missing before was not suppressed."""
    columns = {"x": [10.0, 12.0, math.nan, None, 3.0], "t": ["a", "*", None, "b", "a"], "w": [1, 2, 3, 4, 5]}
    with an.read(pa.table(columns)) as data:
        steps = [Round(column="x", to=5, otherwise="keep"), SuppressCells(column="t", values=("a",)), Round(column="w", to=1)]
        changes = an.apply(steps, data).changes

    assert [(c.column, c.changed, c.suppressed) for c in changes.columns] == [("x", 2, 0), ("t", 2, 2), ("w", 0, 0)]


def test_numbers_that_became_text_are_written_as_numbers():
    """With a fallback a column of numbers becomes text, in which 40 is 40 and not 40.0."""
    with an.read(pa.table({"x": [39.0, 2.5, None]})) as data:
        assert an.apply(Round(column="x", to=0.5, otherwise="keep"), data).table.column("x").to_pylist() == ["39", "2.5", None]


@pytest.mark.parametrize(
    ("to", "direction", "value", "expected"),
    [
        (0.01, "floor", 0.29, 0.29),
        (0.01, "ceiling", 0.57, 0.57),
        (0.1, "floor", 0.7, 0.7),
        (0.3, "floor", 0.9, 0.9),
        (0.1, "nearest", 0.25, 0.3),
        (0.01, "nearest", 1.005, 1.01),
    ],
)
def test_a_multiple_of_a_step_is_itself(to, direction, value, expected):
    """Although 0.29 / 0.01 is 28.999999999999996 for a computer."""
    with an.read(pa.table({"x": [value]})) as data:
        assert an.apply(Round(column="x", to=to, direction=direction), data).table.column("x").to_pylist() == [expected]


def test_the_manifest_says_what_was_done(tmp_path):
    """Every field, and no value of the data."""
    with an.read(TYPED) as data:
        steps = [Round(column="whole", to=50), DropColumn(column="text"), PermuteColumn(column="day", seed=7)]
        an.apply(steps, data).save(tmp_path / "release.csv")
    manifest = json.loads((archive_path(tmp_path / "release.csv") / "manifest.json").read_text(encoding="utf-8"))
    documented = (Path(__file__).parents[3] / "docs/transform/recipes.md").read_text(encoding="utf-8")

    assert [key for key in manifest if f"`{key}`" not in documented] == []
    assert manifest["records"] == {"before": 3, "after": 3, "removed": 0, "starred": 0, "suppressed": 0}
    assert (manifest["dropped"], manifest["perturbed"], manifest["seeds"]) == (["text"], ["day"], [7])
    assert manifest["columns"][0] == {"column": "whole", "changed": 2, "suppressed": 0}
    assert "it's" not in json.dumps(manifest) and "2020" not in json.dumps(manifest["columns"])


@pytest.mark.parametrize(
    "steps",
    [
        [Round(column="nope", to=5)],
        [Round(column="text", to=5)],
        [DropColumn(column="whole"), Round(column="whole", to=5)],
        [SuppressRecords(quasi_identifiers=("whole",), k=2)],
        [PermuteColumn(column="whole", seed=1), Round(column="text", to=5)],
    ],
    ids=["no such column", "no numbers", "dropped before", "every record", "after another step"],
)
def test_on_an_error_nothing_is_written(tmp_path, steps):
    """Neither release nor manifest nor a part of either; what stood there before stays."""
    target = tmp_path / "release.csv"
    target.write_text("precious", encoding="utf-8")
    with an.read(TYPED) as data, pytest.raises(AnonscopeError):
        an.apply(steps, data).save(target, force=True)

    assert [path.name for path in tmp_path.iterdir()] == ["release.csv"]
    assert target.read_text(encoding="utf-8") == "precious"


def test_a_write_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    """A full disk in the middle of the work."""
    with an.read(TYPED) as data:
        release = an.apply(Round(column="whole", to=5), data)

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(type(data.engine), "write", full)
        with pytest.raises(AnonscopeError, match="No space left"):
            release.save(tmp_path / "release.csv")
    assert list(tmp_path.iterdir()) == []


def test_the_same_recipe_gives_the_same_bytes(large, tmp_path):
    """Twice, with one thread and with two."""
    for name, threads in (("one", 1), ("two", 2), ("three", 2)):
        with an.read(large, threads=threads, insensitive=["r"]) as data:
            an.apply([Round(column="g", to=10), PermuteColumn(column="r", seed=3)], data).save(tmp_path / f"{name}.csv")
    one, two, three = ((tmp_path / f"{name}.csv").read_bytes() for name in ("one", "two", "three"))

    assert one == two == three


def test_an_error_tells_counts_and_no_values():
    """How many values in how many records, of which column."""
    with an.read(pa.table({"age": ["30", "secret", "secret", "hidden"]})) as data, pytest.raises(RecipeError) as error:
        an.apply(Round(column="age", to=5), data)

    assert "2 values of column 'age' (in 3 records) cannot be read as a number" in str(error.value)
    assert "secret" not in str(error.value)


def test_rounding_up_may_leave_a_narrow_type():
    """127 fits into eight bits, 130 does not."""
    with an.read(pa.table({"age": pa.array([127, 3], pa.int8())})) as data:
        assert an.apply(Round(column="age", to=10), data).table.column("age").to_pylist() == [130, 0]
