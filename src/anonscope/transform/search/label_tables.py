"""What became of every combination, as tables on an engine that records can be joined with.

    labels(k0, k1, ..., l0, l1, ..., kept)     keys of a tuple; its labels; 1 where its records stay in the release

A key is a text with a letter before it, and the empty text stands for a missing value, so that equality finds it: engines are slow
at joins in which NULL equals NULL.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anonscope.columns.images import EVERYTHING
from anonscope.engines import Engine
from anonscope.risk.counting.arrays import Integers
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding

if TYPE_CHECKING:
    import pyarrow as pa

# Tuples whose labels are written out at one time.
_CHUNK = 500_000


def key(text: str) -> str:
    """Return the SQL for the key of a canonical text."""
    return f"COALESCE('x' || {text}, '')"


class LabelTables:
    """Tables of labels that are stored one by one and read as one."""

    def __init__(self, engine: Engine, name: str, attributes: Sequence[str]) -> None:
        self.engine, self.name, self.attributes = engine, name, tuple(attributes)
        self.dropped = False  # whether any tuple leaves the release
        self._changed = np.zeros(len(attributes), dtype=bool)
        self._tables: list[str] = []

    @property
    def changed(self) -> tuple[str, ...]:
        """The attributes that are not at their finest level everywhere."""
        return tuple(name for name, changed in zip(self.attributes, self._changed, strict=True) if changed)

    def add(self, recoding: Recoding) -> None:
        """Store what became of the tuples of a problem."""
        self._mark(recoding)
        for chunk in _chunks(recoding):
            arrow = f"arrow_source_{self.name}_{len(self._tables)}"
            self.engine.register(arrow, chunk)
            self._store(f"SELECT {self._columns} FROM {arrow}")

    def add_select(self, select: str) -> None:
        """Store what a SELECT on the engine tells of tuples, all of which were changed."""
        self._changed[:] = True
        self._store(select)

    def union(self) -> str:
        """Return the SELECT that reads all of them."""
        return " UNION ALL ".join(f"SELECT {self._columns} FROM {table}" for table in self._tables)

    @property
    def _columns(self) -> str:
        numbers = range(len(self.attributes))
        return ", ".join([*(f"k{a}" for a in numbers), *(f"l{a}" for a in numbers), "kept"])

    def _store(self, select: str) -> None:
        table = f"{self.name}_{len(self._tables)}"
        self.engine.materialise(table, select)
        self._tables.append(table)

    def _mark(self, recoding: Recoding) -> None:
        goes = recoding.suppressed if recoding.problem.suppressed == "drop" else np.zeros(recoding.problem.tuples, dtype=bool)
        self.dropped |= bool(goes.any())
        self._changed |= (recoding.at[~goes] > 0).any(axis=0)


def _chunks(recoding: Recoding) -> "Iterator[pa.Table]":
    import pyarrow as pa

    problem = recoding.problem
    for start in range(0, problem.tuples, _CHUNK):
        here = slice(start, min(start + _CHUNK, problem.tuples))
        columns: dict[str, Any] = {}
        for a, ladder in enumerate(problem.ladders):
            keys = pa.array(["" if text is None else f"x{text}" for text in ladder.labels[0]], pa.string())
            columns[f"k{a}"] = keys.take(pa.array(problem.codes[a][here]))
            columns[f"l{a}"] = _labels(problem, a, recoding.at[here, a], here)
        goes = recoding.suppressed[here] if problem.suppressed == "drop" else np.zeros(here.stop - here.start, dtype=bool)
        yield pa.table({**columns, "kept": pa.array((~goes).astype(np.int32))})


def _labels(problem: Problem, a: int, levels: Integers, here: slice) -> Any:
    """Return the labels of some tuples in an attribute at their levels."""
    import pyarrow as pa

    ladder = problem.ladders[a]
    # All labels of all levels in one list; a tuple's place in it is its node, counted on from the levels below.
    below = np.cumsum([0, *(ladder.nodes(j) for j in range(ladder.height))])
    place = np.zeros(len(levels), dtype=np.int64)
    for level in np.unique(levels).tolist():
        chosen = levels == level
        place[chosen] = below[level] + problem.coded(a, level)[here][chosen]
    labels = pa.array([label for nodes in ladder.labels for label in nodes], pa.string())
    return labels.take(pa.array(place))


def joined_with(origin: str, texts: Sequence[str], labels: str, attributes: Sequence[int]) -> str:
    """Return what goes behind FROM for records with their labels l<i> and `kept` beside them.

    A record whose tuple nobody has seen, because the table changed meanwhile, is suppressed.
    """
    same = " AND ".join(f"{key(text)} = m.k{a}" for a, text in enumerate(texts))
    shown = [f"CASE WHEN m.kept IS NULL THEN '{EVERYTHING}' ELSE m.l{a} END AS l{a}" for a in attributes]
    return f"(SELECT {', '.join(['t.*', *shown, 'm.kept'])} FROM (SELECT * FROM {origin}) AS t LEFT JOIN {labels} AS m ON {same}) AS t"
