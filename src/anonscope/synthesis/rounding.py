"""Controlled rounding: every cell and every total of a two-way table becomes a neighbouring multiple of a base, and all still add up.

L. Cox, 1987, "A Constructive Procedure for Unbiased Controlled Rounding": for two-way tables there is always such a rounding; here it is
the one that moves the cells least, found as a small integer programme. No noise, and no guarantee.
"""

from typing import TYPE_CHECKING

from anonscope.errors import Defect

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def controlled(cells: "NDArray[np.int64]", base: int) -> "NDArray[np.int64]":
    """Return a two-way table with its totals, rounded; multiples of the base, zeros among them, stay as they are."""
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    rows, columns = cells.shape
    wide = np.hstack([cells, cells.sum(axis=1, keepdims=True)])
    whole = np.vstack([wide, wide.sum(axis=0, keepdims=True)])
    floors, rest = whole // base, whole % base
    # One unknown a cell and total: whether it goes up. Rounded, every row and column must add up to its total again.
    place = np.arange(whole.size).reshape(whole.shape)
    lines, entries, signs, sums = [], [], [], []
    for line, taken in enumerate([*(place[i] for i in range(rows + 1)), *(place[:, j] for j in range(columns + 1))]):
        lines += [line] * len(taken)
        entries += list(taken)
        signs += [1.0] * (len(taken) - 1) + [-1.0]
        sums.append(floors.ravel()[taken[-1]] - floors.ravel()[taken[:-1]].sum())
    matrix = coo_array((signs, (lines, entries)), shape=(len(sums), whole.size))
    cost = (base - 2 * rest).ravel() / base  # what going up costs more than going down
    top = (rest > 0).ravel().astype(float)
    found = milp(cost, constraints=LinearConstraint(matrix, sums, sums), integrality=np.ones(whole.size), bounds=Bounds(0, top))
    if not found.success:
        raise Defect("A two-way table has a controlled rounding, and none was found.")
    rounded: NDArray[np.int64] = (floors + np.rint(found.x).astype(np.int64).reshape(whole.shape)) * base
    return rounded
