"""pandas, polars and Arrow tables that the user already holds."""

from typing import Any

from anonscope.engines import Engine
from anonscope.errors import NoRecords, SourceError, shown
from anonscope.io.sources.relation import Column, Relation, named_columns


def is_frame(source: object) -> bool:
    """Return whether this is a table we know, without importing the library it comes from."""
    return _library(source) in ("pandas", "polars", "pyarrow")


def open_frame(source: Any, engine: Engine, name: str) -> Relation:
    """Return a frame as a relation; a pandas index is not a column."""
    match _library(source), type(source).__name__:
        case "pandas", "DataFrame":
            return from_arrow(_from_pandas(source, name), engine, name)
        case "polars", "LazyFrame":
            return from_arrow(source.collect().to_arrow(), engine, name)
        case "polars", "DataFrame":
            return from_arrow(source.to_arrow(), engine, name)
        case "pyarrow", "Table":
            return from_arrow(source, engine, name)
        case "pyarrow", "RecordBatchReader":
            return from_arrow(source.read_all(), engine, name)
        case library, kind:
            raise SourceError(f"A {library} {kind} is not a table. Give a data frame or an Arrow table.")


def from_arrow(table: Any, engine: Engine, name: str) -> Relation:
    """Return an Arrow table as a relation."""
    names = named_columns([str(column) for column in table.column_names], name)
    if table.num_rows == 0:
        raise NoRecords(f"{shown(name)} has columns but no records.")
    for i, field in enumerate(table.schema):
        if str(field.type) == "halffloat":  # the engine knows no half-precision numbers
            table = table.set_column(i, field.name, table.column(i).cast("float"))
        elif str(field.type) == "duration[ns]":  # nor durations finer than a microsecond
            table = table.set_column(i, field.name, _durations(table.column(i)))
        elif str(field.type).startswith("decimal256"):  # nor decimals of more than 38 digits
            table = table.set_column(i, field.name, _decimals(table.column(i)))
    engine.register("arrow_source", table.rename_columns([f"c{i}" for i in range(len(names))]))
    types = [kind for _, kind in engine.columns("SELECT * FROM arrow_source")]
    columns = tuple(Column(column, kind) for column, kind in zip(names, types, strict=True))
    return Relation(name, columns, "arrow_source AS t")


def frame_kind(source: object) -> str | None:
    """Return the library of a frame, so that what is made of it can be handed back as one; None for what is no frame."""
    return _library(source) if is_frame(source) else None


def handed_back(table: Any, kind: str | None) -> Any:
    """Return an Arrow table as a frame of the library that the table came from."""
    if kind == "pandas":
        return table.to_pandas()
    if kind == "polars":
        import polars

        return polars.from_arrow(table)
    return table


def _library(source: object) -> str:
    return type(source).__module__.partition(".")[0]


def _from_pandas(frame: Any, name: str) -> Any:
    import pyarrow as pa

    names = named_columns([str(column) for column in frame.columns], name)
    columns = []
    for i in range(len(names)):
        values = frame.iloc[:, i]
        try:
            columns.append(pa.array(values, from_pandas=True))
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            # A column of mixed types: every value is compared as it prints, missing stays missing.
            columns.append(pa.array(values.astype(object).where(values.notna(), None).map(str, na_action="ignore")))
    return pa.Table.from_arrays(columns, names=list(names))


def _durations(column: Any) -> Any:
    """Return durations in microseconds or, where that would make one of several, as numbers of nanoseconds."""
    import pyarrow as pa

    try:
        return column.cast(pa.duration("us"))
    except pa.ArrowInvalid:
        return column.cast(pa.int64())


def _decimals(column: Any) -> Any:
    """Return long decimals as ones of 38 digits or, where a value has more, as their texts, which keep every digit."""
    import pyarrow as pa

    try:
        return column.cast(pa.decimal128(38, column.type.scale))
    except (pa.ArrowInvalid, ValueError):
        return pa.chunked_array([pa.array([None if v is None else format(v, "f") for v in column.to_pylist()], pa.string())])
