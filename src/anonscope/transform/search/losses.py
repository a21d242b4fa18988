"""What a recoding loses: each loss as a value of a node and as a bound that no recoding of a box of nodes can go below.

* `ncp`: mean over cells of the normalised certainty penalty (Xu 2006); a suppressed cell loses 1.
* `arx_loss`: as ARX 3.9 computes it: leaves of the hierarchy's file below a value by all its leaves, normalised per attribute,
  then the geometric mean (`arx_loss_arithmetic`: the arithmetic one).
* `precision`: mean over cells of level / height (Sweeney 2002, 1 - Prec); a suppressed cell loses 1.
* `entropy`: non-uniform entropy in bits as ARX computes it (Prasser 2016): all records are generalised, and those suppressed lose
  what the generalised values still told among them.
* `non_uniform_entropy`: in bits, a suppressed cell standing for the whole column (Gionis & Tassa 2009).
* `discernibility`: sum over classes of the square of their size; a suppressed record counts n (Bayardo & Agrawal 2005).
* `average_class_size`: records by classes, all suppressed records counting as one class (LeFevre 2006).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from anonscope.errors import OptionError
from anonscope.risk.counting.arrays import Flags, Floats
from anonscope.risk.counting.ladders import Ladder
from anonscope.transform.search.classes import Classes
from anonscope.transform.search.problem import Problem


class Loss(Protocol):
    """A loss, prepared for one problem."""

    @property
    def name(self) -> str: ...

    def told(self, classes: Classes, levels: Sequence[int], suppressed: Flags) -> Floats:
        """Return what suppressing some classes of a node adds; suppressing their records adds no less at any finer node."""
        ...

    def bound(self, tuples: Problem, finest: Sequence[int], added: Floats) -> float:
        """Return a number that no node from `finest` on loses less than, if what was `told` of a coarser one holds for it."""
        ...

    def value(self, levels: Sequence[int], added: Floats, kept: Floats) -> float:
        """Return what a node loses: `added` was told of its suppressed classes, and `kept` are the sizes of the others."""
        ...


@dataclass(frozen=True, slots=True)
class CellLoss:
    """A loss that is added up over the cells of every attribute: `base[a][level]` without suppression."""

    name: str
    base: tuple[Floats, ...]
    further: tuple[tuple[Floats, ...], ...] | None  # what a record adds when suppressed, by attribute, level and node; None: see told
    combine: Callable[[Floats], float]

    def told(self, classes: Classes, levels: Sequence[int], suppressed: Flags) -> Floats:
        added = np.zeros(len(self.base))
        n, tuples = classes.n[suppressed], classes.first[suppressed] if suppressed.any() else ()
        if not len(n):
            return added
        for a, level in enumerate(levels):
            nodes = classes.problem.coded(a, level)[tuples]
            if self.further is not None:
                added[a] = n @ self.further[a][level][nodes]
            else:
                counts = np.bincount(nodes, weights=n)
                counts = counts[counts > 0]
                added[a] = (counts * np.log2(counts.sum() / counts)).sum()
        return added

    def bound(self, tuples: Problem, finest: Sequence[int], added: Floats) -> float:
        return self.combine(self.unsuppressed(finest) + added)

    def value(self, levels: Sequence[int], added: Floats, kept: Floats) -> float:
        return self.combine(self.unsuppressed(levels) + added)

    def unsuppressed(self, levels: Sequence[int]) -> Floats:
        """Return what every attribute loses at its level."""
        return np.array([self.base[a][level] for a, level in enumerate(levels)])


@dataclass(frozen=True, slots=True)
class Discernibility:
    """The sum of the squares of class sizes, and n for every suppressed record."""

    records: int
    name: str = "discernibility"

    def told(self, classes: Classes, levels: Sequence[int], suppressed: Flags) -> Floats:
        # Classes at finer nodes are unions of the tuples they were made of, and the square of a sum is no less than the squares.
        left = classes.problem.weight[~suppressed[classes.number]]
        return np.array([(left * left).sum() + self.records * classes.n[suppressed].sum()])

    def bound(self, tuples: Problem, finest: Sequence[int], added: Floats) -> float:
        return max(float(added[0]), float((tuples.weight * tuples.weight).sum()))

    def value(self, levels: Sequence[int], added: Floats, kept: Floats) -> float:
        return float((kept * kept).sum() + self.records * (self.records - kept.sum()))


@dataclass(frozen=True, slots=True)
class AverageClassSize:
    """Records by classes, all suppressed records counting as one class."""

    records: int
    name: str = "average_class_size"

    def told(self, classes: Classes, levels: Sequence[int], suppressed: Flags) -> Floats:
        return np.array([self.records / (1 + (~suppressed[classes.number]).sum())])

    def bound(self, tuples: Problem, finest: Sequence[int], added: Floats) -> float:
        # One class more than there are tuples, for records that are suppressed.
        return max(float(added[0]), self.records / (1 + tuples.tuples))

    def value(self, levels: Sequence[int], added: Floats, kept: Floats) -> float:
        return self.records / max(len(kept) + int(kept.sum() < self.records), 1)


LOSSES = (
    *("ncp", "arx_loss", "arx_loss_arithmetic", "precision", "entropy", "non_uniform_entropy"),
    *("discernibility", "average_class_size"),
)
DEFAULT_LOSS = "ncp"


def prepared(name: str, problem: Problem) -> Loss:
    """Return a loss by its name, ready for the nodes of a problem."""
    if name == "discernibility":
        return Discernibility(problem.records)
    if name == "average_class_size":
        return AverageClassSize(problem.records)
    if name not in LOSSES:
        raise OptionError(f"No loss is called {name!r}. There are: {', '.join(LOSSES)}.")
    weights = np.array(problem.weights) / (sum(problem.weights) or 1)
    if name in ("entropy", "non_uniform_entropy"):
        counts = [[problem.counts(a, level) for level in range(ladder.height + 1)] for a, ladder in enumerate(problem.ladders)]
        bits = [[_bits(x) for x in of] for of in counts]
        base = tuple(np.array([b - of[0] for b in of]) for of in bits)
        further = tuple(tuple(_surprise(x) for x in of) for of in counts) if name == "non_uniform_entropy" else None
        weights = weights * len(weights)
        return CellLoss(name, base, further, lambda x: float(weights @ x))
    penalties = [_penalties(name, ladder) for ladder in problem.ladders]
    base = tuple(np.array([problem.counts(a, level) @ of[level] for level in range(len(of))]) for a, of in enumerate(penalties))
    further = tuple(tuple(1 - nodes for nodes in of) for of in penalties)
    if name in ("ncp", "precision"):
        return CellLoss(name, base, further, lambda x: float(weights @ x) / max(problem.records, 1))
    low = np.array([problem.records / ladder.leaves[-1][0] for ladder in problem.ladders])
    span = problem.records - low

    def normalised(x: Floats) -> Floats:
        # A hierarchy of one leaf has nothing to lose.
        return np.asarray(np.divide(np.maximum(x - low, 0), span, out=np.zeros(len(x)), where=span > 0))

    if name == "arx_loss_arithmetic":
        return CellLoss(name, base, further, lambda x: float(weights @ normalised(x)))
    return CellLoss(name, base, further, lambda x: float(np.exp(weights @ np.log1p(normalised(x))) - 1))


def _penalties(name: str, ladder: Ladder) -> tuple[Floats, ...]:
    if name == "ncp":
        return ladder.penalties
    if name == "precision":
        return tuple(np.full(ladder.nodes(level), level / max(ladder.height, 1)) for level in range(ladder.height + 1))
    return tuple(leaves / ladder.leaves[-1][0] for leaves in ladder.leaves)


def _bits(counts: Floats) -> float:
    """Return the sum over records of the logarithm of how many share their value."""
    counts = counts[counts > 0]
    return float((counts * np.log2(counts)).sum())


def _surprise(counts: Floats) -> Floats:
    """Return for every node the logarithm of all records by its own; 0 for a node without a record."""
    return np.asarray(np.log2(np.divide(counts.sum(), counts, out=np.ones(len(counts)), where=counts > 0)))
