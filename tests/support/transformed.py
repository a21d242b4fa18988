"""What steps make of a small table given column by column."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

import anonscope as an
from anonscope.transform.transformation import Transformation


def in_one_form(table: pa.Table) -> dict[str, list[Any]]:
    """Return a table column by column as a release has it: NaN is missing, and minus zero is zero."""

    def form(value: Any) -> Any:
        return value if not isinstance(value, float) else None if value != value else value + 0.0

    return {name: [form(value) for value in values] for name, values in table.to_pydict().items()}


def transformed(
    steps: Transformation | Sequence[Transformation], columns: dict[str, list[Any]] | pa.Table, *, threads: int = 1
) -> dict[str, list[Any]]:
    """Return the release column by column."""
    with an.read(columns if isinstance(columns, pa.Table) else pa.table(columns), threads=threads) as data:
        return an.apply(steps, data).table.to_pydict()
