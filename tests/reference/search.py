"""Full-domain recoding, slowly and record by record: what the search must agree with."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, inf, log, log2, prod
from typing import Any

import numpy as np

from anonscope.columns.hierarchy import Hierarchy
from anonscope.risk.counting.ladders import ladder
from anonscope.transform.search.problem import Persons, Problem, Sensitive, Suppressed

Row = tuple[str | None, ...]


@dataclass(frozen=True)
class Toy:
    """A table small enough to look at: quasi-identifiers, one sensitive number, and whose record it is."""

    hierarchies: tuple[Hierarchy, ...]
    known: tuple[Row, ...]
    hidden: tuple[str, ...]
    person: tuple[str, ...] | None = None
    suppression: float = 0.0
    suppressed: Suppressed = "keep"
    weights: tuple[float, ...] = ()
    lowest: tuple[int, ...] = ()
    highest: tuple[int, ...] = ()

    def problem(self) -> Problem:
        """Return the same as a problem of the search."""
        attributes = list(zip(*self.known, strict=True))
        values = [[None, *sorted({v for v in column if v is not None})] for column in attributes]
        codes = [[of.index(v) for v in column] for of, column in zip(values, attributes, strict=True)]
        tuples = sorted(set(zip(*codes, strict=True)))
        place = [tuples.index(row) for row in zip(*codes, strict=True)]
        hidden = sorted(set(self.hidden), key=float)
        cells = Counter(zip(place, (hidden.index(v) + 1 for v in self.hidden), strict=True))
        present = [[v in column for v in of] for of, column in zip(values, attributes, strict=True)]
        persons = None
        if self.person is not None:
            people = sorted(set(self.person))
            pairs = Counter(zip(place, (people.index(p) + 1 for p in self.person), strict=True))
            persons = Persons(*_columns(pairs), len(people) + 1)
        return Problem(
            ladders=tuple(
                ladder(f"q{i}", h, of, [False, *here[1:]])
                for i, (h, of, here) in enumerate(zip(self.hierarchies, values, present, strict=True))
            ),
            codes=tuple(np.array(column) for column in zip(*tuples, strict=True)),
            n=np.bincount(place),
            sensitive=(Sensitive("s", *_columns(cells), len(hidden) + 1, "ordered", np.arange(len(hidden) + 1) - 1),),
            persons=persons,
            weights=self.weights,
            suppression=self.suppression,
            lowest=self.lowest,
            highest=self.highest,
            suppressed=self.suppressed,
        )

    @property
    def ranges(self) -> list[range]:
        low = self.lowest or (0,) * len(self.hierarchies)
        high = self.highest or tuple(h.height for h in self.hierarchies)
        return [range(a, b + 1) for a, b in zip(low, high, strict=True)]


def _columns(counts: Counter[tuple[int, int]]) -> tuple[Any, Any, Any]:
    ordered = sorted(counts.items())
    return np.array([a for (a, _), _ in ordered]), np.array([b for (_, b), _ in ordered]), np.array([n for _, n in ordered])


@dataclass(frozen=True)
class Record:
    """What anybody may know of a record after recoding, and what is hidden."""

    labels: Row
    hidden: str
    person: str


@dataclass(frozen=True)
class Rule:
    """A limit as a function of the records of a class (or of all classes) and those of the table."""

    metric: str
    limit: float
    higher: bool
    measure: Callable[[Any, list[Record]], float]
    per_table: bool = False
    attribute: int | None = None

    def keeps(self, about: Any, table: list[Record]) -> bool:
        value = self.measure(about, table)
        if self.measure in (recursive_two, delta, strict_delta):
            # Defined by "less than".
            return value < self.limit - 1e-12
        return value >= self.limit - 1e-12 if self.higher else value <= self.limit + 1e-12


def shares(records: Sequence[Record]) -> dict[str, float]:
    return {value: n / len(records) for value, n in Counter(r.hidden for r in records).items()}


def equal_distance(of: list[Record], table: list[Record]) -> float:
    p, q = shares(of), shares(table)
    return sum(abs(p.get(v, 0) - q[v]) for v in q) / 2


def ordered_distance(of: list[Record], table: list[Record]) -> float:
    p, q = shares(of), shares(table)
    values = sorted(q, key=float)
    if len(values) == 1:
        return 0.0
    gap = moved = 0.0
    for v in values:
        gap += p.get(v, 0) - q[v]
        moved += abs(gap)
    return moved / (len(values) - 1)


def entropy(of: list[Record], table: list[Record]) -> float:
    return -sum(p * log2(p) for p in shares(of).values())


def beta(of: list[Record], table: list[Record]) -> float:
    q = shares(table)
    return max((p - q[v]) / q[v] for v, p in shares(of).items())


def enhanced_beta(of: list[Record], table: list[Record]) -> float:
    q = shares(table)
    return inf if any((p - q[v]) / q[v] > -log(q[v]) for v, p in shares(of).items()) else beta(of, table)


def delta(of: list[Record], table: list[Record]) -> float:
    q = shares(table)
    return max(abs(log2(p / q[v])) for v, p in shares(of).items())


def strict_delta(of: list[Record], table: list[Record]) -> float:
    return delta(of, table) if set(shares(of)) == set(shares(table)) else inf


def recursive_two(of: list[Record], table: list[Record]) -> float:
    counts = sorted(Counter(r.hidden for r in of).values(), reverse=True)
    return counts[0] / sum(counts[1:]) if len(counts) > 1 else inf


def uniqueness(of: list[Record], table: list[Record]) -> float:
    return 1.0 if len(table) == 1 else 1 - log(len(of)) / log(len(table))


def uniformity(of: list[Record], table: list[Record]) -> float:
    return max(Counter(r.person for r in of).values()) / len(of)


def itpr(classes: list[list[Record]], table: list[Record]) -> float:
    whole = entropy(table, table)
    return max(1 - len(classes) * len(c) / len(table) * entropy(c, table) / whole for c in classes) if whole > 1e-12 else inf


def average_size(classes: list[list[Record]], table: list[Record]) -> float:
    return sum(len({r.person for r in c}) for c in classes) / len(classes)


def at_risk(classes: list[list[Record]], table: list[Record]) -> float:
    people = [len({r.person for r in c}) for c in classes]
    return sum(n for n in people if n < 3) / sum(people)


# By the name that limits_of takes, with the direction and the slow definition.
OF_CLASSES: dict[str, tuple[bool, Callable[[Any, list[Record]], float]]] = {
    "k_anonymity": (True, lambda of, table: len({r.person for r in of})),
    "prosecutor": (False, lambda of, table: 1 / len({r.person for r in of})),
    "l_diversity": (True, lambda of, table: len(shares(of))),
    "t_closeness:equal": (False, equal_distance),
    "t_closeness:ordered": (False, ordered_distance),
    "alpha_k_anonymity": (False, lambda of, table: max(shares(of).values())),
    "correlation": (False, lambda of, table: max(shares(of).values())),
    "posterior:inference": (False, lambda of, table: max(shares(of).values())),
    "entropy_l_diversity": (True, lambda of, table: 2 ** entropy(of, table)),
    "entropy_variation:inference": (False, lambda of, table: max(entropy(table, table) - entropy(of, table), 0)),
    "maximum_information_leakage:inference": (
        False,
        lambda of, table: max(entropy(table, table) - len(of) / len(table) * entropy(of, table), 0),
    ),
    "recursive_c_l_diversity:l = 2": (False, recursive_two),
    "basic_beta_likeness": (False, beta),
    "enhanced_beta_likeness": (False, enhanced_beta),
    "delta_disclosure": (False, delta),
    "delta_disclosure:strict": (False, strict_delta),
    "uniqueness": (False, uniqueness),
    "uniformity": (False, uniformity),
}
OF_TABLES: dict[str, tuple[bool, Callable[[Any, list[Record]], float]]] = {
    "itpr:inference": (False, itpr),
    "average_class_size": (True, average_size),
    "records_at_risk:3": (False, at_risk),
}


@dataclass(frozen=True)
class Found:
    """A node, record by record."""

    levels: tuple[int, ...]
    admissible: bool
    suppressed: int
    loss: float


def nodes(toy: Toy, rules: Sequence[Rule], loss: str) -> Iterator[Found]:
    """Yield every node of the lattice."""
    for levels in product(*toy.ranges):
        suppressed, admissible = _suppressed(toy, rules, levels)
        yield Found(levels, admissible, len(suppressed), LOSSES[loss](toy, levels, suppressed))


def recoded(toy: Toy, levels: tuple[int, ...]) -> list[Record]:
    """Return the table at a node; a missing value is one of its own below the last level."""

    def label(i: int, value: str | None) -> str | None:
        if levels[i] == toy.hierarchies[i].height:
            return "*"
        return None if value is None else toy.hierarchies[i].label(value, levels[i])

    people = toy.person or tuple(map(str, range(len(toy.known))))
    return [
        Record(tuple(label(i, v) for i, v in enumerate(row)), hidden, person)
        for row, hidden, person in zip(toy.known, toy.hidden, people, strict=True)
    ]


def _grouped(records: Sequence[tuple[int, Record]], attribute: int | None) -> dict[Any, list[tuple[int, Record]]]:
    found: dict[Any, list[tuple[int, Record]]] = {}
    for i, record in records:
        found.setdefault(record.labels if attribute is None else record.labels[attribute], []).append((i, record))
    return found


def _suppressed(toy: Toy, rules: Sequence[Rule], levels: tuple[int, ...]) -> tuple[set[int], bool]:
    """Return the records that are suppressed at a node, and whether it is admissible."""
    rows = list(enumerate(recoded(toy, levels)))
    whole = [record for _, record in rows]
    classes = _grouped(rows, None)

    def failing(records: list[tuple[int, Record]], table: list[Record]) -> set[int]:
        return {
            i
            for rule in rules
            if not rule.per_table
            for members in _grouped(records, rule.attribute).values()
            if not rule.keeps([r for _, r in members], table)
            for i, _ in members
        }

    def completed(broken: set[int]) -> set[int]:
        return {i for members in classes.values() if any(i in broken for i, _ in members) for i, _ in members}

    gone = completed(failing(rows, whole))
    budget = int(toy.suppression * len(rows) + 1e-9)
    while True:
        if len(gone) > budget or (toy.suppressed == "drop" and len(gone) == len(rows)):
            return gone, False
        if toy.suppressed == "keep":
            released = [(i, Record(("*",) * len(levels), r.hidden, r.person) if i in gone else r) for i, r in rows]
        else:
            released = [(i, r) for i, r in rows if i not in gone]
        table = whole if toy.suppressed == "unchecked" else [r for _, r in released]
        broken = set() if toy.suppressed == "unchecked" else failing(released, table)
        if not broken - gone or not gone:
            break
        starred = {i for i, r in released if set(r.labels) == {"*"}}
        if broken <= starred:
            break
        gone = completed(gone | (broken - gone))
    if broken & gone:
        return gone, False
    for rule in rules:
        if rule.per_table:
            groups = [[r for _, r in members] for members in _grouped(released, rule.attribute).values()]
            if groups and not rule.keeps(groups, table):
                return gone, False
    return gone, True


def _cells(toy: Toy, levels: tuple[int, ...], gone: set[int], penalty: Callable[[int, str | None, int], float]) -> list[list[float]]:
    return [[1.0 if i in gone else penalty(a, row[a], levels[a]) for i, row in enumerate(toy.known)] for a in range(len(toy.hierarchies))]


def _ncp(toy: Toy, levels: tuple[int, ...], gone: set[int]) -> float:
    def penalty(a: int, value: str | None, level: int) -> float:
        hierarchy = toy.hierarchies[a]
        if level == hierarchy.height:
            return 1.0
        present = {row[a] for row in toy.known if row[a] is not None}
        if value is None:
            return 0.0
        under = [v for v in present if hierarchy.label(v, level) == hierarchy.label(value, level)]
        return len(under) / len(present) if len(under) > 1 else 0.0

    weights = toy.weights or (1.0,) * len(levels)
    cells = _cells(toy, levels, gone, penalty)
    return sum(w * sum(c) for w, c in zip(weights, cells, strict=True)) / sum(weights) / len(toy.known)


def _normalised(toy: Toy, levels: tuple[int, ...], gone: set[int]) -> list[float]:
    def penalty(a: int, value: str | None, level: int) -> float:
        hierarchy = toy.hierarchies[a]
        if level == hierarchy.height:
            return 1.0
        under = 1 if value is None else len(hierarchy.under(hierarchy.label(value, level), level))
        return under / len(hierarchy.leaves)

    n, found = len(toy.known), []
    for a, cells in enumerate(_cells(toy, levels, gone, penalty)):
        low = n / len(toy.hierarchies[a].leaves)
        found.append(max(0.0, (sum(cells) - low) / (n - low)) if n > low else 0.0)
    return found


def _arx(toy: Toy, levels: tuple[int, ...], gone: set[int]) -> float:
    weights = toy.weights or (1.0,) * len(levels)
    return exp(sum(w * log(1 + v) for w, v in zip(weights, _normalised(toy, levels, gone), strict=True)) / sum(weights)) - 1


def _arx_arithmetic(toy: Toy, levels: tuple[int, ...], gone: set[int]) -> float:
    weights = toy.weights or (1.0,) * len(levels)
    return sum(w * v for w, v in zip(weights, _normalised(toy, levels, gone), strict=True)) / sum(weights)


def _precision(toy: Toy, levels: tuple[int, ...], gone: set[int]) -> float:
    weights = toy.weights or (1.0,) * len(levels)
    cells = _cells(toy, levels, gone, lambda a, value, level: level / toy.hierarchies[a].height)
    return sum(w * sum(c) for w, c in zip(weights, cells, strict=True)) / sum(weights) / len(toy.known)


def _columns_of(toy: Toy, levels: tuple[int, ...]) -> Iterator[tuple[float, list[str | None], list[str | None]]]:
    weights = toy.weights or (1.0,) * len(levels)
    released = recoded(toy, levels)
    for a, weight in enumerate(weights):
        yield weight * len(weights) / sum(weights), [row[a] for row in toy.known], [record.labels[a] for record in released]


def _arx_entropy(toy: Toy, levels: tuple[int, ...], gone: set[int]) -> float:
    total = 0.0
    for weight, before, after in _columns_of(toy, levels):
        fine, coarse = Counter(before), Counter(after)
        among = Counter(after[i] for i in gone)
        bits = sum(log2(fine[x] / coarse[y]) for x, y in zip(before, after, strict=True))
        total -= weight * (bits + sum(n * log2(n / len(gone)) for n in among.values()))
    return total


def _non_uniform_entropy(toy: Toy, levels: tuple[int, ...], gone: set[int]) -> float:
    total = 0.0
    for weight, before, after in _columns_of(toy, levels):
        fine, coarse = Counter(before), Counter(after)
        total -= weight * sum(
            log2(fine[x] / (len(before) if i in gone else coarse[y])) for i, (x, y) in enumerate(zip(before, after, strict=True))
        )
    return total


def _kept(toy: Toy, levels: tuple[int, ...], gone: set[int]) -> Counter[Row]:
    return Counter(record.labels for i, record in enumerate(recoded(toy, levels)) if i not in gone)


LOSSES: dict[str, Callable[[Toy, tuple[int, ...], set[int]], float]] = {
    "ncp": _ncp,
    "arx_loss": _arx,
    "arx_loss_arithmetic": _arx_arithmetic,
    "precision": _precision,
    "entropy": _arx_entropy,
    "non_uniform_entropy": _non_uniform_entropy,
    "discernibility": lambda toy, levels, gone: sum(n * n for n in _kept(toy, levels, gone).values()) + len(toy.known) * len(gone),
    "average_class_size": lambda toy, levels, gone: len(toy.known) / max(len(_kept(toy, levels, gone)) + bool(gone), 1),
}


def lattice_size(toy: Toy) -> int:
    return prod(map(len, toy.ranges))
