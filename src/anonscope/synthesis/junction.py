"""Graphical models on a junction tree in numpy: the most even distribution that fits noisy marginals, and records drawn from it.

S. Lauritzen and D. Spiegelhalter (1988) for the tree, R. McKenna, D. Sheldon and G. Miklau (2019), "Graphical-model based estimation and
inference for differential privacy", ICML, for the estimate: mirror descent in entropy on the sum of squares, weighted by the noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from anonscope.risk.counting.arrays import Floats
from anonscope.synthesis.drawing import Conditional

Clique = tuple[int, ...]


def cliques_of(sets: Sequence[Clique], sizes: Sequence[int]) -> list[Clique]:
    """Return the largest cliques of a triangulated graph in which every set is in one: the column that joins fewest cells goes first."""
    neighbours: dict[int, set[int]] = {column: set() for column in range(len(sizes))}
    for columns in sets:
        for column in columns:
            neighbours[column] |= set(columns) - {column}
    found: list[Clique] = []
    while neighbours:

        def cells(column: int) -> float:
            return float(np.prod([sizes[c] for c in (column, *neighbours[column])], dtype=np.float64))

        gone = min(neighbours, key=lambda column: (cells(column), column))
        clique = tuple(sorted((gone, *neighbours[gone])))
        if not any(set(clique) <= set(other) for other in found):
            found.append(clique)
        around = neighbours.pop(gone)
        for column in around:
            neighbours[column] = (neighbours[column] | around) - {column, gone}
    return found


def cells_of(sets: Sequence[Clique], sizes: Sequence[int]) -> int:
    """Return how many cells a junction tree would have in which every set is in one clique."""
    return sum(int(np.prod([sizes[c] for c in clique], dtype=np.int64)) for clique in cliques_of(sets, sizes))


@dataclass(slots=True, eq=False)
class NoisyMarginal:
    """A noisy marginal, and what it adds to the logarithm of the distribution."""

    columns: Clique
    counts: Floats
    deviation: float
    weight: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.weight = np.zeros(self.counts.shape)


class Junction:
    """A distribution over all columns that is a product over measured marginals."""

    def __init__(self, measured: list[NoisyMarginal], sizes: Sequence[int], total: float) -> None:
        self.measured, self.sizes, self.total = measured, tuple(sizes), total
        self.cliques = cliques_of([one.columns for one in measured], sizes)
        self._home = [next(i for i, clique in enumerate(self.cliques) if set(one.columns) <= set(clique)) for one in measured]
        self.order = self._tree()

    def _tree(self) -> list[tuple[int, int | None, Clique]]:
        """Return every clique with the one it hangs on and what they share, the first one first: a largest spanning tree."""
        order: list[tuple[int, int | None, Clique]] = [(0, None, ())]
        left = set(range(1, len(self.cliques)))
        while left:
            best = max(
                ((len(set(self.cliques[i]) & set(self.cliques[j])), -j, -i) for j in left for i, _, _ in order),
            )
            i, j = -best[2], -best[1]
            order.append((j, i, tuple(sorted(set(self.cliques[i]) & set(self.cliques[j])))))
            left.remove(j)
        return order

    def marginals(self) -> list[Floats]:
        """Return the counts that the model expects in every clique: two passes of messages, in logarithms."""
        belief = [np.zeros([self.sizes[c] for c in clique]) for clique in self.cliques]
        for one, home in zip(self.measured, self._home, strict=True):
            belief[home] += self._spread(one.weight, one.columns, self.cliques[home])
        up: dict[int, Floats] = {}
        for child, parent, shared in reversed(self.order):
            if parent is not None:
                up[child] = self._summed(belief[child], self.cliques[child], shared)
                belief[parent] += self._spread(up[child], shared, self.cliques[parent])
        for child, parent, shared in self.order:
            if parent is not None:
                down = self._summed(belief[parent], self.cliques[parent], shared) - up[child]
                belief[child] += self._spread(down, shared, self.cliques[child])
        return [self._counts(table) for table in belief]

    def _counts(self, table: Floats) -> Floats:
        found = np.exp(table - table.max())
        return np.asarray(found * (self.total / found.sum()))

    def _spread(self, table: Floats, columns: Clique, clique: Clique) -> Floats:
        return table.reshape([self.sizes[c] if c in columns else 1 for c in clique])

    def _summed(self, table: Floats, clique: Clique, kept: Clique) -> Floats:
        axes = tuple(i for i, c in enumerate(clique) if c not in kept)
        if not axes:
            return table
        top = table.max(axis=axes, keepdims=True)
        return np.asarray(np.log(np.exp(table - top).sum(axis=axes)) + top.reshape([n for i, n in enumerate(top.shape) if i not in axes]))

    def expected(self, marginals: Sequence[Floats]) -> list[Floats]:
        """Return what the model expects where something was measured."""
        found = []
        for one, home in zip(self.measured, self._home, strict=True):
            axes = tuple(i for i, c in enumerate(self.cliques[home]) if c not in one.columns)
            found.append(marginals[home].sum(axis=axes))
        return found

    def fit(self, rounds: int) -> None:
        """Come so many steps nearer to what was measured; a step that overshoots is halved."""
        expected = self.expected(self.marginals())
        gaps, loss = self._gaps(expected)
        # A share of what a Newton step would be if nothing overlapped.
        step = 1.0
        for _ in range(rounds):
            before = [one.weight for one in self.measured]
            for one, gap in zip(self.measured, gaps, strict=True):
                one.weight = one.weight - step * gap * (min(m.deviation for m in self.measured) ** 2 / self.total)
            found = self.expected(self.marginals())
            new_gaps, new_loss = self._gaps(found)
            if new_loss <= loss:
                if loss - new_loss <= 1e-7 * loss:
                    gaps, loss = new_gaps, new_loss
                    break
                gaps, loss, step = new_gaps, new_loss, step * 1.2
            else:
                for one, weight in zip(self.measured, before, strict=True):
                    one.weight = weight
                step /= 2
                if step < 1e-9:
                    break

    def _gaps(self, expected: Sequence[Floats]) -> tuple[list[Floats], float]:
        gaps = [(found - one.counts) / one.deviation**2 for found, one in zip(expected, self.measured, strict=True)]
        loss = sum(float(((found - one.counts) ** 2).sum()) / one.deviation**2 for found, one in zip(expected, self.measured, strict=True))
        return gaps, loss / 2

    def conditionals(self) -> list[Conditional]:
        """Return the columns in an order in which each can be drawn given those before it in its clique."""
        marginals, found, drawn = self.marginals(), [], set[int]()
        for i, _, _ in self.order:
            clique = self.cliques[i]
            for column in (c for c in clique if c not in drawn):
                given = tuple(c for c in clique if c in drawn)
                axes = tuple(a for a, c in enumerate(clique) if c not in given and c != column)
                table = marginals[i].sum(axis=axes)
                kept = [c for c in clique if c in given or c == column]
                found.append(Conditional(column, given, np.moveaxis(table, kept.index(column), -1)))
                drawn.add(column)
        return found
