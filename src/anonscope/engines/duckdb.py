"""The embedded engine: DuckDB, in process, spilling to a private folder."""

import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import duckdb

from anonscope.engines.engine import Engine, Statement
from anonscope.engines.scratch import Scratch
from anonscope.engines.statements import FEW, Common, few_pairs
from anonscope.errors import EngineError, OptionError, OutOfMemory

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Python, its modules and DuckDB's own bookkeeping stay outside DuckDB's limit, so it gets less than the whole.
_OUTSIDE_THE_LIMIT = 300 * 2**20
_SMALLEST_LIMIT = 128 * 2**20
# Records in one batch of a stream.
_BATCH = 65_536
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12} | {
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
    "TIB": 2**40,
}


_KEPT = "arrays"

# Every open database, and a guard for whoever looks through them while others open more.
_OPEN: "WeakSet[DuckDB]" = WeakSet()
_GUARD = threading.Lock()


def interrupt_in(thread: int) -> None:
    """Stop the statements that databases are at which a thread has opened."""
    with _GUARD:
        opened = [engine for engine in _OPEN if engine.opened_by == thread]
    for engine in opened:
        engine.interrupt()


class DuckDB(Common):
    """One in-memory DuckDB database."""

    title = "DuckDB"
    remote = False

    def __init__(
        self,
        *,
        memory_limit: str | None = None,
        threads: int | None = None,
        temp_folder: str | Path | None = None,
        isolate: bool = False,
    ) -> None:
        config: dict[str, str | bool | int | float | list[str]] = {
            # No network: an extension that is not built in is not fetched.
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
        }
        if memory_limit is not None:
            whole = parse_bytes(memory_limit)
            config["memory_limit"] = f"{max(whole - _OUTSIDE_THE_LIMIT, whole // 2, _SMALLEST_LIMIT)}B"
        if threads is not None:
            assert threads >= 1, "whoever asked for threads was told"
            config["threads"] = threads
        self.limits: Mapping[str, Any] = {
            "memory_limit": memory_limit,
            "threads": threads,
            "temp_folder": temp_folder,
            "isolate": isolate,  # whether files are read by a process that can be spared, and only what it wrote is opened here
        }
        self._scratch = Scratch(Path(temp_folder) if temp_folder is not None else None)
        config["temp_directory"] = str(self._scratch.path)
        try:
            self._connection = duckdb.connect(":memory:", config=config)
            self._connection.execute("SET TimeZone = 'UTC'")
        except duckdb.OutOfMemoryException as error:
            self._scratch.close()
            raise _refusal(error) from None
        self.opened_by = threading.get_ident()
        with _GUARD:
            _OPEN.add(self)
        self._statements: list[Statement] = []
        self._stored: dict[str, str] = {}
        self._attached = 0

    @classmethod
    def like(cls, engine: Engine) -> "DuckDB":
        """Return a further one that keeps the limits of an engine, for a table that is put beside another."""
        return cls(**engine.limits) if isinstance(engine, DuckDB) else cls()

    @property
    def processors(self) -> int:
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return self.limits["threads"] or available

    @property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(self._statements)

    @property
    def scratch(self) -> Path:
        return self._scratch.path

    def columns(self, select: str) -> list[tuple[str, str]]:
        return [(row[0], row[1]) for row in self._run(f"DESCRIBE {select}")]

    def register(self, name: str, table: Any) -> None:
        self._connection.register(name, table)

    def define(self, name: str, select: str) -> None:
        self._forget(name)
        self._run(f"CREATE TEMPORARY VIEW {name} AS {select}")
        self._stored[name] = "VIEW"
        self._statements.append(Statement(name, select))

    def stage(self, name: str, select: str, *, large: bool, ordered: bool) -> None:
        # Only "the first N records" needs the order of a file; giving it up doubles the speed of the reader.
        self._run(f"SET preserve_insertion_order = {'true' if ordered else 'false'}")
        if not large:
            self.materialise(name, select)
            return
        # A table in memory is not compressed; Parquet is, with dictionaries, and every later scan profits:
        # staging 2.4 M records this way took a third off the audit of a CSV file.
        path = self._scratch.path / f"{name}.parquet"
        self._run(f"COPY ({select}) TO {self.text(str(path))} (FORMAT PARQUET)")
        self._statements.append(Statement(name, select))
        self._forget(name)
        self._run(f"CREATE TEMPORARY VIEW {name} AS SELECT * FROM read_parquet({self.text(str(path))})")
        self._stored[name] = "VIEW"

    def materialise(self, name: str, select: str) -> None:
        self._forget(name)
        self._run(f"CREATE TEMPORARY TABLE {name} AS {select}")
        self._stored[name] = "TABLE"
        self._statements.append(Statement(name, select))

    @property
    def room(self) -> int:
        limit = self.limits["memory_limit"]
        return (parse_bytes(limit) if limit is not None else _memory()) // 4

    def keep(self, name: str, select: str, columns: "Mapping[str, NDArray[Any]]") -> None:
        self._forget(name)
        # Arrays are read where they are, so nothing is copied.
        self._connection.register(name, dict(columns))
        self._stored[name] = _KEPT
        self._statements.append(Statement(name, select))

    def rows(self, select: str) -> list[tuple[Any, ...]]:
        self._statements.append(Statement(None, select))
        return self._run(select)

    def arrays(self, select: str) -> "list[NDArray[Any]]":
        self._statements.append(Statement(None, select))
        try:
            # No statement of ours returns an enumeration, which alone would come as another kind of array.
            found: list[Any] = list(self._connection.execute(select).fetchnumpy().values())
            return found
        except duckdb.Error as error:
            raise _refusal(error) from None
        except RuntimeError:
            raise KeyboardInterrupt from None

    def lookup(self, name: str, value: str, pairs: Mapping[str, str]) -> str:
        import pyarrow as pa

        if 0 < len(pairs) <= FEW:
            return few_pairs(value, pairs, self.text)
        # A list of buckets, found by a hash: unlike a join it keeps the order of the records, and unlike a cast to an enumeration
        # it is as fast for values that are not among the pairs.
        buckets = 1 << max(1, 2 * len(pairs) - 1).bit_length()
        texts = {"v": pa.array(list(pairs), pa.string()), "label": pa.array(list(pairs.values()), pa.string())}
        self.register(f"arrow_source_{name}", pa.table({**texts, "place": list(range(len(pairs)))}))
        filled = (
            f"SELECT CAST(HASH(v) % {buckets} AS BIGINT) AS b, LIST(v ORDER BY place) AS v, LIST(label ORDER BY place) AS label "
            f"FROM arrow_source_{name} GROUP BY HASH(v) % {buckets}"
        )
        every = f"SELECT g.b, COALESCE(f.v, []) AS v, COALESCE(f.label, []) AS label FROM (SELECT range AS b FROM RANGE({buckets})) AS g"
        self.materialise(
            f"{name}_buckets",
            f"SELECT LIST(v ORDER BY b) AS v, LIST(label ORDER BY b) AS label FROM ({every} LEFT JOIN ({filled}) AS f ON g.b = f.b) AS t",
        )
        bucket = f"CAST(HASH({value}) % {buckets} AS BIGINT) + 1"
        v, label = (f"LIST_EXTRACT((SELECT {column} FROM {name}_buckets), {bucket})" for column in ("v", "label"))
        return f"LIST_EXTRACT({label}, LIST_POSITION({v}, {value}))"

    def beside(self, origin: str, name: str) -> str:
        return f"(SELECT * FROM {origin}) AS t POSITIONAL JOIN {name} AS a"

    def batches(self, select: str) -> Any:
        import pyarrow as pa

        self._statements.append(Statement(None, select))
        try:
            self._run("SET preserve_insertion_order = true")
            reader = self._connection.sql(select).to_arrow_reader(_BATCH)
        except duckdb.Error as error:
            raise _refusal(error) from None
        return pa.RecordBatchReader.from_batches(reader.schema, _guarded(reader))

    def write(self, select: str, path: Path, format: str, delimiter: str = ",") -> None:
        if format == "arrow":
            import pyarrow as pa

            with pa.OSFile(str(path), "wb") as sink:
                reader = self.batches(select)
                with pa.ipc.new_file(sink, reader.schema) as writer:
                    for batch in reader:
                        writer.write_batch(batch)
            return
        self._run("SET preserve_insertion_order = true")
        options = "FORMAT PARQUET" if format == "parquet" else f"FORMAT CSV, HEADER, DELIMITER {self.text(delimiter)}"
        self._statements.append(Statement(None, select))
        self._run(f"COPY ({select}) TO {self.text(str(path))} ({options})")

    def save(self, select: str, path: Path) -> None:
        """Write records to a database file of their own, in their order and with their types."""
        self._run("SET preserve_insertion_order = true")
        self._run(f"ATTACH {self.text(str(path))} AS saved")
        self._run(f"CREATE TABLE saved.main.records AS {select}")
        self._run("DETACH saved")

    def attach(self, path: Path) -> str:
        """Return what goes behind FROM for records that `save` wrote; they are only read."""
        self._attached += 1
        self._run(f"ATTACH {self.text(str(path))} AS saved_{self._attached} (READ_ONLY)")
        return f"saved_{self._attached}.main.records"

    def interrupt(self) -> None:
        """Stop the statement that is under way, if one is; another thread asks for that."""
        with suppress(duckdb.Error):  # it was closed meanwhile
            self._connection.interrupt()

    def close(self) -> None:
        self._connection.close()
        self._scratch.close()

    def _forget(self, name: str) -> None:
        if (kind := self._stored.pop(name, None)) == _KEPT:
            self._connection.unregister(name)
        elif kind is not None:
            self._run(f"DROP {kind} {name}")

    def _run(self, sql: str) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(sql).fetchall()
        except duckdb.Error as error:
            # DuckDB quotes cells in its messages, so neither the message nor the chain may travel on.
            raise _refusal(error) from None
        except RuntimeError:
            # This is how DuckDB passes on Ctrl-C.
            raise KeyboardInterrupt from None


