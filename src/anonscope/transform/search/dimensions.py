"""The smallest set of attributes whose de-identified forms make a table keep its limits.

H. Khan, L. Menten, L. M. Peeters, "An Algorithmic Pipeline for GDPR-Compliant Healthcare Data Anonymisation: Moving Toward
Standardisation", quasi-identifier dimension stage. Every attribute has one de-identified form, a level of its ladder; a set of
attributes is a place where these are at their forms and the others as they were. Its loss is the sum of theirs.

Where every limit stays kept when classes are merged, a set that fails rules out all sets within it. So the cheapest set that no
known failure rules out is tried next, each failure is widened as far as it goes, and the first set that meets is the smallest:
the hitting set of what the failures leave out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from anonscope.columns.images import EVERYTHING
from anonscope.transform.search import measures
from anonscope.transform.search.classes import Classes, whole
from anonscope.transform.search.distances import distance
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.problem import Problem

# With so many attributes there are 2^16 sets, and all of them are decided.
MOST_ATTRIBUTES = 16


@dataclass(frozen=True, slots=True)
class AttributeForm:
    """The de-identified form of an attribute, and its non-uniform entropy in nats: lost by it, and by suppressing everything.

    `lost` counts the records that have a label, as the authors do; `lost_by_images` those that have a value the label may stand
    for (A. Gionis & T. Tassa (2009)), which differs where a hierarchy writes "*" for some values below its last level.
    """

    level: int
    lost: float
    lost_by_images: float
    most: float


@dataclass(frozen=True, slots=True)
class MeasuredForms:
    """What is true when some attributes are at their forms: k in persons, l and t of every sensitive attribute, what breaks."""

    chosen: tuple[int, ...]
    k: int
    diversities: tuple[int, ...]
    distances: tuple[float, ...]
    broken: tuple[Limit, ...]


@dataclass(frozen=True, slots=True)
class Smallest:
    """The set that was found, if any, and how far the search went."""

    chosen: tuple[int, ...] | None
    searched: Literal["all sets", "prefixes"]
    evaluated: int


def form_of(problem: Problem, attribute: int, level: int) -> AttributeForm:
    """Return the form that an attribute has at a level."""
    ladder = problem.ladders[attribute]
    counts, nodes = problem.counts(attribute, 0), np.asarray(ladder.levels[level], dtype=np.int64)
    occur = counts > 0
    counts, nodes = counts[occur], nodes[occur]
    after = problem.counts(attribute, level)[nodes]
    starred = np.array([label == EVERYTHING for label in ladder.labels[level]], dtype=bool)[nodes]
    around = np.where(starred, problem.records, after)
    return AttributeForm(
        level=level,
        lost=float(counts @ np.log(after / counts)),
        lost_by_images=float(counts @ np.log(around / counts)),
        most=float(counts @ np.log(problem.records / counts)),
    )


class Dimensions:
    """Sets of attributes of one problem; attributes are counted from the riskiest on."""

    def __init__(self, problem: Problem, limits: Sequence[Limit], forms: Sequence[AttributeForm]) -> None:
        self.problem, self.forms = problem, tuple(forms)
        # What needs class sizes only is cheap and often decides.
        self.limits = tuple(sorted(limits, key=lambda limit: (not limit.shrinking, limit.metric != "k_anonymity")))
        self._merging = all(limit.merging for limit in limits)
        self._table = whole(problem)
        self._known: dict[int, bool] = {}

    def measured(self, chosen: Iterable[int]) -> MeasuredForms:
        """Return everything that is true of a set."""
        chosen = tuple(sorted(chosen))
        levels = self._levels(sum(1 << a for a in chosen))
        classes = Classes.at(self.problem, levels, self._table)
        sensitive = range(len(self.problem.sensitive))
        return MeasuredForms(
            chosen=chosen,
            k=int(classes.persons.min()),
            diversities=tuple(int(measures.diversity(classes, j).min()) for j in sensitive),
            distances=tuple(float(distance(classes, j, "equal").max()) for j in sensitive),
            broken=tuple(limit for limit in self.limits if not self._keeps(limit, levels, classes)),
        )

    def loss(self, chosen: Iterable[int], *, by_images: bool = False) -> float:
        """Return the non-uniform entropy of a set as a share of the most that all attributes can lose."""
        most = sum(form.most for form in self.forms)
        lost = sum(self.forms[a].lost_by_images if by_images else self.forms[a].lost for a in chosen)
        return lost / most if most > 0 else 0.0

    def smallest(self) -> Smallest:
        """Return the smallest set that keeps all limits, and among those of its size the one that loses least.

        With too many attributes for all sets to be decided, only the riskiest, the two riskiest and so on are.
        """
        if len(self.forms) > MOST_ATTRIBUTES:
            sizes = range(len(self.forms) + 1)
            found = next((size for size in sizes if self._meets((1 << size) - 1)), None)
            return Smallest(None if found is None else tuple(range(found)), "prefixes", len(self._known))
        sets = self._in_order()
        while len(sets):
            candidate = int(sets[0])
            if self._meets(candidate):
                return Smallest(_members(candidate), "all sets", len(self._known))
            sets = sets[(sets & ~self._widened(candidate)) != 0] if self._merging else sets[1:]
        return Smallest(None, "all sets", len(self._known))

    def _in_order(self) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        """Return all sets as bits, smaller ones first, then those that lose less, then those of riskier attributes."""
        sizes, losses = np.zeros(1, dtype=np.int64), np.zeros(1)
        for form in self.forms:
            sizes, losses = np.concatenate([sizes, sizes + 1]), np.concatenate([losses, losses + form.lost])
        sets = np.arange(len(sizes), dtype=np.int64)
        return sets[np.lexsort((sets, losses, sizes))]

    def _widened(self, failing: int) -> int:
        """Return a set that fails, with every attribute added that does not mend it."""
        for a in range(len(self.forms)):
            if not failing >> a & 1 and not self._meets(failing | 1 << a):
                failing |= 1 << a
        return failing

    def _meets(self, chosen: int) -> bool:
        if chosen not in self._known:
            levels = self._levels(chosen)
            classes = Classes.at(self.problem, levels, self._table)
            self._known[chosen] = all(self._keeps(limit, levels, classes) for limit in self.limits)
        return self._known[chosen]

    def _keeps(self, limit: Limit, levels: tuple[int, ...], classes: Classes) -> bool:
        asked = classes if limit.attributes is None else Classes.at(self.problem, levels, self._table, limit.attributes)
        return bool(np.all(limit.keeps(asked)))

    def _levels(self, chosen: int) -> tuple[int, ...]:
        return tuple(form.level if chosen >> a & 1 else 0 for a, form in enumerate(self.forms))


def _members(chosen: int) -> tuple[int, ...]:
    return tuple(a for a in range(chosen.bit_length()) if chosen >> a & 1)
