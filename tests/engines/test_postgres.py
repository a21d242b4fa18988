"""PostgreSQL counts as DuckDB does, with temporary tables and without, and nothing is left behind."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from nasty import FLAG, ILL, SMALL, TEXT, Case, assert_same, cases, expected, nasty_table
from postgres_server import PASSWORD, Server
from stored import into_postgres, run

import anonscope as an
from anonscope.engines.database.engine import Database
from anonscope.errors import AnonscopeError, EngineError, RoleError
from anonscope.web.databases import Tables
from support.watched import assert_only_results_came_back, watch


# Persons of the widest table are counted on SQLite.
@pytest.mark.parametrize("name", [name for name in cases() if name != "130 columns, event level"])
def test_temporary_tables_give_the_same_audit(postgres: Server, name: str) -> None:
    """Every measurement of every case, of a table that is called like one of ours."""
    into_postgres(postgres.owner, "class", cases()[name].table)

    assert_same(cases()[name].audited(postgres.reader, table="class"), expected(name))


# Every statement counts from the records anew here, so these are some of the cases.
@pytest.mark.parametrize("name", ["person level", "event level", "weights and households", "one record"])
def test_common_table_expressions_give_the_same_audit(postgres: Server, name: str) -> None:
    """A user without the right to make temporary tables gets the same numbers, and is told."""
    into_postgres(postgres.owner, "source", cases()[name].table)

    audit = cases()[name].audited(postgres.poor, table="source")

    assert_same(audit, expected(name))
    assert any("temporary tables" in warning for warning in audit.warnings)
    assert not any("temporary tables" in warning for warning in expected(name).warnings)


@pytest.mark.parametrize("who", ["reader", "poor"])
def test_a_copy_for_the_browser_counts_as_the_table_does(postgres: Server, tmp_path: Path, who: str) -> None:
    """Whoever may only read finds the table by its name, and its copy has the numbers of the table; the password is shown nowhere."""
    into_postgres(postgres.owner, "copied", cases()["person level"].table)
    tables = Tables.of(getattr(postgres, who))

    copy = tables.copied("copied", tmp_path / "copy.parquet", 10**9, 10**6)

    assert "copied" in tables.listed() and PASSWORD not in f"{tables!r} {tables.name}"
    assert_same(cases()["person level"].audited(copy), expected("person level"))


def test_a_hierarchy_is_sent_to_the_database(postgres: Server, tmp_path: Path) -> None:
    """Hierarchical t-closeness, with temporary tables and without."""
    tree = tmp_path / "tree.csv"
    tree.write_text("a;x\nb;y\n")
    case = Case("tree", SMALL, {"quasi_identifiers": ["age"], "sensitive": ["ill"], "hierarchies": {"ill": tree}})
    into_postgres(postgres.owner, "total", SMALL)

    assert any(m.variant == "hierarchical" for m in case.audited().measurements)
    for url in (postgres.reader, postgres.poor):
        assert_same(case.audited(url, table="total"), case.audited())


def test_a_population_is_a_table_of_the_same_database(postgres: Server) -> None:
    """k-map is counted in the database."""
    everybody = pa.table({"age": ["1", "1", "1", "2", "3", None]})
    roles = {"quasi_identifiers": ["age"], "sensitive": ["ill"]}
    into_postgres(postgres.owner, "patients", SMALL)
    into_postgres(postgres.owner, "census", everybody)
    wanted = Case("here", SMALL, {**roles, "population": everybody}).audited()

    for url in (postgres.reader, postgres.poor):
        assert_same(Case("there", SMALL, {**roles, "population": "census"}).audited(url, table="patients"), wanted)


def test_the_first_records_only(postgres: Server) -> None:
    """--rows takes that many, the same ones in every statement."""
    into_postgres(postgres.owner, "class", nasty_table())
    for url in (postgres.reader, postgres.poor):
        with an.read(url, table="class", quasi_identifiers=[TEXT, FLAG], sensitive=[ILL], rows=50) as data:
            audit = an.audit(data)
        assert audit.rows == 50
        assert sum(size * classes for size, classes in audit.scenarios[0].sizes.records) == 50


@pytest.mark.parametrize(
    ("declaration", "values", "classes"),
    [
        ("uuid", ["'00000000-0000-0000-0000-00000000000a'", "'00000000-0000-0000-0000-00000000000A'"], 1),
        ("inet", ["'10.0.0.1'", "'10.0.0.1/32'", "'10.0.0.2'"], 2),
        ("numeric", ["34.5", "34.50", "'NaN'", "NULL", "100"], 3),
        ("char(5)", ["'a'", "'a   '", "'b'"], 2),
        ("varchar(5)", ["'a'", "'a '"], 2),
        ("timestamptz", ["'2024-01-01 00:00+00'", "'2024-01-01 02:00+02'"], 1),
        ("bytea", ["'\\x00'", "'\\x01'", "'\\x00'"], 2),
        ("mood", ["'sad'", "'ok'", "'sad'"], 2),
        ("positive", ["0.50", "0.5"], 1),
        ("float8", ["0", "-0.0", "'NaN'", "NULL", "0.1", "0.1000000000000001", "'Infinity'"], 5),
        ("float4", ["0.1", "0.1"], 1),
        ('text COLLATE "en-x-icu"', ["'a'", "'A'"], 2),
        ("text COLLATE blind", ["'a'", "'A'", "'a'"], 2),
        ("interval", ["'1 day'", "'1 day'"], 1),
        ("int4range", ["'[1,2]'", "'[1,3)'"], 1),
    ],
)
def test_values_of_every_type_are_told_apart_by_their_canonical_text(
    postgres: Server, declaration: str, values: list[str], classes: int
) -> None:
    """One value has one text whatever the settings of the server and the collation of the column."""
    run(
        postgres.owner,
        "DROP TABLE IF EXISTS odd; DROP TYPE IF EXISTS mood; DROP DOMAIN IF EXISTS positive; DROP COLLATION IF EXISTS blind",
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        "CREATE DOMAIN positive AS numeric CHECK (VALUE > 0)",
        "CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        f"CREATE TABLE odd (x {declaration})",
        *(f"INSERT INTO odd VALUES ({value})" for value in values),
    )
    with an.read(postgres.reader, table="odd", quasi_identifiers=["x"]) as data:
        assert an.audit(data).scenarios[0].sizes.classes == classes


@pytest.mark.parametrize("declaration", ["jsonb", "text[]", "pair"])
def test_nested_values_cannot_be_counted(postgres: Server, declaration: str) -> None:
    """The column is named, and harmless without a role."""
    run(
        postgres.owner,
        "DROP TABLE IF EXISTS odd; DROP TYPE IF EXISTS pair",
        "CREATE TYPE pair AS (a int, b int)",
        f"CREATE TABLE odd (nest {declaration}, age int)",
        "INSERT INTO odd VALUES (NULL, 1)",
    )
    with an.read(postgres.reader, table="odd", quasi_identifiers=["age"]) as data:
        assert an.audit(data).rows == 1
    with an.read(postgres.reader, table="odd", quasi_identifiers=["nest"]) as data, pytest.raises(RoleError, match=r"'nest'.*nested"):
        an.audit(data)


def test_schemas_views_and_columns_that_may_not_be_read(postgres: Server) -> None:
    """schema.table is found, a view is a table, and a column without a grant is not there."""
    run(
        postgres.owner,
        "DROP SCHEMA IF EXISTS ward CASCADE; CREATE SCHEMA ward; GRANT USAGE ON SCHEMA ward TO anonscope_reader",
        'CREATE TABLE ward."Bed.s" (age int, secret text); INSERT INTO ward."Bed.s" VALUES (1, 2)',
        'GRANT SELECT (age) ON ward."Bed.s" TO anonscope_reader',
        "CREATE OR REPLACE VIEW seen AS SELECT 7 AS age UNION ALL SELECT 8",
    )
    for table, columns, rows in (("ward.Bed.s", ("age",), 1), ("seen", ("age",), 2), ("public.seen", ("age",), 2)):
        with an.read(postgres.reader, table=table, quasi_identifiers=["age"]) as data:
            audit = an.audit(data)
        assert (audit.columns, audit.rows) == (columns, rows)


def test_nothing_is_written_but_temporary_tables(postgres: Server) -> None:
    """Even the owner's session refuses to write, and the catalogue is the same afterwards."""
    into_postgres(postgres.owner, "patients", SMALL)
    listed = "SELECT relname, relnamespace FROM pg_class ORDER BY 1, 2"
    before = run(postgres.owner, listed)
    with an.read(postgres.owner, table="patients", quasi_identifiers=["age"], sensitive=["ill"]) as data:
        an.audit(data)
        engine = data.engine
        assert isinstance(engine, Database)
        for statement in ("DELETE FROM public.patients", "CREATE TABLE public.left_behind (x int)"):
            with pytest.raises(EngineError, match="read-only"):
                engine.native(statement)

    assert run(postgres.owner, listed) == before


