"""One node of the lattice: which classes must be suppressed there, what is left then and keeps the limits, and what it loses.

Suppressed records may stay with "*" everywhere ("keep"): together with records that are "*" everywhere anyway they are one class,
which must keep the limits as any other. Or they go ("drop"): then the limits are about the records that stay, and classes that
fail among those are suppressed as well, until none does. Or nobody looks at them any more ("unchecked"), as in ARX, where classes
are compared with the whole input and nothing is checked again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import le

import numpy as np

from anonscope.risk.counting.arrays import Flags, Floats
from anonscope.risk.rounding import exceeds
from anonscope.transform.search.classes import Classes, Whole, whole
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.losses import Loss
from anonscope.transform.search.problem import Problem, merged

# Rolling tuples up to a node pays when that leaves clearly fewer of them, and only so many tuples are kept in all.
_WORTHWHILE, _FEW_TUPLES, _KEPT_TUPLES = 0.7, 256, 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class NodeRelease:
    """Which tuples are suppressed, how many records that is, and which limits the release breaks all the same."""

    mask: Flags
    suppressed: int
    broken: tuple[Limit, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """What was found at a node. Where it `rules_out`, no finer node is admissible."""

    levels: tuple[int, ...]
    suppressed: int
    admissible: bool
    rules_out: bool
    classes: int  # that are not suppressed
    loss: float | None  # of an admissible node
    broken: tuple[Limit, ...]  # limits that some class breaks, or that the release would
    added: Floats  # what the records that are suppressed here and at every finer node add to the loss

    @property
    def rank(self) -> tuple[float, int, tuple[int, ...]]:
        """What makes an admissible node better than another: less loss, then fewer suppressed, then finer levels first."""
        assert self.loss is not None, "asked of admissible nodes only"
        return self.loss, self.suppressed, self.levels


class Evaluator:
    """Evaluates nodes of one problem, from as few tuples as it can."""

    def __init__(self, problem: Problem, limits: Sequence[Limit], loss: Loss) -> None:
        self.problem, self.loss, self.limits = problem, loss, tuple(limits)
        self.table = whole(problem)
        # What needs class sizes only is cheap and often decides.
        of_classes = sorted((x for x in limits if x.per == "class"), key=lambda x: (not x.shrinking, x.metric != "k_anonymity"))
        self._whole = [x for x in of_classes if x.attributes is None]
        self._scoped = [x for x in of_classes if x.attributes is not None]
        self._of_table = [x for x in limits if x.per == "table"]
        self._pool: list[tuple[tuple[int, ...], Problem]] = [(problem.lowest, problem)]  # fewest tuples first
        self._tried: set[tuple[int, ...]] = {problem.lowest}
        self.evaluated = 0

    def base(self, levels: Sequence[int]) -> Problem:
        """Return the fewest tuples at hand that a node can be made of."""
        return next(tuples for finest, tuples in self._pool if all(map(le, finest, levels)))

    def roll_up(self, levels: tuple[int, ...]) -> Problem:
        """Return the fewest tuples for a node and all coarser ones, and keep them at hand."""
        base = self.base(levels)
        if levels in self._tried:
            return base
        self._tried.add(levels)
        rolled = self.rolled(base, levels)
        if rolled is not base:
            self._pool.append((levels, rolled))
            self._pool.sort(key=lambda entry: entry[1].tuples)
            # The largest but the table itself go first; they spare least.
            while sum(tuples.tuples for _, tuples in self._pool[:-1]) > _KEPT_TUPLES:
                del self._pool[-2]
        return rolled

    def rolled(self, base: Problem, levels: tuple[int, ...]) -> Problem:
        """Return tuples merged up to a node, if that leaves clearly fewer of them."""
        if base.tuples <= _FEW_TUPLES:
            return base
        classes = Classes.at(base, levels, self.table)
        return base if classes.count > _WORTHWHILE * base.tuples else merged(base, classes.number, classes.count, levels)

    def evaluate(self, levels: tuple[int, ...], base: Problem | None = None, best: float | None = None) -> Node:
        """Return what is true of a node; nothing more is looked at once it is ruled out, or loses more than the best one known."""
        self.evaluated += 1
        problem, budget = self.problem, self.problem.budget
        base = base or self.base(levels)
        classes = Classes.at(base, levels, self.table)
        judged = self._judged(base, levels, classes)
        kept, broken = judged.kept, judged.broken
        suppressed = int(problem.records - classes.n[kept].sum()) if broken else 0
        if judged.least > budget:
            return Node(levels, suppressed, False, True, int(kept.sum()), None, tuple(broken), np.zeros(0))
        added = self.loss.told(classes, levels, judged.sure)
        if suppressed > budget:
            return Node(levels, suppressed, False, False, int(kept.sum()), None, tuple(broken), added)
        lost = self._lost(classes, levels, kept, judged.sure, added)
        if best is not None and exceeds(lost, best):
            # Whatever else is suppressed adds to the loss, so nobody need ask whether the release would pass.
            return Node(levels, suppressed, False, False, int(kept.sum()), None, (), added)
        release = self._release(base, levels, classes, kept)
        if release.suppressed > suppressed:
            suppressed, kept = release.suppressed, ~release.mask[classes.first]
            lost = self._lost(classes, levels, kept, judged.sure, added)
        if release.broken:
            broken += [limit for limit in release.broken if limit not in broken]
            rules_out = budget == 0 and any(limit.merging for limit in release.broken)
            return Node(levels, suppressed, False, rules_out, int(kept.sum()), None, tuple(broken), added)
        return Node(levels, suppressed, True, False, int(kept.sum()), lost, tuple(broken), added)

    def _judged(self, base: Problem, levels: tuple[int, ...], classes: Classes) -> "_Judged":
        """Return which classes keep the limits on classes; no further limit is asked once too many records must be suppressed."""
        kept, sure = np.ones(classes.count, dtype=bool), np.zeros(classes.count, dtype=bool)
        least, most = np.zeros(classes.count), 0.0
        broken: list[Limit] = []
        for limit in (*self._whole, *self._scoped):
            asked = classes if limit.attributes is None else Classes.at(base, levels, self.table, limit.attributes)
            keeps, at_least = limit.judged(asked)
            if keeps.all():
                continue
            broken.append(limit)
            if asked is classes:
                np.maximum(least, at_least, out=least)
                most = max(most, least.sum())
            else:
                keeps = keeps[asked.number[classes.first]]
                most = max(most, at_least.sum())
            kept &= keeps
            if limit.shrinking:
                sure |= ~keeps
            if most > self.problem.budget:
                break
        return _Judged(kept, sure, most, broken)

    def _lost(self, classes: Classes, levels: tuple[int, ...], kept: Flags, sure: Flags, added: Floats) -> float:
        told = added if (sure != kept).all() else self.loss.told(classes, levels, ~kept)
        return self.loss.value(levels, told, classes.n[kept])

    def release(self, levels: tuple[int, ...]) -> NodeRelease:
        """Return what a node makes of the tuples of the problem itself."""
        classes = Classes.at(self.problem, levels, self.table)
        kept = np.ones(classes.count, dtype=bool)
        for limit in (*self._whole, *self._scoped):
            asked = classes if limit.attributes is None else Classes.at(self.problem, levels, self.table, limit.attributes)
            kept &= limit.keeps(asked)[asked.number[classes.first]]
        return released(self.problem, levels, self.table, ~kept[classes.number], self.limits, classes)

    def _release(self, base: Problem, levels: tuple[int, ...], classes: Classes, kept: Flags) -> NodeRelease:
        if not self._of_table and (kept.all() or self.problem.suppressed == "unchecked"):
            # Every class that is looked at keeps what is asked of it, and nothing is asked of the table. The mask is not needed.
            return NodeRelease(kept, int(self.problem.records - classes.n[kept].sum()), ())
        return released(base, levels, self.table, ~kept[classes.number], self.limits, classes)


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """What the limits on classes say: which classes keep them, and which are suppressed at every finer node too."""

    kept: Flags
    sure: Flags
    least: float  # records that are suppressed here and at every finer node, at the least
    broken: list[Limit]


def released(
    problem: Problem, levels: tuple[int, ...], table: Whole, mask: Flags, limits: Sequence[Limit], classes: Classes
) -> NodeRelease:
    """Return the release of a node whose `classes` break a limit where `mask` is true; more may have to be suppressed."""
    of_classes = [limit for limit in limits if limit.per == "class"]
    of_table = [limit for limit in limits if limit.per == "table"]
    scoped = [limit for limit in of_classes if limit.attributes is not None]
    stopping: list[Limit] = []
    while True:
        suppressed = int(problem.n[mask].sum())
        # A table without a record is no release.
        if suppressed > problem.budget or (problem.suppressed == "drop" and suppressed == problem.records):
            return NodeRelease(mask, suppressed, tuple(stopping or _broken(problem, levels, table, of_classes)))
        rest = whole(problem, ~mask) if problem.suppressed == "drop" and suppressed else table
        made = {scope: _classes(problem, levels, mask, rest, scope) for scope in {limit.attributes for limit in limits}}
        if not suppressed or problem.suppressed == "unchecked":
            break
        # Where all records stay, classes that were not suppressed are what they were.
        judged = scoped if problem.suppressed == "keep" else of_classes
        fails = np.zeros(problem.tuples, dtype=bool)
        for limit in judged:
            failing = _failing(limit, made[limit.attributes]) & ~mask
            fails |= failing
            stopping += [limit] if failing.any() and limit not in stopping else []
        if not fails.any():
            break
        # A class goes as a whole.
        whole_classes = np.zeros(classes.count, dtype=bool)
        whole_classes[classes.number[fails]] = True
        mask = mask | whole_classes[classes.number]
    broken = [limit for limit in of_table if not limit.keeps(made[limit.attributes])]
    if problem.suppressed == "keep" and suppressed:
        broken += [limit for limit in of_classes if _failing(limit, made[limit.attributes])[mask].any()]
    return NodeRelease(mask, suppressed, tuple(broken))


def release_classes(problem: Problem, levels: tuple[int, ...], mask: Flags, attributes: tuple[int, ...] | None = None) -> Classes:
    """Return the classes of a release by all attributes or by some, as an audit of it would count them."""
    dropped = problem.suppressed == "drop" and bool(mask.any())
    return _classes(problem, levels, mask, whole(problem, ~mask) if dropped else whole(problem), attributes)


def _classes(problem: Problem, levels: tuple[int, ...], mask: Flags, table: Whole, attributes: tuple[int, ...] | None) -> Classes:
    known = range(len(levels)) if attributes is None else attributes
    number = Classes.at(problem, levels, table, attributes).number.copy()
    chosen = None
    if problem.population is not None:
        top = np.array([ladder.height for ladder in problem.ladders])
        chosen = np.broadcast_to(np.where(np.isin(np.arange(len(levels)), known), levels, top), (problem.tuples, len(levels))).copy()
    if problem.suppressed == "keep":
        star = mask
        if mask.any():
            starred = np.ones(problem.tuples, dtype=bool)
            for a in known:
                starred &= problem.coded(a, levels[a]) == problem.ladders[a].star(levels[a])
            star = mask | starred
        number[star] = number.max(initial=0) + 1
        if chosen is not None:
            chosen[star] = top
    else:
        number[mask] = -1
    inside = number >= 0
    taken = np.zeros(int(number.max(initial=0)) + 1, dtype=np.int64)
    taken[number[inside]] = 1
    renumbered = np.cumsum(taken) - 1
    number[inside] = renumbered[number[inside]]
    return Classes(problem, number, int(taken.sum()), table, chosen)


def _broken(problem: Problem, levels: tuple[int, ...], table: Whole, limits: Sequence[Limit]) -> list[Limit]:
    """Return the limits that some class of a node breaks before anything is suppressed."""
    return [limit for limit in limits if not limit.keeps(Classes.at(problem, levels, table, limit.attributes)).all()]


def _failing(limit: Limit, classes: Classes) -> Flags:
    """Return which tuples are in a class that breaks a limit."""
    fails = np.zeros(len(classes.number), dtype=bool)
    kept = limit.keeps(classes)
    inside = classes.number >= 0
    fails[inside] = ~kept[classes.number[inside]]
    return fails
