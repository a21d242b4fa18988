"""The records of a table as values of its domain, for methods that learn from records; on the machine where the table is."""

from dataclasses import replace
from typing import Any

import numpy as np

from anonscope.engines import Engine
from anonscope.errors import EngineError
from anonscope.io.sources import Relation
from anonscope.synthesis.cells import cell_table
from anonscope.synthesis.domain import Categories, Domain, Numbers
from anonscope.synthesis.values import Values


def read_records(engine: Engine, relation: Relation, domain: Domain, rows: int | None = None) -> Values:
    """Return the values of all records that have a place in the domain, a column at a time."""
    if engine.remote:
        raise EngineError(
            f"This method learns from records one by one, and on {engine.title} they stay where they are. Use tree or adaptive, which "
            "count there, or the engine DuckDB."
        )
    # Nothing is guaranteed, so nobody's records have to be left out.
    everybody = replace(domain, unit=None, records_per_unit=1)
    numbers = [column.name for column in domain.columns if isinstance(column, Numbers)]
    name = cell_table(engine, relation, everybody, values=numbers, rows=rows)
    listed = [f"k{j}" for j in range(len(domain.columns))] + [f"COALESCE(v{i}, 0) AS v{i}" for i in range(len(numbers))]
    arrays = engine.arrays(f"SELECT {', '.join(listed)} FROM {name}")
    cells, values = arrays[: len(domain.columns)], dict(zip(numbers, arrays[len(domain.columns) :], strict=True))
    found: list[Any] = []
    for codes, column in zip(cells, domain.columns, strict=True):
        if isinstance(column, Categories):
            found.append(codes.astype(np.int64))
        elif isinstance(column, Numbers):
            found.append(np.where(codes >= column.present, np.nan, values[column.name].astype(np.float64)))
        else:
            starts = np.array([start.toordinal() for start in column.starts] + [0], dtype=np.float64)  # type: ignore[attr-defined]
            found.append(np.where(codes >= column.present, np.nan, starts[np.minimum(codes, column.present)]))
    return found
