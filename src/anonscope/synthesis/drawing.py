"""Records drawn column by column, each from its distribution given columns that were drawn before it.

Within every group of records that agree on those, shares are kept to the nearest whole record (systematic sampling: one random start a
group, then even steps), and who gets what is in random order. So a drawn table is as near to its model as whole records can be.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonscope.risk.counting.arrays import Floats, Integers


@dataclass(frozen=True, slots=True, eq=False)
class Conditional:
    """The distribution of a column given others: one axis each in the order of `given`, then that of the column."""

    column: int
    given: tuple[int, ...]
    table: Floats


def draw_records(model: Sequence[Conditional], rows: int, chance: np.random.Generator) -> list[Integers]:
    """Return so many records of a model whose columns are in an order in which each can be drawn, as codes a column."""
    found: dict[int, Integers] = {}
    for part in model:
        size = part.table.shape[-1]
        group = np.zeros(rows, dtype=np.int64)
        for column, places in zip(part.given, part.table.shape, strict=False):
            group = group * places + found[column]
        found[part.column] = draw_within(group, part.table.reshape(-1, size), chance)
    return [found[column] for column in sorted(found)]


def draw_within(group: Integers, table: Floats, chance: np.random.Generator) -> Integers:
    """Return a cell for every record, by the row of the table that its group has; a row of zeros draws from all rows together."""
    rows = len(group)
    if not rows:
        return np.zeros(0, dtype=np.int64)
    order = chance.permutation(rows)
    if len(table) > 1:
        # Numbers of two bytes are sorted by their digits, which is many times faster.
        narrow = group.astype(np.uint16) if len(table) <= 2**16 else group
        order = order[np.argsort(narrow[order], kind="stable")]
    counted = np.bincount(group, minlength=len(table))
    present = np.flatnonzero(counted)
    size, weights = counted[present, None], np.maximum(table[present], 0.0)
    empty = weights.sum(axis=1) <= 0
    if empty.any():
        everybody = np.maximum(table, 0.0).sum(axis=0)
        weights[empty] = everybody if everybody.sum() > 0 else 1.0
    upto = np.cumsum(weights, axis=1)
    upto /= upto[:, -1:]
    # The records of a group stand at even steps, so how many lie before the end of each cell needs no look at any of them.
    before = np.clip(np.ceil(size * upto - chance.random((len(present), 1))), 0, size).astype(np.int64)
    # Rounding must put nobody behind the last cell that can be.
    before = np.where(upto >= 1.0, size, before)
    found = np.empty(rows, dtype=np.int64)
    found[order] = np.repeat(np.tile(np.arange(table.shape[1]), len(present)), np.diff(before, axis=1, prepend=0).ravel())
    return found
