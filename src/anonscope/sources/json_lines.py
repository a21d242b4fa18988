"""JSON lines: one object a line; a key that a line lacks is NULL."""

from pathlib import Path

from anonscope.engines import Engine
from anonscope.errors import EngineError, SourceError, shown
from anonscope.sources.encoding import is_packed
from anonscope.sources.relation import Column, Relation, named_columns, positional


def open_json_lines(path: Path, engine: Engine, name: str) -> Relation:
    """Return the file as a relation of text columns, in the order in which keys first appear."""
    packed = is_packed(path)
    options = f"{engine.text(str(path))}, format = 'newline_delimited', compression = '{'gzip' if packed else 'none'}'"
    try:
        keys = engine.rows(
            "SELECT k FROM (SELECT UNNEST(json_keys(json)) AS k, ROW_NUMBER() OVER () AS i "
            f"FROM read_json_objects({options})) AS x GROUP BY k ORDER BY MIN(i), k"
        )
    except EngineError:
        raise SourceError(f'{shown(name)} is not JSON lines: every line must be one object, such as {{"age": 40}}.') from None
    if not keys:
        raise SourceError(f"{shown(name)} has no records.")
    names = named_columns([key for (key,) in keys], name)
    types = ", ".join(f"{engine.text(key)}: 'VARCHAR'" for (key,) in keys)
    origin = f"read_json({options}, columns = {{{types}}}) AS t({positional(len(names))})"
    return Relation(name, tuple(Column(column, "VARCHAR") for column in names), origin, stage=True, large=path.stat().st_size > 32 * 2**20)
