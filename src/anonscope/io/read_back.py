"""A written release read as a stranger reads it, by nothing that had a part in making it.

Text is read as Python's csv module does, and an empty field is missing; Parquet and Arrow are read as pyarrow does, Stata as pandas does,
which knows the format by itself. For SPSS there is one library, whose reader and writer share only what the format is. Delimited text is
parsed by Arrow, which is quick and agrees with the csv module on everything that we write; the tests hold it to that.
"""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from anonscope.engines import DuckDB
from anonscope.errors import EngineError, OutOfMemory, SourceError, lack, shown
from anonscope.io.sources.parts import find_parts
from anonscope.io.sources.relation import Column, Relation, in_one_form

# Below this size a table in memory is quicker than a file.
_LARGE = 32 * 2**20
_BLOCK = 16 * 2**20
_LONGEST_BLOCK = 2**31 - 1
_BATCH = 65_536


@dataclass(frozen=True, slots=True)
class ReadBack:
    """What a stranger finds in a release: its columns by name, its number of records, and the table on an engine."""

    columns: tuple[str, ...]
    records: int
    relation: Relation


def read_back(path: Path, form: str, engine: DuckDB, *, delimiter: str = ",", name: str | None = None) -> ReadBack:
    """Read a release, a file or a folder of parts, into an engine of its own; `form` is csv, tsv, parquet, arrow, spss or stata."""
    files = [part.path for part in find_parts(path).files] if path.is_dir() else [path]
    tables = [_table(file, form, delimiter) for file in files]
    columns, schema = tables[0].columns, tables[0].schema
    if any(table.columns != columns for table in tables):
        raise SourceError(f"The parts of {shown(name or path.name)} do not have the same columns.")
    counted = _Counted(batch for table in tables for batch in table.batches)
    staged = "read_back"
    if columns:
        import pyarrow as pa

        source = f"arrow_{staged}"
        engine.register(source, pa.RecordBatchReader.from_batches(schema, counted))
        try:
            engine.stage(staged, f"SELECT * FROM {source}", large=sum(file.stat().st_size for file in files) > _LARGE, ordered=False)
        except OutOfMemory:
            raise  # no fault of the file
        except EngineError:
            if counted.lacked is not None:
                raise counted.lacked from None
            # The engine passes the fault of the reader on, and it may quote cells.
            raise SourceError(f"{shown(name or path.name)} cannot be read as {form}.") from None
    types = [kind for _, kind in engine.columns(f"SELECT * FROM {staged}")]
    found = tuple(Column(column, kind) for column, kind in zip(columns, types, strict=True))
    relation = Relation(name or path.name, found, f"{staged} AS t", delimited=form in ("csv", "tsv"))
    return ReadBack(columns, counted.records, in_one_form(relation))


@dataclass(frozen=True, slots=True)
class _Table:
    columns: tuple[str, ...]
    schema: Any
    batches: Iterable[Any]


class _Counted:
    """Batches, how many records they had, and what the machine lacked while they were read, of which the engine only passes on a text."""

    def __init__(self, batches: Iterable[Any]) -> None:
        self._batches, self.records = batches, 0
        self.lacked: BaseException | None = None

    def __iter__(self) -> Iterator[Any]:
        try:
            for batch in self._batches:
                self.records += batch.num_rows
                yield batch
        except (OSError, MemoryError, RuntimeError) as error:
            self.lacked = error if lack(error) else None
            raise


def _table(path: Path, form: str, delimiter: str) -> _Table:
    import pyarrow as pa

    try:
        if form in ("csv", "tsv"):
            return _text(path, "\t" if form == "tsv" else delimiter)
        if form in ("spss", "stata"):
            return _statistical(path, form)
        return _parquet(path) if form == "parquet" else _arrow(path)
    except MemoryError:
        raise  # no fault of the file; Arrow's is one of these
    except (pa.ArrowException, OSError, csv.Error, ValueError, TypeError, LookupError, StopIteration) as error:
        if lack(error):
            raise  # nor is this
        # Arrow quotes cells in its messages.
        raise SourceError(f"{shown(path.name)} cannot be read as {form}.") from None


def _parquet(path: Path) -> _Table:
    from pyarrow import parquet

    file = parquet.ParquetFile(str(path))
    schema = file.schema_arrow
    return _Table(tuple(schema.names), _positional(schema), _renamed(file.iter_batches(_BATCH), _positional(schema)))


