"""What the process that can be spared does with a file: it counts what comes out of it, reads it to its last cell, and keeps that."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from anonscope.engines import DuckDB
from anonscope.engines.duckdb import UnreadableLine
from anonscope.errors import AnonscopeError, SourceError, shown
from anonscope.io.formats import format_of
from anonscope.io.sources import kept, open_source
from anonscope.io.sources.encoding import head_of, is_packed, open_bytes
from anonscope.io.sources.parts import find_parts, is_pattern
from anonscope.io.sources.relation import ReadOptions
from anonscope.io.sources.unreadable import unreadable
from anonscope.io.sources.workbook import TooLarge, check_workbook

_PIECE = 2**20
# A workbook is read into memory whole, and takes several times its size there.
_LARGEST_WORKBOOK = 512 * 2**20
_BATCH = 4096
_GLANCE = 4096


def load() -> None:
    """Load every reader, so that a fork has them."""
    import pyarrow.dataset
    import pyarrow.feather
    import pyarrow.parquet
    import python_calamine

    from anonscope.io.sources import columnar, delimited_strict, excel, json_lines, one_table, statistical

    with suppress(ImportError):  # without it, files of statistical programs are refused by name
        import pyreadstat  # noqa: F401
    assert all((pyarrow.feather, pyarrow.parquet, python_calamine, columnar, delimited_strict, excel, json_lines, one_table, statistical))


def read(request: dict[str, Any]) -> dict[str, Any]:
    """Return what was kept of a file that can be read to its end, else what is wrong with it."""
    path, options, limits = Path(request["path"]), ReadOptions(**request["options"]), request["limits"]
    try:
        found = read_to_the_end(path, options, limits["memory"], limits["unpacked"], request["scratch"], request.get("keep"))
    except AnonscopeError as error:
        return {"error": type(error).__name__, "message": str(error)}
    return {"kept": found}


def read_to_the_end(
    path: Path, options: ReadOptions, memory: int, limit: int | None, scratch: str | None = None, keep: str | None = None
) -> dict[str, Any] | None:
    """Raise if a table cannot be read, or is larger than the limit once it is unpacked; else keep it, if there is a file to."""
    several = path.is_dir() or is_pattern(path)
    left = limit
    for file in [part.path for part in find_parts(path).files] if several else [path]:
        left = _unpacked(file, options, left, limit)
    engine = DuckDB(threads=1, memory_limit=f"{max(memory // 2, 2**28)}B", temp_folder=scratch)
    try:
        relation = open_source(path, engine, options)
        # Every cell is looked at, or columns that nobody asks for would be left out.
        cells = ", ".join(f"COUNT(CAST(c{i} AS VARCHAR))" for i in range(len(relation.columns)))
        try:
            engine.rows(f"SELECT {cells} FROM {relation.origin}")
            return kept.keep(relation, engine, Path(keep)) if keep is not None else None
        except UnreadableLine as error:
            raise unreadable(relation, error) from None
    finally:
        engine.close()


def _unpacked(path: Path, options: ReadOptions, left: int | None, limit: int | None) -> int | None:
    """Return how many bytes are left of the limit after a file; what it says of its own size is not believed."""
    if not path.exists() or not path.stat().st_size:
        return left
    if left is None or limit is None:
        return left
    form = options.format or format_of(path, head_of(path, _GLANCE), path.name)
    if form == "excel":
        check_workbook(path, path.name, options.sheet, min(left, _LARGEST_WORKBOOK))
        return left
    if form == "parquet":
        left = _after_parquet(path, left)
    elif form == "arrow":
        from anonscope.io.sources.columnar import read_arrow

        left -= sum(_size(chunk) for column in read_arrow(path, path.name).columns for chunk in column.chunks)
    elif is_packed(path):
        with open_bytes(path) as handle:
            while left >= 0 and (piece := handle.read(_PIECE)):
                left -= len(piece)
    else:
        left -= path.stat().st_size
    if left < 0:
        raise TooLarge(f"{shown(path.name)} unpacks to more than the limit of {limit:,} bytes.")
    return left


def _size(array: Any) -> int:
    """Return how many bytes a column is once every value stands for itself."""
    import pyarrow as pa
    from pyarrow import compute

    if not pa.types.is_dictionary(array.type):
        return int(array.nbytes)
    values = array.dictionary
    if not (pa.types.is_string(values.type) or pa.types.is_binary(values.type) or pa.types.is_large_string(values.type)):
        return int(array.indices.nbytes) + _size(values) * max(1, len(array) // max(1, len(values)))
    return int(array.indices.nbytes) + int(compute.sum(compute.binary_length(values).cast(pa.int64()).take(array.indices)).as_py() or 0)


def _after_parquet(path: Path, left: int) -> int:
    """Count values as they come out: a dictionary of one long text may stand for a million."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        for batch in parquet.ParquetFile(str(path)).iter_batches(_BATCH):
            batch.validate(full=True)
            left -= sum(map(_size, batch.columns))
            if left < 0:
                break
    except (pa.ArrowException, OSError, ValueError, TypeError, LookupError, OverflowError):
        raise SourceError(f"{shown(path.name)} is not a readable Parquet file.") from None
    return left
