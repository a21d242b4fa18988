"""Columns of a table as integer codes, with the texts they stand for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonscope.engines import Engine
from anonscope.engines.values import canonical
from anonscope.errors import ColumnNotFound, EngineError
from anonscope.io.sources import Relation
from anonscope.risk.counting.arrays import Integers
from anonscope.risk.counting.grouping import dense

_WORD = 2**62


Cells = tuple[Integers, Integers, Integers]


@dataclass(frozen=True, slots=True, eq=False)
class CodedColumn:
    """A column in codes: `values[code]` is what a code stands for, and code 0 is a missing value."""

    values: tuple[str | None, ...]
    codes: Integers


def read_columns(engine: Engine, relation: Relation, columns: Sequence[str], rows: int | None = None) -> dict[str, CodedColumn]:
    """Return columns in codes, in the order of the records; codes follow the order of the texts."""
    if engine.remote:
        raise EngineError(
            f"This needs the records one by one, and on {engine.title} they stay where they are. Use the engine DuckDB for it."
        )
    limit = f" LIMIT {rows}" if rows is not None else ""
    table = engine.batches(f"SELECT {', '.join(texts_of(relation, columns))} FROM {relation.origin}{limit}").read_all()
    return {name: coded(column) for name, column in zip(columns, table.columns, strict=True)}


def texts_of(relation: Relation, columns: Sequence[str]) -> list[str]:
    """Return the SQL for the canonical texts of columns, as x0, x1, ..."""
    for name in columns:
        if name not in relation.names:
            raise ColumnNotFound(name, relation.names)
    places = [relation.position(name) for name in columns]
    return [f"{canonical(f'c{i}', relation.columns[i].type, relation.columns[i].name)} AS x{j}" for j, i in enumerate(places)]


def coded(column: Any) -> CodedColumn:
    """Return an Arrow column of texts in codes, which follow the order of the texts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = pc.dictionary_encode(column.combine_chunks())
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    values = encoded.dictionary.to_pylist()
    order = sorted(range(len(values)), key=values.__getitem__)
    place = np.zeros(len(values) + 1, dtype=np.int32)
    place[np.array(order, dtype=np.int64)] = np.arange(1, len(values) + 1)
    # A missing value has no place in the dictionary; it takes the one behind the last, whose code is 0.
    indices = pc.fill_null(encoded.indices, len(values)).to_numpy(zero_copy_only=False)
    return CodedColumn((None, *(values[i] for i in order)), place[indices])


def numbered(codes: Sequence[Integers], sizes: Sequence[int]) -> tuple[Integers, int]:
    """Return a number for every record, the same for records with the same codes, without gaps; and how many there are."""
    number, count = np.zeros(len(codes[0]) if len(codes) else 0, dtype=np.int64), 1
    for code, size in zip(codes, sizes, strict=True):
        if count * size > _WORD:
            number, count = dense(number, count)
        number, count = number * size + code, count * size
    return dense(number, count)
