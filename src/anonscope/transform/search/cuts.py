"""Cuts through hierarchies: one label for every value of a column, and levels that are free subtree by subtree.

A cut gives every code of an attribute a level, such that all codes under a node that is used have the level of that node. A
problem seen through cuts is a problem as any other, of fewer tuples: its ladders begin at the cuts, so that every method can go on
from there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from anonscope.risk.counting.arrays import Integers
from anonscope.risk.counting.columns import numbered
from anonscope.risk.counting.ladders import Ladder
from anonscope.transform.search.problem import PopulationClasses, Problem, merged
from anonscope.transform.search.recoding import Recoding

Cut = Integers  # the level of every code
Known = dict[tuple[int, bytes], tuple[Ladder, Integers]]  # ladders from cuts on, by attribute and cut


def level_cuts(problem: Problem, levels: Sequence[int]) -> tuple[Cut, ...]:
    """Return the cuts that have one level for a whole column."""
    return tuple(np.full(len(ladder.levels[0]), level, dtype=np.int64) for ladder, level in zip(problem.ladders, levels, strict=True))


def raised(ladder: Ladder, cut: Cut, level: int, node: int) -> Cut:
    """Return the cut with everything under a node of a level told by that node."""
    return np.where((ladder.levels[level] == node) & (cut < level), level, cut)


def lowered(ladder: Ladder, cut: Cut, level: int, node: int) -> Cut:
    """Return the cut with everything that is told by a node of a level told one level finer."""
    return np.where((ladder.levels[level] == node) & (cut == level), level - 1, cut)


@dataclass(frozen=True, slots=True, eq=False)
class CutView:
    """A problem as seen through cuts, and the tuple there that every tuple of the whole problem has become."""

    whole: Problem
    cuts: tuple[Cut, ...]
    problem: Problem
    number: Integers

    def back(self, found: Recoding) -> Recoding:
        """Return a recoding of what is seen as one of the whole problem."""
        at = np.stack([cut[codes] for cut, codes in zip(self.cuts, self.whole.codes, strict=True)], axis=1)
        levels = np.maximum(at, np.asarray(found.levels)[self.number])
        return Recoding(self.whole, levels, found.suppressed[self.number], found.broken)


def through(problem: Problem, cuts: Sequence[Cut], known: Known | None = None) -> CutView:
    """Return the problem whose ladders begin at the cuts: at any level a code is no finer than its cut.

    Ladders that were made before are `known`; of many cuts that are looked at, most differ in one attribute only.
    """
    known = {} if known is None else known
    made = []
    for a, (ladder, cut) in enumerate(zip(problem.ladders, cuts, strict=True)):
        key = a, cut.tobytes()
        if key not in known:
            known[key] = _from(ladder, cut)
        made.append(known[key])
    codes = tuple(code[of].astype(np.int32) for (_, code), of in zip(made, problem.codes, strict=True))
    people = problem.population
    if people is not None:
        theirs = tuple(code[of].astype(np.int32) for (_, code), of in zip(made, people.codes, strict=True))
        people = PopulationClasses(theirs, people.n)
    ladders = tuple(ladder for ladder, _ in made)
    seen = replace(problem, ladders=ladders, codes=codes, population=people)
    number, count = numbered(list(codes), [len(ladder.levels[0]) for ladder in ladders])
    small = replace(merged(seen, number, count, problem.lowest), elsewhere=problem.elsewhere)
    return CutView(problem, tuple(cuts), small, number)


def _from(ladder: Ladder, cut: Cut) -> tuple[Ladder, Integers]:
    """Return a ladder that tells codes no finer than their cut, and the code there of every code."""
    widest = max(map(len, ladder.labels))
    at = np.array([[ladder.levels[j][code] for j in range(ladder.height + 1)] for code in range(len(cut))], dtype=np.int64)
    everyone = np.arange(len(cut))
    # A node of the cut is told from nodes of other levels by its level; missing values have a code of their own, and the first.
    own = cut * widest + at[everyone, cut]
    if cut[0] < ladder.height:
        own[0] = -1
    _, first, code = np.unique(own, return_index=True, return_inverse=True)
    levels: list[Integers] = [np.arange(len(first), dtype=np.int32)]
    labels: list[tuple[str | None, ...]] = []
    penalties, leaves = [], []
    for level in range(ladder.height + 1):
        told = np.maximum(cut, level)[first]
        nodes = at[first, told]
        key = told * widest + nodes
        if told[0] < ladder.height:
            key[0] = -1
        if level == 0:
            kept = np.arange(len(first))
        else:
            _, kept, place = np.unique(key, return_index=True, return_inverse=True)
            levels.append(place.astype(np.int32))
        labels.append(tuple(ladder.labels[int(told[i])][int(nodes[i])] for i in kept.tolist()))
        penalties.append(np.array([ladder.penalties[int(told[i])][int(nodes[i])] for i in kept.tolist()]))
        leaves.append(np.array([ladder.leaves[int(told[i])][int(nodes[i])] for i in kept.tolist()]))
    return Ladder(ladder.name, tuple(levels), tuple(labels), tuple(penalties), tuple(leaves)), code
