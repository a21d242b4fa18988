"""A recipe on Spark makes what it makes on DuckDB, record for record, or says at once which step it cannot carry out."""

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import NotPublished, OutputError, RecipeError
from anonscope.risk.policy import from_limits
from anonscope.transform import steps as t
from anonscope.transform.recipe import Recipe
from anonscope.transform.release.manifest import file_hash
from anonscope.transform.steps import TRANSFORMATIONS
from anonscope.transform.transformation import Transformation
from support.said import all_said
from support.watched import watch

KEY = "ANONSCOPE_TEST_KEY"
ROWS = 160
# Rows of the largest answer while a recipe is carried out: the sums of an exact sum, one for each power of two.
MOST = 64
HIERARCHY = "a;v;*\nb;v;*\nB, c;c;*\né;c;*\n39;n;*\n1.0;n;*\n2.5;n;*\n"
# What steps may read as numbers, dates, codes or as their own notation, and none of it plain.
TEXTS = (
    *("1", "1.0", "2.5", "0.29", "10", "-3", "007", "39", " 39", "1e3", "nan", "12345", "1e400", "39\n", "2019-05-01\n"),
    *("a", "b", "B, c", "é", "e\u0301", "", '"q"', "it's", "a\nb", "\\x$1", "日本", " a ", "*", "ab*", "2019-05-01", "2019-02-30", None),
)
FLOATS = (0.0, -0.0, 1.0, -1.5, 0.1, 0.1 + 0.2, 0.3, 1e15, 1e16, 1e-7, 5e-5, 12345678.9, 0.29, -0.4, 2.5, math.nan, math.inf, None)
WHOLE = (0, 1, -1, 2**53, 2**53 + 1, 10, None, 39, 127, 4, 5, 89, 90)
DAYS = (date(1900, 1, 1), date(1969, 12, 31), date(2024, 2, 29), date(2021, 1, 3), date(9999, 12, 31), None)
COLUMNS: dict[str, tuple[tuple[Any, ...], pa.DataType]] = {
    "it's": (TEXTS, pa.string()),
    'fl"oat': (FLOATS, pa.float64()),
    "100%": (WHOLE, pa.int64()),
    "amount": ((*(Decimal(n) / 100 for n in (0, 3450, 3405, -1, 10**9)), None), pa.decimal128(18, 2)),
    "day": (DAYS, pa.date32()),
    "moment": ((datetime(2024, 3, 31, 2, 30), datetime(2024, 3, 31, 2, 30, 0, 1), None), pa.timestamp("us")),
    "flag": ((True, False, None), pa.bool_()),
    "half": ((0.5, 0.25, 3.0, None), pa.float32()),
    "small": ((1, 100, 127, None), pa.int8()),
    "who": ((*(f"p{i}" for i in range(20)), None), pa.string()),
    "written": (("1/2/2020", "31/12/69", "01/2/2020 ", "x", None, "29/02/2019", "5/ 6/2020"), pa.string()),
    "iso": (("2019-05-01", "2019-05-01T10:00", "9999-12-31", "0001-01-01", "bad", None), pa.string()),
}
X, F, W = "it's", 'fl"oat', "100%"

