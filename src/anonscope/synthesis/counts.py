"""Marginals of a table in the cells of its domain, counted where the data is: one GROUP BY each, or in memory where it is here."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from anonscope.engines import Engine
from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.synthesis.domain import Domain

_REMEMBERED = 2**16  # cells of a count that is kept


class Counts(Protocol):
    """How many records are in every cell of some columns."""

    @property
    def sizes(self) -> tuple[int, ...]: ...

    def of(self, columns: Sequence[int]) -> Integers:
        """Return the counts over some columns, an axis each."""
        ...

    def several(self, sets: Sequence[tuple[int, ...]]) -> list[Integers]:
        """Return the counts over several sets of columns."""
        ...


class RecordCounts:
    """Counted from records in memory, as codes a column."""

    def __init__(self, codes: Sequence[Integers], sizes: Sequence[int]) -> None:
        self.codes, self._sizes = list(codes), tuple(sizes)
        self._known: dict[tuple[int, ...], Integers] = {}

    @property
    def sizes(self) -> tuple[int, ...]:
        return self._sizes

    def of(self, columns: Sequence[int]) -> Integers:
        place = tuple(columns)
        if place in self._known:
            return self._known[place]
        found = self._counted(place)
        # Pairs are asked for again when a table is compared with what was drawn; larger sets would take more room than time.
        if len(place) <= 2 and found.size <= _REMEMBERED:
            found.flags.writeable = False
            self._known[place] = found
        return found

    def _counted(self, columns: Sequence[int]) -> Integers:
        shape = tuple(self._sizes[c] for c in columns)
        if not len(self.codes[0]):
            return np.zeros(shape, dtype=np.int64)
        place = np.zeros(len(self.codes[0]), dtype=np.int64)
        for c in columns:
            place *= self._sizes[c]
            place += self.codes[c]
        return np.bincount(place, minlength=int(np.prod(shape, dtype=np.int64))).astype(np.int64).reshape(shape)

    def several(self, sets: Sequence[tuple[int, ...]]) -> list[Integers]:
        return [self.of(columns) for columns in sets]


class EngineCounts:
    """Counted by the engine, which hands out no more than how many records are in every cell."""

    def __init__(self, engine: Engine, table: str, sizes: Sequence[int]) -> None:
        self._engine, self._table, self._sizes = engine, table, tuple(sizes)

    @property
    def sizes(self) -> tuple[int, ...]:
        return self._sizes

    def of(self, columns: Sequence[int]) -> Integers:
        keys = ", ".join(f"k{c}" for c in columns)
        found = np.zeros([self._sizes[c] for c in columns], dtype=np.int64)
        rows = self._engine.rows(f"SELECT {keys}, COUNT(*) AS n FROM {self._table} GROUP BY {keys}")
        if rows:
            table = np.array(rows, dtype=np.int64)
            found[tuple(table[:, i] for i in range(len(columns)))] = table[:, -1]
        return found

    def several(self, sets: Sequence[tuple[int, ...]]) -> list[Integers]:
        return self._engine.together([lambda columns=columns: self.of(columns) for columns in sets])  # type: ignore[misc]


class GroupedCounts:
    """Counts over cells that were put together: `groups` says to which new cell every cell of a column belongs."""

    def __init__(self, counts: Counts, groups: Sequence[Integers]) -> None:
        self._counts, self._groups = counts, list(groups)

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(int(group.max()) + 1 for group in self._groups)

    def of(self, columns: Sequence[int]) -> Integers:
        return self.several([tuple(columns)])[0]

    def several(self, sets: Sequence[tuple[int, ...]]) -> list[Integers]:
        return [self._grouped(found, columns) for found, columns in zip(self._counts.several(sets), sets, strict=True)]

    def _grouped(self, found: Integers, columns: Sequence[int]) -> Integers:
        sizes = self.sizes
        for axis, column in enumerate(columns):
            # One rare cell is put behind the others, though they are as many as before.
            if not np.array_equal(self._groups[column], np.arange(found.shape[axis])):
                turned = np.moveaxis(found, axis, 0)
                fewer = np.zeros((sizes[column], *turned.shape[1:]), dtype=np.int64)
                np.add.at(fewer, self._groups[column], turned)
                found = np.moveaxis(fewer, 0, axis)
        return found


def counts_of(engine: Engine, table: str, domain: Domain) -> Counts:
    """Return what counts the stored cells of a table: its records where they are here already, else the engine."""
    sizes = domain.sizes
    if engine.remote:
        return EngineCounts(engine, table, sizes)
    listed = ", ".join(f"CAST(k{j} AS {'SMALLINT' if size < 2**15 else 'INTEGER'}) AS k{j}" for j, size in enumerate(sizes))
    return RecordCounts(engine.arrays(f"SELECT {listed} FROM {table}"), sizes)


def shares(counts: Floats) -> Floats:
    """Return counts as shares of their sum; all the same where there is none."""
    total = float(counts.sum())
    return counts / total if total > 0 else np.full(counts.shape, 1.0 / max(1, counts.size))
