"""Spark counts as DuckDB does, whatever it reads, and nothing but results comes back."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from nasty import ILL, TEXT, Case, assert_same, cases

import anonscope as an
from anonscope.engines.spark import coding as spark_coding
from anonscope.engines.spark.engine import Spark
from anonscope.errors import AnonscopeError, EngineError, OptionError, RoleError, SourceError
from anonscope.risk.counting import encode
from anonscope.risk.measuring import near
from support.watched import assert_only_results_came_back, watch

ROLES = {"quasi_identifiers": ["age", "zip"], "sensitive": ["ill"]}
SMALL = pa.table({"age": [1, 1, 2, None], "zip": ["01", "1", "01", "01"], "ill": ["a", "b", "a", None]})


@pytest.fixture
def small(spark: Any, tmp_path: Path) -> Path:
    """A small table as Parquet."""
    pq.write_table(SMALL, tmp_path / "small.parquet")
    return tmp_path / "small.parquet"


def ours(session: Any) -> list[str]:
    """Return the names that we gave in a session."""
    views = [*session.sql("SHOW VIEWS").collect(), *session.sql("SHOW VIEWS IN global_temp").collect()]
    return [view.viewName for view in views if "anonscope" in view.viewName]


def frame(spark: Any, table: pa.Table, folder: Path) -> Any:
    """Return a table as a data frame of Spark, by way of a file: that is how people have it."""
    pq.write_table(table, folder / "case.parquet")
    return spark.read.parquet(str(folder / "case.parquet"))


# Every case, and whether what is counted is stored in a folder and measured by one worker, as it is by default, or kept by the workers
# and measured by statements, as it is on a cluster without a folder and with more than one worker can take.
CASES = {
    "person level": "folder",
    "130 columns, event level": "folder",
    "scenarios, pairs and joined": "workers",
    "event level": "workers",
    "weights and households": "workers",
    "one record": "folder",
}


def lean(case: Case) -> Case:
    """Return a case with one attacker and, unless they are joined, one sensitive attribute: every further one takes half a minute."""
    roles = {key: value for key, value in case.roles.items() if key != "scenarios"}
    return replace(case, roles=roles if case.asked.get("joined") else {**roles, "sensitive": case.roles["sensitive"][-1:]})


@pytest.mark.parametrize(("name", "stored"), CASES.items())
def test_every_case_is_counted_alike(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, stored: str) -> None:
    """Every measurement of every case at 1e-9; no answer has more rows than the result it is for, no statement a name or a value."""
    case = lean(cases()[name])
    with an.read(frame(spark, case.table, tmp_path), **case.roles) as data:
        assert isinstance(data.engine, Spark) and data.engine._staging is not None
        if stored == "workers":
            data.engine._staging = None
            monkeypatch.setattr(near, "LIMIT", 0)
        engine = watch(data)
        audit = an.audit(data, **case.asked)

    assert audit.statements
    assert not any("O'Brien" in statement.sql or TEXT in statement.sql for statement in audit.statements)
    assert_same(audit, case.audited())
    assert_only_results_came_back(engine, audit)
    # What one worker ran stands in the audit, and Spark itself ran none of it.
    assert "class" in {statement.name for statement in audit.statements}
    assert ("class" in {statement.name for statement in engine.statements}) == (stored == "workers")


def test_a_frame_is_audited_in_its_session(spark: Any, small: Path) -> None:
    """`an.audit(frame)` needs no read(); the session keeps its settings and its views, and gets no new ones."""
    spark.range(3).createOrReplaceTempView("class")
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        audit = an.audit(spark.read.parquet(str(small)), **ROLES)

        assert_same(audit, an.audit(SMALL, **ROLES))
        assert spark.conf.get("spark.sql.session.timeZone") == "Europe/Berlin"
        assert ours(spark) == []
        assert spark.table("class").count() == 3
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        spark.catalog.dropTempView("class")


def test_files_folders_and_tables_are_read(spark: Any, tmp_path: Path) -> None:
    """CSV in parts, with empty fields and a line break within quotes, JSON lines, and a table of the catalogue."""
    broken = SMALL.set_column(2, "ill", pa.array(["a", "b\n1,2,3", "a", None]))
    parts = tmp_path / "parts"
    parts.mkdir()
    for i in range(2):
        pa.csv.write_csv(broken.slice(2 * i, 2), parts / f"part-{i}.csv")
    (parts / "_SUCCESS").touch()
    lines = tmp_path / "lines.jsonl"
    lines.write_text("".join(f'{{"age": {r["age"] or "null"}, "zip": "{r["zip"]}", "ill": "{r["ill"]}"}}\n' for r in SMALL.to_pylist()[:3]))
    spark.createDataFrame(SMALL).write.mode("overwrite").saveAsTable("people")

    for source, table in ((parts, broken), ("people", SMALL), (lines, SMALL.slice(0, 3))):
        with an.read(str(source), engine="spark", **ROLES) as data:
            encode(data.engine, data.relation, data.roles)
            found = sorted(n for (n,) in data.engine.rows("SELECT n FROM record"))
            values = sorted(data.engine.rows("SELECT v FROM dictionary WHERE attribute = 2"))
        assert found == sorted(table.group_by(["age", "zip", "ill"]).aggregate([([], "count_all")]).column("count_all").to_pylist())
        assert values == sorted((v,) for v in set(table.column("ill").to_pylist()) - {None})
    spark.sql("DROP TABLE people")


def test_a_dictionary_too_large_to_hand_out_is_joined(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wide tables are coded in one pass; their columns with very many values are joined, with the same result."""
    case = cases()["130 columns"]
    known = case.roles["quasi_identifiers"][:14]
    counted = []
    for room in (20, 1_000_000):
        monkeypatch.setattr(spark_coding, "HANDED_OUT", room)
        with an.read(frame(spark, case.table, tmp_path), quasi_identifiers=known, sensitive=[ILL]) as data:
            encode(data.engine, data.relation, data.roles)
            counted.append(sorted(data.engine.rows("SELECT w0, t0, n FROM record")))
    with an.read(case.table, quasi_identifiers=known, sensitive=[ILL]) as data:
        encode(data.engine, data.relation, data.roles)
        counted.append(sorted(data.engine.rows("SELECT w0, t0, n FROM record")))

    assert counted[0] == counted[1] == counted[2]


