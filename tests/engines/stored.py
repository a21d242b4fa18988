"""Arrow tables put into databases, and databases put back: what tests of databases share."""

import datetime
import decimal
import sqlite3
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa

_TYPES = {
    "string": "text",
    "double": "double precision",
    "float": "real",
    "int64": "bigint",
    "int32": "integer",
    "bool": "boolean",
    "date32[day]": "date",
    "timestamp[us]": "timestamp",
    "decimal128(18, 2)": "numeric(18, 2)",
}


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def declared(table: pa.Table) -> str:
    return ", ".join(f"{quoted(field.name)} {_TYPES[str(field.type)]}" for field in table.schema)


def into_postgres(url: str, name: str, table: pa.Table) -> None:
    """Make a table in PostgreSQL."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DROP TABLE IF EXISTS {quoted(name)}")
        connection.execute(f"CREATE TABLE {quoted(name)} ({declared(table)})")
        with connection.cursor() as cursor, cursor.copy(f"COPY {quoted(name)} FROM STDIN") as copy:
            for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                copy.write_row(row)


def run(url: str, *statements: str) -> list[tuple[Any, ...]]:
    """Run statements in PostgreSQL, each by itself, and return the rows of the last."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def into_sqlite(path: Path, name: str, table: pa.Table) -> str:
    """Make a table in a SQLite file and return its URL."""
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    places = ", ".join("?" * table.num_columns)
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE {quoted(name)} ({declared(table)})")
        connection.executemany(f"INSERT INTO {quoted(name)} VALUES ({places})", ([_kept(value) for value in row] for row in rows))
    connection.close()
    return f"sqlite:///{path}"


def _kept(value: Any) -> Any:
    # SQLite has neither dates nor decimal numbers.
    return str(value) if isinstance(value, decimal.Decimal | datetime.date) else value
