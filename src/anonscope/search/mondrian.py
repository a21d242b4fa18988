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

from anonscope.count.grouping import dense
from anonscope.search.limits import Limit
from anonscope.search.local import recoded
from anonscope.search.local_checks import Checks
from anonscope.search.problem import Flags, Floats, Integers, Ladder, Problem
from anonscope.search.recoding import Recoding
from anonscope.search.refine import selected

# Per record; without it a split that hardly tells records apart would come before all others, however little it spares.
_FREE_BITS = 0.3


def mondrian_recoding(problem: Problem, limits: Sequence[Limit]) -> Recoding:
    """Return a recoding by top-down partitioning that keeps all limits, or the closest to it; `broken` tells which it breaks."""
    return recoded(problem, limits, parts)


def parts(problem: Problem, checks: Checks, least: int) -> Integers:
    """Return a class for every tuple; -1 where not even the coarsest levels make a class that keeps the limits."""
    number = np.full(problem.tuples, -1, dtype=np.int64)
    made = 0
    table = _Parts.coarsest(problem, checks, least)
    while len(table.tuples):
        best, split = _best(table)
        done = best[table.part] < 0
        if done.any():
            finished, ended = dense(table.part[done], table.count)
            number[table.tuples[done]] = made + finished
            made += ended
        table = table.after(best, split, np.flatnonzero(~done))
    return number


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """Parts of the table that may be split yet: the part of every tuple in them; the levels of every part; what it may be split along."""

    problem: Problem
    checks: Checks
    least: int
    tuples: Integers
    part: Integers
    levels: Integers
    along: Flags

    @classmethod
    def coarsest(cls, problem: Problem, checks: Checks, least: int) -> "_Parts":
        """Return the parts at the highest levels, of which there is one unless these are bounded."""
        tuples, part, count = np.arange(problem.tuples), np.zeros(problem.tuples, dtype=np.int64), 1
        for a, level in enumerate(problem.highest):
            nodes = problem.ladders[a].nodes(level)
            if nodes > 1 and len(tuples):
                part, count = dense(part * nodes + problem.coded(a, level), count * nodes)
        levels = np.tile(np.array(problem.highest, dtype=np.uint8), (count, 1))
        every = cls(problem, checks, least, tuples, part, levels, np.ones(levels.shape, dtype=bool))
        kept = np.flatnonzero(every.keep(tuples, part, count, levels)[part]) if len(tuples) else tuples
        part, count = dense(part[kept], count) if len(kept) else (part[kept], 0)
        return cls(problem, checks, least, tuples[kept], part, levels[:count], every.along[:count])

    @property
    def count(self) -> int:
        return len(self.levels)

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

    def after(self, best: Integers, split: Integers, going: Integers) -> "_Parts":
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
        along[pieces[coarse], attribute[coarse]] = False
        return _Parts(self.problem, self.checks, self.least, tuples, number, levels, along)


def _best(table: _Parts) -> tuple[Integers, Integers]:
    """Return for every part the attribute to split it along, or -1, and for every tuple its piece there, -1 where it stays coarser.

    Attributes along which no piece can leave a part are closed for it and for all that becomes of it, which is smaller.
    """
    problem, count = table.problem, table.count
    best, spared = np.full(count, -1, dtype=np.int64), np.zeros(count)
    split = np.full(len(table.tuples), -1, dtype=np.int64)
    numbered = 0
    for a, ladder in enumerate(problem.ladders):
        able = table.along[:, a] & (table.levels[:, a] > problem.lowest[a])
        table.along[:, a] = False
        rows = np.flatnonzero(able[table.part])
        if not len(rows):
            continue
        tuples, part = table.tuples[rows], table.part[rows]
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
            continue
        table.along[parent[passed], a] = True
        n = np.bincount(child, weights=problem.weight[tuples], minlength=children)
        passed, ok = _with_the_rest(table, tuples, child, n, parent, passed)
        coarse = _penalty(ladder, table.levels[parent, a], table.nodes(a, tuples[first], parent, 0))
        gain = np.where(passed, coarse - _penalty(ladder, levels[:, a], nodes[first]), 0.0)
        total = np.bincount(parent, weights=gain * n * problem.weights[a], minlength=count) / _cost(n, parent, count)
        goes = passed[child]
        possible = ok & (np.bincount(parent[passed], minlength=count) > 0)
        # A split that spares nothing may still lead to others, but comes last.
        chosen = possible & ((best < 0) | (total > spared))
        spared[chosen], best[chosen] = total[chosen], a
        here = chosen[part]
        split[rows[here]] = np.where(goes[here], numbered + child[here], -1)
        numbered += children
    return best, split


def _with_the_rest(table: _Parts, tuples: Integers, child: Integers, n: Floats, parent: Integers, passed: Flags) -> tuple[Flags, Flags]:
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


def _cost(n: Floats, parent: Integers, count: int) -> Floats:
    """Return what a split costs every part: records become the fewer alike the more bits it tells them apart by."""
    records = np.bincount(parent, weights=n, minlength=count)
    bits = np.bincount(parent, weights=n * np.log2(records[parent] / n), minlength=count)
    return np.asarray(bits + _FREE_BITS * np.maximum(records, 1))


def _penalty(ladder: Ladder, levels: Integers, nodes: Integers) -> Floats:
    found = np.zeros(len(nodes))
    for level in np.flatnonzero(np.bincount(levels)).tolist():
        here = np.flatnonzero(levels == level)
        found[here] = ladder.penalties[level][nodes[here]]
    return found
