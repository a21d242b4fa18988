"""Which of several ladders for a column allows least loss, by how many records have each value.

In a table each column shares the records with the others, so what a label needs is not k records but k of every class that the others
make: k, 2 k, 4 k and so on up to two fifths of all. At each of these sizes a table is recoded in two ways. Locally, every record takes
the finest label that so many can take, some of them to help others, and what is left at the top is suppressed. Globally, all take the
finest level all labels of which have so many. The mean of what these lose, over the sizes and over k = 2, 5, 10 and 20, is the loss that
the ladder allows.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from anonscope.columns.hierarchy.hierarchy import Hierarchy

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIZES = (2, 5, 10, 20)
# The largest share of the records that a label may need: an even division in two just fails to give each side half of them.
_LARGEST = 0.4
# What suppressing a record loses, in cells: a table has several columns, and all of them go.
_COLUMNS = 5
# A ladder that reads better is taken unless another loses so much less.
_NEARLY = 0.9
# Columns with more values than this are not judged: the ladder that reads best is taken.
MOST_JUDGED = 100_000


def best_of(candidates: Iterable[Hierarchy], counts: Sequence[int], numbers: Sequence[float] | None = None) -> Hierarchy:
    """Return the ladder that allows least loss; those come first that read better, and stay where no other is clearly better.

    All have the same leaves, in the order of `counts`. `numbers` are the leaves as numbers where labels are intervals of these.
    """
    listed = list(dict.fromkeys(candidates))
    if len(listed) == 1 or len(counts) > MOST_JUDGED or not sum(counts):
        return listed[0]
    judged = [(allowed_loss(one, counts, numbers), one) for one in listed]
    best, found = judged[0]
    for loss, one in judged[1:]:
        if loss < _NEARLY * best:
            best, found = loss, one
    return found


def allowed_loss(hierarchy: Hierarchy, counts: Sequence[int], numbers: Sequence[float] | None = None) -> float:
    """Return what a ladder loses where its labels need k records or several times as many: 0 is nothing, 1 everything."""
    import numpy as np

    records = np.asarray(counts, dtype=np.float64)
    total = float(records.sum())
    levels = [np.asarray(hierarchy.nodes(level), dtype=np.int64) for level in range(hierarchy.height + 1)]
    penalties = [_penalties(nodes, numbers) for nodes in levels]
    # The node above every node.
    above = [_parents(below, nodes) for below, nodes in pairwise(levels)]
    grouped = [np.bincount(nodes, weights=records) for nodes in levels]
    globally = [(float(group[group > 0].min()), float(group @ lost)) for group, lost in zip(grouped, penalties, strict=True)]
    known: dict[int, float] = {}
    losses = []
    for k in SIZES:
        sizes = _sizes(k, total)
        for size in sizes:
            if size not in known:
                everywhere = min((lost for smallest, lost in globally if smallest >= size), default=total)
                known[size] = (_at(size, grouped, above, penalties) + everywhere) / (2 * total)
        losses.append(sum(known[size] for size in sizes) / len(sizes))
    return sum(losses) / len(losses)


def _sizes(k: int, total: float) -> list[int]:
    sizes = [k]
    while 2 * sizes[-1] <= _LARGEST * total:
        sizes.append(2 * sizes[-1])
    return sizes


def _at(size: int, grouped: Sequence["NDArray[Any]"], above: Sequence["NDArray[Any]"], penalties: Sequence["NDArray[Any]"]) -> float:
    """Return the loss where every record takes the finest label that enough can take; those who need not come up to make enough of them."""
    import numpy as np

    lost, open_ = 0.0, grouped[0]
    for records, parents, penalty in zip(grouped, above, penalties, strict=False):
        taken = (records >= size) & (open_ > 0)
        lost += float(np.maximum(open_[taken], size) @ penalty[taken])
        open_ = np.bincount(parents, weights=np.where(taken, 0.0, open_), minlength=int(parents.max()) + 1)
    left = float(open_.sum())
    return lost + (min(_COLUMNS * left, max(left, size)) if left else 0.0)


def _parents(below: "NDArray[Any]", nodes: "NDArray[Any]") -> "NDArray[Any]":
    import numpy as np

    parents = np.zeros(int(below.max()) + 1, dtype=np.int64)
    parents[below] = nodes
    return parents


def _penalties(nodes: "NDArray[Any]", numbers: Sequence[float] | None) -> "NDArray[Any]":
    """Return what a record loses at every node: the length of an interval by the whole, or the values below by all values."""
    import numpy as np

    size = int(nodes.max()) + 1
    values = np.bincount(nodes, minlength=size)
    if numbers is None:
        return np.where(values > 1, values / len(nodes), 0.0)
    listed = np.asarray(numbers, dtype=np.float64)
    known = np.isfinite(listed)
    span = float(np.ptp(listed[known])) if known.any() else 0.0
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, nodes[known], listed[known])
    np.maximum.at(high, nodes[known], listed[known])
    found = high >= low
    return np.where(found, (np.where(found, high, 0) - np.where(found, low, 0)) / span if span > 0 else 0.0, values / len(nodes))
