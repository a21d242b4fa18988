"""Parquet and Arrow: typed files."""

from pathlib import Path
from typing import Any

from anonscope.engines import Engine
from anonscope.errors import EngineError, SourceError, shown
from anonscope.sources.relation import Column, Relation, named_columns, positional


def open_parquet(path: Path, engine: Engine, name: str) -> Relation:
    """Return a Parquet file as a relation; it is read where it lies, column by column."""
    try:
        schema = engine.rows(f"SELECT name, num_children FROM parquet_schema({engine.text(str(path))})")
        reader = f"read_parquet({engine.text(str(path))})"
        types = [kind for _, kind in engine.columns(f"SELECT * FROM {reader}")]
        (count,) = engine.rows(f"SELECT COUNT(*) FROM {reader}")[0]
    except EngineError:
        raise SourceError(f"{shown(name)} is not a readable Parquet file.") from None
    # The reader renames columns that differ only by case, so the names come from the file's own schema.
    names = named_columns(_top_level(schema), name)
    if count == 0:
        raise SourceError(f"{shown(name)} has columns but no records.")
    columns = tuple(Column(column, kind) for column, kind in zip(names, types, strict=True))
    return Relation(name, columns, f"{reader} AS t({positional(len(columns))})")


def _top_level(schema: list[tuple[Any, ...]]) -> list[str]:
    """Return the names of the outermost columns from a schema listed depth first."""
    names: list[str] = []
    position = 1
    while position < len(schema):
        names.append(schema[position][0])
        position = _past(schema, position)
    return names


def _past(schema: list[tuple[Any, ...]], position: int) -> int:
    children = schema[position][1] or 0
    position += 1
    for _ in range(children):
        position = _past(schema, position)
    return position


def open_arrow(path: Path, engine: Engine, name: str) -> Relation:
    """Return an Arrow IPC file or stream, or a Feather file, as a relation."""
    import pyarrow as pa
    from pyarrow import feather

    try:
        with pa.memory_map(str(path)) as source:
            streamed = source.read(6) not in (b"ARROW1", b"FEA1\x00\x00") and source.seek(0) == 0
            if streamed:
                source.seek(0)
                return from_arrow(pa.ipc.open_stream(source).read_all(), engine, name)
        return from_arrow(feather.read_table(str(path)), engine, name)
    except (pa.ArrowInvalid, OSError):
        raise SourceError(f"{shown(name)} is not a readable Arrow or Feather file.") from None


def from_arrow(table: Any, engine: Engine, name: str) -> Relation:
    """Return an Arrow table as a relation."""
    names = named_columns([str(column) for column in table.column_names], name)
    if table.num_rows == 0:
        raise SourceError(f"{shown(name)} has columns but no records.")
    for i, field in enumerate(table.schema):
        if str(field.type) == "halffloat":  # the engine knows no half-precision numbers
            table = table.set_column(i, field.name, table.column(i).cast("float"))
    engine.register("arrow_source", table.rename_columns([f"c{i}" for i in range(len(names))]))
    types = [kind for _, kind in engine.columns("SELECT * FROM arrow_source")]
    columns = tuple(Column(column, kind) for column, kind in zip(names, types, strict=True))
    return Relation(name, columns, "arrow_source AS t")