def _memory() -> int:
    """Return the memory of this machine, or a small one where it does not say."""
    names = ("SC_PAGE_SIZE", "SC_PHYS_PAGES")
    return prod(map(os.sysconf, names)) if all(name in getattr(os, "sysconf_names", ()) for name in names) else 4 * 2**30


class UnreadableLine(EngineError):
    """A line of a delimited text file does not fit; `reason` is one of ours, never the reader's text."""

    def __init__(self, line: int | None, reason: str, file: str | None = None) -> None:
        self.line = line
        self.file = file
        self.reason = reason
        super().__init__(f"Line {line}: {reason}" if line else reason)


# What the engine says where the system, and not its own limit, has no more memory to give.
_NO_MEMORY = ("bad_alloc", "malloc of size", "Cannot allocate memory", "realloc of size")
_NO_THREAD = ("Failed to launch worker thread", "Resource temporarily unavailable", "start new thread")
_LINE = re.compile(r"CSV Error on Line: (\d+)")
_FILE = re.compile(r"^  file = (.+)$", re.MULTILINE)
_FIELDS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
NESTED = "a value is nested more than 128 deep"
_REASONS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("Expected Number of Columns", lambda text: _count_of_fields(text)),
    ("unterminated quote", lambda text: "a quoted value is not closed"),
    ("Invalid unicode", lambda text: "invalid encoding"),
    ("Maximum line size", lambda text: "the line is longer than 2 MB"),
    ("exceeds maximum recursion depth", lambda text: NESTED),
    ("CSV Error", lambda text: "the line cannot be split into columns"),
    ("state machine reached an invalid state", lambda text: "its lines do not all end in the same way, or quotes are misplaced"),
)


