"""Top-down partitioning in the manner of Mondrian, for tables too large for anything else.

K. LeFevre et al. (2006), "Mondrian multidimensional k-anonymity", splits a part of the table along one attribute as long as all
pieces keep the limits. Here a piece is told by the nodes of the ladders, so a split makes one attribute of a part a level finer:
children that keep the limits become parts of their own; the others stay together at the coarser level, and must keep the limits
as one class. All parts of the table are split at the same time, one step at a time, each along the attribute that spares most
penalty by bit.
"""

from collections.abc import Sequence

import numpy as np

from anonscope.count.grouping import dense
from anonscope.search.limits import Limit
from anonscope.search.local import recoded
from anonscope.search.local_checks import Checks
from anonscope.search.problem import Floats, Integers, Problem
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
    levels = np.tile(np.array(problem.highest, dtype=np.uint8), (problem.tuples, 1))
    tuples = np.arange(problem.tuples)
    if not len(tuples):
        return number
    some = selected(problem, tuples, counts_only=checks.sizes_suffice)
    part, count = _groups(some, levels)
    kept = _kept(some, checks, part, count, least, levels)[part]
    tuples, levels = tuples[kept], levels[kept]
    part, count = dense(part[kept], count) if kept.any() else (part[kept], 0)
    # An attribute that a part could not be split along is not tried again on pieces of it: they are smaller.
    open_ = np.ones((count, len(problem.ladders)), dtype=bool)
    made = 0
    while len(tuples):
        some = selected(problem, tuples, counts_only=checks.sizes_suffice)
        best, split = _best(some, checks, part, count, least, levels, open_)
        done = best[part] < 0
        if done.any():
            finished, ended = dense(part[done], count)
            number[tuples[done]] = made + finished
            made += ended
        going = ~done
        tuples, levels = tuples[going], levels[going]
        if not len(tuples):
            break
        piece, finer, inherited = split[going], levels.copy(), open_[part[going]]
        along = best[part[going]]
        stays = piece < 0
        rows = np.arange(len(tuples))
        finer[rows[~stays], along[~stays]] -= 1
        inherited[rows[stays], along[stays]] = False
        levels = finer
        # What stays at the coarser level is one piece of each part, behind all that go on.
        key = np.where(stays, part[going], count + piece)
        part, pieces = dense(key, int(key.max()) + 1)
        open_ = np.ones((pieces, len(problem.ladders)), dtype=bool)
        open_[part] = inherited
        count = pieces
    return number


def _best(
    problem: Problem, checks: Checks, part: Integers, count: int, least: int, levels: Integers, open_: Integers
) -> tuple[Integers, Integers]:
    """Return for every part the attribute to split it along, or -1, and for every tuple its piece there, -1 where it stays coarser.

    Attributes that cannot be split along are closed in `open_`.
    """
    best = np.full(count, -1, dtype=np.int64)
    spared = np.zeros(count)
    split = np.full(problem.tuples, -1, dtype=np.int64)
    numbered = 0
    for a, ladder in enumerate(problem.ladders):
        rows = np.flatnonzero(open_[part, a] & (levels[:, a] > problem.lowest[a]))
        open_[:, a] = False
        if not len(rows):
            continue
        tried = selected(problem, rows, counts_only=checks.sizes_suffice)
        finer = levels[rows]
        coarse = _nodes(tried, a, finer[:, a])
        finer[:, a] -= 1
        fine = _nodes(tried, a, finer[:, a])
        child, children = dense(part[rows] * max(ladder.nodes(level) for level in range(ladder.height + 1)) + fine, 2**62)
        passed = _kept(tried, checks, child, children, least, finer)[child]
        if not passed.any():
            continue
        # Pieces of the part may be split along it even if the part itself cannot.
        open_[part[rows][passed], a] = True
        passed, ok = _with_the_rest(tried, checks, part[rows], count, least, levels[rows], child, children, passed)
        gain = np.zeros(len(rows))
        gain[passed] = _penalty(problem, a, levels[rows[passed], a], coarse[passed]) - _penalty(problem, a, finer[passed, a], fine[passed])
        total = np.bincount(part[rows], weights=gain * tried.weight * problem.weights[a], minlength=count)
        total = total / _cost(tried, part[rows], count, child, children)
        some = np.zeros(count, dtype=bool)
        some[part[rows][passed]] = True
        possible = some & ok
        # A split that spares nothing is still one that may lead to others, but comes last.
        chosen = possible & ((best < 0) | (total > spared))
        spared[chosen] = total[chosen]
        best[chosen] = a
        here = chosen[part[rows]]
        split[rows[here]] = np.where(passed[here], numbered + child[here], -1)
        numbered += children
    return best, split


