"""What a rule would say of the table, or of the table after a change: recomputed from tuples, exactly.

The same definitions as the metrics' SQL, on arrays. A metric that is not here is not predicted, which is said and never guessed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonscope.risk.counting.grouping import dense, distinct, grouped, sums
from anonscope.risk.explain.tuples import CountedBeside, ExplainedTuples
from anonscope.risk.policy import Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Scale:
    """The values of a sensitive attribute as numbers, by code; `is_number` tells which are."""

    number: "Array"
    is_number: "Array"
    distance: str | None  # what the roles say: equal, ordered, or nothing


@dataclass(frozen=True, slots=True)
class Cells:
    """One sensitive attribute: how its values are spread over the tuples, and their order."""

    spread: CountedBeside
    scale: Scale


@dataclass(frozen=True, slots=True)
class CodedScenario:
    """A scenario, with its quasi-identifiers as attribute numbers."""

    name: str
    attributes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule finds: its value, and the classes that break it with the records in them."""

    value: float
    keeps: bool
    classes: int
    records: int
    tuples: "Array"  # which tuples are in such classes


@dataclass(frozen=True, slots=True)
class _Classes:
    """The classes of one set of attributes."""

    group: "Array"  # of every tuple
    n: "Array"
    persons: "Array"


@dataclass(frozen=True, slots=True)
class _Measured:
    """One measurement: its value, and which classes lie beyond the limit."""

    value: float
    beyond: "Array"
    classes: _Classes


class EffectTable:
    """A table as tuples, and the attackers who look at it; classes are grouped once for all rules."""

    def __init__(self, tuples: ExplainedTuples, cells: Mapping[str, Cells], attackers: tuple[CodedScenario, ...]) -> None:
        self.tuples, self.cells, self.attackers = tuples, cells, attackers
        self._found: dict[Rule, Found | None] = {}
        self._classes: dict[tuple[int, ...], _Classes] = {}
        self._spread: dict[tuple[tuple[int, ...], str | None], tuple[Array, Array, Array]] = {}

    def apply(self, rule: Rule) -> Found | None:
        """Return what a rule finds, over all attackers, attributes and sensitive attributes; None if it cannot be told."""
        if rule not in self._found:
            self._found[rule] = self._apply(rule)
        return self._found[rule]

    def _apply(self, rule: Rule) -> Found | None:
        import numpy as np

        measure = MEASURES.get(rule.metric)
        if measure is None or len(self.tuples) == 0:
            return None
        scopes = [tuple(measure(self, rule, attributes, sensitive)) for attributes, sensitive in self._scopes(rule)]
        # Where there is nothing to learn ITPR is not measured, and what lacks a measurement keeps no rule.
        if not any(scopes) or (rule.metric == "itpr" and not all(scopes)):
            return None
        measured = [m for scope in scopes for m in scope]
        value = (min if rule.minimum is not None else max)(m.value for m in measured)
        broken = [m for m in measured if not keeps(rule, m.value)]
        at_fault = np.zeros(len(self.tuples), dtype=bool)
        for m in broken:
            at_fault |= m.beyond[m.classes.group]
        return Found(
            value=value,
            keeps=not broken,
            classes=sum(int(m.beyond.sum()) for m in broken),
            records=int(self.tuples.n[at_fault].sum()),
            tuples=at_fault,
        )

    def classes(self, attributes: tuple[int, ...]) -> _Classes:
        """Return the classes of an attacker who knows these attributes."""
        import numpy as np

        if attributes not in self._classes:
            tuples = self.tuples
            codes = [tuples.codes[a] for a in attributes]
            group, number = dense(*grouped(codes, [tuples.radices[a] for a in attributes], len(tuples)))
            n = sums(group, tuples.n, number)
            persons = n
            if tuples.persons is not None:
                of_pair, _, _ = self._pairs(group, number, tuples.persons)
                persons = np.bincount(of_pair, minlength=number)
            self._classes[attributes] = _Classes(group, n, persons)
        return self._classes[attributes]

    def spread(self, attributes: tuple[int, ...], sensitive: str | None) -> "tuple[Array, Array, Array]":
        """Return class, code and records of every pair of a class and a sensitive value or, without one, a person."""
        if (attributes, sensitive) not in self._spread:
            classes = self.classes(attributes)
            beside = self.tuples.persons if sensitive is None else self.cells[sensitive].spread
            assert beside is not None, "persons are asked for at event level only"
            self._spread[attributes, sensitive] = self._pairs(classes.group, len(classes.n), beside)
        return self._spread[attributes, sensitive]

    def _pairs(self, group: "Array", number: int, beside: CountedBeside) -> "tuple[Array, Array, Array]":
        return distinct(group[beside.tuple], number, beside.code, beside.codes, beside.n)

    def _scopes(self, rule: Rule) -> Iterator[tuple[tuple[int, ...], str | None]]:
        about: list[str | None] = list(self.cells) if rule.metric in _ABOUT_SENSITIVE else [None]
        if rule.metric == "itpr":
            about = [*([None] if rule.variant != "inference" else []), *(self.cells if rule.variant != "re-identification" else [])]
        for attacker in self.attackers:
            for sensitive in about:
                if "whole" in rule.scopes:
                    yield attacker.attributes, sensitive
                if "each" in rule.scopes:
                    yield from (((a,), sensitive) for a in attacker.attributes)