def _count_of_fields(text: str) -> str:
    match = _FIELDS.search(text)
    if match is None:
        return "the number of values differs from the header"
    expected, found = match.groups()
    return f"{found} values, but the header names {expected} columns"


def _guarded(reader: Any) -> Iterator[Any]:
    """Yield the batches of a stream; what fails while it is read fails as the statement would have, without quoting cells."""
    try:
        yield from reader
    except (duckdb.Error, OSError) as error:
        # Arrow passes the engine's message on as an error of input and output.
        raise _refusal(error) from None


def _refusal(error: Exception) -> EngineError:
    text = str(error)
    for sign, reason in _REASONS:
        if sign in text:
            match = _LINE.search(text)
            # The reader lists its settings last, after the line that it quotes.
            files = _FILE.findall(text)
            return UnreadableLine(int(match.group(1)) if match else None, reason(text), files[-1] if files else None)
    if isinstance(error, duckdb.OutOfMemoryException) or any(sign in text for sign in _NO_MEMORY):
        return OutOfMemory(
            "The table does not fit into the memory limit and the temporary folder cannot take the rest. "
            "Allow more memory (--memory-limit) or fewer threads (--threads), make room on the disk, or name another one (--temp-folder)."
        )
    if any(sign in text for sign in _NO_THREAD):
        return OutOfMemory(
            "No further thread can be started here. Allow the process more of them or more memory, or the engine fewer (--threads)."
        )
    if isinstance(error, duckdb.IOException):
        return EngineError("The file cannot be read or written: it is damaged, or the disk is full.")
    return EngineError(f"DuckDB refused a statement ({type(error).__name__}); its message is withheld, as it may hold data.")


def parse_bytes(text: str) -> int:
    """Return a size such as '1GB' or '512 MiB' in bytes."""
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", text)
    if match is None or match.group(2).upper() not in _UNITS or float(match.group(1)) <= 0:
        raise OptionError(f"A memory limit is a number and a unit, such as 1GB or 512MiB, not {text!r}.")
    return int(float(match.group(1)) * _UNITS[match.group(2).upper()])
