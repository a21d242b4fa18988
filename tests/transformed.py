"""What steps make of a small table given column by column."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

import anonscope as an
from anonscope.transform import Transformation


def transformed(
    steps: Transformation | Sequence[Transformation], columns: dict[str, list[Any]] | pa.Table, *, threads: int = 1
) -> dict[str, list[Any]]:
    """Return the release column by column."""
    with an.read(columns if isinstance(columns, pa.Table) else pa.table(columns), threads=threads) as data:
        return an.apply(steps, data).table.to_pydict()
