"""Two classes that are near each other are parted anew, in the best of all ways: what local recoding does with more time.

Of a pair with few tuples every part is looked at, and what it loses: a set of tuples is told, in each attribute, no finer than its
first tuple and any other of them are together. So the penalties of all parts follow from those of pairs, by one maximum each, for
many pairs of classes at the same time. Of a pair with more tuples some are drawn, and those that are left of each class stay
together. What comes out is measured as all classes are, and taken back where it is no better.
"""

from collections.abc import Callable, Sequence

import numpy as np

from anonscope.risk.counting.arrays import Flags, Floats, Integers
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.local.checks import Checks
from anonscope.transform.search.local.finish import recoding_of, with_broken
from anonscope.transform.search.local.refine import Partition, joined, partition, told
from anonscope.transform.search.local.refine_attach import still_kept
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding

# Classes that are compared with all others, times all others; neighbours of each; of how many tuples all parts are looked at.
_PAIRS, _AT_A_TIME, _NEIGHBOURS, _TUPLES = 18_000_000, 2_000_000, 6, 11
# Turns, each with more neighbours; a turn after one that spared less than a share of the loss is not begun.
_TURNS, _MORE_NEIGHBOURS, _WORTHWHILE = 40, 2, 1e-5
# Numbers in memory for the parts of pairs that are looked at together; what must be spared; how often the drawn tuples are others.
_NUMBERS, _SPARED, _DRAWN = 4_000_000, 1e-4, 3
_SEED = 17
# Hears what all classes lose together.
Tell = Callable[[float], None]


def deepened(found: Recoding, limits: Sequence[Limit], checks: Checks, tell: Tell | None = None) -> Recoding:
    """Return a release that keeps all limits and loses no more: as long as steps are left and there is something to spare."""
    problem = found.problem
    if found.broken or not found.affordable or problem.elsewhere is not None or checks.steps.over:
        return found
    number = parted_anew(problem, checks, np.where(found.suppressed, -1, found.classes().number), tell)
    after = with_broken(recoding_of(problem, number, found.suppressed), limits)
    weights = np.array(problem.weights)
    better = float(after.penalties() @ weights) < float(found.penalties() @ weights)
    return after if better and not after.broken and after.affordable else found


def parted_anew(problem: Problem, checks: Checks, number: Integers, tell: Tell | None = None) -> Integers:
    """Return classes that lose no more than those given, and keep the limits that they kept."""
    classes, draws = partition(problem, number), np.random.default_rng(_SEED)
    for turn in range(_TURNS):
        before = float(classes.lost.sum())
        if classes.count < 2 or not np.isfinite(before) or before <= 0 or checks.steps.over:
            break
        classes = _turn(problem, checks, classes, _NEIGHBOURS + turn * _MORE_NEIGHBOURS, draws, tell)
        if before - float(classes.lost.sum()) <= _WORTHWHILE * before:
            break
    return classes.number


def _turn(
    problem: Problem, checks: Checks, classes: Partition, neighbours: int, draws: np.random.Generator, tell: Tell | None
) -> Partition:
    """Return classes after all pairs of neighbours were parted anew, and those again that had changed."""
    pairs = _near(problem, checks, classes, neighbours)
    # Where not all parts are looked at, others may be the next time.
    waiting = np.where(_sizes(classes)[pairs].sum(axis=1) > _TUPLES, _DRAWN, 1)
    while waiting.any() and not checks.steps.over:
        of = np.flatnonzero(waiting)
        chosen = of[_apart(pairs[of], classes.count, draws)]
        waiting[chosen] -= 1
        changed = _parted(problem, checks, classes, pairs[chosen], draws)
        if changed is not None:
            number, touched = changed
            classes = _renewed(problem, classes, number, touched)
            waiting[touched[pairs[:, 0]] | touched[pairs[:, 1]]] = 1
            if tell is not None:
                tell(float(classes.lost.sum()))
    return classes


def _sizes(classes: Partition) -> Integers:
    return np.bincount(classes.number[classes.number >= 0], minlength=classes.count)