# Every step gets a copy of its column, so that one recipe tries many.
BY_RECORD: tuple[tuple[Transformation, ...], ...] = (
    (
        t.DropColumn(column=X),
        t.Mask(column=X, first=1, last=1),
        t.Mask(column=X, length=4, character="'"),
        t.Mask(column=X, pattern=r"([0-9])([^0-9]|$)", replacement=r"<\2\1$\\>"),
        t.Mask(column=F, first=1),
        t.GeneralisePrefix(column=X, characters=2),
        t.GeneralisePrefix(column=F, characters=2, stars="one"),
        t.GeneraliseMapping(column=X, mapping={"a": "A", "é": "E'", "39": "*"}, otherwise="suppress"),
        t.GeneraliseMapping(column=X, mapping={str(i): "n" for i in range(50)} | {"": "x", "a\nb": "y"}, rest="r"),
        t.GeneraliseMapping(column=X, groups=(("a", "b", "B, c"), tuple("defghij")), otherwise="keep"),
        t.GeneraliseHierarchy(column=X, file="h.csv", level=1, otherwise="suppress"),
        t.GeneraliseHierarchy(column=X, file="h.csv", level=2, otherwise="suppress"),
        t.GeneraliseDate(column="day", part="week"),
        t.GeneraliseDate(column="moment", part="quarter"),
        t.GeneraliseDate(column="iso", part="decade", otherwise="keep"),
        t.GeneraliseDate(column=X, part="month", otherwise="suppress"),
        t.GeneraliseDate(column="written", part="day", format="%d/%m/%Y", otherwise="suppress"),
        t.ShiftDates(dates=("day", "moment", "iso"), person="who", days=30, key_variable=KEY, otherwise="suppress"),
    ),
    (
        t.GeneraliseInterval(column=X, width=10, otherwise="suppress"),
        t.GeneraliseInterval(column=F, width=0.1, whole=False, otherwise="keep"),
        t.GeneraliseInterval(column=W, width=5, otherwise="suppress"),
        t.GeneraliseInterval(column=F, cuts=(0, 10, 90), whole=False, otherwise="suppress"),
        t.Round(column=F, to=5, otherwise="suppress"),
        t.Round(column=F, to=1 / 3, direction="ceiling", otherwise="keep"),
        t.Round(column=X, to=2.5, otherwise="suppress"),
        t.Round(column=W, to=10),
        t.Round(column="amount", to=0.1, direction="floor"),
        t.Round(column="small", to=10),
        t.TopCode(column=F, ceiling=2.5, otherwise="suppress"),
        t.TopCode(column="small", ceiling=1000),
        t.TopCode(column="half", ceiling=1, label=True),
        t.BottomCode(column=F, floor=0.2, otherwise="keep"),
        t.BottomCode(column="amount", floor=0),
    ),
)
LOOKING_AT_ALL: tuple[tuple[Transformation, ...], ...] = (
    (
        t.TopCode(column=W, share=0.1),
        t.BottomCode(column=W, records=20, label=True),
        t.SuppressCells(column=X, values=("a", "it's"), below=5),
        t.SuppressCells(column=F, below=8, missing=True),
        t.SuppressCells(column=X, where="flag", where_values=("true",)),
        t.SuppressColumn(column=X, missing=True),
        t.SuppressColumn(column=F, statistic="mean", otherwise="suppress"),
        t.SuppressColumn(column=W, statistic="standard_deviation"),
        t.SuppressColumn(column=F, statistic="median", otherwise="keep"),
        t.SuppressColumn(column=X, statistic="mode", missing=True),
        t.SuppressColumn(column="small", statistic="maximum"),
        t.Pseudonymise(column=F, key_variable=KEY),
        t.SortRecords(),
    ),
    (t.SuppressRecords(quasi_identifiers=("flag", "half"), k=14), t.SuppressRecords(quasi_identifiers=("flag", X), k=2, suppressed="keep")),
    (t.SuppressRecords(quasi_identifiers=("half", "small"), k=9, person="who"),),
    (
        t.Recode(
            quasi_identifiers=("coarse",),
            rules=({"metric": "k_anonymity", "minimum": 20},),
            method="mondrian",
            hierarchies={"coarse": "h.csv"},
            suppression=1.0,
        ),
    ),
)
RECIPES = (*BY_RECORD, *LOOKING_AT_ALL)
REFUSED = (
    t.AddNoise(column="small", scale=1, seed=1),
    t.MultiplyNoise(column="small", scale=0.1, seed=1),
    t.PermuteColumn(column="small", seed=1),
    t.SwapRanks(column="small", percent=10, seed=1),
    t.PostRandomise(column=X, keep=0.5, seed=1),
    t.RandomisedResponse(column=X, epsilon=1, values=("a", "b"), seed=1),
    t.JointRandomisedResponse(epsilon=1, values={X: ("a", "b"), "small": ("1", "2")}, seed=1),
    t.LaplaceMechanism(column="small", epsilon=1, lower=0, upper=1),
    t.ExponentialMechanism(column="small", epsilon=1, values=(1, 2)),
    t.Microaggregate(columns=("small",), k=2),
)


