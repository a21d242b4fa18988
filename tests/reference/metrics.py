"""Every metric as its definition reads, record by record: slow, obvious, and sharing no line with the package.

Values are compared as Python compares them, None is a value like any other, and so is a person without an id.
Nothing is vectorised; every number is made from counts of equal things.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from reference.attackers import ATTACKER_REFERENCE
from reference.information import INFORMATION_REFERENCE
from reference.syntactic import SYNTACTIC_REFERENCE
from reference.tuples import TUPLE_REFERENCE
from support.strategies import Numbers, Table

THRESHOLD = 11
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_LEADING_ZERO = re.compile(r"[+-]?0\d")


@dataclass(frozen=True)
class View:
    """What one attacker sees of every record: its class, its sensitive value, its person."""

    classes: Sequence[Hashable]
    values: Sequence[Hashable]
    persons: Sequence[Hashable]
    event_level: bool

    @property
    def members(self) -> dict[Hashable, list[int]]:
        """Return the records of every class."""
        found: dict[Hashable, list[int]] = defaultdict(list)
        for record, name in enumerate(self.classes):
            found[name].append(record)
        return found


def reference(table: Table, threshold: int = THRESHOLD) -> Numbers:
    """Return every number an audit of the table must give."""
    return {key: numbers for metric in REFERENCE for key, numbers in REFERENCE[metric](table, threshold)}


def plain(values: Sequence[Any]) -> list[Any]:
    """Return a column with NaN as None; minus zero equals zero in Python as it is."""
    return [None if isinstance(v, float) and math.isnan(v) else v for v in values]


def is_numeric(values: Sequence[Any]) -> bool:
    """Return whether a column has values, all of them numbers, none with a leading zero."""
    present = [v for v in plain(values) if v is not None]
    return bool(present) and all(not isinstance(v, str) or (_NUMBER.fullmatch(v) and not _LEADING_ZERO.match(v)) for v in present)


def equal_distance(part: Sequence[Any], whole: Sequence[Any]) -> float:
    """Half the sum of absolute differences between two distributions."""
    p, q = Counter(part), Counter(whole)
    return sum(abs(p[v] / len(part) - q[v] / len(whole)) for v in q) / 2


def ordered_distance(part: Sequence[Any], whole: Sequence[Any]) -> float:
    """The earth mover's distance when the values are ranks: the area between the two cumulative curves."""
    ranks = sorted(set(whole))
    if len(ranks) == 1:
        return 0.0
    p, q = Counter(part), Counter(whole)
    difference = area = 0.0
    for rank in ranks:
        difference += p[rank] / len(part) - q[rank] / len(whole)
        area += abs(difference)
    return area / (len(ranks) - 1)


def ranked(values: Sequence[Any]) -> list[tuple[int, Any]]:
    """Return values as something that sorts: missing lowest, numbers by size, anything else by its text."""
    order: Callable[[Any], Any] = float if is_numeric(values) else str
    return [(0, 0) if v is None else (1, order(v)) for v in plain(values)]


def view(table: Table, attributes: Sequence[str], sensitive: str | None = None) -> View:
    """Return what an attacker who knows these attributes sees."""
    classes = list(zip(*(plain(table[name]) for name in attributes), strict=True))
    values = plain(table[sensitive]) if sensitive else [None] * table.rows
    persons: Sequence[Hashable] = table[table.person] if table.person else range(table.rows)
    return View(classes, values, persons, table.person is not None)


def _k(table: Table, threshold: int) -> Iterator[Any]:
    for scenario, attributes in table.attackers:
        seen = view(table, attributes)
        yield ("k_anonymity", scenario, None, None, None, "record"), (min(map(len, seen.members.values())),)
        if seen.event_level:
            fewest = min(len({seen.persons[r] for r in records}) for records in seen.members.values())
            yield ("k_anonymity", scenario, None, None, None, "person"), (fewest,)


def _l(table: Table, threshold: int) -> Iterator[Any]:
    for scenario, attributes in table.attackers:
        for sensitive in table.sensitive:
            seen = view(table, attributes, sensitive)
            fewest = min(len({seen.values[r] for r in records}) for records in seen.members.values())
            yield ("l_diversity", scenario, None, sensitive, None, "record"), (fewest,)


def _t(table: Table, threshold: int) -> Iterator[Any]:
    for scenario, attributes in table.attackers:
        for sensitive in table.sensitive:
            seen = view(table, attributes, sensitive)
            groups = seen.members.values()
            farthest = max(equal_distance([seen.values[r] for r in records], seen.values) for records in groups)
            yield ("t_closeness", scenario, None, sensitive, "equal", "record"), (farthest,)
            if is_numeric(table[sensitive]) or dict(table.distance).get(sensitive) == "ordered":
                ranks = ranked(table[sensitive])
                farthest = max(ordered_distance([ranks[r] for r in records], ranks) for records in groups)
                yield ("t_closeness", scenario, None, sensitive, "ordered", "record"), (farthest,)