def _near(problem: Problem, checks: Checks, classes: Partition, neighbours: int) -> Integers:
    """Return pairs of classes that would lose little more as one, each once; of very many classes, those of the most expensive."""
    penalty = np.where(np.isfinite(classes.penalty), classes.penalty, 0)
    rows = np.argsort(-penalty, kind="stable")[: max(_PAIRS // classes.count, 1)]
    rows = rows[penalty[rows] > 0]
    neighbours = min(neighbours, classes.count - 1)
    found = []
    step = max(_AT_A_TIME // classes.count, 1)
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        checks.steps.spend(len(some) * classes.count)
        cost = joined(problem, classes.first[some], classes.levels[some], classes)
        cost *= classes.n[some][:, None] + classes.n
        cost -= classes.lost
        cost[np.arange(len(some)), some] = np.inf
        nearest = np.argpartition(cost, neighbours - 1, axis=1)[:, :neighbours]
        found.append(np.column_stack([np.repeat(some, neighbours), nearest.ravel()]))
    if not found:
        return np.zeros((0, 2), dtype=np.int64)
    return np.unique(np.sort(np.concatenate(found), axis=1), axis=0)


def _apart(pairs: Integers, count: int, draws: np.random.Generator) -> Integers:
    """Return places of pairs no two of which share a class, as many as a drawn order gives."""
    order = draws.permutation(len(pairs))
    rank = np.empty(len(pairs), dtype=np.int64)
    rank[order] = np.arange(len(pairs))
    left, taken = np.arange(len(pairs)), []
    while len(left):
        best = np.full(count, len(pairs), dtype=np.int64)
        for side in (0, 1):
            np.minimum.at(best, pairs[left, side], rank[left])
        first = (best[pairs[left, 0]] == rank[left]) & (best[pairs[left, 1]] == rank[left])
        taken.append(left[first])
        used = np.zeros(count, dtype=bool)
        used[pairs[left[first]].ravel()] = True
        left = left[~(used[pairs[left, 0]] | used[pairs[left, 1]])]
    return np.concatenate(taken)


def _parted(
    problem: Problem, checks: Checks, classes: Partition, pairs: Integers, draws: np.random.Generator
) -> tuple[Integers, Flags] | None:
    """Return numbers after pairs of classes that share none were parted anew, and which classes changed; None where none did."""
    inside = np.flatnonzero(classes.number >= 0)
    members = inside[np.argsort(classes.number[inside], kind="stable")]
    sizes = _sizes(classes)
    starts = np.cumsum(sizes) - sizes
    together = sizes[pairs].sum(axis=1)
    number, touched = classes.number.copy(), np.zeros(classes.count, dtype=bool)
    lowest = np.array(problem.lowest, dtype=np.uint8)
    for tuples in np.unique(np.minimum(together[together > 2], _TUPLES + 1)).tolist():
        alike = pairs[np.minimum(together, _TUPLES + 1) == tuples]
        step = max(_NUMBERS >> tuples, 1)
        for start in range(0, len(alike), step):
            some = alike[start : start + step]
            place, first = starts[some], sizes[some[:, :1]]
            if tuples <= _TUPLES:
                column = np.arange(tuples)
                of = members[np.where(column < first, place[:, :1] + column, place[:, 1:] + column - first)]
                elements = of, np.broadcast_to(lowest, (*of.shape, len(lowest))), problem.weight[of]
                fixed = owner = np.zeros(0, dtype=np.int64)
            else:
                of, fixed, owner, elements = _drawn(problem, members, place, sizes[some], draws)
            checks.steps.spend(len(some) << elements[0].shape[1] >> 1)
            side, spared = _best_sides(problem, *elements, max(checks.least, 1), classes.lost[some].sum(axis=1))
            better = spared > _SPARED
            into = np.where(side, some[:, :1], some[:, 1:])
            # Elements that are no single tuples come first.
            number[of[better]] = into[better][:, side.shape[1] - of.shape[1] :]
            moved = better[owner // 2]
            number[fixed[moved]] = into[owner[moved] // 2, owner[moved] % 2]
            touched[some[better].ravel()] = True
    if not touched.any():
        return None
    return _proven(problem, checks, classes, number, touched, pairs)


_Elements = tuple[Integers, Integers, Floats]  # a tuple, levels and records of each


def _drawn(
    problem: Problem, members: Integers, place: Integers, sizes: Integers, draws: np.random.Generator
) -> tuple[Integers, Integers, Integers, _Elements]:
    """Return drawn tuples of pairs of classes, all others, the class of each of these, and the elements: the rest of both classes first."""
    lengths = sizes.ravel()
    owner = np.repeat(np.arange(len(lengths)), lengths)
    begins = np.cumsum(lengths) - lengths
    of = members[np.repeat(place.ravel() - begins, lengths) + np.arange(len(owner))]
    key = draws.random(len(of))
    # One tuple of every class is not drawn.
    order = np.lexsort((key, owner))
    key[order[begins]] = 2
    order = np.lexsort((key, owner // 2))
    whole = sizes.sum(axis=1)
    at = np.arange(len(of)) - np.repeat(np.cumsum(whole) - whole, whole)
    free = np.zeros(len(of), dtype=bool)
    free[order[at < _TUPLES - 2]] = True
    chosen = of[order[at < _TUPLES - 2]].reshape(len(sizes), -1)
    fixed, kept = of[~free], owner[~free]
    levels, first, n, _ = told(problem, fixed, np.flatnonzero(np.concatenate([[True], kept[1:] != kept[:-1]])))
    lowest = np.broadcast_to(np.array(problem.lowest, dtype=np.uint8), (*chosen.shape, levels.shape[1]))
    elements = (
        np.concatenate([first.reshape(-1, 2), chosen], axis=1),
        np.concatenate([levels.reshape(-1, 2, levels.shape[1]), lowest], axis=1),
        np.concatenate([n.reshape(-1, 2), problem.weight[chosen]], axis=1),
    )
    return chosen, fixed, kept, elements


def _proven(
    problem: Problem, checks: Checks, classes: Partition, number: Integers, touched: Flags, pairs: Integers
) -> tuple[Integers, Flags] | None:
    """Return the numbers without pairs that break a limit or, measured, lose no less; None where nothing is left."""
    after = _renewed(problem, classes, number, touched)
    asked = np.flatnonzero(touched)
    kept = np.ones(classes.count, dtype=bool)
    if not checks.sizes_suffice:
        kept[asked] = still_kept(problem, checks, number, asked, classes.count)
    changed = pairs[touched[pairs].all(axis=1)]
    less = after.lost[changed].sum(axis=1) < classes.lost[changed].sum(axis=1)
    good = less & kept[changed].all(axis=1) & (after.n[changed] >= checks.least).all(axis=1)
    touched = np.zeros(classes.count, dtype=bool)
    touched[changed[good].ravel()] = True
    back = np.zeros(classes.count, dtype=bool)
    back[changed[~good].ravel()] = True
    inside = classes.number >= 0
    number = np.where(inside & back[np.where(inside, classes.number, 0)], classes.number, number)
    return (number, touched) if touched.any() else None


def _renewed(problem: Problem, classes: Partition, number: Integers, touched: Flags) -> Partition:
    """Return the classes with those that were touched told anew; every number still has a tuple."""
    members = np.flatnonzero(touched[np.where(number >= 0, number, 0)] & (number >= 0))
    place = np.cumsum(touched) - 1
    of = np.full(problem.tuples, -1, dtype=np.int64)
    of[members] = place[number[members]]
    new = partition(problem, of)
    levels, first, n, penalty = classes.levels.copy(), classes.first.copy(), classes.n.copy(), classes.penalty.copy()
    levels[touched], first[touched], n[touched], penalty[touched] = new.levels, new.first, new.n, new.penalty
    return Partition(number, levels, first, n, penalty)


def _best_sides(problem: Problem, tuples: Integers, levels: Integers, records: Floats, least: int, now: Floats) -> tuple[Flags, Floats]:
    """Return for every row of elements which of them are on one side of the best cut into two, and what that spares."""
    rows, many = tuples.shape
    parts = 1 << many
    penalty, widest = np.zeros((parts, rows), dtype=np.float32), np.zeros((parts, rows), dtype=np.float32)
    total = sum(problem.weights) or 1
    for a, ladder in enumerate(problem.ladders):
        codes, own = problem.codes[a][tuples].T, levels[:, :, a].T
        both = np.full((many, many, rows), np.inf, dtype=np.float32)
        for level in range(problem.highest[a], problem.lowest[a] - 1, -1):
            node = ladder.levels[level][codes]
            lost = (ladder.penalties[level] * (problem.weights[a] / total)).astype(np.float32)[node]
            covered = own <= level
            alike = (node[:, None] == node[None]) & covered[:, None] & covered[None]
            np.copyto(both, np.broadcast_to(lost[:, None], both.shape), where=alike)
        # Parts are numbers whose bits are their elements; the highest bit is the element that all others are held against.
        for t in range(many):
            head = 1 << t
            widest[head] = both[t, t]
            for i in range(t):
                np.maximum(widest[head : head + (1 << i)], both[t, i], out=widest[head + (1 << i) : head + (2 << i)])
        penalty += widest
    n = np.zeros((parts, rows), dtype=np.float32)
    for t in range(many):
        n[1 << t : 2 << t] = n[: 1 << t] + records[:, t].astype(np.float32)
    penalty *= n
    penalty[n < least] = np.inf
    # A part and the rest of the elements: all bits of one are those that the other lacks.
    cut = penalty[: parts // 2] + penalty[::-1][: parts // 2]
    cut[0] = np.inf
    best = cut.argmin(axis=0)
    side = (best[:, None] >> np.arange(many)) & 1 == 1
    return side, now - cut[best, np.arange(rows)]
