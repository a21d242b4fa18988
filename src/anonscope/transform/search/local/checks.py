"""What local methods ask of a class while they make it, and how small it cannot be."""

from collections.abc import Callable, Sequence

import numpy as np

from anonscope.risk.counting.arrays import Flags, Floats, Integers
from anonscope.transform.search.classes import Classes, whole
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.problem import Problem, Sensitive
from anonscope.transform.search.steps import Steps

# The fewest records that a class must have to keep a limit of a metric, given the limit and the records of the table. What is
# not listed is asked of every class.
_LEAST: dict[str, Callable[[float, int], float]] = {
    "k_anonymity": lambda limit, records: limit,
    "l_diversity": lambda limit, records: limit,
    "entropy_l_diversity": lambda limit, records: limit,
    "prosecutor": lambda limit, records: 1 / limit if limit > 0 else records,
    "uniqueness": lambda limit, records: records ** (1 - limit),
}


class Checks:
    """The limits that single classes must keep, cheapest first; those on some attributes or on the table wait for the release."""

    def __init__(self, problem: Problem, limits: Sequence[Limit], steps: Steps | None = None) -> None:
        self.problem, self.limits = problem, tuple(limits)
        self.steps = steps or Steps()
        self.table = whole(problem)
        whole_classes = [limit for limit in limits if limit.per == "class" and limit.attributes is None]
        self.of_classes = sorted(whole_classes, key=lambda limit: (not limit.shrinking, limit.metric != "k_anonymity"))
        least = [_LEAST[limit.metric](limit.limit, self.table.records) for limit in self.of_classes if limit.metric in _LEAST]
        self.least = int(np.ceil(max(least, default=1.0) - 1e-9))
        # Records with other values than the commonest: a class that has none is sure to fail, where these numbers are given.
        self.rare = tuple(self._others(j) for j in range(len(problem.sensitive)) if self._must_mix(j))
        # Where every record is a person, k asks for nothing but records.
        self.sizes_suffice = problem.persons is None and all(limit.metric == "k_anonymity" for limit in self.of_classes)

    def _others(self, j: int) -> Floats:
        of = self.problem.sensitive[j]
        other = of.values != int(np.argmax(self.table.values[j]))
        return np.bincount(of.tuples[other], weights=of.n[other], minlength=self.problem.tuples)

    def _must_mix(self, j: int) -> bool:
        """Return whether a class in which all records have the commonest value breaks a limit on a sensitive attribute."""
        limits = [limit for limit in self.of_classes if limit.sensitive == j]
        if not limits or not self.problem.records:
            return False
        of, one = self.problem.sensitive[j], np.zeros(1, dtype=np.int64)
        commonest = Sensitive(
            of.name, one, one + int(np.argmax(self.table.values[j])), one + self.problem.records, of.size, of.distance, of.ranks, of.tree
        )
        table = Problem(
            ladders=self.problem.ladders,
            codes=tuple(code[:1] for code in self.problem.codes),
            n=one + self.problem.records,
            sensitive=(*self.problem.sensitive[:j], commonest),
        )
        classes = Classes(table, one, 1, self.table)
        return not all(np.all(limit.keeps(classes)) for limit in limits)

    def keep(self, problem: Problem, number: Integers, count: int, levels: Integers) -> Flags:
        """Return which classes of tuples keep all limits; the tuples may be some of the table's, and -1 is in no class.

        `levels` of the tuples (or one row for all) say what a class means in a population.
        """
        kept = np.ones(count, dtype=bool)
        self.steps.spend(problem.tuples * len(self.of_classes))
        classes = Classes(problem, number, count, self.table, levels)
        for limit in self.of_classes:
            if limit.metric == "k_anonymity" and self.problem.persons is None:
                kept &= limit.accepts(classes.n)
            else:
                kept &= np.asarray(limit.keeps(classes), dtype=bool)
            if not kept.any():
                break
        return kept
