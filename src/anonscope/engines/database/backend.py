"""What is particular to a kind of database: how to connect, what to set, how to store."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonscope.engines.database.address import Address
from anonscope.errors import MissingExtra

if TYPE_CHECKING:
    from sqlalchemy import Engine as Pool

_PATIENCE = 10  # seconds until a server that does not answer is given up


@dataclass(frozen=True, slots=True)
class Backend:
    """A kind of database that statements are carried to and run on."""

    title: str
    dialect: str  # as sqlglot calls it
    open: Callable[[Address], "Pool"]
    # Said once, so that what a role or a server has set does not change how a value is written or a plan is made.
    settings: tuple[str, ...]
    # Statements around one that makes or drops a temporary table.
    before: str
    after: str
    analyse: str
    # Ends a transaction that failed, and begins the one in which everything is read where nothing may be stored.
    end: str
    snapshot: tuple[str, ...]
    indexed: bool  # whether finding a text among many needs an index
    widest_join: int
    row: str  # a row as one text, so that rows of different shapes can come back together; empty where that is of no use


def _postgresql(address: Address) -> "Pool":
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    query = address.url.query
    given = {"connect_timeout": _PATIENCE, "application_name": "anonscope", "client_encoding": "utf8"}
    try:
        return create_engine(
            address.url,
            poolclass=NullPool,
            isolation_level="AUTOCOMMIT",
            hide_parameters=True,
            connect_args={name: value for name, value in given.items() if name not in query},
        )
    except ModuleNotFoundError:
        raise MissingExtra("Reading from PostgreSQL", "'anonscope[sql]'") from None


def _sqlite(address: Address) -> "Pool":
    import sqlite3
    from urllib.parse import quote

    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    def connect() -> Any:
        # Opened for reading only; temporary tables are kept elsewhere and can be made all the same.
        connection = sqlite3.connect(f"file:{quote(address.database)}?mode=ro", uri=True, isolation_level=None, check_same_thread=False)
        add_functions(connection, {name for (name,) in connection.execute("SELECT name FROM pragma_function_list")})
        return connection

    return create_engine("sqlite://", poolclass=NullPool, creator=connect, isolation_level="AUTOCOMMIT", hide_parameters=True)


def add_functions(connection: Any, known: Iterable[str]) -> None:
    """Give a connection to SQLite the functions that statements use and it may lack: patterns, MD5, logarithms, texts of a group."""
    import hashlib
    import math
    import re

    def found(pattern: str, text: str | None) -> bool | None:
        return None if text is None else re.search(pattern, text) is not None

    def digest(text: str | None) -> str | None:
        return None if text is None else hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()

    class Gathered:
        """Texts of a group in their order, joined; an aggregate as the driver wants one."""

        def __init__(self) -> None:
            self.texts: list[str] = []
            self.separator = ""

        def step(self, text: str | None, separator: str) -> None:
            self.separator = separator
            if text is not None:
                self.texts.append(text)

        def finalize(self) -> str | None:
            return self.separator.join(sorted(self.texts)) if self.texts else None

    connection.create_aggregate("gathered", 2, Gathered)
    connection.create_function("regexp", 2, found, deterministic=True)
    # Chooses values and records to look at, the same ones on every run.
    connection.create_function("md5", 1, digest, deterministic=True)
    for name, function in (("ln", math.log), ("exp", math.exp)):
        if name not in known:
            connection.create_function(name, 1, lambda x, f=function: None if x is None else f(x), deterministic=True)


BACKENDS = {
    "postgresql": Backend(
        title="PostgreSQL",
        dialect="postgres",
        open=_postgresql,
        settings=(
            "SET TimeZone = 'UTC'",
            "SET DateStyle = 'ISO, YMD'",
            "SET IntervalStyle = 'postgres'",
            # Fewer digits would make one text of two numbers.
            "SET extra_float_digits = 1",
            "SET standard_conforming_strings = on",
            # Compiling a statement of many expressions takes longer than running it.
            "SET jit = off",
            # A join a column: their order is right as it is written, and looking for a better one takes minutes.
            "SET join_collapse_limit = 1",
            "SET from_collapse_limit = 1",
            # A loop in a loop is the wrong guess wherever a tuple is joined to its counts, and where nothing is known of how many rows
            # a common table expression has.
            "SET enable_nestloop = off",
            # A group or a join of a few hundred thousand classes should not go through files.
            "SET work_mem = '64MB'",
        ),
        before="BEGIN READ WRITE; ",
        after="; COMMIT",
        analyse="; ANALYZE {table}",
        end="ROLLBACK",
        snapshot=("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",),
        indexed=False,
        widest_join=10_000,
        row="CAST(ROW_TO_JSON({row}) AS TEXT)",
    ),
    "sqlite": Backend(
        title="SQLite",
        dialect="sqlite",
        open=_sqlite,
        settings=(),
        before="",
        after="",
        analyse="",
        end="",
        snapshot=("BEGIN",),
        indexed=True,
        widest_join=60,
        row="",
    ),
}