@pytest.fixture(scope="module", autouse=True)
def key() -> Any:
    """The key that steps find in the environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(KEY, "0123456789abcdef0123456789abcdef")
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that steps name."""
    made = tmp_path_factory.mktemp("recipes")
    (made / "h.csv").write_text(HIERARCHY)
    return made


def values_of(name: str) -> pa.Array:
    """Return the values of a column, the same at every call."""
    draw, (values, kind) = Random(name), COLUMNS[name]
    return pa.array([draw.choice(values) for _ in range(ROWS)], kind)


def on_copies(steps: Sequence[Transformation]) -> tuple[list[Transformation], pa.Table]:
    """Return steps that change columns of their own, and the table with these."""
    columns: dict[str, pa.Array] = {name: values_of(name) for name in ("who", "flag", "half", "small", X)}
    columns["coarse"] = pa.array([("a", "b", "B, c", "é", "39")[i % 5 if i % 9 else 0] for i in range(ROWS)])
    made: list[Transformation] = []
    for i, step in enumerate(steps):
        given: dict[str, Any] = {}
        if isinstance(name := getattr(step, "column", None), str):
            columns[f"{i} {name}"] = values_of(name)
            given = {"column": f"{i} {name}"}
        elif isinstance(step, t.ShiftDates):
            columns |= {f"{i} {name}": values_of(name) for name in step.dates}
            given = {"dates": tuple(f"{i} {name}" for name in step.dates)}
        made.append(replace(step, **given))
    return made, pa.table(columns)


