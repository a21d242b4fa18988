"""From classes of tuples to a release that keeps all limits, whichever way the classes were found.

Classes of a release are records with equal labels, not what a method believes: labels of different levels may be the same, and
limits on some attributes or on the table are about the whole release. So the release is judged as an audit would, and classes
that fail are joined with others until none does.
"""

from collections.abc import Sequence

import numpy as np

from anonscope.risk.counting.arrays import Flags, Integers
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.local.checks import Checks
from anonscope.transform.search.local.refine import joined, partition
from anonscope.transform.search.local.refine_attach import added, attached
from anonscope.transform.search.local.refine_moves import improved
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding

# Failing classes times classes that are compared in a round.
_PAIRS = 4_000_000


def finished(problem: Problem, checks: Checks, number: Integers, *, improve: bool = True) -> Recoding:
    """Return the release of classes (-1: in none) after all limits on classes were seen to; `broken` tells what it breaks yet."""
    number, suppressed = _everybody_somewhere(problem, checks, number)
    if improve:
        number = improved(problem, checks, number)
    while True:
        recoding = recoding_of(problem, number, suppressed)
        failing = _failing(recoding, checks.limits)
        if failing[suppressed].any():
            # They cannot stay as they are, so they go wherever they lose least.
            number, suppressed = attached(problem, checks, np.where(suppressed, -1, number)), np.zeros(problem.tuples, dtype=bool)
            number = np.where(number < 0, number.max(initial=-1) + 1, number)
            continue
        if not failing.any():
            break
        after = _joined(problem, recoding, number, failing)
        if after is None:
            break
        number = after
    return with_broken(_named(recoding), checks.limits)


def with_broken(recoding: Recoding, limits: Sequence[Limit]) -> Recoding:
    """Return the release with the limits that it breaks."""
    made = {scope: recoding.classes(scope) for scope in {limit.attributes for limit in limits}}
    broken = tuple(limit for limit in limits if not np.all(limit.keeps(made[limit.attributes])))
    return Recoding(recoding.problem, recoding.levels, recoding.suppressed, broken)


def _everybody_somewhere(problem: Problem, checks: Checks, number: Integers) -> tuple[Integers, Flags]:
    """Return classes for all tuples but those that are suppressed: where that is allowed and loses less than any class would."""
    nobody = np.zeros(problem.tuples, dtype=bool)
    left = number < 0
    if not left.any():
        return number, nobody
    lonely = problem.n[left].sum()
    allowed = lonely <= problem.budget and bool((~left).any())
    if allowed and problem.suppressed == "keep":
        allowed = bool(checks.keep(problem, np.where(left, 0, -1), 1, _heights(problem)).all())
    joint = attached(problem, checks, number)
    lost = float(partition(problem, joint).lost.sum()) - float(partition(problem, number).lost.sum())
    alone = joint < 0
    if allowed and (alone.any() or lost >= lonely):
        return number, left
    # Those that no class can take are one; if it fails, that is seen to below.
    return np.where(alone, joint.max(initial=-1) + 1, joint), nobody


def recoding_of(problem: Problem, number: Integers, suppressed: Flags) -> Recoding:
    """Return the release of classes, each told at the finest levels at which its tuples agree."""
    classes = partition(problem, np.where(suppressed, -1, number))
    heights = _heights(problem)
    levels = np.tile(heights.astype(np.uint8), (problem.tuples, 1))
    inside = classes.number >= 0
    # Tuples that no level within the highest covers are not told coarser, but fall apart.
    levels[inside] = np.minimum(classes.levels, np.array(problem.highest, dtype=np.uint8))[classes.number[inside]]
    return Recoding(problem, levels, suppressed)


def _named(recoding: Recoding) -> Recoding:
    """Return the release in which what only the roots cover is called suppressed, as far as records may be suppressed."""
    problem = recoding.problem
    if problem.suppressed != "keep":
        return recoding
    starred = recoding.suppressed | (recoding.levels == _heights(problem)).all(axis=1)
    rows = int(problem.n[starred].sum())
    return Recoding(problem, recoding.levels, starred) if rows <= problem.budget and rows < problem.records else recoding


def _failing(recoding: Recoding, limits: Sequence[Limit]) -> Flags:
    """Return which tuples are in a class of the release that breaks a limit on whole classes."""
    problem = recoding.problem
    failing = np.zeros(problem.tuples, dtype=bool)
    classes = recoding.classes()
    inside = np.flatnonzero(classes.number >= 0)
    for limit in limits:
        if limit.per == "class" and limit.attributes is None and classes.count:
            failing[inside] |= ~limit.keeps(classes)[classes.number[inside]]
    return failing


def _joined(problem: Problem, recoding: Recoding, number: Integers, failing: Flags) -> Integers | None:
    """Return classes after every failing one was joined with the one that loses least by it; None where none can be."""
    # What looks the same in the release is one class.
    released = recoding.classes().number
    one = failing & (released >= 0)
    number = np.where(one, number.max(initial=-1) + 1 + released, number)
    number = np.where(recoding.suppressed, -1, number)
    classes = partition(problem, number)
    fails = np.zeros(classes.count, dtype=bool)
    fails[classes.number[one & ~recoding.suppressed]] = True
    bad = np.flatnonzero(fails)
    # The smallest first: they have least to lose.
    bad = bad[np.argsort(classes.n[bad], kind="stable")][: max(_PAIRS // max(classes.count, 1), 1)]
    if not len(bad) or classes.count < 2:
        return None
    lost = np.where(np.isfinite(classes.penalty[bad]), classes.lost[bad], classes.n[bad])
    cost = added(classes, joined(problem, classes.first[bad], classes.levels[bad], classes), classes.n[bad]) - lost[:, None]
    cost[np.arange(len(bad)), bad] = np.inf
    cost = np.where(np.isnan(cost), np.inf, cost)
    partner = np.argmin(cost, axis=1)
    least = cost[np.arange(len(bad)), partner]
    target = np.arange(classes.count)
    taken = np.zeros(classes.count, dtype=bool)
    for i in np.lexsort((bad, least)).tolist():
        if np.isfinite(least[i]) and not taken[bad[i]] and not taken[partner[i]]:
            target[bad[i]] = partner[i]
            taken[bad[i]] = taken[partner[i]] = True
    if not taken.any():
        return None
    return np.where(classes.number >= 0, target[classes.number], number)


def _heights(problem: Problem) -> Integers:
    return np.array([ladder.height for ladder in problem.ladders])
