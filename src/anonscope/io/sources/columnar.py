"""Parquet and Arrow: typed files."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonscope.engines import Engine
from anonscope.errors import EngineError, NoRecords, SourceError, shown
from anonscope.io.sources.also_held import in_arrow, in_parquet
from anonscope.io.sources.frames import from_arrow
from anonscope.io.sources.relation import Column, ReadOptions, Relation, named_columns, positional


def open_parquet(path: Path, engine: Engine, options: ReadOptions, name: str) -> Relation:
    """Return a Parquet file as a relation; it is read where it lies, column by column."""
    try:
        schema = engine.rows(f"SELECT name, num_children FROM parquet_schema({engine.text(str(path))})")
        # Left to itself the reader makes columns of folders called key=value.
        reader = f"read_parquet({engine.text(str(path))}, hive_partitioning = false)"
        types = [kind for _, kind in engine.columns(f"SELECT * FROM {reader}")]
        (count,) = engine.rows(f"SELECT COUNT(*) FROM {reader}")[0]
        metadata = engine.rows(f"SELECT key, value FROM parquet_kv_metadata({engine.text(str(path))})")
    except EngineError:
        raise SourceError(f"{shown(name)} is not a readable Parquet file.") from None
    # The reader renames columns that differ only by case, so the names come from the file's own schema.
    names = named_columns([schema[i][0] for i in top_level([children for _, children in schema])], name)
    if count == 0:
        raise NoRecords(f"{shown(name)} has columns but no records.")
    columns = tuple(Column(column, kind) for column, kind in zip(names, types, strict=True))
    also = in_parquet(((bytes(key), bytes(value or b"")) for key, value in metadata), names)
    return Relation(name, columns, f"{reader} AS t({positional(len(columns))})", also_held=also)


def top_level(children: Sequence[int | None]) -> list[int]:
    """Return where the outermost columns stand in a schema listed depth first, by how many children every element has."""
    places: list[int] = []
    position = 1
    while position < len(children):
        places.append(position)
        position = _past(children, position)
    return places


def _past(children: Sequence[int | None], position: int) -> int:
    below = children[position] or 0
    position += 1
    for _ in range(below):
        position = _past(children, position)
    return position


def open_arrow(path: Path, engine: Engine, options: ReadOptions, name: str) -> Relation:
    """Return an Arrow IPC file or stream, or a Feather file, as a relation."""
    table = read_arrow(path, name)
    return replace(from_arrow(table, engine, name), also_held=in_arrow(table))


def read_arrow(path: Path, name: str) -> Any:
    """Return an Arrow IPC file or stream, or a Feather file, as an Arrow table in which every offset, length and text was checked.

    Whoever takes such a file as it comes reads wherever its numbers say: beyond the end of the file, or of the memory.
    """
    import pyarrow as pa
    from pyarrow import feather

    try:
        with pa.memory_map(str(path)) as source:
            # A buffer knows where the file ends.
            content = pa.BufferReader(source.read_buffer())
            mark = content.read(6)
            content.seek(0)
            table = feather.read_table(content) if mark in (b"ARROW1", b"FEA1\x00\x00") else pa.ipc.open_stream(content).read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, TypeError, LookupError, MemoryError, OverflowError):
        raise SourceError(f"{shown(name)} is not a readable Arrow or Feather file.") from None
    return table