def keeps(rule: Rule, value: float) -> bool:
    """Return whether a value keeps a rule's limit."""
    return rule.keeps(value)


def _k(table: EffectTable, rule: Rule, attributes: tuple[int, ...], sensitive: str | None) -> Iterator[_Measured]:
    classes = table.classes(attributes)
    yield _Measured(int(classes.persons.min()), ~rule.keeping(classes.persons), classes)


def _average(table: EffectTable, rule: Rule, attributes: tuple[int, ...], sensitive: str | None) -> Iterator[_Measured]:
    classes = table.classes(attributes)
    yield _Measured(float(classes.persons.sum() / len(classes.n)), ~rule.keeping(classes.persons), classes)


def _at_risk(table: EffectTable, rule: Rule, attributes: tuple[int, ...], sensitive: str | None) -> Iterator[_Measured]:
    classes = table.classes(attributes)
    small = classes.persons < (rule.threshold or 0)
    yield _Measured(float(classes.persons[small].sum() / classes.persons.sum()), small, classes)


def _uniqueness(table: EffectTable, rule: Rule, attributes: tuple[int, ...], sensitive: str | None) -> Iterator[_Measured]:
    import numpy as np

    classes, total = table.classes(attributes), table.tuples.records
    risk = np.ones(len(classes.n)) if total == 1 else 1 - np.log(classes.n) / np.log(total)
    yield _of_records(rule, risk, classes.n, np.arange(len(risk)), classes)


def _uniformity(table: EffectTable, rule: Rule, attributes: tuple[int, ...], sensitive: str | None) -> Iterator[_Measured]:
    import numpy as np

    classes = table.classes(attributes)
    if table.tuples.persons is None:
        yield _of_records(rule, 1 / classes.n, classes.n, np.arange(len(classes.n)), classes)
        return
    group, _, n = table.spread(attributes, None)
    yield _of_records(rule, n / classes.n[group], n, group, classes)


def _correlation(table: EffectTable, rule: Rule, attributes: tuple[int, ...], sensitive: str | None) -> Iterator[_Measured]:
    classes = table.classes(attributes)
    group, _, n = table.spread(attributes, sensitive)
    yield _of_records(rule, n / classes.n[group], n, group, classes)


def _l(table: EffectTable, rule: Rule, attributes: tuple[int, ...], sensitive: str | None) -> Iterator[_Measured]:
    import numpy as np

    classes = table.classes(attributes)
    different = np.bincount(table.spread(attributes, sensitive)[0], minlength=len(classes.n))
    yield _Measured(int(different.min()), ~rule.keeping(different), classes)


def _t(table: EffectTable, rule: Rule, attributes: tuple[int, ...], sensitive: str | None) -> Iterator[_Measured]:
    import numpy as np

    assert sensitive is not None, "t-closeness is about a sensitive attribute"
    classes, cells = table.classes(attributes), table.cells[sensitive]
    group, code, n = table.spread(attributes, sensitive)
    present = np.unique(cells.spread.code)
    numbers = cells.scale.is_number[present[present > 0]]
    numeric = len(numbers) > 0 and bool(numbers.all())
    usual = cells.scale.distance or ("ordered" if numeric else "equal")
    if (rule.variant or usual) == "ordered":
        if not numeric and cells.scale.distance != "ordered":
            return
        distance = _ordered(_ranks(cells.scale, present, numeric=numeric)[code], group, n, classes.n)
    else:
        of_value = sums(cells.spread.code, cells.spread.n, cells.spread.codes)
        gain = n / classes.n[group] - of_value[code] / table.tuples.records
        distance = np.bincount(group, weights=np.maximum(gain, 0), minlength=len(classes.n))
    yield _Measured(float(distance.max()), ~rule.keeping(distance), classes)


