"""A table or view of a database as a relation: every column as canonical text, written by the database itself.

What a value is called must not depend on the database's settings, so each type has its own way here: numbers without useless zeros,
NaN as missing, times in UTC, bytes in hexadecimal, and all text compared byte by byte, whatever the collation of the column.
"""

from collections.abc import Callable
from typing import Any

from anonscope.engines import Engine
from anonscope.engines.database.engine import Database
from anonscope.errors import NoRecords, OptionError, SourceError, TableNotFound, shown
from anonscope.io.sources.relation import Column, ReadOptions, Relation, named_columns

_NOT_STORED = (
    "This user may make no temporary tables in the database, so every statement counted from the records anew, in one read-only "
    "transaction: slower, with the same numbers."
)


def open_in_database(source: Any, engine: Engine, options: ReadOptions) -> Relation:
    """Return a table of the database that the engine is connected to; a population is named by its table alone."""
    assert isinstance(engine, Database)
    if any((options.format, options.delimiter, options.quote, options.encoding, options.sheet)):
        raise OptionError("Format, delimiter, quote, encoding and sheet are of files; a table of a database has none.")
    wanted = options.table if options.table is not None else source
    if not isinstance(wanted, str) or "://" in wanted:
        raise SourceError("A population that goes with a table of a database must be a table of the same database. Give its name.")
    schema, table, columns = _OPENERS[engine.address.kind](engine, wanted)
    names = named_columns([name for name, _, _ in columns], wanted)
    # The table may be read by no name of ours: a user's table can be called like one.
    place = f"{engine.quote(schema)}.{engine.quote(table)}"
    selected = ", ".join(f"{text} AS c{i}" for i, (_, _, text) in enumerate(columns))
    origin = f"table_of_{'source' if options.table is not None else 'population'}"
    engine.open(origin, f"SELECT {selected} FROM {place}")
    if not engine.native(f"SELECT 1 FROM {place} LIMIT 1"):
        raise NoRecords(f"{shown(wanted)} has columns but no records.")
    return Relation(
        name=f"{wanted} ({engine.title}, {engine.address})",
        columns=tuple(Column(name, kind) for name, (_, kind, _) in zip(names, columns, strict=True)),
        origin=origin,
        # Copied in one statement, a table that others write to is measured in one state.
        stage=True,
        large=True,
        notes=() if engine.temporary_tables else (_NOT_STORED,),
    )


def tables_in(engine: Database) -> list[str]:
    """Return the tables and views that the user can name, as they are named to be opened."""
    return _LISTED[engine.address.kind](engine)


# Name, type as `values.canonical` knows it, and the SQL of the canonical text.
_Columns = list[tuple[str, str, str]]


def _known_in_postgresql(engine: Database) -> list[tuple[Any, ...]]:
    return engine.native(
        "SELECT n.nspname, c.relname, PG_TABLE_IS_VISIBLE(c.oid), c.oid "
        "FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
        "WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' "
        "ORDER BY n.nspname, c.relname"
    )


def _listed_in_postgresql(engine: Database) -> list[str]:
    return [table if visible else f"{schema}.{table}" for schema, table, visible, _ in _known_in_postgresql(engine)]


def _in_postgresql(engine: Database, wanted: str) -> tuple[str, str, _Columns]:
    known = _known_in_postgresql(engine)
    found = [row for row in known if (row[2] and row[1] == wanted) or f"{row[0]}.{row[1]}" == wanted]
    if not found:
        raise TableNotFound(wanted, [table if visible else f"{schema}.{table}" for schema, table, visible, _ in known])
    schema, table, _, oid = found[0]
    described = engine.native(
        "SELECT a.attname, COALESCE(b.typname, t.typname), t.typcategory FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid "
        "LEFT JOIN pg_type AS b ON b.oid = t.typbasetype AND t.typtype = 'd' "
        f"WHERE a.attrelid = {int(oid)} AND a.attnum > 0 AND NOT a.attisdropped "
        "AND HAS_COLUMN_PRIVILEGE(a.attrelid, a.attnum, 'SELECT') ORDER BY a.attnum"
    )
    if not described:
        raise SourceError(f"This user may not read {shown(wanted)}, or it has no columns. Ask for: GRANT SELECT ON the table.")
    return schema, table, [(name, *_postgresql_text(engine.quote(name), kind, category)) for name, kind, category in described]


_BY_TYPE: dict[str, str] = {
    # Adding zero turns minus zero into zero before it becomes text.
    "float4": "CASE WHEN {c} = 'NaN' THEN NULL ELSE CAST({c} + CAST(0 AS real) AS text) END",
    "float8": "CASE WHEN {c} = 'NaN' THEN NULL ELSE CAST({c} + CAST(0 AS double precision) AS text) END",
    "numeric": "CASE WHEN {c} = 'NaN' THEN NULL ELSE CAST(TRIM_SCALE({c}) AS text) END",
    "timestamptz": "CAST({c} AT TIME ZONE 'UTC' AS text)",
    "bytea": "ENCODE({c}, 'hex')",
}


def _postgresql_text(column: str, kind: str, category: str) -> tuple[str, str]:
    if kind in ("json", "jsonb", "hstore", "xml") or category == "C":
        return f"STRUCT({kind})", f"CAST({column} AS text)"
    if category == "A":
        return f"{kind.removeprefix('_')}[]", f"CAST({column} AS text)"
    text = _BY_TYPE.get(kind, "CAST({c} AS text)").format(c=column)
    return "VARCHAR", f'({text}) COLLATE "C"'


def _listed_in_sqlite(engine: Database) -> list[str]:
    select = "SELECT name FROM main.sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    return [name for (name,) in engine.native(select)]


def _in_sqlite(engine: Database, wanted: str) -> tuple[str, str, _Columns]:
    known = _listed_in_sqlite(engine)
    table = wanted.removeprefix("main.") if wanted not in known else wanted
    if table not in known:
        raise TableNotFound(wanted, known)
    described = engine.native(f"SELECT name FROM pragma_table_xinfo({engine.text(table)}, 'main') WHERE hidden IN (0, 2, 3) ORDER BY cid")
    # Every cell has a type of its own, so the type is asked cell by cell. An expression, unlike a column, is compared byte by byte.
    return "main", table, [(name, "VARCHAR", _SQLITE_TEXT.format(c=engine.quote(name))) for (name,) in described]


# SQLite writes fifteen digits of a number by itself, which makes one text of several; whole numbers of both types are one value.
_SQLITE_TEXT = (
    "CASE TYPEOF({c}) WHEN 'text' THEN {c} WHEN 'integer' THEN CAST({c} AS TEXT) WHEN 'blob' THEN LOWER(HEX({c})) WHEN 'real' THEN "
    "CASE WHEN ABS({c}) < 1000000000000000 AND {c} = CAST({c} AS INTEGER) THEN CAST(CAST({c} AS INTEGER) AS TEXT) "
    "ELSE PRINTF('%!.17g', {c}) END END"
)
_OPENERS: dict[str, Callable[[Database, str], tuple[str, str, _Columns]]] = {"postgresql": _in_postgresql, "sqlite": _in_sqlite}
_LISTED: dict[str, Callable[[Database], list[str]]] = {"postgresql": _listed_in_postgresql, "sqlite": _listed_in_sqlite}