def test_a_session_that_is_read_only_stays_so(postgres: Server) -> None:
    """What an administrator set for a role is not lifted: no temporary table is made."""
    into_postgres(postgres.owner, "patients", SMALL)
    run(postgres.owner, "ALTER ROLE anonscope_reader SET default_transaction_read_only = on")
    try:
        with an.read(postgres.reader, table="patients", quasi_identifiers=["age"]) as data:
            assert any("temporary tables" in warning for warning in an.audit(data).warnings)
    finally:
        run(postgres.owner, "ALTER ROLE anonscope_reader RESET default_transaction_read_only")


@pytest.mark.parametrize("user", ["reader", "poor"])
def test_a_live_table_is_measured_in_one_state(postgres: Server, user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records that arrive while it is measured are in no number."""
    into_postgres(postgres.owner, "patients", SMALL)
    native, more = Database.native, ["INSERT INTO patients SELECT 'new', 'c' FROM generate_series(1, 9)"]

    def busy(self: Database, sql: str) -> list[tuple[Any, ...]]:
        found = native(self, sql)
        if "anonscope_dictionary" in sql and more:
            run(postgres.owner, more.pop())
        return found

    monkeypatch.setattr(Database, "native", busy)
    case = Case("live", SMALL, {"quasi_identifiers": ["age"], "sensitive": ["ill"]})

    assert_same(case.audited(getattr(postgres, user), table="patients"), case.audited())
    assert not more


@pytest.mark.parametrize("user", ["reader", "poor"])
@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'anonscope'", "in the middle"),
        ("REVOKE SELECT ON patients FROM anonscope_reader, anonscope_poor", "GRANT SELECT"),
    ],
)
def test_what_goes_wrong_in_the_middle(postgres: Server, user: str, statement: str, words: str) -> None:
    """One sentence, whatever the driver said."""
    into_postgres(postgres.owner, "patients", SMALL)
    with an.read(getattr(postgres, user), table="patients", quasi_identifiers=["age"], sensitive=["ill"]) as data:
        run(postgres.owner, statement)
        with pytest.raises(EngineError, match=words) as raised:
            an.audit(data)
    assert "\n" not in str(raised.value)
    assert "SELECT c0" not in str(raised.value)


def test_a_statement_that_takes_too_long(postgres: Server) -> None:
    """The server's limit is named, not the statement."""
    into_postgres(postgres.owner, "patients", SMALL)
    with an.read(postgres.reader, table="patients", quasi_identifiers=["age"]) as data:
        assert isinstance(data.engine, Database)
        data.engine.native("SET statement_timeout = 1")
        with pytest.raises(EngineError, match=r"cancelled a statement.*statement_timeout"):
            data.engine.native("SELECT pg_sleep(2)")


def test_a_value_that_cannot_be_converted_is_not_quoted(postgres: Server) -> None:
    """The driver's message would hold the cell."""
    run(postgres.owner, "CREATE OR REPLACE VIEW broken AS SELECT CAST(x AS int) AS age FROM (VALUES ('1'), ('Anna Muster')) AS v(x)")
    with an.read(postgres.reader, table="broken", quasi_identifiers=["age"]) as data, pytest.raises(EngineError) as raised:
        an.audit(data)
    assert "could not convert a value" in str(raised.value)
    assert "Muster" not in str(raised.value)


def test_what_a_database_does_not_do(postgres: Server) -> None:
    """Releases are made elsewhere: nothing is written and nothing is fetched record by record."""
    into_postgres(postgres.owner, "patients", SMALL)
    with an.read(postgres.reader, table="patients", quasi_identifiers=["age"], sensitive=["ill"]) as data:
        audit = an.audit(data)
        engine = data.engine
        for ask in (
            lambda: an.anonymise(data, policy="ema-0070"),
            audit.records,
            lambda: engine.batches("SELECT c0 FROM table_of_source"),
            lambda: engine.write("SELECT c0 FROM table_of_source", Path("people.csv"), "csv"),
            lambda: engine.beside("table_of_source", "other"),
            lambda: engine.lookup("labels", "c0", {"1": "one"}),
        ):
            with pytest.raises(AnonscopeError, match=r"Spark|not fetched"):
                ask()


@pytest.mark.parametrize("user", ["reader", "poor"])
def test_nothing_but_results_comes_back(postgres: Server, user: str) -> None:
    """A thousand classes and more stay where they are, whatever is measured."""
    many = pa.table({name: [f"{i * i % size}" for i in range(3000)] for name, size in (("a", 97), ("b", 89), ("ill", 40), ("who", 700))})
    into_postgres(postgres.owner, "patients", many)
    with an.read(getattr(postgres, user), table="patients", quasi_identifiers=["a", "b"], sensitive=["ill"], person="who") as data:
        engine = watch(data)
        audit = an.audit(data, pairs=True)

    assert audit.scenarios[0].sizes.classes > 1000
    assert_only_results_came_back(engine, audit)
    assert engine.most.rows < 100


@pytest.mark.parametrize("user", ["reader", "poor"])
def test_a_suggestion_is_made_in_the_database(postgres: Server, user: str) -> None:
    """The same roles as for the table here."""
    table = nasty_table()
    into_postgres(postgres.owner, "patients", table)
    with an.read(getattr(postgres, user), table="patients") as data, an.read(table) as here:
        assert an.suggest(data).roles == an.suggest(here).roles
