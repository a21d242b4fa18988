"""Classes in the order of what they lose: the beginning of local recoding.

Iterative local recoding fixes, round by round, the records that the node of the lattice with the lowest mean penalty makes safe
(as ARX does; F. Prasser et al. 2020, "Flexible data anonymization using ARX: current status and challenges ahead", Software:
Practice and Experience 50). Here single classes compete instead of nodes: a node waits in a queue under the penalty of its
cheapest class that has not been taken, so that a class is taken when no other could lose less. A node that has no large enough
class left is done, because what is left only shrinks.
"""

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import product

import numpy as np

from anonscope.risk.counting.arrays import Flags, Floats, Integers
from anonscope.risk.counting.grouping import dense, grouped
from anonscope.transform.search.classes import Classes
from anonscope.transform.search.local.checks import Checks
from anonscope.transform.search.local.refine import selected
from anonscope.transform.search.problem import Problem

# Penalties are means over the cells of a record, from 0 to 1. A node is first looked at a little before its mean penalty over all
# records is reached, because its cheapest classes lose less than the mean (the less so, the more tuples that takes to look at); and
# classes are as good as equal within a step. Where classes must be asked for more than their size, that costs time, and steps are longer.
_EARLY, _STEP, _EARLY_TUPLES = 0.025, 0.00125, 50_000
_LONG_STEP = 0.005
# Keys of tuples that are left are made again when so many of them are gone.
_SHRUNK = 0.97
# So many tuples times nodes take some seconds; more nodes are thinned out.
_WORK, _MOST_NODES, _FEWEST_NODES = 1_500_000_000, 20_000, 2_000
# Slots that keys are scattered over: by multiplying with 2^64 by the golden ratio, as a signed number (Knuth, volume 3, 6.4).
_SLOTS, _FREE_SLOTS, _GOLDEN = 4, 4096, 0x9E3779B97F4A7C15 - 2**64
_WORD = 2**62
# Whoever is in no class when the steps are over joins the best of all classes, unless that is so many times so many that it takes
# long: then all classes at so many nodes are taken, from fine to coarse, whatever they lose.
_MANY, _LANDING = 20_000_000, 24


def cheapest_classes(problem: Problem, checks: Checks, least: int) -> Integers:
    """Return a class for every tuple, or -1 for those that no class of at least so many records could be found for."""
    number = np.full(problem.tuples, -1, dtype=np.int64)
    left = _Left(problem, checks)
    weights = np.array(problem.weights) / (sum(problem.weights) or 1)
    nodes = candidates(problem)
    early, step = _EARLY * min(1.0, _EARLY_TUPLES / max(problem.tuples, 1)), _STEP
    if not checks.sizes_suffice:
        early, step = 0.0, _LONG_STEP
    means = _means(problem, nodes, weights)
    queue = [(value - early, i) for i, value in enumerate(means.tolist())]
    heapify(queue)
    made = 0
    while queue and left.records >= least and not checks.steps.over:
        value, i = heappop(queue)
        levels = nodes[i]
        members, found, count = left.large_classes(levels, least)
        if not count:
            continue
        first = np.empty(count, dtype=np.int64)
        first[found] = members
        penalty = left.penalty(first, levels, weights)
        chosen = penalty <= max(value, queue[0][0] if queue else 1.0) + step
        if not chosen.all():
            heappush(queue, (float(penalty[~chosen].min()), i))
            if not chosen.any():
                continue
        if not checks.sizes_suffice:
            chosen &= left.keep(members, found, chosen, levels)
            if not chosen.any():
                continue
        taken = chosen[found]
        number[left.tuples[members[taken]]] = made + found[taken]
        made += count
        if left.take(members[taken]) and left.hopeless():
            break
    if checks.steps.over and len(left.tuples) * max(made, 1) > _MANY:
        _land(left, number, made, [nodes[i] for i in np.argsort(means, kind="stable").tolist()], least)
    return number


