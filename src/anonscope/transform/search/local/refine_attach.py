"""Tuples that are in no class join the one that loses least by it."""

import numpy as np

from anonscope.risk.counting.arrays import Flags, Floats, Integers
from anonscope.risk.rounding import ROUNDING
from anonscope.transform.search.local.checks import Checks
from anonscope.transform.search.local.refine import Partition, joined, joined_pairs, partition, selected
from anonscope.transform.search.problem import Problem

# Tuples times classes that are compared at a time.
_PAIRS = 20_000_000


def attached(problem: Problem, checks: Checks, number: Integers) -> Integers:
    """Return classes with the tuples that were in none, as far as some class can take them and keep what it must."""
    left = np.flatnonzero(number < 0)
    while len(left):
        classes = partition(problem, number)
        if not classes.count:
            return number
        some = left[: max(_PAIRS // classes.count, 1)]
        number = _with(problem, checks, classes, some)
        left = left[len(some) :]
    return number


def added(classes: Partition, penalty: Floats, n: Floats) -> Floats:
    """Return what classes and tuples lose more when each class takes in each tuple and has a penalty then."""
    # A class that no allowed level covers loses without end, and less of that is no number.
    with np.errstate(invalid="ignore"):
        found = np.asarray((classes.n + n[:, None]) * penalty - classes.lost)
    return np.where(np.isnan(found), np.inf, found)


def _with(problem: Problem, checks: Checks, classes: Partition, left: Integers) -> Integers:
    """Return classes with some more tuples: in every round each class takes the one that costs least by record."""
    number = classes.number.copy()
    lowest = np.array(problem.lowest, dtype=np.uint8)
    refused = np.zeros((len(left), classes.count), dtype=bool)
    penalty = joined(problem, left, np.broadcast_to(lowest, (len(left), len(lowest))), classes)
    waiting = np.arange(len(left))
    while len(waiting):
        n = problem.weight[left[waiting]]
        cost = np.where(refused[waiting], np.inf, added(classes, penalty[waiting], n))
        best = np.argmin(cost, axis=1)
        least = cost[np.arange(len(waiting)), best]
        hopeful = np.isfinite(least)
        waiting, best, by_record = waiting[hopeful], best[hopeful], (least / n)[hopeful]
        if not len(waiting):
            break
        # The cheapest of those that want the same class; earlier ones win ties.
        order = np.lexsort((np.arange(len(waiting)), by_record, best))
        winners = order[np.concatenate([[True], best[order][1:] != best[order][:-1]])]
        tried = number.copy()
        tried[left[waiting[winners]]] = best[winners]
        touched = best[winners]
        kept = still_kept(problem, checks, tried, touched, classes.count)
        refused[waiting[winners[~kept]], touched[~kept]] = True
        winners, touched = winners[kept], touched[kept]
        if not len(winners):
            continue
        number[left[waiting[winners]]] = touched
        classes = partition(problem, number)
        waiting, best = np.delete(waiting, winners), np.delete(best, winners)
        covered = _covered(problem, checks, classes, number, left[waiting], best, touched)
        if covered.any():
            number[left[waiting[covered]]] = best[covered]
            waiting = waiting[~covered]
            classes = partition(problem, number)
        if len(waiting):
            changed = Partition(
                classes.number, classes.levels[touched], classes.first[touched], classes.n[touched], classes.penalty[touched]
            )
            of = left[waiting]
            penalty[np.ix_(waiting, touched)] = joined(problem, of, np.broadcast_to(lowest, (len(of), len(lowest))), changed)
    return number


def _covered(
    problem: Problem, checks: Checks, classes: Partition, number: Integers, tuples: Integers, wanted: Integers, touched: Integers
) -> Flags:
    """Return which tuples can follow into the class they wanted, because it covers them by now and keeps its limits with them."""
    grown = np.zeros(classes.count, dtype=bool)
    grown[touched] = True
    covered = grown[wanted]
    at = np.flatnonzero(covered)
    covered[at] = joined_pairs(problem, tuples[at], classes, wanted[at]) <= classes.penalty[wanted[at]] + ROUNDING
    if covered.any():
        tried = number.copy()
        tried[tuples[covered]] = wanted[covered]
        asked = np.unique(wanted[covered])
        kept = np.zeros(classes.count, dtype=bool)
        kept[asked] = still_kept(problem, checks, tried, asked, classes.count)
        covered &= kept[wanted]
    return covered


def still_kept(problem: Problem, checks: Checks, number: Integers, touched: Integers, count: int) -> Flags:
    """Return which of the touched classes keep all limits, and can be told within the highest levels."""
    place = np.full(count, -1, dtype=np.int64)
    place[touched] = np.arange(len(touched))
    members = np.flatnonzero(number >= 0)
    members = members[place[number[members]] >= 0]
    some = selected(problem, members, counts_only=checks.sizes_suffice)
    classes = partition(some, place[number[members]])
    # Every touched class has a member, so the new numbers are the places.
    return checks.keep(some, classes.number, classes.count, classes.levels[classes.number]) & np.isfinite(classes.penalty)
