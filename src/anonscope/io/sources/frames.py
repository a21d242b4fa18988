"""pandas, polars and Arrow tables that the user already holds."""

from typing import Any

from anonscope.engines import Engine
from anonscope.errors import SourceError
from anonscope.io.sources.columnar import from_arrow
from anonscope.io.sources.relation import Relation, named_columns


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