def _land(left: "_Left", number: Integers, made: int, nodes: Sequence[tuple[int, ...]], least: int) -> None:
    """Give classes to nearly all that are left, in little time: all that are large enough at some nodes, the finest of these first."""
    for place in np.unique(np.linspace(0, len(nodes) - 1, _LANDING).round().astype(int)).tolist():
        levels = nodes[place]
        members, found, count = left.large_classes(levels, least)
        if count and not left.sizes_suffice:
            kept = left.keep(members, found, np.ones(count, dtype=bool), levels)[found]
            members, found = members[kept], found[kept]
        if len(members):
            number[left.tuples[members]] = made + found
            made += count
            left.take(members)
        if left.records < least:
            return


def candidates(problem: Problem) -> list[tuple[int, ...]]:
    """Return the nodes to look at: all of them but the one that tells nothing or, if there are too many, some between all others.

    What is lost by leaving nodes out is small, because in the end every class is as fine as its tuples allow.
    """
    most = int(np.clip(_WORK // max(problem.tuples, 1), _FEWEST_NODES, _MOST_NODES))
    ends = list(zip(problem.lowest, problem.highest, strict=True))
    steps = [high - low + 1 for low, high in ends]
    if 2 ** sum(step > 1 for step in steps) > most:
        nodes = sorted(set(_paths(problem)))
        nodes = nodes[:: -(-len(nodes) // most)]
    else:
        while int(np.prod(steps)) > most:
            steps[int(np.argmax(steps))] -= 1
        chosen = [
            np.unique(np.linspace(low, high, step).round().astype(int)).tolist() for (low, high), step in zip(ends, steps, strict=True)
        ]
        nodes = list(product(*chosen))
    nothing = tuple(ladder.height for ladder in problem.ladders)
    return [node for node in nodes if node != nothing]


def _paths(problem: Problem) -> Iterator[tuple[int, ...]]:
    """Yield nodes on ways from the finest to the coarsest, for tables of very many attributes: one after the other or in turns."""
    attributes = len(problem.ladders)
    for start in range(attributes):
        turn = [(start + i) % attributes for i in range(attributes)]
        levels = list(problem.lowest)
        yield tuple(levels)
        for a in turn:
            while levels[a] < problem.highest[a]:
                levels[a] += 1
                yield tuple(levels)
        levels = list(problem.lowest)
        while any(levels[a] < problem.highest[a] for a in turn):
            for a in turn:
                if levels[a] < problem.highest[a]:
                    levels[a] += 1
                    yield tuple(levels)


def _means(problem: Problem, nodes: list[tuple[int, ...]], weights: Floats) -> Floats:
    """Return the mean penalty of all records at every node."""
    found = np.zeros(len(nodes))
    at = np.array(nodes, dtype=np.int64).reshape(len(nodes), len(problem.ladders))
    for a, ladder in enumerate(problem.ladders):
        lost = [float(problem.counts(a, level) @ of) / max(problem.records, 1) for level, of in enumerate(ladder.penalties)]
        found += weights[a] * np.array(lost)[at[:, a]]
    return found


class _Left:
    """The tuples that are in no class yet, in arrays of their own that are as short as they are few."""

    def __init__(self, problem: Problem, checks: Checks) -> None:
        self._all, self._checks = problem, checks
        self._gone = 0
        self._heights = [ladder.height for ladder in problem.ladders]
        self._radices = [[ladder.nodes(level) for level in range(ladder.height + 1)] for ladder in problem.ladders]
        self._keep(np.arange(problem.tuples))

    def _keep(self, tuples: Integers) -> None:
        self.tuples = tuples
        self.problem = selected(self._all, tuples, counts_only=self._checks.sizes_suffice)
        self.n = self.problem.weight.copy()
        self._rare = [rare[tuples] for rare in self._checks.rare]
        self.records = float(self.n.sum())

    def take(self, places: Integers) -> bool:
        """Take tuples out, by their place among those that are left; return whether the arrays were made anew."""
        self.records -= float(self.n[places].sum())
        self.n[places] = 0
        for rare in self._rare:
            rare[places] = 0
        self._gone += len(places)
        if self._gone <= (1 - _SHRUNK) * len(self.n):
            return False
        self._gone = 0
        self._keep(self.tuples[self.n > 0])
        return True

    @property
    def sizes_suffice(self) -> bool:
        """Whether classes need nothing but records."""
        return self._checks.sizes_suffice

    def hopeless(self) -> bool:
        """Return whether no class of what is left can keep a limit, because all of it together breaks it and a part is no better."""
        shrinking = [limit for limit in self._checks.of_classes if limit.shrinking]
        if self._checks.sizes_suffice or not len(self.n) or not shrinking:
            return False
        top = np.array([ladder.height for ladder in self.problem.ladders])
        together = Classes(self.problem, np.zeros(len(self.n), dtype=np.int64), 1, self._checks.table, top)
        return not all(np.all(limit.keeps(together)) for limit in shrinking)

    def large_classes(self, levels: tuple[int, ...], least: int) -> tuple[Integers, Integers, int]:
        """Return the tuples that are in a class of so many records at some levels, the class of each, and how many there are."""
        self._checks.steps.spend(len(self.n))
        key, places = self._keys(levels)
        slot, slots = key, places
        if places > max(_SLOTS * len(key), _FREE_SLOTS):
            # Tuples of one class share a slot. That others may share it as well is told apart below, where few are left.
            bits = (_SLOTS * len(key)).bit_length()
            slot, slots = (key * _GOLDEN >> (64 - bits)) & ((1 << bits) - 1), 1 << bits
        counts = np.bincount(slot, weights=self.n, minlength=slots)
        large = counts >= least
        for rare in self._rare:
            large &= np.bincount(slot, weights=rare, minlength=slots) > 0
        if not large.any():
            return self.tuples[:0], self.tuples[:0], 0
        members = np.flatnonzero(large[slot] & (self.n > 0))
        found, count = dense(key[members], places)
        enough = np.bincount(found, weights=self.n[members], minlength=count) >= least
        if enough.all():
            return members, found, count
        stays = enough[found]
        return members[stays], (np.cumsum(enough) - 1)[found[stays]], int(enough.sum())

    def keep(self, members: Integers, found: Integers, asked: Flags, levels: tuple[int, ...]) -> Flags:
        """Return which of the classes that are asked about keep the limits."""
        place = np.where(asked, np.cumsum(asked) - 1, -1)
        number = np.full(len(self.n), -1, dtype=np.int64)
        number[members] = place[found]
        kept = np.zeros(len(asked), dtype=bool)
        kept[asked] = self._checks.keep(self.problem, number, int(asked.sum()), np.array(levels))
        return kept

    def _keys(self, levels: tuple[int, ...]) -> tuple[Integers, int]:
        """Return a number for every tuple, the same for those that agree at some levels, and a number all of them lie below."""
        used = [(a, level) for a, level in enumerate(levels) if level < self._heights[a]]
        places = 1
        for a, level in used:
            places *= self._radices[a][level]
        if places > _WORD:
            return grouped([self.problem.coded(a, level) for a, level in used], [self._radices[a][level] for a, level in used], len(self.n))
        key = np.zeros(len(self.n), dtype=np.int64)
        for a, level in used:
            key *= self._radices[a][level]
            key += self.problem.coded(a, level)
        return key, places

    def penalty(self, tuples: Integers, levels: tuple[int, ...], weights: Floats) -> Floats:
        found = np.zeros(len(tuples))
        for a, level in enumerate(levels):
            if level and weights[a]:
                found += weights[a] * self.problem.ladders[a].penalties[level][self.problem.coded(a, level)[tuples]]
        return found