def _cost(problem: Problem, part: Integers, count: int, child: Integers, children: int) -> Floats:
    """Return what a split costs every part: records become the fewer alike the more bits it tells them apart by."""
    records = np.bincount(part, weights=problem.weight, minlength=count)
    share = records[part] / np.bincount(child, weights=problem.weight, minlength=children)[child]
    bits = np.bincount(part, weights=problem.weight * np.log2(share), minlength=count)
    return np.asarray(bits + _FREE_BITS * np.maximum(records, 1))


def _with_the_rest(
    problem: Problem,
    checks: Checks,
    part: Integers,
    count: int,
    least: int,
    levels: Integers,
    child: Integers,
    children: int,
    passed: Integers,
) -> tuple[Integers, Integers]:
    """Return which tuples go on to a child, and in which parts those that do not keep the limits together, told as the part was.

    Where the rest fails, the smallest child stays with it.
    """
    ok = np.ones(count, dtype=bool)
    for _ in range(2):
        ok[:] = True
        stays = np.flatnonzero(~passed)
        if not len(stays):
            break
        rest, rests = dense(part[stays], count)
        bad = ~_kept(selected(problem, stays, counts_only=checks.sizes_suffice), checks, rest, rests, least, levels[stays])
        ok[part[stays][bad[rest]]] = False
        if ok.all():
            break
        size = np.bincount(child, weights=problem.weight, minlength=children)
        going = np.flatnonzero(passed & ~ok[part])
        order = going[np.lexsort((child[going], size[child[going]], part[going]))]
        firsts = order[np.concatenate([[True], part[order][1:] != part[order][:-1]])] if len(order) else order
        smallest = np.zeros(children, dtype=bool)
        smallest[child[firsts]] = True
        passed = passed & ~smallest[child]
    return passed, ok


def _kept(problem: Problem, checks: Checks, number: Integers, count: int, least: int, levels: Integers) -> Integers:
    enough = np.bincount(number, weights=problem.weight, minlength=count) >= least
    if checks.sizes_suffice or not enough.any():
        return enough
    return enough & checks.keep(problem, number, count, levels)


def _groups(problem: Problem, levels: Integers) -> tuple[Integers, int]:
    """Return a class of every tuple by its nodes at levels of its own, without gaps, and how many there are."""
    number, count = np.zeros(problem.tuples, dtype=np.int64), 1
    for a, ladder in enumerate(problem.ladders):
        size = max(ladder.nodes(level) for level in range(ladder.height + 1))
        number, count = dense(number * size + _nodes(problem, a, levels[:, a]), count * size)
    return number, count


def _nodes(problem: Problem, a: int, levels: Integers) -> Integers:
    found = np.zeros(problem.tuples, dtype=np.int64)
    for level in np.unique(levels).tolist():
        here = np.flatnonzero(levels == level)
        found[here] = problem.coded(a, level)[here]
    return found


def _penalty(problem: Problem, a: int, levels: Integers, nodes: Integers) -> Floats:
    found = np.zeros(len(nodes))
    for level in np.unique(levels).tolist():
        here = np.flatnonzero(levels == level)
        found[here] = problem.ladders[a].penalties[level][nodes[here]]
    return found