def test_nothing_stays_behind(spark: Any, small: Path) -> None:
    """The staging folder goes with the table, and so do all names."""
    with an.read(str(small), engine="spark", **ROLES) as data:
        encode(data.engine, data.relation, data.roles)
        assert isinstance(data.engine, Spark)
        scratch, session = data.engine.scratch, data.engine.session
        assert list((scratch / "staging").iterdir())
        assert ours(session)

    assert not scratch.exists()
    assert ours(session) == []


def test_no_value_stays_behind_in_a_session_that_goes_on(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dictionaries that were handed out to workers are taken back, and so is what lay in the folder for checkpoints."""
    columns = [f"c{i}" for i in range(14)]
    table = pa.table({column: [f"secret of {column}", "none"] for column in columns})
    checkpoints = tmp_path / "checkpoints"
    spark.sparkContext.setCheckpointDir(checkpoints.as_uri())
    monkeypatch.setattr("anonscope.engines.spark.engine.is_local", lambda session: False)
    with an.read(frame(spark, table, tmp_path), quasi_identifiers=columns) as data:
        assert isinstance(data.engine, Spark)
        encode(data.engine, data.relation, data.roles)
        assert list(checkpoints.glob("*/anonscope_*/record-*"))

    left = [path for folder in (checkpoints, Path(spark.sparkContext._temp_dir)) for path in folder.rglob("*") if path.is_file()]
    assert [path for path in left if b"secret of" in path.read_bytes()] == []
    assert not list(checkpoints.glob("*/anonscope_*"))


@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        ("no/such/file.parquet", SourceError, "There is no file and no table"),
        ("nowhere", SourceError, "There is no file and no table"),
        ("-", OptionError, "Standard input"),
    ],
)
def test_what_is_not_there_is_said(spark: Any, source: str, kind: type[AnonscopeError], words: str) -> None:
    """A missing file or table is one sentence."""
    with pytest.raises(kind, match=words) as caught:
        an.read(source, engine="spark", **ROLES)
    assert "\n" not in str(caught.value)


def test_unreadable_and_uncomparable_sources_are_said(spark: Any, tmp_path: Path) -> None:
    """A damaged file, parts that differ, a Delta table without Delta, a nested column: a sentence each, and no cell in any."""
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(b"PAR1 this is none PAR1")
    with pytest.raises(SourceError, match=r"'damaged.parquet'.* not a readable"):
        an.read(damaged, engine="spark", **ROLES)

    differing = tmp_path / "differing"
    differing.mkdir()
    (differing / "a.csv").write_text("age,zip,ill\n1,2,secret\n")
    (differing / "b.csv").write_text("zip,age,ill\n1,2,secret\n")
    with pytest.raises(AnonscopeError) as caught:
        an.audit(str(differing), engine="spark", **ROLES)
    assert "secret" not in str(caught.value)
    assert "differ" in str(caught.value)

    delta = tmp_path / "delta"
    (delta / "_delta_log").mkdir(parents=True)
    with pytest.raises(SourceError, match="Delta table"):
        an.read(delta, engine="spark", **ROLES)

    nested = tmp_path / "nested.parquet"
    pq.write_table(pa.table({"age": [[1], [2]], "zip": ["1", "2"], "ill": ["a", "b"]}), nested)
    with pytest.raises(RoleError, match="nested values"):
        an.audit(nested, engine="spark", **ROLES)


def counted(source: Path, **reading: Any) -> list[tuple[Any, ...]]:
    """Return what stands in the dictionary of a table on an engine, and how many records agree on everything."""
    with an.read(source, **reading) as data:
        encode(data.engine, data.relation, data.roles)
        return sorted([*data.engine.rows("SELECT attribute, v FROM dictionary"), *data.engine.rows("SELECT -1, n FROM record")], key=str)


def test_files_are_looked_at_before_spark_reads_them(spark: Any, tmp_path: Path) -> None:
    """Another encoding, another delimiter, no ending, postcodes as names of folders: read as DuckDB reads them."""
    latin = tmp_path / "latin.csv"
    latin.write_bytes("age;zip;ill\n1;Mül;a\n1;Mäl;b\n1;Mül;a\n".encode("cp1252"))
    bare = tmp_path / "bare"
    bare.write_text("age,zip,ill\n1,01,a\n")
    hive = tmp_path / "hive"
    for code in ("01234", "00007"):
        (hive / f"zip={code}").mkdir(parents=True)
        (hive / f"zip={code}" / "a.csv").write_text("age,ill\n1,a\n2,b\n")

    for source in (latin, bare, hive):
        assert counted(source, engine="spark", **ROLES) == counted(source, **ROLES), source.name


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"a.parquet": {"age": [1], "zip": ["1"]}, "b.parquet": {"age": [1], "ill": ["secret"]}}, "'b.parquet' lacks column 'zip'"),
        ({"a.parquet": {"age": [1]}, "b.parquet": {"age": ["secret"]}}, "do not fit together"),
        ({"a.parquet": {"age": [1], "Age": [2]}}, "differ only by case"),
        ({"a.csv": "age,zip,ill\n1,ä,a\n".encode(), "b.csv": "age,zip,ill\n1,ä,a\n".encode("cp1252")}, "Spark reads all parts alike"),
        ({"a.csv": "age,zip,ill\n1,2,a\n".encode("utf-16")}, "cannot split text in UTF-16"),
        ({"a.jsonl": b'{"age": 1, "zip": "2", "ill": "a"}\nsecret\n'}, "Spark cannot read"),
        ({"a.arrow": b"ARROW1 and more"}, "is arrow, which Spark does not read"),
        ({"a.csv": b"age\n1\n", "b.parquet": {"age": [1]}}, "more than one format"),
    ],
)
def test_what_spark_would_misread_is_said(spark: Any, tmp_path: Path, files: dict[str, Any], words: str) -> None:
    """It would make one value of two, or missing ones of what parts lack."""
    for name, content in files.items():
        if isinstance(content, bytes):
            (tmp_path / name).write_bytes(content)
        else:
            pq.write_table(pa.table(content), tmp_path / name)
    with pytest.raises(AnonscopeError, match=words) as caught:
        an.read(tmp_path, engine="spark", **ROLES)
    assert "secret" not in str(caught.value) and "\n" not in str(caught.value)


def test_a_session_that_is_gone_is_said(spark: Any, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the connection breaks in the middle, that is what is said, and not what Java says."""
    with an.read(str(small), engine="spark", **ROLES) as data:
        assert isinstance(data.engine, Spark)
        session = data.engine.session

        def broken(statement: str) -> Any:
            raise ConnectionRefusedError(111, "Connection refused")

        monkeypatch.setattr(session, "sql", broken)
        with pytest.raises(EngineError, match="connection to Spark was lost"):
            an.audit(data)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("IllegalStateException: Cannot call methods on a stopped SparkContext.\n secret", "its session was stopped"),
        ("PythonException: ModuleNotFoundError: No module named 'pyarrow' secret", "PYSPARK_PYTHON"),
        ("SomethingElse: secret", "withheld"),
    ],
)
def test_a_session_that_cannot_be_used_is_said(words: str, told: str) -> None:
    """One that was stopped, workers without what they need: a sentence, not what Java says."""

    class Stopped:
        def newSession(self) -> Any:
            raise RuntimeError(words)

    with pytest.raises(EngineError, match=told) as caught:
        Spark(Stopped())
    assert "secret" not in str(caught.value) and "\n" not in str(caught.value)