def _arrow(path: Path) -> _Table:
    import pyarrow as pa

    with pa.memory_map(str(path)) as source:
        # A buffer knows where the file ends; what numbers in the file say is not believed.
        file = pa.ipc.open_file(pa.BufferReader(source.read_buffer()))
    schema = file.schema
    batches = (file.get_batch(i) for i in range(file.num_record_batches))
    return _Table(tuple(schema.names), _positional(schema), _renamed(batches, _positional(schema)))


def _statistical(path: Path, form: str) -> _Table:
    import pyarrow as pa

    from anonscope.io.sources.statistical import as_array, read_statistical

    if form == "stata":
        import pandas

        frame = pandas.read_stata(path, convert_categoricals=False)
        days = {name for name, kind in frame.dtypes.items() if str(kind).startswith("datetime")}
        columns = {str(name): _plain(frame[name], name in days) for name in frame.columns}
    else:
        columns = dict(read_statistical(path, path.name)[0])
    table = pa.Table.from_arrays([as_array(values) for values in columns.values()], names=[f"c{i}" for i in range(len(columns))])
    return _Table(tuple(columns), table.schema, table.to_batches())


def _plain(column: Any, days: bool) -> list[Any]:
    """Return a column of a frame as plain values; what is no value is None."""
    known = (None if missing else value for value, missing in zip(column, column.isna(), strict=True))
    return [value.date() if days and value is not None else value for value in known]


def _positional(schema: Any) -> Any:
    """Return a schema whose columns are called c0, c1, ...: names may differ by case alone, and then engines mix them up."""
    import pyarrow as pa

    return pa.schema([pa.field(f"c{i}", field.type) for i, field in enumerate(schema)])


def _renamed(batches: Iterable[Any], schema: Any) -> Iterator[Any]:
    import pyarrow as pa

    for batch in batches:
        batch.validate(full=True)
        yield pa.RecordBatch.from_arrays(batch.columns, schema=schema)


def _text(path: Path, delimiter: str) -> _Table:
    import pyarrow as pa

    with open(path, encoding="utf-8", newline="") as file:
        names = tuple(next(csv.reader(file, delimiter=delimiter)))
    schema = pa.schema([pa.field(f"c{i}", pa.string()) for i in range(len(names))])
    return _Table(names, schema, _lines(path, delimiter, names, schema))


def _lines(path: Path, delimiter: str, names: tuple[str, ...], schema: Any) -> Iterator[Any]:
    import pyarrow as pa

    first = True
    try:
        for batch in _parsed(path, delimiter, schema):
            if first and [text or "" for text in (column[0].as_py() for column in batch.columns)] != list(names):
                raise SourceError(f"The header of {shown(path.name)} is read in two ways.")
            yield batch.slice(1) if first else batch
            first = False
    except pa.ArrowInvalid:
        raise SourceError(f"{shown(path.name)} cannot be read as delimited text.") from None


def _has_line_ends_within(path: Path) -> bool:
    """Return whether a value holds a carriage return and a line feed; lines themselves end with a line feed."""
    with open(path, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as written:
        return written.find(b"\r\n") >= 0


def _parsed(path: Path, delimiter: str, schema: Any) -> Iterator[Any]:
    """Yield the lines, header included. A record longer than a block is not parsed, so the block is as long as it has to be."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    parse = arrow_csv.ParseOptions(delimiter=delimiter, quote_char='"', double_quote=True, escape_char=False, newlines_in_values=True)
    convert = arrow_csv.ConvertOptions(
        column_types=schema, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=True, check_utf8=True
    )
    size = path.stat().st_size
    # Where a block ends between the two characters of a line end within a value, Arrow loses the second: then there is one block.
    block, seen = (min(_LONGEST_BLOCK, size + 1) if _has_line_ends_within(path) else _BLOCK), 0
    while True:
        read = arrow_csv.ReadOptions(column_names=schema.names, block_size=block)
        done = 0
        try:
            for batch in arrow_csv.open_csv(str(path), read_options=read, parse_options=parse, convert_options=convert):
                left = batch.slice(max(0, seen - done))
                done += batch.num_rows
                if left.num_rows:
                    yield left
                    seen = done
            return
        except pa.ArrowInvalid:
            if block >= min(size, _LONGEST_BLOCK):
                raise
            block = min(_LONGEST_BLOCK, max(size + 1, block))