def frame_of(spark: Any, table: pa.Table, path: Path) -> Any:
    """Return a table as a data frame of Spark, in two parts."""
    path.mkdir()
    for i, start in enumerate((0, table.num_rows // 3)):
        pq.write_table(table.slice(start, table.num_rows // 3 if i == 0 else None), path / f"part-{i}.parquet")
    return spark.read.parquet(str(path))


def records_of(table: pa.Table) -> Counter[tuple[Any, ...]]:
    """Return the records in no order, with their types."""

    def shown(value: Any) -> Any:
        return (type(value), "nan" if isinstance(value, float) and math.isnan(value) else value)

    return Counter(tuple(map(shown, row)) for row in zip(*table.to_pydict().values(), strict=True))


@pytest.mark.parametrize("steps", RECIPES, ids=lambda steps: steps[0].name)
def test_the_same_records_come_out(spark: Any, folder: Path, tmp_path: Path, steps: tuple[Transformation, ...]) -> None:
    """Cell by cell, type by type, and as many cells count as changed and as suppressed; no record was fetched for it."""
    moved, table = on_copies(steps)
    recipe = Recipe(tuple(moved), folder=folder)
    with an.read(table) as here, an.read(frame_of(spark, table, tmp_path / "table")) as there:
        engine = watch(there)
        ours, theirs = an.apply(recipe, here), an.apply(recipe, there)

        assert engine.most.rows <= MOST, engine.most
        for mine, other in zip(ours.changes.columns, theirs.changes.columns, strict=True):
            assert other == mine
        assert theirs.changes == ours.changes
        made = engine.frame(theirs._table.select()).toArrow()
        assert made.column_names == list(ours.columns)
        for name in ours.columns:
            assert records_of(made.select([name])) == records_of(ours.table.select([name])), name
        assert records_of(made) == records_of(ours.table)


def test_every_transformation_is_tried_or_refused() -> None:
    """A new one has to be added above: to what comes out the same, or to what Spark says no to."""
    tried, refused = {step.name for steps in RECIPES for step in steps}, {step.name for step in REFUSED}

    assert not tried & refused
    assert tried | refused == set(TRANSFORMATIONS)
    assert {name for name, kind in TRANSFORMATIONS.items() if kind.in_order} == refused


def test_steps_that_need_an_order_are_refused_by_name(spark: Any, tmp_path: Path) -> None:
    """Before anything is done, also where such a step comes last."""
    with an.read(frame_of(spark, on_copies(())[1], tmp_path / "table")) as data:
        run = len(data.engine.statements)
        for step in REFUSED:
            with pytest.raises(RecipeError, match=rf"^{step.name} needs all records .* which Spark does not have\. Leave the step out"):
                an.apply([t.DropColumn(column="who"), step], data)
        with pytest.raises(RecipeError, match=r"^mask: pattern may mean something else on Spark"):
            an.apply(t.Mask(column=X, pattern="[[:digit:]]"), data)
        with pytest.raises(RecipeError, match=r"^generalise_date: format may have %d, %m"):
            an.apply(t.GeneraliseDate(column=X, part="year", format="%d %H %Y"), data)
        assert len(data.engine.statements) == run


def test_what_cannot_be_transformed_is_counted(spark: Any, tmp_path: Path) -> None:
    """The error tells column and counts, as on DuckDB, and none of the values."""
    table = on_copies(())[1]
    told = []
    with an.read(table) as here, an.read(frame_of(spark, table, tmp_path / "table")) as there:
        for data in (here, there):
            with pytest.raises(RecipeError, match="cannot be read as a number") as caught:
                an.apply(t.Round(column=X, to=5), data)
            told.append(str(caught.value))

    assert told[0] == told[1]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_release_is_a_folder_of_parts(spark: Any, tmp_path: Path, ending: str) -> None:
    """DuckDB audits it as it audits its own release; the manifest knows the folder; nothing is replaced unless told."""
    steps, table = (
        [t.Round(column="small", to=10), t.Pseudonymise(column="who", key_variable=KEY, mapping_file="who.csv")],
        on_copies(())[1],
    )
    roles = {"quasi_identifiers": ["small", "flag"], "sensitive": [X], "person": "who"}
    audits = []
    for name, source in (("here", table), ("there", frame_of(spark, table, tmp_path / "table"))):
        (tmp_path / name).mkdir()
        with all_said(an.read(source, **roles)) as data:
            release = an.apply(Recipe(tuple(steps), folder=tmp_path / name), data)
            path = release.save(tmp_path / name / f"release.{ending}")
            with pytest.raises(OutputError, match="exists"):
                release.save(path)
        with an.read(path, **roles) as data:
            audits.append(an.audit(data))
            # The manifest is about this release, so what it says of it is believed.
            known = json.loads(path.with_name(f"release.{ending}.manifest.json").read_text())
            assert known["release"]["sha256"] == file_hash(path)

    assert (tmp_path / "there" / f"release.{ending}").is_dir()
    assert [m.value for m in audits[0].measurements] == pytest.approx([m.value for m in audits[1].measurements])
    assert (tmp_path / "here/who.csv").read_bytes() == (tmp_path / "there/who.csv").read_bytes()
    assert (tmp_path / "there/who.csv").stat().st_mode & 0o077 == 0


def test_a_sorted_release_is_sorted(spark: Any, tmp_path: Path) -> None:
    """Its parts one after the other have the order that DuckDB gives the records."""
    table = on_copies(())[1]
    with an.read(table) as here, an.read(frame_of(spark, table, tmp_path / "table")) as there:
        wanted = an.apply(t.SortRecords(), here).table
        path = an.apply(t.SortRecords(), there).save(tmp_path / "sorted.parquet")
    parts = [pq.read_table(part) for part in sorted(Path(path).glob("part-*"))]

    assert pa.concat_tables(parts).to_pylist() == wanted.to_pylist()


def test_only_a_folder_of_parts_is_replaced(spark: Any, tmp_path: Path) -> None:
    """With force, and never one that holds anything else; what was there stays if the release cannot be written."""
    with an.read(frame_of(spark, on_copies(())[1], tmp_path / "table")) as data:
        release = an.apply(t.DropColumn(column=X), data)
        path = Path(release.save(tmp_path / "release.parquet"))
        release.save(path, force=True)
        with pytest.raises(OutputError, match=r"cannot be written by Spark.*\.parquet"):
            release.save(tmp_path / "release.arrow")
        before = sorted(part.name for part in path.iterdir())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(data.engine), "write", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space left")))
            with pytest.raises(OutputError, match="No space left"):
                release.save(path, force=True)
        assert sorted(part.name for part in path.iterdir()) == before
        assert [left.name for left in tmp_path.iterdir() if left.name.startswith(".")] == []
        (path / "notes.txt").write_text("mine")
        with pytest.raises(OutputError, match="other things than the parts"):
            release.save(path, force=True)


def test_a_release_goes_to_any_storage_of_spark(spark: Any, tmp_path: Path) -> None:
    """Given its URI, with the manifest beside it."""
    uri = f"file://{tmp_path}/elsewhere.parquet"
    with an.read(frame_of(spark, on_copies(())[1], tmp_path / "table")) as data:
        release = an.apply(t.DropColumn(column=X), data)
        release.save(uri)
        with pytest.raises(OutputError, match="exists"):
            release.save(uri)
        release.save(uri, force=True)

    assert pq.read_table(tmp_path / "elsewhere.parquet").num_rows == ROWS
    told = json.loads((tmp_path / "elsewhere.parquet.manifest.json").read_text())
    assert (told["release"]["name"], told["release"]["sha256"], told["release"]["records"]) == ("elsewhere.parquet", None, ROWS)
    assert not {"source", "seeds"} & set(told)
    assert [left.name for left in tmp_path.iterdir() if "staging" in left.name] == []


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_what_goes_to_another_storage_is_judged_there(spark: Any, tmp_path: Path, ending: str) -> None:
    """What keeps a policy is published with its verdict; what does not is not, and leaves nothing."""
    table = pa.table({"q": ["a", "a, b", "a", "a, b"] * 5, "s": ['say "x"', "two\nlines", None, ""] * 5, "x": range(20)})
    source = spark.createDataFrame([tuple(row.values()) for row in table.to_pylist()], "q string, s string, x long")
    uri = f"file://{tmp_path}/elsewhere.{ending}"
    with an.read(source, quasi_identifiers=["q"], sensitive=["s"]) as data:
        release = an.apply(t.DropColumn(column="x"), data)
        release.save(uri, policy=from_limits({"k_anonymity": 10}))
        with pytest.raises(NotPublished, match="k-anonymity is 10 and must be ≥ 11"):
            release.save(uri, policy=from_limits({"k_anonymity": 11}), force=True)

    told = json.loads((tmp_path / f"elsewhere.{ending}.manifest.json").read_text())
    assert [(v["outcome"], v["rules"][0]["value"]) for v in told["verdicts"]] == [("release with acknowledgement", 10)]
    assert {path.name for path in tmp_path.iterdir() if not path.name.endswith(".crc")} == {
        *(f"elsewhere.{ending}", f"elsewhere.{ending}.manifest.json"),
    }


def test_the_command_applies_a_recipe_on_spark(spark: Any, tmp_path: Path) -> None:
    """In the session that is there; a setting without a sign is refused before."""
    pq.write_table(pa.table({"age": [31, 44, 45], "kind": ["x", "y", "z"]}), tmp_path / "people.parquet")
    (tmp_path / "r.toml").write_text('schema = "anonscope/recipe/1"\n[[steps]]\napply = "round"\ncolumn = "age"\nto = 10\n')
    command = [
        "apply",
        str(tmp_path / "r.toml"),
        str(tmp_path / "people.parquet"),
        "-o",
        str(tmp_path / "out.parquet"),
        "--engine",
        "spark",
    ]
    refused = CliRunner().invoke(app, [*command, "--spark-conf", "spark.ui.enabled"])
    done = CliRunner().invoke(app, command, catch_exceptions=False)

    assert isinstance(refused.exception, an.errors.OptionError) and "KEY=VALUE" in str(refused.exception)
    assert done.exit_code == 0, done.output
    assert sorted(pq.read_table(tmp_path / "out.parquet").column("age").to_pylist()) == [30, 40, 50]
    assert (tmp_path / "out.parquet" / "_SUCCESS").is_file()
