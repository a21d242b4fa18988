"""SQLite counts as DuckDB does, cell by cell whatever their types, and its file is not touched."""

import importlib.util
import sqlite3
from pathlib import Path

import pytest
from nasty import SMALL, Case, assert_same, cases, expected
from stored import into_sqlite

import anonscope as an
from anonscope.engines.database.backend import add_functions
from anonscope.errors import AnonscopeError, EngineError, MissingExtra, NoRecords, SourceError, TableNotFound


# Of the two widest tables one is enough: it joins more than SQLite can in one statement.
@pytest.mark.parametrize("name", [name for name in cases() if name != "130 columns"])
def test_sqlite_gives_the_same_audit(tmp_path: Path, name: str) -> None:
    """Every measurement of every case, of a table that is called like one of ours."""
    url = into_sqlite(tmp_path / "people.db", "class", cases()[name].table)

    assert_same(cases()[name].audited(url, table="class"), expected(name))


@pytest.mark.parametrize("name", ["few attributes", "weights and households"])
def test_sqlite_needs_no_temporary_tables(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Common table expressions take their place, and what is one row becomes a constant with all its digits."""
    monkeypatch.setattr("anonscope.engines.database.engine.Database._may_store", lambda _: False)
    url = into_sqlite(tmp_path / "people.db", "people", cases()[name].table)

    assert_same(cases()[name].audited(url, table="people"), expected(name))


def test_a_text_that_is_not_utf_8_is_said(tmp_path: Path) -> None:
    """Where it is fetched: the driver would quote it."""
    url = database(
        tmp_path, "CREATE TABLE t (x TEXT)", "INSERT INTO t VALUES (CAST(x'536d69ff746841' AS TEXT))", "INSERT INTO t VALUES ('b')"
    )
    with an.read(url, table="t") as data, pytest.raises(EngineError, match=r"not UTF-8.*withheld") as caught:
        an.suggest(data)
    assert "Smi" not in str(caught.value) and caught.value.__suppress_context__


def database(tmp_path: Path, *statements: str) -> str:
    path = tmp_path / "made.db"
    with sqlite3.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()
    return f"sqlite:///{path}"


@pytest.mark.parametrize(
    ("declaration", "values", "classes"),
    [
        ("TEXT COLLATE NOCASE", ["'a'", "'A'", "'a'"], 2),
        ("TEXT COLLATE RTRIM", ["'a'", "'a '"], 2),
        ("", ["1", "1.0", "'1'", "'1.0'"], 2),
        ("", ["x'00ff'", "'00ff'", "NULL", "''"], 2),
        ("REAL", ["0.1", "0.30000000000000004", "0.3", "-0.0", "0", "9e999", "1e15"], 6),
        ("INTEGER", ["9007199254740992", "9007199254740993", "'many'"], 3),
    ],
)
def test_every_cell_has_its_own_type(tmp_path: Path, declaration: str, values: list[str], classes: int) -> None:
    """A value is told apart by its canonical text, not by how the column is declared and compared."""
    url = database(tmp_path, f"CREATE TABLE t (x {declaration})", *(f"INSERT INTO t VALUES ({value})" for value in values))
    with an.read(url, table="t", quasi_identifiers=["x"]) as data:
        assert an.audit(data).scenarios[0].sizes.classes == classes


def test_the_file_is_opened_for_reading_only(tmp_path: Path) -> None:
    """Not a byte changes, and a statement that would change one is refused."""
    url = into_sqlite(tmp_path / "people.db", "people", SMALL)
    before = (tmp_path / "people.db").read_bytes()
    with an.read(url, table="people", quasi_identifiers=["age"], sensitive=["ill"]) as data:
        an.audit(data)
        with pytest.raises(AnonscopeError):
            data.engine.native("DELETE FROM main.people")

    assert (tmp_path / "people.db").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["people.db"]


def test_a_hierarchy_and_a_population(tmp_path: Path) -> None:
    """Both are made part of the session, beside the file."""
    tree = tmp_path / "tree.csv"
    tree.write_text("a;x\nb;y\n")
    roles = {"quasi_identifiers": ["age"], "sensitive": ["ill"], "hierarchies": {"ill": tree}}
    url = into_sqlite(tmp_path / "people.db", "people", SMALL)
    into_sqlite(tmp_path / "people.db", "census", SMALL.select(["age"]))
    wanted = Case("here", SMALL, {**roles, "population": SMALL.select(["age"])}).audited()

    assert_same(Case("there", SMALL, {**roles, "population": "census"}).audited(url, table="main.people"), wanted)


def test_a_suggestion_is_made_where_the_table_is(tmp_path: Path) -> None:
    """The same roles as for the table here."""
    table = cases()["person level"].table
    url = into_sqlite(tmp_path / "people.db", "people", table)
    with an.read(url, table="people") as data, an.read(table) as here:
        assert an.suggest(data).roles == an.suggest(here).roles


@pytest.mark.parametrize(
    ("table", "kind", "words"),
    [
        ("peple", TableNotFound, r"'peple'\. Did you mean 'people'"),
        ("none", NoRecords, "no records"),
        ("twins", SourceError, "differ only by case|two columns"),
    ],
)
def test_tables_that_cannot_be_used(tmp_path: Path, table: str, kind: type[Exception], words: str) -> None:
    """A name that is not there, a table without records, a view with two columns of one name."""
    url = database(
        tmp_path,
        "CREATE TABLE people (age)",
        "CREATE TABLE none (age)",
        'CREATE VIEW twins AS SELECT 1 AS "a\u00e4", 2 AS "a\u00c4"',
    )
    with pytest.raises(kind, match=words):
        an.read(url, table=table, quasi_identifiers=["age"])


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    """No file, no database, nothing on disk."""
    (tmp_path / "text.db").write_text("age,ill\n" * 200)
    for url, words in (
        (f"sqlite:///{tmp_path}/none.db", "does not exist"),
        (f"sqlite:///{tmp_path}/text.db", "not a SQLite database"),
        ("sqlite://", "in memory"),
    ):
        with pytest.raises(SourceError, match=words):
            an.read(url, table="t")
    assert not (tmp_path / "none.db").exists()


def test_arrays_of_numbers_of_text_and_of_nothing(tmp_path: Path) -> None:
    """Columns come as arrays, also when there is no row."""
    url = into_sqlite(tmp_path / "people.db", "people", SMALL)
    with an.read(url, table="people") as data:
        ages, numbers = data.engine.arrays(f"SELECT c0, 1 AS one FROM {data.relation.origin} WHERE c0 IS NOT NULL ORDER BY c0")
        empty = data.engine.arrays(f"SELECT c0, c1 FROM {data.relation.origin} WHERE c0 = 'nobody'")

    assert (ages.tolist(), ages.dtype, numbers.tolist()) == (["1", "1", "2"], object, [1, 1, 1])
    assert [column.tolist() for column in empty] == [[], []]


def test_what_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs it."""
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "sqlalchemy" else find(name))
    with pytest.raises(MissingExtra, match=r"pip install '?anonscope\[sql\]"):
        an.read(f"sqlite:///{tmp_path}/people.db", table="people")


