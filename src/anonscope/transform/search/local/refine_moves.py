"""Expensive classes give tuples away, or all of them, where that loses less.

The order in which classes were taken leaves some tuples in poor company. Single moves are tried in batches: proposals that touch
different classes do not disturb each other, so all of them are made, measured and, where they lose more than they spare or break
a limit, taken back.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.transform.search.local.checks import Checks
from anonscope.transform.search.local.refine import Partition, joined, partition, told
from anonscope.transform.search.local.refine_attach import added, still_kept
from anonscope.transform.search.problem import Problem

# Tuples times classes that are compared in a pass; passes; and the share of the loss that a pass must spare to be followed by one.
_PAIRS, _PASSES, _WORTHWHILE = 4_000_000, 4, 0.001
# What a class would be like without each of its tuples takes as many looks as it has tuples, for each of them; in all at most so many.
_MOST_MEMBERS, _LOOKS = 2_000, 4_000_000
_AT_A_TIME = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class _Proposals:
    """Moves of tuples to other classes, by the class they come from: what each would spare, if nothing else changed."""

    tuples: Integers
    targets: Integers
    proposal: Integers  # of every move, without gaps
    spared: Floats  # by every proposal


# Whether all classes together keep what they must.
Accept = Callable[[Integers], bool]


def improved(problem: Problem, checks: Checks, number: Integers, accept: Accept | None = None) -> Integers:
    """Return classes that lose no more than those given, all of which keep the limits that they kept, and all of them together."""
    classes = partition(problem, number)
    for turn in range(_PASSES):
        before = float(classes.lost.sum())
        if classes.count < 2 or not np.isfinite(before) or before <= 0 or (turn and checks.steps.over):
            break
        proposals = _proposed(problem, checks, classes)
        classes = _carried_out(problem, checks, classes, proposals, accept)
        if before - float(classes.lost.sum()) < _WORTHWHILE * before:
            break
    return classes.number


def _proposed(problem: Problem, checks: Checks, classes: Partition) -> _Proposals:
    chosen = _most_expensive(classes, _PAIRS // classes.count)
    target, cost = _best_targets(problem, classes, chosen)
    own = classes.number[chosen]
    # Giving all tuples away: what the class lost is spared, and each is paid for where it goes.
    dissolving = classes.lost - np.bincount(own, weights=cost, minlength=classes.count)
    members = np.bincount(own, minlength=classes.count)
    dissolving[members == 0] = -np.inf
    # Giving one away: the rest may be told finer then.
    spared = np.full(len(chosen), -np.inf)
    free = np.flatnonzero((classes.n[own] - problem.weight[chosen] >= checks.least) & (members[own] > 1) & (members[own] <= _MOST_MEMBERS))
    # Those of the smallest classes, where one tuple more or less matters most.
    free = free[np.argsort(members[own[free]], kind="stable")]
    free = free[np.cumsum(members[own[free]]) <= _LOOKS]
    if len(free):
        spared[free] = classes.lost[own[free]] - _without(problem, classes, chosen[free]) - cost[free]
    order = np.lexsort((chosen, -spared, own))
    first = order[np.concatenate([[True], own[order][1:] != own[order][:-1]])] if len(order) else order
    single = spared[first] > dissolving[own[first]]
    one, all_of = first[single], first[~single]
    going = np.zeros(classes.count, dtype=bool)
    going[own[all_of]] = True
    moves = np.concatenate([one, np.flatnonzero(going[own])])
    gain = np.full(classes.count, -np.inf)
    gain[own[one]] = spared[one]
    gain[own[all_of]] = dissolving[own[all_of]]
    worth = gain[own[moves]] > 1e-9
    moves = moves[worth]
    sources, proposal = np.unique(own[moves], return_inverse=True)
    return _Proposals(chosen[moves], target[moves], proposal, gain[sources])


def _most_expensive(classes: Partition, most: int) -> Integers:
    """Return the tuples of the classes with the highest penalties, whole classes only."""
    order = np.argsort(-classes.penalty, kind="stable")
    sizes = np.bincount(classes.number[classes.number >= 0], minlength=classes.count)
    taken = order[(np.cumsum(sizes[order]) <= most) & (classes.penalty[order] > 0)]
    chosen = np.zeros(classes.count + 1, dtype=bool)
    chosen[taken] = True
    return np.flatnonzero(chosen[classes.number])


def _best_targets(problem: Problem, classes: Partition, tuples: Integers) -> tuple[Integers, Floats]:
    """Return for every tuple the other class that costs least with it, and how much."""
    lowest = np.array(problem.lowest, dtype=np.uint8)
    target, cost = np.zeros(len(tuples), dtype=np.int64), np.zeros(len(tuples))
    step = max(_AT_A_TIME // classes.count, 1)
    for start in range(0, len(tuples), step):
        some = tuples[start : start + step]
        more = added(classes, joined(problem, some, np.broadcast_to(lowest, (len(some), len(lowest))), classes), problem.weight[some])
        more[np.arange(len(some)), classes.number[some]] = np.inf
        target[start : start + step] = best = np.argmin(more, axis=1)
        cost[start : start + step] = more[np.arange(len(some)), best]
    return target, cost


def _without(problem: Problem, classes: Partition, tuples: Integers) -> Floats:
    """Return what the class of every tuple would lose without it."""
    own = classes.number[tuples]
    inside = np.flatnonzero(classes.number >= 0)
    members = inside[np.argsort(classes.number[inside], kind="stable")]
    sizes = np.bincount(classes.number[inside], minlength=classes.count)
    starts = np.cumsum(sizes) - sizes
    # The members of every tuple's class, one list behind the other.
    lengths = sizes[own]
    begins = np.cumsum(lengths) - lengths
    at = np.arange(int(lengths.sum())) - np.repeat(begins - starts[own], lengths)
    others = members[at]
    stays = others != np.repeat(tuples, lengths)
    _, _, n, penalty = told(problem, others[stays], begins - np.arange(len(tuples)))
    return n * penalty


def _carried_out(problem: Problem, checks: Checks, classes: Partition, proposals: _Proposals, accept: Accept | None) -> Partition:
    """Return the classes after all proposals that go together and turn out well."""
    pending = np.ones(len(proposals.spared), dtype=bool)
    # The most promising one has rank 0.
    rank = np.empty(len(pending), dtype=np.int64)
    rank[np.argsort(-proposals.spared, kind="stable")] = np.arange(len(pending))
    number, lost = classes.number.copy(), classes.lost
    used = np.zeros(classes.count, dtype=bool)
    sources = classes.number[proposals.tuples]
    while pending.any():
        moves = np.flatnonzero(pending[proposals.proposal])
        best = np.full(classes.count, len(rank), dtype=np.int64)
        for touched in (sources[moves], proposals.targets[moves]):
            np.minimum.at(best, touched, rank[proposals.proposal[moves]])
        clash = (best[sources[moves]] != rank[proposals.proposal[moves]]) | (
            best[proposals.targets[moves]] != rank[proposals.proposal[moves]]
        )
        chosen = pending.copy()
        chosen[proposals.proposal[moves[clash]]] = False
        if not chosen.any():
            break
        number = _accepted(problem, checks, classes.count, number, lost, proposals, chosen, accept)
        moves = np.flatnonzero(chosen[proposals.proposal])
        used[sources[moves]] = used[proposals.targets[moves]] = True
        pending &= ~chosen
        stale = used[sources] | used[proposals.targets]
        pending[proposals.proposal[stale]] = False
    return partition(problem, number)


def _accepted(
    problem: Problem,
    checks: Checks,
    count: int,
    number: Integers,
    lost: Floats,
    proposals: _Proposals,
    chosen: Integers,
    accept: Accept | None,
) -> Integers:
    """Return numbers after as many of the proposals as all classes together allow: all, or those of one half and then of the other."""
    after = _tried(problem, checks, count, number, lost, proposals, chosen)
    if accept is None or accept(after):
        return after
    which = np.flatnonzero(chosen)
    if len(which) == 1 or checks.steps.over:
        return number
    for half in (which[: len(which) // 2], which[len(which) // 2 :]):
        some = np.zeros(len(chosen), dtype=bool)
        some[half] = True
        number = _accepted(problem, checks, count, number, lost, proposals, some, accept)
    return number


def _tried(
    problem: Problem, checks: Checks, count: int, number: Integers, lost: Floats, proposals: _Proposals, chosen: Integers
) -> Integers:
    """Return numbers after proposals that touch different classes, without those that lose more or break a limit."""
    moves = np.flatnonzero(chosen[proposals.proposal])
    tuples, targets, proposal = proposals.tuples[moves], proposals.targets[moves], proposals.proposal[moves]
    sources = number[tuples]
    after = number.copy()
    after[tuples] = targets
    of = np.full(count, -1, dtype=np.int64)
    of[sources] = of[targets] = 0
    of[sources], of[targets] = proposal, proposal
    touched = np.flatnonzero(of >= 0)
    spared = np.bincount(of[touched], weights=lost[touched], minlength=len(chosen))
    members = np.flatnonzero(after >= 0)
    members = members[of[after[members]] >= 0]
    members = members[np.argsort(after[members], kind="stable")]
    begins = np.flatnonzero(np.concatenate([[True], after[members][1:] != after[members][:-1]]))
    left = after[members[begins]]
    _, _, n, penalty = told(problem, members, begins)
    now = np.where(np.isfinite(penalty), n * penalty, np.finfo(np.float64).max / 1e6)
    spared -= np.bincount(of[left], weights=now, minlength=len(chosen))
    bad = chosen & (spared <= 1e-9)
    kept = still_kept(problem, checks, after, left, count)
    bad[of[left[~kept]]] = True
    back = bad[proposal]
    after[tuples[back]] = sources[back]
    return after
