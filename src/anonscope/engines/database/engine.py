"""An engine in a database: the statements run where the table lives, and only results come back.

Nothing is written but temporary tables, and those only if the user may make them. Otherwise every table of ours becomes a common
table expression of the statements that read it, in one read-only transaction, so that all of them see one state of the table.
Names of ours begin with `anonscope_` and the user's tables are named with their schema, so neither is taken for the other.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from anonscope.engines.database.address import address_of
from anonscope.engines.database.backend import BACKENDS
from anonscope.engines.database.errors import not_connected, refused
from anonscope.engines.database.gathering import Gathering
from anonscope.engines.dialect import carried
from anonscope.engines.engine import Made, Statement
from anonscope.engines.scratch import Scratch
from anonscope.engines.statements import Common
from anonscope.errors import AnonscopeError, MissingExtra, OptionError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sqlalchemy import Connection

PREFIX = "anonscope_"
Taken = TypeVar("Taken")


@dataclass(frozen=True, slots=True)
class _Query:
    """A SELECT in the database's own dialect, and which of our unstored tables it reads."""

    sql: str
    needs: tuple[str, ...]


class Database(Common):
    """One session of a database. `temporary_tables` says whether to make them; by default it is tried once."""

    remote = True

    def __init__(self, url: str, *, temporary_tables: bool | None = None) -> None:
        _check_installed()
        self.address = address_of(url)
        self._backend = BACKENDS[self.address.kind]
        self._pool = self._backend.open(self.address)
        self._connection = self._connected()
        self._statements: list[Statement] = []
        self._bound: dict[str, str] = {}  # what our tables are called there
        self._defined: dict[str, str] = {}  # SELECTs with a name, in our dialect
        self._queries: dict[
            str, tuple[_Query, bool]
        ] = {}  # what is a common table expression, and whether it is kept while a statement runs
        self._kept: dict[tuple[str, _Query], str] = {}
        self._fetched: dict[str, list[tuple[Any, ...]]] = {}
        self._gathering = Gathering(self._answers)
        self._scratch: Scratch | None = None
        try:
            for setting in self._backend.settings:
                self.native(setting)
            self.temporary_tables = self._may_store() if temporary_tables is None else temporary_tables
            if not self.temporary_tables:
                for statement in self._backend.snapshot:
                    self.native(statement)
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"Database({self.title} {self.address})"

    @property
    def title(self) -> str:
        return self._backend.title

    @property
    def joins(self) -> int:
        return self._backend.widest_join

    @property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(self._statements)

    @property
    def scratch(self) -> Path:
        if self._scratch is None:
            self._scratch = Scratch()
        return self._scratch.path

    def columns(self, select: str) -> list[tuple[str, str]]:
        sql = f"SELECT * FROM ({self._whole(self._read(select))}) AS described LIMIT 0"
        # What kind of text or number it is was settled where the table was opened.
        return self._execute(sql, lambda result: [(column[0], "VARCHAR") for column in result.cursor.description])

    def open(self, name: str, select: str) -> None:
        """Give a SELECT in the database's own dialect a name that statements can read it by."""
        self._defined.pop(name, None)
        self._bound[name] = self._keep(name, _Query(select, ()), stored=False)
        self._statements.append(Statement(name, select))

    def register(self, name: str, table: Any) -> None:
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        self._store(name, self._listed(table.column_names, rows))

    def define(self, name: str, select: str) -> None:
        self._forget(name)
        self._defined[name] = select
        self._statements.append(Statement(name, self._read(select).sql))

    def stage(self, name: str, select: str, *, large: bool, ordered: bool) -> None:
        # Also where it lasts for one statement only: read once there, and not once a column, in plans that do not go astray.
        self.materialise(name, select)

    def materialise(self, name: str, select: str) -> None:
        self._store(name, self._read(select))

    def hold(self, name: str, select: str) -> None:
        if self.temporary_tables:
            super().hold(name, select)
            return
        names = [column for column, _ in self.columns(select)]
        # As constants: everything behind it would otherwise be counted again by every statement that reads it.
        self._store(name, self._listed(names, self.rows(select)))

    def coded(self, source: str, weight: str, sums: Mapping[str, Sequence[tuple[int, str]]], kept: Sequence[str] = ()) -> str:
        if self._backend.indexed and self.temporary_tables:
            self.native(f"CREATE INDEX IF NOT EXISTS temp.{PREFIX}{weight}_place ON {PREFIX}{weight} (attribute, v)")
        if sum(len(parts) for parts in sums.values()) <= self._backend.widest_join:
            return super().coded(source, weight, sums, kept)
        found = "COALESCE((SELECT d.w FROM {weight} AS d WHERE d.attribute = {number} AND d.v = b.{column}), 0)"
        added = [
            " + ".join(found.format(weight=weight, number=number, column=column) for number, column in parts) + f" AS {name}"
            for name, parts in sums.items()
        ]
        return f"(SELECT {', '.join([*added, *(f'b.{column}' for column in kept)])} FROM {source} AS b) AS x"

    def rows(self, select: str) -> list[tuple[Any, ...]]:
        query = self._read(select)
        sql = self._whole(query)
        if self.temporary_tables:
            self._statements.append(Statement(None, sql))
            return self.native(sql)
        # Within one transaction the answer stays what it was, and to ask means to count everything anew.
        if sql not in self._fetched:
            self._fetched[sql] = self._gathering.ask(query) if self._gathering.under_way else self._answers([query])[0]
        return list(self._fetched[sql])

    def together(self, tasks: Sequence[Callable[[], Made]]) -> list[Made]:
        return super().together(tasks) if self.temporary_tables or not self._backend.row else self._gathering.run(tasks)

    def arrays(self, select: str) -> "list[NDArray[Any]]":
        import numpy as np

        rows = self.rows(select)
        if not rows:
            return [np.array([]) for _ in self.columns(select)]
        return [np.array(column, dtype=object if isinstance(column[0], str) else None) for column in zip(*rows, strict=True)]

    def lookup(self, name: str, value: str, pairs: Mapping[str, str]) -> str:
        self._refuse("Transforming")

    def beside(self, origin: str, name: str) -> str:
        self._refuse("Working record by record")

    def batches(self, select: str) -> Any:
        self._refuse("Working record by record")

    def write(self, select: str, path: Path, format: str, delimiter: str = ",") -> None:
        self._refuse("Writing records")

    def close(self) -> None:
        if self._scratch is not None:
            self._scratch.close()
        # What is temporary goes with the session; NullPool ends it.
        self._connection.close()
        self._pool.dispose()

    def native(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a statement in the database's own dialect and return its rows."""
        return self._execute(sql, lambda result: [tuple(_plain(value) for value in row) for row in result] if result.returns_rows else [])

    def _answers(self, queries: Sequence[_Query]) -> list[list[tuple[Any, ...]]]:
        """Return the rows of several queries, which become one statement."""
        if len(queries) == 1:
            sql = self._whole(queries[0])
            self._statements.append(Statement(None, sql))
            return [self.native(sql)]
        arms = (
            f"SELECT {i} AS place, {self._backend.row.format(row=f'r{i}')} AS found FROM ({query.sql}) AS r{i}"
            for i, query in enumerate(queries)
        )
        sql = self._whole(_Query(" UNION ALL ".join(arms), tuple(need for query in queries for need in query.needs)))
        self._statements.append(Statement(None, sql))
        answers: list[list[tuple[Any, ...]]] = [[] for _ in queries]
        for place, found in self.native(sql):
            # Columns may share a name, so that only their order tells them apart.
            answers[place].append(json.loads(found, object_pairs_hook=lambda pairs: tuple(value for _, value in pairs)))
        return answers

    def _execute(self, sql: str, taken: Callable[[Any], Taken]) -> Taken:
        """Run a statement and take something of what it gives, which may also be refused while it is fetched."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            return taken(self._connection.exec_driver_sql(sql))
        except (SQLAlchemyError, UnicodeDecodeError) as error:
            self._recover()
            # Drivers quote cells and statements in their messages, so neither the message nor the chain may travel on.
            raise refused(error, self.address, self.title) from None

    def _connected(self) -> "Connection":
        from sqlalchemy.exc import SQLAlchemyError

        try:
            connection = self._pool.connect()
            # Without parameters no driver looks for signs of them: % and : are what they are.
            return connection.execution_options(no_parameters=True)
        except SQLAlchemyError as error:
            raise not_connected(error, self.address, self.title) from None

    def _recover(self) -> None:
        """Leave a transaction that failed, so that the session can be used and closed."""
        from contextlib import suppress

        from sqlalchemy.exc import SQLAlchemyError

        if self._backend.end:
            with suppress(SQLAlchemyError):
                self._connection.exec_driver_sql(self._backend.end)
                if not getattr(self, "temporary_tables", True):
                    self._fetched.clear()
                    for statement in self._backend.snapshot:
                        self._connection.exec_driver_sql(statement)

    def _may_store(self) -> bool:
        """Try whether temporary tables can be made. A session that is read-only by default is taken at its word."""
        if self.address.kind == "postgresql":
            ((read_only,),) = self.native("SHOW default_transaction_read_only")
            if read_only == "on":
                return False
            # From here on only what says that it writes may write: temporary tables.
            self.native("SET default_transaction_read_only = on")
        probe = f"{self._backend.before}CREATE TEMPORARY TABLE {PREFIX}probe AS SELECT 1 AS one{self._backend.after}"
        try:
            self.native(probe)
            self.native(f"SELECT one FROM {PREFIX}probe")
            self._drop(f"{PREFIX}probe")
        except AnonscopeError:
            # A connection that is lost is lost for the next statement too, which says so.
            return False
        return True

    def _store(self, name: str, query: _Query) -> None:
        self._statements.append(Statement(name, query.sql))
        self._forget(name)
        if not self.temporary_tables:
            self._bound[name] = self._keep(name, query, stored=True)
            return
        table = PREFIX + name
        made = f"CREATE TEMPORARY TABLE {table} AS {self._whole(query)}{self._backend.analyse.format(table=table)}"
        self.native(f"{self._backend.before}{made}{self._backend.after}")
        self._bound[name] = table

    def _forget(self, name: str) -> None:
        self._defined.pop(name, None)
        if (private := self._bound.pop(name, None)) is not None and private not in self._queries:
            self._drop(private)

    def _drop(self, table: str) -> None:
        self.native(f"{self._backend.before}DROP TABLE {table}{self._backend.after}")

    def _read(self, select: str) -> _Query:
        """Return a SELECT of ours as the database understands it, with our tables under the names they have there."""
        names = {name: private for name in _tables_in(select) if (private := self._private(name)) is not None}
        return _Query(carried(select, self._backend.dialect, names), tuple(p for p in names.values() if p in self._queries))

    def _private(self, name: str) -> str | None:
        if name in self._defined:
            return self._keep(name, self._read(self._defined[name]), stored=False)
        return self._bound.get(name)

    def _keep(self, name: str, query: _Query, *, stored: bool) -> str:
        """Return a name for a common table expression: the same for the same, another for what takes its place."""
        if (name, query) not in self._kept:
            private = f"{PREFIX}{name}_{len(self._kept)}"
            self._kept[name, query] = private
            self._queries[private] = (query, stored)
        return self._kept[name, query]

    def _whole(self, query: _Query) -> str:
        """Return a statement with everything it needs in front."""
        listed: dict[str, None] = {}

        def need(names: Sequence[str]) -> None:
            for name in names:
                if name not in listed:
                    need(self._queries[name][0].needs)
                    listed[name] = None

        need(query.needs)
        if not listed:
            return query.sql
        parts = (f"{name} AS {'' if self._queries[name][1] else 'NOT '}MATERIALIZED ({self._queries[name][0].sql})" for name in listed)
        return f"WITH {', '.join(parts)} {query.sql}"

    def _listed(self, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> _Query:
        listed = ", ".join("(" + ", ".join(self._literal(value) for value in row) + ")" for row in rows)
        # Both databases call the columns of a list of values column1, column2 and so on.
        renamed = ", ".join(f"column{i} AS {name}" for i, name in enumerate(names, start=1))
        return _Query(f"SELECT {renamed} FROM (VALUES {listed}) AS given", ())

    def _literal(self, value: Any) -> str:
        if value is None:
            return "CAST(NULL AS TEXT)"
        if isinstance(value, float):
            # All its digits: what is read again is the same number.
            return f"CAST({value!r} AS DOUBLE PRECISION)"
        return f"CAST({self.text(value)} AS TEXT)" if isinstance(value, str) else f"CAST({int(value)} AS BIGINT)"

    def _refuse(self, what: str) -> NoReturn:
        raise OptionError(f"{what} is done on DuckDB or Spark; a database is audited only, and nothing is written to it. Export the table.")


@lru_cache(maxsize=1024)
def _tables_in(select: str) -> tuple[str, ...]:
    """Return the tables that a SELECT of ours reads."""
    from sqlglot import exp, parse_one

    return tuple(dict.fromkeys(table.name for table in parse_one(select, dialect="duckdb").find_all(exp.Table) if not table.db))


def _plain(value: Any) -> Any:
    """Return a number as Python's own: the sum of whole numbers comes as a decimal one."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value


def _check_installed() -> None:
    from importlib.util import find_spec

    if find_spec("sqlalchemy") is None or find_spec("sqlglot") is None:
        raise MissingExtra("Reading from a database", "'anonscope[sql]'")
