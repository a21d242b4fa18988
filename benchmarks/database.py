"""What an audit in PostgreSQL costs against its bare GROUP BY: python -m benchmarks.database URL [--rows N] [--repeat N].

URL names a database in which a table may be made; it is dropped again. The server's planner and caches are as they are: both run in
turns, in sessions of their own, with temporary tables and with common table expressions only.
"""

import argparse
import csv
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import anonscope as an
from anonscope.columns.roles import Roles
from anonscope.engines.database.engine import Database
from anonscope.io.sources import ReadOptions, open_source
from anonscope.operations.read import Data
from benchmarks.data import file_of
from benchmarks.printing import Lines, seconds, spread, times
from benchmarks.tables import DISCHARGES, VISITS, Size, Table

_NAME = "anonscope_benchmark"


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.database", description="Audits in PostgreSQL against its bare GROUP BY.")
    parser.add_argument("url", help="postgresql://user@host/database, where a table may be made")
    parser.add_argument("--rows", type=int, default=200_000, help="records (default 200,000)")
    parser.add_argument("--repeat", type=int, default=3, help="pairs of audit and baseline; their median counts (default 3)")
    given = parser.parse_args()
    lines = Lines(
        f"Audits in PostgreSQL: {given.rows:,} records", ("table", "classes", "baseline s", "audit s", "ratio", "range"), first=48
    )
    for table, persons in ((DISCHARGES, 0), (VISITS, given.rows // 5)):
        with _connected(given.url) as connection:
            _load(connection, table, Size(given.rows, persons))
            for temporary in (True, False):
                title = f"{table.name}, {'temporary tables' if temporary else 'common table expressions'}"
                _line(
                    lines,
                    title,
                    connection,
                    table,
                    Roles(quasi_identifiers=table.quasi_identifiers, sensitive=(table.sensitive,), person=table.person),
                    given.url,
                    temporary,
                    given.repeat,
                )
            connection.execute(f"DROP TABLE {_NAME}")


def _connected(url: str) -> Any:
    import psycopg

    return psycopg.connect(url, autocommit=True)


def _load(connection: Any, table: Table, size: Size) -> None:
    with file_of(table, size, "csv").open(encoding="utf-8", newline="") as file:
        names = next(csv.reader(file))
        listed = ", ".join(f'"{name}" TEXT' for name in names)
        connection.execute(f"DROP TABLE IF EXISTS {_NAME}")
        connection.execute(f"CREATE TABLE {_NAME} ({listed})")
        with connection.cursor().copy(f"COPY {_NAME} FROM STDIN (FORMAT csv)") as copy:
            while block := file.read(2**20):
                copy.write(block)
    connection.execute(f"ANALYZE {_NAME}")


def _line(lines: Lines, title: str, connection: Any, table: Table, roles: Roles, url: str, temporary: bool, repeat: int) -> None:
    columns = ", ".join(f'"{name}"' for name in (*table.quasi_identifiers, table.sensitive, *([table.person] if table.person else [])))
    classes = 0

    def bare() -> None:
        connection.execute(f"SELECT COUNT(*) FROM (SELECT COUNT(*) FROM {_NAME} GROUP BY {columns}) AS x").fetchone()

    def audit() -> None:
        nonlocal classes
        engine = Database(url, temporary_tables=temporary)
        with Data(open_source(url, engine, ReadOptions(table=_NAME)), engine, roles) as data:
            classes = an.audit(data).scenarios[0].sizes.classes

    baselines, audits = [], []
    for _ in range(repeat):
        baselines.append(_wall(bare))
        audits.append(_wall(audit))
    ratios = [audited / counted for counted, audited in zip(baselines, audits, strict=True)]
    lines.add(title, f"{classes:,}", seconds(median(baselines)), seconds(median(audits)), times(median(ratios)), spread(ratios))


def _wall(work: Callable[[], None]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
