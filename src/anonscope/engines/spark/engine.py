"""Spark: the same statements where the table already lies, spread over its workers.

Statements are carried into Spark's dialect. What a statement makes is stored before the next one reads it, because Spark would
otherwise compute it anew every time: as Parquet in a staging folder, which also outlives a worker that dies, or, on a cluster
without such a folder, in the workers' own memory.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from anonscope.engines.dialect import carried
from anonscope.engines.engine import Made, Statement
from anonscope.engines.scratch import Scratch
from anonscope.engines.spark.batches import batches_of
from anonscope.engines.spark.coding import coded_in_one_pass, distinct_in_one_pass, distinct_in_one_scan
from anonscope.engines.spark.dialect import definitions
from anonscope.engines.spark.errors import refusal
from anonscope.engines.spark.near import processors_of, worked_by_one
from anonscope.engines.spark.session import is_local, open_session
from anonscope.engines.spark.threads import Log, at_once, quiet
from anonscope.engines.statements import FEW, Common, constants_as_select, few_pairs
from anonscope.errors import AnonscopeError, EngineError, OptionError, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

# With more columns than this, one join a column takes longer to plan than to run, and at about 130 it fails.
_JOINS = 12
# Nobody but us reads what we store, and we know when it is complete.
_UNMARKED = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}
_TYPES = {
    "string": "VARCHAR",
    "void": "VARCHAR",
    "double": "DOUBLE",
    "float": "FLOAT",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
    "binary": "BLOB",
}


class Spark(Common):
    """A session of Spark: one that the user has, or one of our own."""

    title = "Spark"
    remote = True
    joins = 0

    def __init__(
        self,
        session: Any = None,
        *,
        master: str | None = None,
        conf: Mapping[str, str] | None = None,
        staging: str | None = None,
        temp_folder: str | Path | None = None,
    ) -> None:
        self._scratch = Scratch(Path(temp_folder) if temp_folder is not None else None)
        self._prefix = f"anonscope_{uuid4().hex[:8]}_"
        self._names: dict[str, str] = {}
        self._naming = Lock()
        self._adopted: list[str] = []
        self._log = Log()
        self._numbers = count(1)
        self._functions: set[str] = set()
        self._handed_out: list[Any] = []
        try:
            self.session, self._owned = open_session(session, master, conf or {}, self._scratch.path)
        except BaseException:
            self._scratch.close()
            raise
        self._staging: str | None = None
        try:
            self._staging = self._open_staging(staging)
        except BaseException:
            self.close()
            raise

    @property
    def statements(self) -> tuple[Statement, ...]:
        return self._log.statements

    @property
    def scratch(self) -> Path:
        return self._scratch.path

    def columns(self, select: str) -> list[tuple[str, str]]:
        return [(field.name, type_of(field.dataType.simpleString())) for field in self._frame(select).schema.fields]

    def register(self, name: str, table: Any) -> None:
        self._view(name, self._guarded(lambda: self.session.createDataFrame(table)))

    @property
    def known(self) -> tuple[str, ...]:
        """The names under which something can be read."""
        return tuple(self._names)

    def adopted(self, frame: Any) -> Any:
        """Return a frame of the user's session in ours, which shares its workers but not its names and settings."""
        name = f"{self._prefix}given_{len(self._names)}"
        self._guarded(lambda: frame.createOrReplaceGlobalTempView(name))
        self._adopted.append(name)
        return self.session.table(f"global_temp.{name}")

    def view(self, name: str, frame: Any) -> None:
        """Make a data frame of this session readable under a name."""
        self._view(name, frame)

    def define(self, name: str, select: str) -> None:
        self._log.add(Statement(name, select))
        self._view(name, self._frame(select))

    def stage(self, name: str, select: str, *, large: bool, ordered: bool) -> None:
        self.materialise(name, select)

    def materialise(self, name: str, select: str) -> None:
        self._log.add(Statement(name, select))
        self._store(name, self._frame(select))

    def hold(self, name: str, select: str) -> None:
        self._log.add(Statement(name, select))
        frame = self._frame(select)
        # What is known when a statement is planned need not be read by it.
        self.register(name, self._guarded(frame.toArrow))

    def number(self, name: str, select: str, keys: Sequence[str], number: str) -> None:
        from pyspark.sql.functions import monotonically_increasing_id

        # A number by the order of all rows would bring them all to one worker. What is stored keeps the number it was given.
        self._log.add(Statement(name, select))
        self._store(name, self._frame(select).select(*keys, (monotonically_increasing_id() + 1).alias(number)))

    def constants(self, name: str, rows: Sequence[Mapping[str, int]]) -> None:
        import pyarrow as pa

        self._log.add(Statement(name, constants_as_select(rows)))
        # As a statement, every row would be a task of its own.
        self.register(name, pa.table({column: pa.array([row[column] for row in rows], pa.int64()) for column in rows[0]}))

    def distinct(self, source: str, columns: Mapping[int, str]) -> str:
        # One shuffle, where a scan a column would be one each.
        told = distinct_in_one_scan if len(columns) <= _JOINS else distinct_in_one_pass
        self._view("distinct_texts", self._guarded(lambda: told(self._frame, source, columns)))
        return "distinct_texts AS d"

    def coded(self, source: str, weight: str, sums: Mapping[str, Sequence[tuple[int, str]]], kept: Sequence[str] = ()) -> str:
        if sum(len(parts) for parts in sums.values()) <= _JOINS:
            return super().coded(source, weight, sums, kept)
        frame, dictionaries = self._guarded(lambda: coded_in_one_pass(self._frame, source, weight, sums, kept))
        self._handed_out.append(dictionaries)
        self._view("coded", frame)
        return "coded AS x"

    def rows(self, select: str) -> list[tuple[Any, ...]]:
        self._log.add(Statement(None, select))
        frame = self._frame(select)
        return self._guarded(lambda: [tuple(row) for row in frame.collect()])

    def arrays(self, select: str) -> "list[NDArray[Any]]":
        self._log.add(Statement(None, select))
        frame = self._frame(select)
        return [column.to_numpy() for column in self._guarded(frame.toArrow).columns]

    def together(self, tasks: Sequence[Callable[[], Made]]) -> list[Made]:
        return at_once(self.session, self._log, tasks)

    def near(self, select: str, most: int, module: str, function: str, given: bytes) -> bytes | None:
        ((rows,),) = self.rows(f"SELECT COUNT(*) AS n FROM ({select}) AS x")
        if not 0 < rows <= most:
            return None
        self._log.add(Statement(None, select))
        frame = self._frame(select)
        try:
            return self._guarded(lambda: worked_by_one(frame, module, function, given, processors_of(self.session)))
        except EngineError:
            # A worker without Arrow, or without the memory for it all: statements need neither.
            return None

    def lookup(self, name: str, value: str, pairs: Mapping[str, str]) -> str:
        import pyarrow as pa

        if 0 < len(pairs) <= FEW:
            return few_pairs(value, pairs, self.text)
        self.register(name, pa.table({"v": pa.array(list(pairs), pa.string()), "label": pa.array(list(pairs.values()), pa.string())}))
        # Spark turns this into a join.
        return f"(SELECT MAX(l.label) FROM {name} AS l WHERE l.v = {value})"

    def beside(self, origin: str, name: str) -> str:
        raise EngineError(
            "Records have no order on Spark, so nothing can be put beside them one by one. Use the engine DuckDB for this, "
            "or a column that tells records apart (--key)."
        )

    def batches(self, select: str) -> Any:
        self._log.add(Statement(None, select))
        return batches_of(self._frame(select), self._guarded)

    def frame(self, select: str) -> Any:
        """Return the rows of a SELECT as a data frame of Spark, which computes them when it is asked."""
        self._log.add(Statement(None, select))
        return self._frame(select)

    def map(self, name: str, select: str, work: Callable[[Any], Any], schema: str) -> None:
        """Define what a function that travels to the workers makes of the Arrow batches of a SELECT, each part by itself."""
        self._log.add(Statement(name, select))
        frame = self._frame(select)
        self._view(name, self._guarded(lambda: frame.mapInArrow(work, schema)))

    def worked(self, select: str, work: Callable[[Any], Any], schema: str) -> list[tuple[Any, ...]]:
        """Return the rows that such a function makes of a SELECT, all of whose rows go to one worker; they are made once."""
        self._log.add(Statement(None, select))
        frame = self._frame(select)
        return self._guarded(lambda: [tuple(row) for row in frame.coalesce(1).mapInArrow(work, schema).collect()])

    def write(self, select: str, path: Path | str, format: str, delimiter: str = ",") -> None:
        """Write the rows of a SELECT to a new folder of parts; on another storage `path` is its URI."""
        where = path if isinstance(path, str) else path.absolute().as_uri()
        writer = self.frame(select).write.mode("errorifexists").format(format)
        if format == "csv":
            # Blanks at the ends of a value are a part of it.
            kept = {"header": True, "sep": delimiter, "escape": '"', "ignoreLeadingWhiteSpace": False, "ignoreTrailingWhiteSpace": False}
            writer = writer.options(**kept)
        self._guarded(lambda: writer.save(where))

    def written(self, uri: str, format: str, delimiter: str = ",") -> Any:
        """Return what was written to a storage, as Spark reads it anew: delimited text with an empty field for a missing value."""
        reader = self.session.read.format(format)
        if format == "csv":
            plain = {"header": True, "sep": delimiter, "escape": '"', "multiLine": True, "inferSchema": False, "emptyValue": None}
            reader = reader.options(**plain)
        return self._guarded(lambda: reader.load(uri))

    def exists(self, uri: str) -> bool:
        """Return whether something stands on a storage that Spark reaches."""
        return bool(self._guarded(lambda: self._system(uri).exists(self._path(uri))))

    def move(self, uri: str, target: str) -> None:
        """Rename a folder on a storage that Spark reaches."""
        if not self._guarded(lambda: self._system(uri).rename(self._path(uri), self._path(target))):
            raise EngineError("The storage did not let the release be moved to its place.")

    def delete(self, uri: str) -> None:
        """Delete a file or a folder on a storage that Spark reaches, if it is there."""
        self._guarded(lambda: self._system(uri).delete(self._path(uri), True))

    def _path(self, uri: str) -> Any:
        return self.session.sparkContext._jvm.org.apache.hadoop.fs.Path(uri)

    def _system(self, uri: str) -> Any:
        return self._path(uri).getFileSystem(self.session.sparkContext._jsc.hadoopConfiguration())

    def put(self, uri: str, text: str) -> None:
        """Write a small text file to a storage that Spark reaches, replacing one that is there."""

        def work() -> None:
            stream = self._system(uri).create(self._path(uri), True)
            stream.write(bytearray(text.encode("utf-8")))
            stream.close()

        self._guarded(work)

    def close(self) -> None:
        for name in self._names.values():
            with suppress(Exception):
                self.session.catalog.dropTempView(name)
        for name in self._adopted:
            with suppress(Exception):
                self.session.catalog.dropGlobalTempView(name)
        for dictionaries in self._handed_out:
            with suppress(Exception):
                dictionaries.destroy()
        with suppress(Exception):
            self._delete_staging()
        if self._owned:
            with suppress(Exception):
                self.session.stop()
        self._scratch.close()

    def _frame(self, select: str) -> Any:
        statement = carried(select, "spark", self._names)
        for name, definition in definitions(statement).items():
            if name not in self._functions:
                self._guarded(partial(self.session.sql, definition))
                # Only now, as another thread may look; to define it twice does no harm.
                self._functions.add(name)
        return self._guarded(lambda: self.session.sql(statement))

    def _view(self, name: str, frame: Any) -> None:
        known = self._prefix + name
        self._guarded(lambda: frame.createOrReplaceTempView(known))
        # A new one, because another thread may be looking for names in the old one.
        with self._naming:
            self._names = {**self._names, name: known}

    def _store(self, name: str, frame: Any) -> None:
        if self._staging is None:
            self._view(name, self._guarded(frame.localCheckpoint))
            return
        path = f"{self._staging}/{name}-{next(self._numbers)}"
        self._guarded(lambda: frame.write.options(**_UNMARKED).parquet(path))
        self._view(name, self._guarded(lambda: self.session.read.schema(frame.schema).parquet(path)))

    def _open_staging(self, folder: str | None) -> str | None:
        if folder is None and is_local(self.session):
            return str(self._scratch.path / "staging")
        # A folder for checkpoints is one that all workers see.
        shared = folder or self.session.sparkContext.getCheckpointDir()
        if shared is None:
            return None
        staging = f"{shared.rstrip('/')}/{self._prefix}staging"
        try:
            made = self._make_private(staging)
        except Exception:
            made = False
        if not made:
            raise OptionError(f"Spark cannot make a folder in {shown(shared)}. Check --spark-staging, and that this user may write there.")
        return staging

    def _make_private(self, folder: str) -> bool:
        context = self.session.sparkContext
        hadoop = context._jvm.org.apache.hadoop.fs
        path = hadoop.Path(folder)
        system = path.getFileSystem(context._jsc.hadoopConfiguration())
        permission = hadoop.permission.FsPermission("700")
        made = bool(system.mkdirs(path, permission))
        # Kept even if we are killed: the other half of Spark notices and cleans up.
        system.deleteOnExit(path)
        return made

    def _delete_staging(self) -> None:
        if self._staging is None:
            return
        context = self.session.sparkContext
        path = context._jvm.org.apache.hadoop.fs.Path(self._staging)
        path.getFileSystem(context._jsc.hadoopConfiguration()).delete(path, True)

    def _guarded(self, work: Callable[[], Made]) -> Made:
        """Return what some work on Spark gives; its faults become ours, because Spark quotes cells and the stack of its machine."""
        try:
            with quiet(self._log):
                return work()
        except (KeyboardInterrupt, AnonscopeError):
            raise
        except Exception as error:
            raise refusal(error) from None


def type_of(kind: str) -> str:
    """Return what DuckDB calls a type of Spark."""
    if kind.startswith("decimal"):
        return kind.upper()
    if kind.startswith("array"):
        return "VARCHAR[]"
    if kind.startswith(("struct", "variant", "geo")):
        return "STRUCT"
    if kind.startswith("map"):
        return "MAP"
    return _TYPES.get(kind.partition(" ")[0].partition("(")[0], "VARCHAR" if kind.startswith(("char", "varchar")) else kind.upper())
