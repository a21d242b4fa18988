"""Records at risk by every set of attributes, each rolled up from a larger set that is already counted.

The codes of a tuple are fields of bits in one number, so that forgetting an attribute is clearing its field. Sets are visited
depth first: attributes with many values are forgotten first, so every set is counted from a small parent, and no more than one
table for each attribute is held at a time.
"""

from typing import TYPE_CHECKING, Any

from anonscope.risk.counting.grouping import counted
from anonscope.risk.explain.tuples import ExplainedTuples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_BITS = 63


def fits(tuples: ExplainedTuples, attributes: tuple[int, ...]) -> bool:
    """Return whether the sets can be counted here: one person a record, and tuples that fit into a number."""
    return tuples.persons is None and sum(_width(tuples, a) for a in attributes) <= _BITS


def at_risk_by_set(tuples: ExplainedTuples, attributes: tuple[int, ...], limit: int) -> "Array":
    """Return the records that fewer than `limit` share, by the set as a binary number: bit i stands for the i-th attribute."""
    import numpy as np

    count = len(attributes)
    key, fields, place = np.zeros(len(tuples), dtype=np.int64), [0] * count, 0
    for i, a in enumerate(attributes):
        key |= tuples.codes[a].astype(np.int64) << place
        fields[i] = ((1 << _width(tuples, a)) - 1) << place
        place += _width(tuples, a)
    order = sorted(range(count), key=lambda i: -tuples.radices[attributes[i]])
    at_risk = np.zeros(1 << count)
    at_risk[0] = tuples.records if tuples.records < limit else 0

    def visit(key: "Array", n: "Array", known: int, first: int) -> None:
        small = n[n < limit]
        at_risk[known] = small.sum()
        if len(small) == 0:
            # Nobody is at risk, so nobody will be when less is known.
            return
        for position in range(first, count):
            i = order[position]
            if known != 1 << i:
                visit(*counted(key & ~fields[i], n), known & ~(1 << i), position + 1)

    visit(*counted(key, tuples.n.astype(np.float64)), (1 << count) - 1, 0)
    return at_risk


def _width(tuples: ExplainedTuples, attribute: int) -> int:
    return max(1, (tuples.radices[attribute] - 1).bit_length())
