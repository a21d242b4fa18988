"""How far the sensitive values of every class are from the table's: the earth mover's distances of t-closeness.

N. Li, T. Li, S. Venkatasubramanian (2007), "t-closeness". These are the formulas of count/ordered.py and hierarchy/distance.py,
as arrays over the values that occur in a class; no grid of classes x values is made.
"""

import numpy as np

from anonscope.risk.counting.arrays import Floats
from anonscope.risk.counting.grouping import dense
from anonscope.transform.search.classes import Classes
from anonscope.transform.search.problem import Distance


def distance(classes: Classes, sensitive: int, kind: Distance) -> Floats:
    """Return the distance of every class."""
    return {"equal": _equal, "ordered": _ordered, "hierarchical": _hierarchical}[kind](classes, sensitive)


def _equal(classes: Classes, sensitive: int) -> Floats:
    cells = classes.cells(sensitive)
    extra = cells.n / classes.n[cells.classes] - classes.table.share(sensitive)[cells.parts]
    return np.bincount(cells.classes, weights=np.maximum(extra, 0), minlength=classes.count)


def _ordered(classes: Classes, sensitive: int) -> Floats:
    """Return the area between cumulative curves; a class's is flat between two values that it holds."""
    ranks = classes.problem.sensitive[sensitive].ranks
    assert ranks is not None, "an ordered distance is asked for with ranks only"
    counts = classes.table.values[sensitive]
    # Of the values that occur in the table that classes are compared with.
    present = np.unique(ranks[counts > 0])
    place = np.zeros(len(ranks), dtype=np.int64)
    occurs = counts > 0
    place[occurs] = np.searchsorted(present, ranks[occurs])
    steps = len(present)
    if steps < 2:
        return np.zeros(classes.count)
    cumulative = np.cumsum(np.bincount(place[occurs], weights=counts[occurs], minlength=steps)) / classes.table.records
    area = np.concatenate([[0.0], np.cumsum(cumulative)])
    cells = classes.cells(sensitive)
    order = np.lexsort((place[cells.parts], cells.classes))
    of, low, n = cells.classes[order], place[cells.parts][order], cells.n[order]
    last = np.concatenate([of[1:] != of[:-1], [True]])
    high = np.where(last, steps, np.concatenate([low[1:], [steps]]))
    before = np.cumsum(n) - n
    share = (np.cumsum(n) - before[cells.starts][of]) / classes.n[of]
    # Below its smallest value the curve of a class is 0.
    gaps = (
        np.concatenate([of, np.arange(classes.count)]),
        np.concatenate([low, np.zeros(classes.count, dtype=np.int64)]),
        np.concatenate([high, low[cells.starts]]),
        np.concatenate([share, np.zeros(classes.count)]),
    )
    of, low, high, share = gaps
    cross = np.clip(np.searchsorted(cumulative, share, side="right"), low, high)
    moved = share * (cross - low) - (area[cross] - area[low]) + (area[high] - area[cross]) - share * (high - cross)
    return np.maximum(np.bincount(of, weights=moved, minlength=classes.count), 0) / (steps - 1)


def _hierarchical(classes: Classes, sensitive: int) -> Floats:
    """Return what is moved across every node, by the node's height: what its children have too much of, less what it has itself."""
    tree = classes.problem.sensitive[sensitive].tree
    assert tree is not None, "a hierarchical distance is asked for with a tree only"
    cells, height = classes.cells(sensitive), len(tree) - 1
    counts = classes.table.values[sensitive]
    found = np.zeros(classes.count)
    below: tuple[Floats, Floats] | None = None  # of every cell, its pair of class and node one level down; of every pair, the surplus
    for level, nodes in enumerate(tree):
        shifted = nodes - min(int(nodes.min()), 0)
        size = int(shifted.max()) + 1
        pair, pairs = dense(cells.classes * size + shifted[cells.parts], classes.count * size)
        first = np.zeros(pairs, dtype=np.int64)
        first[pair] = np.arange(len(pair))
        of = cells.classes[first]
        share = np.bincount(shifted, weights=counts, minlength=size) / max(classes.table.records, 1)
        extra = np.bincount(pair, weights=cells.n, minlength=pairs) / classes.n[of] - share[shifted[cells.parts[first]]]
        if below is not None:
            child, surplus = below
            above = np.zeros(len(surplus), dtype=np.int64)
            above[child] = pair
            much = np.bincount(above, weights=np.maximum(surplus, 0), minlength=pairs)
            moved = np.maximum(much - np.maximum(extra, 0), 0) * level / height
            found += np.bincount(of, weights=moved, minlength=classes.count)
        below = pair, extra
    return found