def test_functions_that_a_build_of_sqlite_may_lack() -> None:
    """Patterns always come from us, logarithms where they are missing; nothing in, nothing out."""
    connection = sqlite3.connect(":memory:")
    add_functions(connection, known=())
    found = connection.execute("SELECT 'a1' REGEXP '^[a-z][0-9]$', NULL REGEXP 'a', LN(1), LN(NULL), EXP(0)").fetchall()
    connection.close()

    assert found == [(1, None, 0.0, None, 1.0)]


def test_a_page_explains_only_when_asked(tmp_path: Path) -> None:
    """Reasons need more than counts, so they are not fetched from a database by themselves."""
    from typer.testing import CliRunner

    from anonscope.cli import app

    url = into_sqlite(tmp_path / "people.db", "people", SMALL)
    known = [part for column in SMALL.column_names[:-1] for part in ("-q", column)]
    pages = {}
    for option in ([], ["--explain"]):
        page = tmp_path / f"report{len(option)}.html"
        done = CliRunner().invoke(app, ["audit", url, "--table", "people", *known, "-o", str(page), "--quiet", *option])
        assert done.exit_code in (0, 1), done.output
        pages[len(option)] = page.read_text(encoding="utf-8")

    assert "smallest sets" not in pages[0].lower()
    assert len(pages[1]) > len(pages[0]) + 1000