def _ranks(scale: Scale, present: "Array", *, numeric: bool) -> "Array":
    """Return the rank of every code that occurs: a missing value lowest, equal numbers alike, text in the order of its codes."""
    import numpy as np

    ranks = np.zeros(len(scale.number), dtype=np.int64)
    held = present[present > 0]
    _, place = np.unique(scale.number[held] if numeric else held, return_inverse=True)
    ranks[held] = place + (1 if len(held) < len(present) else 0)
    return ranks


def _ordered(rank: "Array", group: "Array", n: "Array", class_n: "Array") -> "Array":
    """Return each class's earth mover's distance over ranks: the area between two cumulative curves, gap by gap."""
    import numpy as np

    steps = int(rank.max()) + 1
    if steps < 2:
        return np.zeros(len(class_n))
    group, rank, n = distinct(group, len(class_n), rank, steps, n)
    curve = np.cumsum(np.bincount(rank, weights=n, minlength=steps)) / n.sum()
    area = np.concatenate([[0.0], np.cumsum(curve)])  # of the curve below each rank
    # A class's own curve is flat from one of its values to the next; below its first value it is 0.
    first = np.ones(len(rank), dtype=bool)
    first[1:] = group[1:] != group[:-1]
    before = np.concatenate([[0], np.cumsum(n)[:-1]])
    height = (np.cumsum(n) - before[first][group]) / class_n[group]
    upper = np.append(rank[1:], steps)
    upper[np.append(first[1:], True)] = steps
    below = first.nonzero()[0]
    low = np.concatenate([rank, np.zeros(len(below), dtype=np.int64)])
    high = np.concatenate([upper, rank[below]])
    flat = np.concatenate([height, np.zeros(len(below))])
    crossing = np.clip(np.searchsorted(curve, flat, side="right"), low, high)
    part = flat * (crossing - low) - (area[crossing] - area[low]) + (area[high] - area[crossing]) - flat * (high - crossing)
    found = np.bincount(np.concatenate([group, group[below]]), weights=part, minlength=len(class_n)) / (steps - 1)
    return np.maximum(found, 0)


def _of_records(rule: Rule, risk: "Array", n: "Array", group: "Array", classes: _Classes) -> _Measured:
    """Return a risk that every record has, by the statistic of the rule; beyond the limit is a class with a record that is."""
    import numpy as np

    value = np.average(risk, weights=n) if rule.statistic == "mean" else risk.min() if rule.statistic == "min" else risk.max()
    beyond = np.zeros(len(classes.n), dtype=bool)
    beyond[group[~rule.keeping(risk)]] = True
    return _Measured(float(value), beyond, classes)


def entropies(table: EffectTable, attributes: tuple[int, ...], sensitive: str | None) -> "tuple[Array, float]":
    """Return the entropy in bits of a sensitive attribute (None: of who somebody is) within every class, and over the whole table."""
    import numpy as np

    classes, total = table.classes(attributes), table.tuples.records
    if sensitive is None and table.tuples.persons is None:
        return np.log2(classes.n), float(np.log2(total))
    group, code, n = table.spread(attributes, sensitive)
    share = n / classes.n[group]
    within = np.maximum(np.bincount(group, weights=-share * np.log2(share), minlength=len(classes.n)), 0.0)
    counts = np.bincount(code, weights=n)
    shares = counts[counts > 0] / total
    return within, max(float(-(shares * np.log2(shares)).sum()), 0.0)


def information_terms(table: EffectTable, attributes: tuple[int, ...], sensitive: str | None) -> "Array | None":
    """Return the term 1 - T p h / H of every class, of which ITPR is the largest; None where there is nothing to learn (H = 0)."""
    classes = table.classes(attributes)
    within, whole = entropies(table, attributes, sensitive)
    if whole <= 0:
        return None
    terms: Array = 1 - len(classes.n) * classes.n / table.tuples.records * within / whole
    return terms


def _itpr(table: EffectTable, rule: Rule, attributes: tuple[int, ...], sensitive: str | None) -> Iterator[_Measured]:
    terms = information_terms(table, attributes, sensitive)
    if terms is not None:
        yield _Measured(float(terms.max()), ~rule.keeping(terms), table.classes(attributes))


_ABOUT_SENSITIVE = ("l_diversity", "t_closeness", "correlation")
MEASURES: dict[str, Callable[[EffectTable, Rule, tuple[int, ...], str | None], Iterator[_Measured]]] = {
    "k_anonymity": _k,
    "average_class_size": _average,
    "records_at_risk": _at_risk,
    "uniqueness": _uniqueness,
    "uniformity": _uniformity,
    "correlation": _correlation,
    "l_diversity": _l,
    "t_closeness": _t,
    "itpr": _itpr,
}