def said(*arguments: str, **environment: str) -> tuple[int, str]:
    """Return exit code and words of the command in a process of its own."""
    import os

    done = subprocess.run(
        [sys.executable, "-m", "anonscope", *arguments], capture_output=True, text=True, check=False, env=os.environ | environment
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "environment", "words"),
    [
        ((), {"PATH": "/nonexistent", "JAVA_HOME": ""}, "Spark needs Java 17 or later"),
        (("--spark-master", "spark://127.0.0.1:1"), {}, "No master of Spark answers at 'spark://127.0.0.1:1'"),
        (("--spark-master", "locale"), {}, "is no master of Spark"),
        (("--spark-conf", "nonsense"), {}, "nonsense"),
    ],
)
def test_spark_that_cannot_be_had_is_one_sentence(
    tmp_path: Path, arguments: tuple[str, ...], environment: dict[str, str], words: str
) -> None:
    """No Java, no master, a wrong setting: exit code 2 and no stack."""
    pq.write_table(SMALL, tmp_path / "small.parquet")

    code, text = said("audit", str(tmp_path / "small.parquet"), "--engine", "spark", "-q", "age", *arguments, **environment)

    assert code == 2
    assert " ".join(words.split()) in " ".join(text.replace("│", " ").split())
    assert "Traceback" not in text
    assert "java." not in text


