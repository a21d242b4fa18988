"""Subtree recoding: one label for every value of a column, at levels that are free subtree by subtree.

Full-subtree recoding in the terms of the literature: where a value is told by a node of the hierarchy, so are all values under it.
A box holds all cuts between a finest and a coarsest one of every attribute. As in the lattice of levels, the coarsest is evaluated,
and no cut of the box loses less than the finest would without suppression, with what is sure to be suppressed added. A box is cut
in two by a node of its coarsest cut: it stays, or is split. The box with the lowest bound comes first. What is looked at before, so
that there is something to measure bounds by, is what one level a column gives, refined node by node: no subtrees are taken that lose
more than that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from anonscope.risk.counting.arrays import Floats
from anonscope.risk.rounding import ROUNDING
from anonscope.transform.search.cuts import Cut, Known, level_cuts, through
from anonscope.transform.search.lattice import Proof, search
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.local.finish import with_broken
from anonscope.transform.search.losses import prepared
from anonscope.transform.search.nodes import Evaluator, Node
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding, everywhere
from anonscope.transform.search.steps import Steps

# What a cut costs beside its tuples, in tuples; and of the time, if a clock runs, what may go into levels for whole columns.
_PER_CUT, FOR_LEVELS = 100_000, 0.5
# Per record; without it a split that hardly tells records apart would come before all others, however little it spares.
_FREE_BITS = 0.3
Cuts = tuple[Cut, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SubtreeSolution:
    """The best cuts found, as a recoding; where none keeps the limits, what comes closest. Nothing of its kind is below `bound`."""

    recoding: Recoding
    cuts: Cuts
    evaluated: int
    proof: Proof
    bound: float | None


def subtree_recoding(
    problem: Problem, limits: Sequence[Limit], steps: Steps | None = None, levels: Sequence[int] | None = None
) -> SubtreeSolution:
    """Return the cuts that lose least of those that keep all limits, proved as far as the steps go.

    `levels` are the best that a search for whole columns found; where nobody did, it has as many steps of its own.
    """
    steps = steps or Steps()
    if levels is None:
        levels = search(problem, limits, steps=steps.beside(FOR_LEVELS)).levels
    return _Search(problem, tuple(limits), steps).solution(tuple(levels))


class _Box(NamedTuple):
    bound: float
    order: int
    finest: Cuts
    coarsest: Cuts
    added: Floats


class _Move(NamedTuple):
    """A node of a cut that may be split: what that spares, the attribute, level and node, and the cut then."""

    worth: float
    a: int
    level: int
    node: int
    finer: Cut


class _Search:
    """A search under way."""

    def __init__(self, problem: Problem, limits: tuple[Limit, ...], steps: Steps) -> None:
        self.problem, self.limits, self.steps = problem, limits, steps
        self._weights = np.array(problem.weights) / (sum(problem.weights) or 1) / max(problem.records, 1)
        self._counts = [problem.counts(a, 0) for a in range(len(problem.ladders))]
        self._known: Known = {}
        self.loss = np.inf
        self.best: tuple[Cuts, Recoding] | None = None
        self.evaluated = self._order = 0

    def solution(self, whole: tuple[int, ...]) -> SubtreeSolution:
        """Look at levels for whole columns, then at what is finer than these, then at all that is left."""
        problem = self.problem
        top = level_cuts(problem, problem.highest)
        if not problem.tuples:
            nobody = everywhere(problem, problem.highest, np.zeros(0, dtype=bool))
            return SubtreeSolution(recoding=with_broken(nobody, self.limits), cuts=top, evaluated=0, proof="exhaustive", bound=None)
        levels = level_cuts(problem, whole)
        closest = self._begin(whole, levels)
        for start in (levels, top) if self.best is not None else (top,):
            for by_bits in (True, False):
                self._descend(start, by_bits=by_bits)
        proof, bound = self._all(top)
        if self.best is None:
            return SubtreeSolution(recoding=closest, cuts=levels, evaluated=self.evaluated, proof=proof, bound=None)
        return SubtreeSolution(
            recoding=self.best[1],
            cuts=self.best[0],
            evaluated=self.evaluated,
            proof=proof,
            bound=self.loss if proof != "budget spent" else min(bound, self.loss),
        )

    def _begin(self, whole: tuple[int, ...], levels: Cuts) -> Recoding:
        """Return what levels for whole columns give: the best so far, if they keep the limits."""
        evaluator = Evaluator(self.problem, self.limits, prepared("ncp", self.problem))
        node = evaluator.evaluate(whole)
        found = with_broken(everywhere(self.problem, whole, evaluator.release(whole).mask), self.limits)
        if node.admissible and node.loss is not None and not found.broken and found.affordable:
            self.loss, self.best = node.loss, (levels, found)
        return found

    def _evaluate(self, cuts: Cuts, known: float) -> Node:
        """Return what is true of cuts, as far as they lose less than is known, and take note if they are the best so far."""
        view = through(self.problem, cuts, self._known)
        self.evaluated += 1
        self.steps.spend(self.problem.tuples + _PER_CUT)
        evaluator = Evaluator(view.problem, self.limits, prepared("ncp", view.problem))
        lowest = view.problem.lowest
        node = evaluator.evaluate(lowest, best=known if np.isfinite(known) else None)
        if node.admissible and node.loss is not None and node.loss < self.loss - ROUNDING:
            # Labels of different levels may be the same, and then they are one class.
            found = with_broken(view.back(everywhere(view.problem, lowest, evaluator.release(lowest).mask)), self.limits)
            if not found.broken and found.affordable:
                self.loss, self.best = node.loss, (cuts, found)
        return node

    def _descend(self, cuts: Cuts, *, by_bits: bool) -> None:
        """Split nodes of cuts as long as the limits stay kept, those first that spare most, by bit or in all."""
        node = self._evaluate(cuts, np.inf)
        loss = node.loss if node.admissible and node.loss is not None else np.inf
        refused: set[tuple[int, int, int]] = set()
        going = True
        while going and not self.steps.over:
            going = False
            moves = [move for move in self._moves(cuts, by_bits=by_bits) if move[1:4] not in refused]
            for move in sorted(moves, key=lambda move: (-move.worth, *move[1:4])):
                if self.steps.over:
                    break
                tried = (*cuts[: move.a], move.finer, *cuts[move.a + 1 :])
                node = self._evaluate(tried, loss)
                if node.admissible and node.loss is not None and node.loss <= loss + ROUNDING:
                    cuts, loss, going = tried, node.loss, True
                    break
                refused.add(move[1:4])

    def _moves(self, cuts: Cuts, *, by_bits: bool, finest: Cuts | None = None) -> Iterator[_Move]:
        """Yield the splits of all nodes of cuts; those within which nothing is told apart go on to the level where something is."""
        for a, (ladder, cut) in enumerate(zip(self.problem.ladders, cuts, strict=True)):
            least = finest[a] if finest is not None else np.full(len(cut), self.problem.lowest[a])
            open_ = np.flatnonzero(cut > least)
            seen: set[tuple[int, int]] = set()
            for code in open_.tolist():
                level = int(cut[code])
                node = int(ladder.levels[level][code])
                if (level, node) in seen:
                    continue
                seen.add((level, node))
                inside = (ladder.levels[level] == node) & (cut == level)
                finer, at = cut, level
                while at > int(least[code]):
                    finer = np.where(inside, at - 1, finer)
                    at -= 1
                    if len(np.unique(ladder.levels[at][inside])) > 1:
                        break
                counts = self._counts[a][inside]
                told = ladder.levels[at][inside]
                before = ladder.penalties[level][node]
                spared = float(counts @ (before - ladder.penalties[at][told])) * self._weights[a]
                if by_bits:
                    n = np.bincount(told, weights=counts)
                    n = n[n > 0]
                    total = float(n.sum())
                    spared /= float((n * np.log2(total / n)).sum()) + _FREE_BITS * max(total, 1)
                yield _Move(spared, a, level, node, finer)

    def _all(self, top: Cuts) -> tuple[Proof, float]:
        """Look at boxes, lowest bound first, until none is left that may hold something better, or the steps are taken."""
        boxes: list[_Box] = []
        self._open(boxes, level_cuts(self.problem, self.problem.lowest), top, 0.0)
        while boxes and boxes[0].bound <= self.loss + ROUNDING:
            if self.steps.over:
                return "budget spent", boxes[0].bound
            box = heappop(boxes)
            moves = list(self._moves(box.coarsest, by_bits=False, finest=box.finest))
            move = max(moves, key=lambda move: (move.worth, -move.a, -move.level, -move.node))
            # Where the node stays, all that is within it is told by it.
            told = self.problem.ladders[move.a].levels[move.level] == move.node
            stays = np.where(told & (box.coarsest[move.a] == move.level), move.level, box.finest[move.a])
            self._push(boxes, (*box.finest[: move.a], stays, *box.finest[move.a + 1 :]), box.coarsest, box.added, box.bound)
            self._open(boxes, box.finest, (*box.coarsest[: move.a], move.finer, *box.coarsest[move.a + 1 :]), box.bound)
        return "pruned", self.loss

    def _open(self, boxes: list[_Box], finest: Cuts, coarsest: Cuts, at_least: float) -> None:
        node = self._evaluate(coarsest, self.loss)
        if not node.rules_out:
            self._push(boxes, finest, coarsest, node.added, at_least)

    def _push(self, boxes: list[_Box], finest: Cuts, coarsest: Cuts, added: Floats, at_least: float) -> None:
        if all(np.array_equal(low, high) for low, high in zip(finest, coarsest, strict=True)):
            return
        bound = max(at_least, self._bound(finest, added))
        if bound <= self.loss + ROUNDING:
            self._order += 1
            heappush(boxes, _Box(bound, self._order, finest, coarsest, added))

    def _bound(self, finest: Cuts, added: Floats) -> float:
        """Return what no cuts from the finest on lose less than, if what a coarser one is sure to suppress is added."""
        found = 0.0
        for a, (ladder, cut) in enumerate(zip(self.problem.ladders, finest, strict=True)):
            lost = float(added[a]) if len(added) else 0.0
            for level in np.unique(cut).tolist():
                here = np.flatnonzero(cut == level)
                lost += float(self._counts[a][here] @ ladder.penalties[level][ladder.levels[level][here]])
            found += lost * self._weights[a]
        return found
