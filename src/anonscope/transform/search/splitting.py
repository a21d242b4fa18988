"""Splits of a release that keep every limit, also those that all classes keep together.

A limit on the table, or on the labels of some attributes, is not seen in a class alone. So a release that keeps every limit is the
start, and its classes are split as Mondrian would: first all of them, each along the attribute that spares most penalty by bit.
Whether the limits stay kept is asked of the release as a whole. Where they do not, one half of the splits is tried and then the
other, those that spare most first; a single split that breaks a limit is closed. So most of what can be had costs a few questions.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from anonscope.risk.counting.arrays import Flags, Integers
from anonscope.risk.counting.grouping import dense
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.local.checks import Checks
from anonscope.transform.search.local.finish import finished, recoding_of, with_broken
from anonscope.transform.search.local.merging import merged_again
from anonscope.transform.search.local.refine_moves import improved
from anonscope.transform.search.mondrian import FREE_BITS, OpenParts, best_splits
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding, everywhere
from anonscope.transform.search.steps import Steps

# What is drawn for splitting again, how often, with how many steps at the most, and by how few bits splits are told apart.
_SEED, _TIMES, _AGAIN, _FREE = 17, 60, 25_000_000, (0.03, 0.1, 0.3, 1.0, 3.0)


def wide(limit: Limit) -> bool:
    """Return whether a limit is about more than single classes of the whole combination."""
    return limit.per == "table" or limit.attributes is not None


def local_from(start: Recoding, limits: Sequence[Limit], steps: Steps | None = None) -> Recoding:
    """Return a release that keeps all limits and loses no more than one that does: classes split, and tuples moved about."""
    problem, steps = start.problem, steps or Steps()
    if start.broken or not problem.tuples or problem.elsewhere is not None:
        return start
    best = split_further(start, limits, steps)
    number = np.where(best.suppressed, -1, best.classes().number)
    found = finished(problem, Checks(problem, limits, steps), number)
    if not found.broken and found.affordable and _lost(found) < _lost(best):
        best = split_further(found, limits, steps)
    if not any(map(wide, limits)):
        return best
    best = merged_again(split_again(best, limits, steps), limits, steps)
    return moved(split_further(best, limits, steps), limits, steps)


def moved(best: Recoding, limits: Sequence[Limit], steps: Steps) -> Recoding:
    """Return a release that loses no more and keeps every limit: tuples move to other classes, as long as all of them allow it."""
    problem, checks = best.problem, Checks(best.problem, limits, steps)

    def release(number: Integers) -> Recoding:
        steps.spend(problem.tuples * (1 + len(limits)))
        return with_broken(recoding_of(problem, number, best.suppressed), limits)

    def accepts(number: Integers) -> bool:
        found = release(number)
        return not found.broken and found.affordable

    number = np.where(best.suppressed, -1, best.classes().number)
    # Classes may be told coarser than their tuples ask for, so that labels are shared; where they must be, nothing is moved.
    if not accepts(number):
        return best
    found = release(improved(problem, checks, number, accepts))
    return found if not found.broken and found.affordable and _lost(found) < _lost(best) else best


def split_again(best: Recoding, limits: Sequence[Limit], steps: Steps) -> Recoding:
    """Return a release that loses no more: again and again a part of it is made coarser and split in another order.

    What to make coarser is drawn from a fixed seed, so the same comes out each time.
    """
    problem, draws = best.problem, np.random.default_rng(_SEED)
    heights = np.array([ladder.height for ladder in problem.ladders])
    able = [a for a in range(len(heights)) if problem.lowest[a] < problem.highest[a]]
    ends = steps.spent + _AGAIN
    # There are few ways to split few tuples.
    for _ in range(min(_TIMES, problem.tuples // 4) if able else 0):
        if steps.over or steps.spent > ends:
            break
        a, other = int(draws.choice(able)), int(draws.integers(len(heights)))
        # Those who have some labels of one attribute lose another.
        told = problem.coded(other, max(int(heights[other]) - 1, 0))
        chosen = draws.random(problem.ladders[other].nodes(max(int(heights[other]) - 1, 0)))[told] < draws.random()
        free_bits = float(draws.choice(_FREE))
        levels = np.array(best.levels, dtype=np.int64)
        levels[chosen & ~best.suppressed, a] = problem.highest[a]
        coarser = with_broken(Recoding(problem, levels, best.suppressed), limits)
        steps.spend(problem.tuples * (1 + len(limits)))
        if coarser.broken or not coarser.affordable:
            continue
        found = split_further(coarser, limits, steps, free_bits)
        if _lost(found) < _lost(best):
            best = found
    return best


def split_from_the_top(problem: Problem, limits: Sequence[Limit], steps: Steps) -> Recoding:
    """Return what splitting makes of the coarsest release, where that keeps every limit."""
    top = with_broken(everywhere(problem, problem.highest, np.zeros(problem.tuples, dtype=bool)), limits)
    return top if top.broken or not problem.tuples else split_further(top, limits, steps)


def split_further(start: Recoding, limits: Sequence[Limit], steps: Steps, free_bits: float = FREE_BITS) -> Recoding:
    """Return a release that keeps every limit, as one does whose classes it splits."""
    search = _Splits(start, limits, steps, free_bits)
    while search.going and not steps.over:
        search.round()
    return search.best if _lost(search.best) < _lost(start) else start


class _Splits:
    """A release under way: its classes as parts, and what they may be split along."""

    def __init__(self, start: Recoding, limits: Sequence[Limit], steps: Steps, free_bits: float) -> None:
        problem = start.problem
        self.start, self.best, self.limits, self.steps = start, start, tuple(limits), steps
        checks = Checks(problem, limits, steps)
        tuples = np.flatnonzero(~start.suppressed)
        levels = np.asarray(start.levels)[tuples]
        part, count = dense(start.classes().number[tuples], problem.tuples + 1) if len(tuples) else (tuples, 0)
        # Labels of different levels may be the same; a part has one level of each attribute.
        for a, ladder in enumerate(problem.ladders):
            if len(tuples):
                part, count = dense(part * (ladder.height + 1) + levels[:, a], count * (ladder.height + 1))
        first = np.zeros(count, dtype=np.int64)
        first[part] = np.arange(len(tuples))
        of = levels[first].astype(np.uint8)
        self.table = OpenParts(problem, checks, checks.least, tuples, part, of, np.ones(of.shape, dtype=bool), free_bits)
        self.going = len(tuples) > 0
        self._wide = [limit for limit in self.limits if wide(limit)]

    def round(self) -> None:
        """Split every part along its best attribute, as far as all limits stay kept."""
        best, split, spared = best_splits(self.table)
        able = np.flatnonzero(best >= 0)
        self.going = len(able) > 0
        if not self.going:
            return
        able = able[np.argsort(-spared[able], kind="stable")]
        self._taken = np.zeros(self.table.count, dtype=bool)
        closed = np.zeros(self.table.count, dtype=bool)
        self._try(able, best, split, closed)
        self.table.along[closed, best[closed]] = False
        self.table = self._after(self._taken, best, split)

    def _try(self, chosen: Integers, best: Integers, split: Integers, closed: Flags) -> None:
        if not len(chosen) or self.steps.over:
            return
        tried = self._taken.copy()
        tried[chosen] = True
        found = self._judged(self._after(tried, best, split))
        if not found.broken and found.affordable and _lost(found) <= _lost(self.best):
            self._taken, self.best = tried, found
        elif len(chosen) == 1:
            closed[chosen] = True
        else:
            middle = len(chosen) // 2
            self._try(chosen[:middle], best, split, closed)
            self._try(chosen[middle:], best, split, closed)

    def _after(self, taken: Flags, best: Integers, split: Integers) -> OpenParts:
        return self.table.after(np.where(taken, best, -1), np.where(taken[self.table.part], split, -1), np.arange(len(self.table.tuples)))

    def _judged(self, table: OpenParts) -> Recoding:
        """Return the release of parts with the limits that it breaks, as an audit of it would find."""
        levels = np.array(self.start.levels, dtype=np.int64)
        levels[table.tuples] = table.levels[table.part]
        found = Recoding(self.start.problem, levels, self.start.suppressed)
        self.steps.spend(self.start.problem.tuples * (1 + len(self.limits)))
        # Splits keep the limits on single classes, so those that all keep together are asked first.
        broken = with_broken(found, self._wide).broken
        return replace(found, broken=broken) if broken else with_broken(found, self.limits)


def _lost(found: Recoding) -> float:
    return float(found.penalties() @ np.array(found.problem.weights))
