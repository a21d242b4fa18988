"""The attackers' metrics as their definitions read, person by person: slow, obvious, and sharing no line with the package."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from support.strategies import Table

RISK_THRESHOLD = 0.2


def tuples(table: Table, attributes: Sequence[str]) -> list[tuple[Hashable, ...]]:
    """Return what is seen of every record; NaN is a missing value."""
    columns = [[None if v != v else v for v in table[name]] for name in attributes]
    return list(zip(*columns, strict=True))


def members(table: Table, attributes: Sequence[str]) -> Iterator[tuple[str, list[tuple[Hashable, ...]]]]:
    """Yield every level, with the class of each of its members: records, and at event level every person once a class."""
    classes = tuples(table, attributes)
    yield "record", classes
    if table.person:
        yield "person", [c for c, _ in set(zip(classes, table[table.person], strict=True))]


def over(risks: Sequence[float]) -> tuple[float, float, float]:
    """Return min, mean and max."""
    return min(risks), math.fsum(risks) / len(risks), max(risks)


def above(risks: Sequence[float], threshold: float = RISK_THRESHOLD) -> float:
    """Return the share of records whose risk is above a threshold."""
    return sum(risk > threshold for risk in risks) / len(risks)


def prosecutor(table: Table, threshold: int, risk_threshold: float = RISK_THRESHOLD) -> Iterator[Any]:
    """One over the number of look-alikes."""
    for scenario, attributes in table.attackers:
        for level, classes in members(table, attributes):
            sizes = Counter(classes)
            risks = [1 / sizes[c] for c in classes]
            yield ("prosecutor", scenario, None, None, None, level), over(risks)
            yield ("prosecutor", scenario, None, None, "above 0.2", level), (above(risks, risk_threshold),)


def _marketer(table: Table, threshold: int) -> Iterator[Any]:
    for scenario, attributes in table.attackers:
        for level, classes in members(table, attributes):
            yield ("marketer", scenario, None, None, "in the table", level), (len(set(classes)) / len(classes),)


def _distinction(table: Table, threshold: int) -> Iterator[Any]:
    for scenario, attributes in table.attackers:
        for names in (None, *((name,) for name in attributes)):
            seen = tuples(table, names or attributes)
            yield ("distinction", scenario, names, None, None, "record"), (len(set(seen)) / len(seen),)


def _separation(table: Table, threshold: int) -> Iterator[Any]:
    for scenario, attributes in table.attackers:
        for names in (None, *((name,) for name in attributes)):
            seen = tuples(table, names or attributes)
            pairs = math.comb(len(seen), 2)
            alike = sum(math.comb(size, 2) for size in Counter(seen).values())
            yield ("separation", scenario, names, None, None, "record"), (1 - alike / pairs if pairs else 1.0,)


def _nothing(table: Table, threshold: int) -> Iterator[Any]:
    """What needs a population, weights or households is not measured on tables that have none."""
    yield from ()


ATTACKER_REFERENCE: dict[str, Callable[[Table, int], Iterator[Any]]] = {
    "prosecutor": prosecutor,
    "marketer": _marketer,
    "distinction": _distinction,
    "separation": _separation,
    **dict.fromkeys(("journalist", "k_map", "delta_presence", "population_uniqueness", "individual_risk", "household_risk"), _nothing),
}


def individual(f: int, people: float) -> float:
    """E[1/F | f] by the sum it stands for, not by its closed form: F given f is negative binomial with chance f / people.

    For f above 2 the metric is defined by an approximation, which is what is returned there.
    """
    p = f / people
    if p == 1:
        return 1 / f
    if f > 2:
        return p / (f - 1 + p)
    total, size, chance = 0.0, f, p**f
    while chance > 1e-18 or size < 2 * people:
        total += chance / size
        chance *= (1 - p) * size / (size - f + 1)
        size += 1
    return total