def test_engines_are_named_and_not_mixed(spark: Any, small: Path) -> None:
    """What makes no sense together is said before anything is done."""
    for words, reading in (
        ("No engine is called 'flink'", {"engine": "flink"}),
        ("Options for Spark are given", {"spark_master": "local"}),
        ("Spark has its own bounds", {"engine": "spark", "memory_limit": "1GB"}),
        ("Spark has its own bounds", {"engine": "spark", "threads": 2}),
        ("exists already", {"engine": "spark", "spark_conf": {"spark.x": "1"}, "source": spark.read.parquet(str(small))}),
        # One in a process is all there can be: a path must not have it changed and, at the end, stopped.
        ("exists already", {"engine": "spark", "spark_conf": {"spark.sql.session.timeZone": "Asia/Tokyo"}}),
        ("exists already", {"engine": "spark", "spark_master": "local[1]"}),
        ("cannot make a folder in '/proc/nothing'", {"engine": "spark", "spark_staging": "/proc/nothing"}),
        ("cannot make a folder in 'nosuch://here'", {"engine": "spark", "spark_staging": "nosuch://somebody:secret@here"}),
        ("is counted by Spark", {"engine": "duckdb", "source": spark.read.parquet(str(small))}),
        ("must be said when it is read", None),
    ):
        with pytest.raises(OptionError, match=words):
            if reading is None:
                with an.read(small, **ROLES) as data:
                    an.audit(data, rows=3)
            else:
                an.read(**{"source": small, **reading}, **ROLES)
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert spark.range(1).count() == 1
