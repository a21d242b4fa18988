"""Two-way tables as statistical offices release them: small and dominated cells withheld, and as many others as it takes.

Primary suppression: fewer than `threshold` contributors, the n largest with more than k % of a total (dominance), or a rest that lets the
second largest know the largest within p % (A. Hundepool and others, 2012, "Statistical Disclosure Control", chapter 4).
Complementary suppression: rows, columns and both totals are the nodes of a graph, cells and totals its edges; a withheld cell can be
computed from the rest exactly if no circle of withheld cells goes through it. So for each the cheapest circle is closed, over cells above 0
only: along it numbers can rise and fall by turns, and none becomes negative. No noise, and no guarantee against who knows more.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Edge = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A table with its totals in the last row and column: the numbers, and which of them are withheld."""

    values: "NDArray[np.float64]"
    primary: "NDArray[np.bool_]"
    withheld: "NDArray[np.bool_]"


def with_totals(cells: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return a two-way table with a row and a column of totals."""
    import numpy as np

    wide = np.hstack([cells, cells.sum(axis=1, keepdims=True)])
    return np.vstack([wide, wide.sum(axis=0, keepdims=True)])


def is_small(counts: "NDArray[np.float64]", threshold: int) -> "NDArray[np.bool_]":
    """Return which cells have contributors, but fewer than the threshold."""
    return (counts > 0) & (counts < threshold)


def is_dominated(totals: "NDArray[np.float64]", largest: "NDArray[np.float64]", most: int, percent: float) -> "NDArray[np.bool_]":
    """Return in which cells the `most` largest contributors have more than so many percent of the total."""
    found: NDArray[np.bool_] = (totals > 0) & (largest[..., :most].sum(axis=-1) > totals * (percent / 100))
    return found


def is_guessable(totals: "NDArray[np.float64]", largest: "NDArray[np.float64]", percent: float) -> "NDArray[np.bool_]":
    """Return in which cells the second largest contributor knows the largest within so many percent."""
    return (totals > 0) & (totals - largest[..., 0] - largest[..., 1] < largest[..., 0] * (percent / 100))


def suppressed(values: "NDArray[np.float64]", primary: "NDArray[np.bool_]") -> Suppressed:
    """Return a table with totals in which nothing withheld can be computed exactly from what is not; both arrays have the totals."""
    withheld = primary.copy()
    for edge in sorted(zip(*map(list, primary.nonzero()), strict=True), key=lambda e: -values[e]):
        if on_circle(withheld, edge):
            continue
        for other in _cheapest_circle(values, withheld, edge):
            withheld[other] = True
    return Suppressed(values, primary, withheld)


def on_circle(withheld: "NDArray[np.bool_]", edge: Edge) -> bool:
    """Return whether the two ends of a withheld cell are joined by other withheld cells."""
    rows, _ = withheld.shape
    seen, open_nodes = {edge[0]}, [edge[0]]
    while open_nodes:
        node = open_nodes.pop()
        for near, cell in _near(withheld.shape, node):
            if cell != edge and withheld[cell] and near not in seen:
                if near == rows + edge[1]:
                    return True
                seen.add(near)
                open_nodes.append(near)
    return False


def _near(shape: tuple[int, ...], node: int) -> Iterator[tuple[int, Edge]]:
    """Yield the nodes beside a node, and the cell between them; columns are numbered after rows."""
    rows, columns = shape
    if node < rows:
        yield from ((rows + column, (node, column)) for column in range(columns))
    else:
        yield from ((row, (row, node - rows)) for row in range(rows))


def _cheapest_circle(values: "NDArray[np.float64]", withheld: "NDArray[np.bool_]", edge: Edge) -> list[Edge]:
    """Return the cells that close a circle through a cell at the least sum of numbers; what is withheld already costs nothing."""
    rows, _ = values.shape
    goal, whole = rows + edge[1], float(values.sum()) or 1.0
    cost: dict[int, float] = {edge[0]: 0.0}
    came: dict[int, tuple[int, Edge]] = {}
    queue: list[tuple[float, int]] = [(0.0, edge[0])]
    while queue:
        far, node = heappop(queue)
        if node == goal:
            break
        if far > cost[node]:
            continue
        for near, cell in _near(values.shape, node):
            if cell == edge or values[cell] <= 0:
                continue
            # A cell costs something by itself, so that fewer are preferred; one that is withheld already nearly nothing.
            further = far + (1e-9 if withheld[cell] else float(values[cell]) / whole + 1e-6)
            if further < cost.get(near, float("inf")):
                cost[near], came[near] = further, (node, cell)
                heappush(queue, (further, near))
    found: list[Edge] = []
    node = goal
    while node != edge[0]:
        node, cell = came[node]
        found.append(cell)
    return found


def intervals(table: Suppressed) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Return between which numbers anybody knows each cell to be: by adding up, and because no number is negative."""
    import numpy as np
    from scipy.optimize import linprog

    rows, columns = table.values.shape
    cells = [tuple(map(int, cell)) for cell in np.argwhere(table.withheld)]
    low, high = table.values.copy(), table.values.copy()
    if not cells:
        return low, high
    # Every row and every column: its cells less its total are 0. What is shown goes to the other side.
    sign = np.ones((rows, columns))
    lines, sums = [], []
    for axis, count in ((0, rows), (1, columns)):
        for line in range(count):
            signs = sign.copy()
            last = (slice(None), -1) if axis == 0 else (-1, slice(None))
            signs[last] = -1
            inside = [i for i, cell in enumerate(cells) if cell[axis] == line]
            if not inside:
                continue
            taken = (line, slice(None)) if axis == 0 else (slice(None), line)
            shown = ~table.withheld[taken]
            coefficients = np.zeros(len(cells))
            for i in inside:
                coefficients[i] = signs[cells[i]]
            lines.append(coefficients)
            sums.append(-(table.values[taken][shown] * signs[taken][shown]).sum())
    for i, cell in enumerate(cells):
        for end, target in ((1, low), (-1, high)):
            wanted = np.zeros(len(cells))
            wanted[i] = end
            solved = linprog(wanted, A_eq=np.array(lines), b_eq=np.array(sums), bounds=(0, None), method="highs")
            target[cell] = solved.x[i] if solved.success else (0 if end == 1 else np.inf)
    return low, high
