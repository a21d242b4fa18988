"""Local recoding: every class at the finest levels it can be told at, whatever the levels of others are."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from anonscope.risk.counting.arrays import Integers
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.local.checks import Checks
from anonscope.transform.search.local.finish import finished, with_broken
from anonscope.transform.search.local.greedy import cheapest_classes
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding, everywhere
from anonscope.transform.search.steps import Steps

# How classes are found: the problem, what they must keep, and how many records each has at least.
Finder = Callable[[Problem, Checks, int], Integers]
# Between a size of classes that is too small for a limit on the table and one that is not, so many more are tried.
_HALVINGS = 3


def local_recoding(problem: Problem, limits: Sequence[Limit], steps: Steps | None = None) -> Recoding:
    """Return the local recoding that keeps all limits, or the closest to it; `broken` tells which it breaks."""
    return recoded(problem, limits, cheapest_classes, steps)


def recoded(problem: Problem, limits: Sequence[Limit], find: Finder, steps: Steps | None = None, *, improve: bool = True) -> Recoding:
    """Return what classes of tuples make of a problem.

    A limit on the table is kept by larger classes: their least size is doubled until it is, then halved again as far as it goes.
    A limit on some attributes is kept by coarser levels of those.
    """
    if not problem.tuples:
        return with_broken(everywhere(problem, problem.highest, np.zeros(0, dtype=bool)), limits)
    attempt = _Attempts(problem, tuple(limits), find, steps or Steps(), improve)
    lowest = list(problem.lowest)
    size = small = max(Checks(problem, limits).least, 1)
    while True:
        found = attempt(lowest, size)
        if not found.broken or attempt.steps.over:
            break
        coarser = _coarser(problem, lowest, found)
        if coarser is not None:
            lowest[coarser] += 1
        elif any(limit.per == "table" for limit in found.broken) and size < problem.records:
            small, size = size, min(size * 2, problem.records)
        else:
            break
    for _ in range(_HALVINGS):
        middle = (small + size) // 2
        if found.broken or middle in (small, size) or attempt.steps.over:
            break
        if attempt(lowest, middle).broken:
            small = middle
        else:
            size = middle
    if attempt.best.broken:
        attempt.see(with_broken(everywhere(problem, problem.highest, np.zeros(problem.tuples, dtype=bool)), limits))
    best = attempt.best
    # In a part of a table nobody knows what is said of others.
    return _less_starred(attempt, best) if not best.broken and not best.affordable and problem.elsewhere is None else best


def _less_starred(attempt: "_Attempts", best: Recoding) -> Recoding:
    """Return a recoding that leaves no more records without any information than may be suppressed, if one is found.

    Records that have nothing in common are "*" in every attribute. Where some attribute must say something of everybody there are
    none of them; which one is tried from the attribute with the fewest nodes below the root. Else everybody is "*".
    """
    problem, limits = best.problem, attempt.limits
    heights = [ladder.height for ladder in problem.ladders]
    able = [a for a, height in enumerate(heights) if problem.lowest[a] < problem.highest[a] == height]
    for a in sorted(able, key=lambda a: problem.ladders[a].nodes(heights[a] - 1)):
        told = attempt.below((*problem.highest[:a], heights[a] - 1, *problem.highest[a + 1 :]))
        if not told.broken and told.affordable:
            return told
    coarsest = with_broken(everywhere(problem, problem.highest, np.zeros(problem.tuples, dtype=bool)), limits)
    return coarsest if not coarsest.broken and coarsest.affordable else best


class _Attempts:
    """Attempts at one problem, and the best so far: that breaks fewest limits, then that loses least."""

    def __init__(self, problem: Problem, limits: tuple[Limit, ...], find: Finder, steps: Steps, improve: bool) -> None:
        self._problem, self.limits, self._find, self.steps, self._improve = problem, limits, find, steps, improve
        self._rank: tuple[int, float] | None = None

    def __call__(self, lowest: Sequence[int], size: int) -> Recoding:
        problem = replace(self._problem, lowest=tuple(lowest))
        checks = Checks(problem, self.limits, self.steps)
        found = finished(problem, checks, self._find(problem, checks, size), improve=self._improve and size == checks.least)
        return self.see(Recoding(self._problem, found.levels, found.suppressed, found.broken))

    def below(self, highest: tuple[int, ...]) -> Recoding:
        """Return what is found where levels end earlier."""
        found = recoded(replace(self._problem, highest=highest), self.limits, self._find, self.steps, improve=self._improve)
        return Recoding(self._problem, found.levels, found.suppressed, found.broken)

    def see(self, found: Recoding) -> Recoding:
        rank = len(found.broken), float(found.penalties() @ np.array(self._problem.weights))
        if self._rank is None or rank < self._rank:
            self.best, self._rank = found, rank
        return found


def _coarser(problem: Problem, lowest: Sequence[int], found: Recoding) -> int | None:
    """Return the attribute to make coarser where a limit on some attributes is broken: that which has most nodes."""
    named = {a for limit in found.broken if limit.attributes is not None for a in limit.attributes}
    able = sorted(a for a in named if lowest[a] < problem.highest[a])
    return max(able, key=lambda a: problem.ladders[a].nodes(lowest[a])) if able else None
