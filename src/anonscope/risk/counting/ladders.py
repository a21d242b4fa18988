"""From a hierarchy and the values of a column to a ladder: nodes, labels, and what each node loses.

The normalised certainty penalty is that of J. Xu et al. (2006), "Utility-based anonymization using local recoding": of a category
the values of the data below the node by all values of the column; of an interval its length, clipped to the observed range, by
that of the range. A node that holds one value loses nothing, and the root loses all.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonscope.columns.hierarchy import Hierarchy
from anonscope.engines.values import CODE, NUMBER
from anonscope.errors import HierarchyError, shown
from anonscope.risk.counting.arrays import Floats, Integers

_ROOT = "*"
_NUMBER, _CODE = re.compile(NUMBER), re.compile(CODE)


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """One attribute and its levels: `levels[j][code]` is the node of a code at level j; level 0 tells all codes apart.

    Each level coarsens the one below, and the last has a single node.
    """

    name: str
    levels: tuple[Integers, ...]
    labels: tuple[tuple[str | None, ...], ...]  # by level and node; None is NULL
    penalties: tuple[Floats, ...]  # normalised certainty penalty, by level and node
    leaves: tuple[Integers, ...]  # values of the hierarchy's file below a node, by level and node

    @property
    def height(self) -> int:
        """The number of the last level."""
        return len(self.levels) - 1

    def nodes(self, level: int) -> int:
        """Return how many nodes a level has."""
        return len(self.labels[level])

    @property
    def cardinalities(self) -> tuple[int, ...]:
        """How many values each level tells apart, a missing one left out."""
        return tuple(self.nodes(level) - (level < self.height) for level in range(self.height + 1))

    def star(self, level: int) -> int:
        """Return the node of a level that is labelled like the root, or -1: a file may write "*" early for some values."""
        top = self.labels[-1][0]
        return self.labels[level].index(top) if top in self.labels[level] else -1


def ladder(name: str, hierarchy: Hierarchy, values: Sequence[str | None], present: Sequence[bool] | None = None) -> Ladder:
    """Return the ladder of a column: `values[code]` is what a code stands for, and code 0 is NULL.

    `present` says which codes occur in the data, if not just all but NULL: a population may bring values of its own.
    """
    rows = {leaf: row for row, leaf in enumerate(hierarchy.leaves)}
    if uncovered := sum(value not in rows for value in values[1:]):
        raise HierarchyError(
            f"The hierarchy {shown(hierarchy.name)} does not cover {uncovered:,} of the {len(values) - 1:,} values of column "
            f"{shown(name)}. Add a line for each, written exactly as in the table."
        )
    occurs = np.array(present if present is not None else [False] + [True] * (len(values) - 1), dtype=bool)
    place = np.array([rows[value] for value in values[1:] if value is not None], dtype=np.int64)
    # Level 0 and every level of the file but the last; NULL comes first and stays alone.
    levels: list[Integers] = [np.arange(len(values))]
    labels: list[tuple[str | None, ...]] = [(None, *values[1:])]
    # Of every row of the file, the node it is in; -1 where no value of the column is.
    leaf_nodes: list[Integers] = [np.full(len(rows), -1, dtype=np.int64)]
    leaf_nodes[0][place] = np.arange(1, len(values))
    for level in hierarchy.levels[:-1]:
        numbers = {label: i for i, label in enumerate(dict.fromkeys(level[row] for row in place.tolist()), start=1)}
        nodes = np.array([numbers.get(label, -1) for label in level], dtype=np.int64)
        levels.append(np.concatenate([[0], nodes[place]]))
        labels.append((None, *(str(label) for label in numbers)))
        leaf_nodes.append(nodes)
    levels.append(np.zeros(len(values), dtype=np.int64))
    labels.append((_ROOT,))
    sizes = tuple(map(len, labels))
    numbers_of = _numbers(hierarchy, values)
    intervals = numbers_of is not None and all(_are_intervals(numbers_of, nodes) for nodes in leaf_nodes)
    penalties = [
        _interval_penalties(numbers_of, leaf_nodes[j], place[occurs[1:]], sizes[j])
        if intervals and numbers_of is not None
        else _category_penalties(levels[j], occurs, sizes[j])
        for j in range(len(levels) - 1)
    ]
    return Ladder(
        name=name,
        levels=tuple(level.astype(np.int32) for level in levels),
        labels=tuple(labels),
        penalties=(*penalties, np.ones(1)),
        leaves=(*(_leaves(nodes, size) for nodes, size in zip(leaf_nodes, sizes, strict=False)), np.array([len(rows)])),
    )


def flat_ladder(name: str, values: Sequence[str | None], present: Sequence[bool] | None = None) -> Ladder:
    """Return the ladder of a column that has no hierarchy: its values, and "*"."""
    known = tuple(value for value in values[1:] if value is not None)
    return ladder(name, Hierarchy(name, known, (tuple(_ROOT for _ in known),)), values, present)


def _numbers(hierarchy: Hierarchy, values: Sequence[str | None]) -> Floats | None:
    """Return the leaves as numbers if all values of the column are; a leaf of the file that is none is not a number (NaN)."""
    if len(values) < 2 or any(value is None or not _NUMBER.match(value) or _CODE.match(value) for value in values[1:]):
        return None
    return np.array([float(leaf) if _NUMBER.match(leaf) else np.nan for leaf in hierarchy.leaves])


def _are_intervals(numbers: Floats, nodes: Integers) -> bool:
    """Return whether the nodes of a level follow one another on the number line, so that each is an interval."""
    order = np.argsort(numbers)
    listed = nodes[order][~np.isnan(numbers[order])]
    begins = listed[np.concatenate([[True], listed[1:] != listed[:-1]])]
    inside = begins[begins >= 0]
    return len(inside) == len(np.unique(inside))


def _interval_penalties(numbers: Floats, nodes: Integers, observed: Integers, size: int) -> Floats:
    penalties = np.zeros(size)
    if not len(observed):
        return penalties
    low, high = numbers[observed].min(), numbers[observed].max()
    used = (nodes > 0) & ~np.isnan(numbers)
    lower, upper = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(lower, nodes[used], numbers[used])
    np.maximum.at(upper, nodes[used], numbers[used])
    found = np.isfinite(lower) & np.isfinite(upper)
    length = np.minimum(upper[found], high) - np.maximum(lower[found], low)
    penalties[found] = np.clip(length / (high - low), 0, 1) if high > low else 0.0
    return penalties


def _category_penalties(nodes: Integers, occurs: Integers, size: int) -> Floats:
    below = np.bincount(nodes[occurs], minlength=size)
    penalties = below / max(int(occurs.sum()), 1)
    penalties[below < 2] = 0.0
    penalties[0] = 0.0
    return penalties


def _leaves(nodes: Integers, size: int) -> Integers:
    leaves = np.bincount(nodes[nodes >= 0], minlength=size)
    # NULL stands for itself.
    leaves[0] = 1
    return leaves
