"""What a method makes of a problem, whichever method it is: a level for every attribute of every tuple."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anonscope.risk.counting.arrays import Flags, Floats, Integers
from anonscope.risk.counting.columns import numbered
from anonscope.transform.search.classes import Classes, whole
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.problem import Problem


@dataclass(frozen=True, eq=False)
class Recoding:
    """Levels of all tuples (a row a tuple, a column an attribute), which of them are suppressed, and which limits stay broken."""

    problem: Problem
    levels: Integers
    suppressed: Flags
    broken: tuple[Limit, ...] = ()

    @cached_property
    def records_suppressed(self) -> int:
        """The records that say nothing where others say something: those that go, and those that are "*" in every attribute."""
        return int(self.problem.n[self.suppressed | (self.starred & (not self.all_starred))].sum())

    @property
    def affordable(self) -> bool:
        """Whether no more records are suppressed than may be."""
        return self.records_suppressed <= self.problem.budget

    @cached_property
    def records_gone(self) -> int:
        """The suppressed records that are not in the release."""
        return int(self.problem.n[self.suppressed].sum()) if self.problem.suppressed == "drop" else 0

    @cached_property
    def starred(self) -> Flags:
        """Which tuples of the release say "*" in every attribute, however that came about."""
        found = ~self.suppressed if self.problem.suppressed == "drop" else np.ones(self.problem.tuples, dtype=bool)
        for a, ladder in enumerate(self.problem.ladders):
            levels = self.at[:, a]
            for level in np.unique(levels[found]).tolist():
                # A file may write "*" early for some values.
                chosen = found & (levels == level)
                found[chosen] = self.problem.coded(a, level)[chosen] == ladder.star(level)
        return found

    @cached_property
    def all_starred(self) -> bool:
        """Whether everybody in the release is "*" in every attribute: then all columns are generalised, and nobody is suppressed."""
        stays = ~self.suppressed if self.problem.suppressed == "drop" else np.ones(self.problem.tuples, dtype=bool)
        return bool(self.starred[stays].all())

    @cached_property
    def at(self) -> Integers:
        """The levels as released: a suppressed tuple that stays is at the last level of every attribute."""
        top = np.array([ladder.height for ladder in self.problem.ladders])
        return np.where(self.suppressed[:, None], top, self.levels) if self.problem.suppressed == "keep" else np.asarray(self.levels)

    def penalties(self) -> Floats:
        """Return the mean normalised certainty penalty of every attribute over all records; a suppressed cell loses 1."""
        problem = self.problem
        lost = np.zeros(len(problem.ladders))
        for a, ladder in enumerate(problem.ladders):
            penalty = np.ones(problem.tuples)
            for level in np.unique(self.levels[:, a]).tolist():
                chosen = (self.levels[:, a] == level) & ~self.suppressed
                penalty[chosen] = ladder.penalties[level][problem.coded(a, level)[chosen]]
            lost[a] = float((penalty * problem.weight).sum()) / max(problem.records, 1)
        return lost

    def shares(self, attribute: int) -> Floats:
        """Return the share of the records at every level of an attribute; those that went are at none."""
        height = self.problem.ladders[attribute].height
        stays = ~self.suppressed if self.problem.suppressed == "drop" else np.ones(self.problem.tuples, dtype=bool)
        counts = np.bincount(self.at[stays, attribute], weights=self.problem.weight[stays], minlength=height + 1)
        return counts / max(self.problem.records, 1)

    @cached_property
    def class_sizes(self) -> Floats:
        """The records of every class of the release: equal labels are one class, whatever level they come from."""
        classes = self.classes()
        return classes.n

    def labelled(self, attribute: int) -> tuple[Integers, int]:
        """Return a code of the released label of every tuple in an attribute, and how many there are: equal labels have one code."""
        problem, ladder, at = self.problem, self.problem.ladders[attribute], self.at[:, attribute]
        texts: dict[str | None, int] = {}
        places = [np.array([texts.setdefault(label, len(texts)) for label in nodes], dtype=np.int64) for nodes in ladder.labels]
        code = np.zeros(problem.tuples, dtype=np.int64)
        for level in np.unique(at).tolist():
            chosen = at == level
            code[chosen] = places[level][problem.coded(attribute, level)[chosen]]
        return code, len(texts)

    def spread(self, attribute: int) -> Floats:
        """Return the records of every label of an attribute in the release, the commonest first."""
        code, size = self.labelled(attribute)
        stays = np.ones(self.problem.tuples, dtype=bool) if self.problem.suppressed == "keep" else ~self.suppressed
        counts = np.bincount(code[stays], weights=self.problem.weight[stays], minlength=size)
        return np.sort(counts[counts > 0])[::-1]

    def classes(self, attributes: Sequence[int] | None = None) -> Classes:
        """Return the classes of the release by all attributes or by some, as an audit of it would count them."""
        problem, at = self.problem, self.at
        stays = np.ones(problem.tuples, dtype=bool) if problem.suppressed == "keep" else ~self.suppressed
        codes, sizes = [], []
        for a in range(len(problem.ladders)):
            if attributes is None or a in attributes:
                code, size = self.labelled(a)
                codes.append(code[stays])
                sizes.append(size)
        number = np.full(problem.tuples, -1, dtype=np.int64)
        number[stays], count = numbered(codes, sizes)
        table = whole(problem, stays) if problem.suppressed == "drop" else whole(problem)
        if attributes is not None and problem.population is not None:
            # What an attacker does not know is as good as "*".
            top = np.array([ladder.height for ladder in problem.ladders])
            at = np.where(np.isin(np.arange(len(top)), attributes), at, top)
        return Classes(problem, number, count, table, at)


def everywhere(problem: Problem, levels: Sequence[int], suppressed: Flags, broken: tuple[Limit, ...] = ()) -> Recoding:
    """Return the recoding that has the same levels for all tuples."""
    return Recoding(problem, np.broadcast_to(np.array(levels, dtype=np.int64), (problem.tuples, len(levels))), suppressed, broken)
