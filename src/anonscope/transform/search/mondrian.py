"""Top-down partitioning in the manner of Mondrian, for tables too large for anything else.

K. LeFevre et al. (2006), "Mondrian multidimensional k-anonymity", splits a part of the table along one attribute as long as all
pieces keep the limits. Here a piece is told by the nodes of the ladders, so a split makes one attribute of a part a level finer:
children that keep the limits become parts of their own; the others stay together at the coarser level, and must keep the limits
as one class. All parts of the table are split at the same time, one step at a time, each along the attribute that spares most
penalty by bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonscope.risk.counting.arrays import Flags, Floats, Integers
from anonscope.risk.counting.grouping import dense
from anonscope.risk.counting.ladders import Ladder
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.local.checks import Checks
from anonscope.transform.search.local.local import recoded
from anonscope.transform.search.local.refine import selected
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding
from anonscope.transform.search.steps import Steps

# Per record; without it a split that hardly tells records apart would come before all others, however little it spares.
FREE_BITS = 0.3


def mondrian_recoding(problem: Problem, limits: Sequence[Limit], steps: Steps | None = None) -> Recoding:
    """Return a recoding by top-down partitioning that keeps all limits, or the closest to it; `broken` tells which it breaks."""
    return recoded(problem, limits, parts, steps)


def parts(problem: Problem, checks: Checks, least: int) -> Integers:
    """Return a class for every tuple; -1 where not even the coarsest levels make a class that keeps the limits."""
    return parts_of(OpenParts.coarsest(problem, checks, least))


def parts_of(table: "OpenParts") -> Integers:
    """Return a class for every tuple of the problem by splitting parts as far as they go; -1 for tuples that are in no part."""
    number = np.full(table.problem.tuples, -1, dtype=np.int64)
    made = 0
    while len(table.tuples):
        best, split, _ = best_splits(table)
        if table.checks.steps.over:
            # What is split no further keeps the limits as it is.
            best[:] = -1
        done = best[table.part] < 0
        if done.any():
            finished, ended = dense(table.part[done], table.count)
            number[table.tuples[done]] = made + finished
            made += ended
        table = table.after(best, split, np.flatnonzero(~done))
    return number


@dataclass(frozen=True, slots=True, eq=False)
class OpenParts:
    """Parts of the table that may be split yet: the part of every tuple in them; the levels of every part; what it may be split along."""

    problem: Problem
    checks: Checks
    least: int
    tuples: Integers
    part: Integers
    levels: Integers
    along: Flags
    free_bits: float  # what a record tells a split apart by at no cost

    @classmethod
    def coarsest(cls, problem: Problem, checks: Checks, least: int) -> "OpenParts":
        """Return the parts at the highest levels, of which there is one unless these are bounded."""
        tuples, part, count = np.arange(problem.tuples), np.zeros(problem.tuples, dtype=np.int64), 1
        for a, level in enumerate(problem.highest):
            nodes = problem.ladders[a].nodes(level)
            if nodes > 1 and len(tuples):
                part, count = dense(part * nodes + problem.coded(a, level), count * nodes)
        levels = np.tile(np.array(problem.highest, dtype=np.uint8), (count, 1))
        return cls(problem, checks, least, tuples, part, levels, np.ones(levels.shape, dtype=bool), FREE_BITS).kept()

    @property
    def count(self) -> int:
        return len(self.levels)

    def kept(self) -> "OpenParts":
        """Return those parts that keep the limits as they are."""
        if not len(self.tuples):
            return self
        stays = self.keep(self.tuples, self.part, self.count, self.levels)
        rows = np.flatnonzero(stays[self.part])
        part = (np.cumsum(stays) - 1)[self.part[rows]]
        return OpenParts(
            self.problem, self.checks, self.least, self.tuples[rows], part, self.levels[stays], self.along[stays], self.free_bits
        )

    def keep(self, tuples: Integers, number: Integers, count: int, levels: Integers) -> Flags:
        """Return which classes of tuples keep the limits; `levels` are those of each class."""
        enough = np.bincount(number, weights=self.problem.weight[tuples], minlength=count) >= self.least
        if self.checks.sizes_suffice or not enough.any():
            return np.asarray(enough)
        return np.asarray(enough & self.checks.keep(selected(self.problem, tuples), number, count, levels[number]))

    def nodes(self, a: int, tuples: Integers, part: Integers, finer: int) -> Integers:
        """Return the nodes of tuples in an attribute, so many levels finer than their parts are."""
        found = np.zeros(len(tuples), dtype=np.int64)
        levels = self.levels[part, a]
        for level in np.flatnonzero(np.bincount(levels)).tolist():
            here = np.flatnonzero(levels == level)
            found[here] = self.problem.coded(a, level - finer)[tuples[here]]
        return found

    def after(self, best: Integers, split: Integers, going: Integers) -> "OpenParts":
        """Return the pieces of the parts that go on: each was split along its best attribute, where `split` tells the piece or -1."""
        tuples, part, piece = self.tuples[going], self.part[going], split[going]
        stays = piece < 0
        # What stays at the coarser level is one piece of its part, before all others.
        key = np.where(stays, part, self.count + piece)
        number, count = dense(key, int(key.max(initial=0)) + 1)
        first = np.zeros(count, dtype=np.int64)
        first[number] = np.arange(len(number))
        levels, along = self.levels[part[first]], self.along[part[first]]
        pieces, attribute, coarse = np.arange(count), best[part[first]], stays[first]
        levels[pieces[~coarse], attribute[~coarse]] -= 1
        # What was not to be split at all may be yet.
        closed = coarse & (attribute >= 0)
        along[pieces[closed], attribute[closed]] = False
        return OpenParts(self.problem, self.checks, self.least, tuples, number, levels, along, self.free_bits)


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """What splitting along one attribute makes of those parts that allow it."""

    rows: Integers  # tuples of the table whose parts may be split
    child: Integers  # the child of each of them
    parent: Integers  # the part of every child
    passed: Flags  # which children leave their part
    possible: Flags  # which parts can be split
    spared: Floats  # penalty that a part spares, by bit


def split_along(table: OpenParts, a: int) -> Split | None:
    """Return what splitting along an attribute makes of the parts; None where no child can leave any.

    Attributes along which no piece can leave a part are closed for it and for all that becomes of it, which is smaller.
    """
    problem, count, ladder = table.problem, table.count, table.problem.ladders[a]
    able = table.along[:, a] & (table.levels[:, a] > problem.lowest[a])
    table.along[:, a] = False
    rows = np.flatnonzero(able[table.part])
    if not len(rows):
        return None
    tuples, part = table.tuples[rows], table.part[rows]
    table.checks.steps.spend(len(rows))
    nodes = table.nodes(a, tuples, part, 1)
    size = max(ladder.nodes(level) for level in range(ladder.height + 1))
    child, children = dense(part * size + nodes, count * size)
    first = np.zeros(children, dtype=np.int64)
    first[child] = np.arange(len(rows))
    parent = part[first]
    levels = table.levels[parent]
    levels[:, a] -= 1
    passed = table.keep(tuples, child, children, levels)
    if not passed.any():
        return None
    table.along[parent[passed], a] = True
    n = np.bincount(child, weights=problem.weight[tuples], minlength=children)
    passed, ok = _with_the_rest(table, tuples, child, n, parent, passed)
    coarse = _penalty(ladder, table.levels[parent, a], table.nodes(a, tuples[first], parent, 0))
    gain = np.where(passed, coarse - _penalty(ladder, levels[:, a], nodes[first]), 0.0)
    spared = np.bincount(parent, weights=gain * n * problem.weights[a], minlength=count) / _cost(n, parent, count, table.free_bits)
    possible = ok & (np.bincount(parent[passed], minlength=count) > 0)
    return Split(rows, child, parent, passed, possible, spared)


def best_splits(table: OpenParts) -> tuple[Integers, Integers, Floats]:
    """Return for every part the attribute to split it along, or -1, for every tuple its piece there, and what every part spares by bit.

    A piece is -1 where the tuple stays coarser.
    """
    best, spared = np.full(table.count, -1, dtype=np.int64), np.zeros(table.count)
    split = np.full(len(table.tuples), -1, dtype=np.int64)
    numbered = 0
    for a in range(len(table.problem.ladders)):
        found = split_along(table, a)
        if found is None:
            continue
        # A split that spares nothing may still lead to others, but comes last.
        chosen = found.possible & ((best < 0) | (found.spared > spared))
        spared[chosen], best[chosen] = found.spared[chosen], a
        here = chosen[table.part[found.rows]]
        child = found.child[here]
        split[found.rows[here]] = np.where(found.passed[child], numbered + child, -1)
        numbered += len(found.parent)
    return best, split, spared


def _with_the_rest(table: OpenParts, tuples: Integers, child: Integers, n: Floats, parent: Integers, passed: Flags) -> tuple[Flags, Flags]:
    """Return which children leave their part, and in which parts the tuples that do not keep the limits together, told as before.

    Where the rest fails, the smallest child stays with it.
    """
    ok = np.ones(table.count, dtype=bool)
    for attempt in range(2):
        stays = np.flatnonzero(~passed[child])
        ok[:] = True
        if not len(stays):
            break
        part = parent[child[stays]]
        rest, rests = dense(part, table.count)
        of = np.zeros(rests, dtype=np.int64)
        of[rest] = part
        ok[of[~table.keep(tuples[stays], rest, rests, table.levels[of])]] = False
        leaving = np.flatnonzero(passed & ~ok[parent])
        if attempt or not len(leaving):
            break
        order = leaving[np.lexsort((leaving, n[leaving], parent[leaving]))]
        smallest = order[np.concatenate([[True], parent[order][1:] != parent[order][:-1]])]
        passed = passed.copy()
        passed[smallest] = False
    return passed, ok


def _cost(n: Floats, parent: Integers, count: int, free_bits: float) -> Floats:
    """Return what a split costs every part: records become the fewer alike the more bits it tells them apart by."""
    records = np.bincount(parent, weights=n, minlength=count)
    bits = np.bincount(parent, weights=n * np.log2(records[parent] / n), minlength=count)
    return np.asarray(bits + free_bits * np.maximum(records, 1))


def _penalty(ladder: Ladder, levels: Integers, nodes: Integers) -> Floats:
    found = np.zeros(len(nodes))
    for level in np.flatnonzero(np.bincount(levels)).tolist():
        here = np.flatnonzero(levels == level)
        found[here] = ladder.penalties[level][nodes[here]]
    return found
