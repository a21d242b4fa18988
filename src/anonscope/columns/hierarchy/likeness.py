"""Categories joined two by two: the rarest first, and of the rare ones those whose records are alike.

Without anything else known, the two rarest groups are joined each time (D. A. Huffman (1952)): no tree keeps common values apart for
longer. Where it is known what the records of each value are like in other columns, the two groups are joined that can be told apart
least by them: rare ones because few records are concerned, and alike ones because little is lost (N. Slonim & N. Tishby (1999),
"Agglomerative information bottleneck").
"""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The groups of a tree on its way up: each a tuple of values by their place.
Group = tuple[int, ...]
Groups = list[Group]
Joins = list[tuple[Group, Group]]
# With more values than this the rarest are joined without a look at what they are like.
MOST_ALIKE = 120


def by_rarity(counts: Sequence[int], down_to: int = 1) -> Joins:
    """Return which two groups are joined each time, the rarest first."""
    heap: list[tuple[int, int, Group]] = [(count, i, (i,)) for i, count in enumerate(counts)]
    heapify(heap)
    joins: Joins = []
    number = len(heap)
    while len(heap) > down_to:
        few, _, first = heappop(heap)
        more, _, second = heappop(heap)
        joins.append((first, second))
        heappush(heap, (few + more, number, first + second))
        number += 1
    return joins


def by_likeness(counts: Sequence[int], profiles: "NDArray[Any]") -> Joins:
    """Return which two groups are joined each time: those that other columns tell apart least.

    `profiles` has a row for every value: in how many of its records each value of the other columns occurs.
    """
    import numpy as np

    joins = by_rarity(counts, MOST_ALIKE)
    groups: Groups = [(i,) for i in range(len(counts))]
    for first, second in joins:
        groups = [group for group in groups if group not in (first, second)] + [first + second]
    sums = np.array([profiles[list(group)].sum(axis=0) for group in groups], dtype=np.float64)
    apart = np.full((len(groups), len(groups)), np.inf)
    for i in range(len(groups) - 1):
        apart[i, i + 1 :] = _told(sums[i], sums[i + 1 :])
    left = list(range(len(groups)))
    while len(left) > 1:
        i, j = divmod(int(apart.argmin()), len(groups))
        joins.append((groups[i], groups[j]))
        groups[i] = groups[i] + groups[j]
        sums[i] += sums[j]
        apart[j, :] = apart[:, j] = np.inf
        left.remove(j)
        others = [k for k in left if k != i]
        if others:
            told = _told(sums[i], sums[others])
            for k, value in zip(others, told.tolist(), strict=True):
                apart[min(i, k), max(i, k)] = value
    return joins


def in_company(counts: Sequence[int], profiles: "NDArray[Any] | None" = None) -> list[Groups]:
    """Return ever fewer groups in which every rare value has a common one beside it, the one that is most like it; finest first.

    The values come in the order of their counts, the commonest first. Half of them are groups of their own at first, and each takes
    one of the rarer half; then the groups are joined in the same way, as long as there are more than three.
    """
    import numpy as np

    groups: Groups = [(i,) for i in range(len(counts))]
    levels = []
    while len(groups) > 2:
        sizes = [sum(counts[i] for i in group) for group in groups]
        order = sorted(range(len(groups)), key=lambda g: (-sizes[g], g))
        half = (len(groups) + 1) // 2
        common, rare = order[:half], order[half:]
        partner: dict[int, int] = {}
        if profiles is None:
            partner = dict(zip(reversed(rare), common, strict=False))
        else:
            sums = np.array([profiles[list(group)].sum(axis=0) for group in groups], dtype=np.float64)
            shares = np.sqrt(sums / np.maximum(sums.sum(axis=1, keepdims=True), 1))
            free = list(common)
            for g in reversed(rare):
                # The Bhattacharyya coefficient: 1 where both are the same.
                partner[g] = free.pop(int(np.argmax(shares[free] @ shares[g])))
        taking = {c: g for g, c in partner.items()}
        groups = [groups[c] + (groups[taking[c]] if c in taking else ()) for c in common]
        levels.append(groups)
    return levels


def _told(one: "NDArray[Any]", others: "NDArray[Any]") -> "NDArray[Any]":
    """Return how much less the other columns tell of a group when it is joined with each of the others, in bits times records."""
    import numpy as np

    both = one + others
    return np.asarray(_bits(both) - _bits(one[None, :]) - _bits(others) + 1e-9 * both.sum(axis=1))


def _bits(counts: "NDArray[Any]") -> "NDArray[Any]":
    """Return the entropy of rows of counts, times their records; every column of a profile is a distribution of its own."""
    import numpy as np

    total = counts.sum(axis=1)
    logs = np.log2(counts, out=np.zeros_like(counts), where=counts > 0)
    return np.asarray(total * np.log2(np.maximum(total, 1)) - (counts * logs).sum(axis=1))