def _over_records(risks: Sequence[float]) -> tuple[float, float, float]:
    return min(risks), math.fsum(risks) / len(risks), max(risks)


def uniqueness(seen: View) -> list[float]:
    """1 - log f / log n of every record; a record that is the whole table is unique."""
    n, f = len(seen.classes), Counter(seen.classes)
    return [1.0 if n == 1 else 1 - math.log(f[c]) / math.log(n) for c in seen.classes]


def uniformity(seen: View) -> list[float]:
    """The share of its class that belongs to the record's person."""
    f, mine = Counter(seen.classes), Counter(zip(seen.classes, seen.persons, strict=True))
    return [mine[c, u] / f[c] for c, u in zip(seen.classes, seen.persons, strict=True)]


def correlation(seen: View) -> list[float]:
    """The share of its class that has the record's sensitive value."""
    f, alike = Counter(seen.classes), Counter(zip(seen.classes, seen.values, strict=True))
    return [alike[c, s] / f[c] for c, s in zip(seen.classes, seen.values, strict=True)]


def markov(seen: View) -> list[float]:
    """1 - P(class) (1 - uniformity) (1 - correlation) (1 - P(person | sensitive value))."""
    n, f, held = len(seen.classes), Counter(seen.classes), Counter(seen.values)
    mine = Counter(zip(seen.persons, seen.values, strict=True))
    known = [mine[u, s] / held[s] for u, s in zip(seen.persons, seen.values, strict=True)]
    return [
        1 - f[c] / n * (1 - uf) * (1 - co) * (1 - us)
        for c, uf, co, us in zip(seen.classes, uniformity(seen), correlation(seen), known, strict=True)
    ]


def _uniqueness(table: Table, threshold: int) -> Iterator[Any]:
    for scenario, attributes in table.attackers:
        yield ("uniqueness", scenario, None, None, None, "record"), _over_records(uniqueness(view(table, attributes)))


def _uniformity(table: Table, threshold: int) -> Iterator[Any]:
    for scenario, attributes in table.attackers:
        yield ("uniformity", scenario, None, None, None, "record"), _over_records(uniformity(view(table, attributes)))
        for name in attributes:
            yield ("uniformity", scenario, (name,), None, None, "record"), _over_records(uniformity(view(table, [name])))


def _correlation(table: Table, threshold: int) -> Iterator[Any]:
    for scenario, attributes in table.attackers:
        for sensitive in table.sensitive:
            whole = correlation(view(table, attributes, sensitive))
            yield ("correlation", scenario, None, sensitive, None, "record"), _over_records(whole)
            for name in attributes:
                alone = correlation(view(table, [name], sensitive))
                yield ("correlation", scenario, (name,), sensitive, None, "record"), _over_records(alone)


def _markov(table: Table, threshold: int) -> Iterator[Any]:
    for scenario, attributes in table.attackers:
        for sensitive in table.sensitive:
            risks = markov(view(table, attributes, sensitive))
            yield ("markov", scenario, None, sensitive, None, "record"), _over_records(risks)


def _sizes(table: Table) -> Iterator[tuple[str, str, list[int]]]:
    for scenario, attributes in table.attackers:
        seen = view(table, attributes)
        yield scenario, "record", [len(records) for records in seen.members.values()]
        if seen.event_level:
            yield scenario, "person", [len({seen.persons[r] for r in records}) for records in seen.members.values()]


def _average(table: Table, threshold: int) -> Iterator[Any]:
    for scenario, level, sizes in _sizes(table):
        yield ("average_class_size", scenario, None, None, None, level), (sum(sizes) / len(sizes),)


def _at_risk(table: Table, threshold: int) -> Iterator[Any]:
    for scenario, level, sizes in _sizes(table):
        share = sum(size for size in sizes if size < threshold) / sum(sizes)
        yield ("records_at_risk", scenario, None, None, f"below {threshold}", level), (share,)


REFERENCE: dict[str, Callable[[Table, int], Iterator[Any]]] = (
    {
        "k_anonymity": _k,
        "l_diversity": _l,
        "t_closeness": _t,
        "uniqueness": _uniqueness,
        "uniformity": _uniformity,
        "correlation": _correlation,
        "markov": _markov,
        "average_class_size": _average,
        "records_at_risk": _at_risk,
    }
    | TUPLE_REFERENCE
    | INFORMATION_REFERENCE
    | SYNTACTIC_REFERENCE
    | ATTACKER_REFERENCE
)


def as_printed(value: float, printed: float) -> float:
    """Return a number rounded to as many digits as a paper prints of it."""
    return round(value, _digits(printed))


def cut_as_printed(value: float, printed: float) -> float:
    """Return a number cut off after as many digits as a paper prints of it."""
    scale = 10 ** _digits(printed)
    return math.floor(value * scale) / scale


def _digits(printed: float) -> int:
    return len(str(printed).partition(".")[2])
