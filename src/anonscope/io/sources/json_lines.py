"""JSON lines: one object a line; a key that a line lacks is NULL."""

from collections.abc import Sequence
from pathlib import Path

from anonscope.engines import Engine
from anonscope.errors import EngineError, NoRecords, SourceError, shown
from anonscope.io.sources.encoding import is_packed
from anonscope.io.sources.relation import Column, ReadOptions, Relation, named_columns, positional

LARGE = 32 * 2**20


def open_json_lines(path: Path, engine: Engine, options: ReadOptions, name: str) -> Relation:
    """Return the file as a relation of text columns, in the order in which keys first appear."""
    packed = is_packed(path)
    keys = keys_of([path], engine, packed=packed, name=name)
    if not keys:
        raise NoRecords(f"{shown(name)} has no records.")
    names = named_columns(keys, name)
    origin = f"{json_reader([path], engine, keys, packed=packed)} AS t({positional(len(names))})"
    return Relation(name, tuple(Column(column, "VARCHAR") for column in names), origin, stage=True, large=path.stat().st_size > LARGE)


def keys_of(files: Sequence[Path], engine: Engine, *, packed: bool, name: str) -> list[str]:
    """Return the keys that occur in some files, in the order in which they first appear."""
    try:
        keys = engine.rows(
            "SELECT k FROM (SELECT UNNEST(json_keys(json)) AS k, ROW_NUMBER() OVER () AS i "
            f"FROM read_json_objects({_options(files, engine, packed)})) AS x GROUP BY k ORDER BY MIN(i), k"
        )
    except EngineError:
        raise SourceError(f'{shown(name)} is not JSON lines: every line must be one object, such as {{"age": 40}}.') from None
    return [key for (key,) in keys]


def json_reader(files: Sequence[Path], engine: Engine, keys: Sequence[str], *, packed: bool, named: bool = False) -> str:
    """Return what goes behind FROM for these keys of some files, as text; `named` adds the name of the file."""
    types = ", ".join(f"{engine.text(key)}: 'VARCHAR'" for key in keys)
    return f"read_json({_options(files, engine, packed)}, columns = {{{types}}}{', filename = true' if named else ''})"


def _options(files: Sequence[Path], engine: Engine, packed: bool) -> str:
    listed = ", ".join(engine.text(str(path)) for path in files)
    compression = "gzip" if packed else "none"
    return f"[{listed}], format = 'newline_delimited', compression = '{compression}', hive_partitioning = false"
