"""The information-theoretic metrics as their definitions read, from the distribution of the target in every class."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from reference.tuples import rows_of
from support.strategies import Key, Table


@dataclass(frozen=True)
class Distribution:
    """What is left open about a target: in the table, and class by class with the class's share of the records."""

    entropy: float
    classes: list[tuple[float, float]]  # share of the records, entropy
    top: float  # the largest share of one target in any class


def entropy(targets: Sequence[Hashable]) -> float:
    """Return -sum p log2 p."""
    return math.fsum(n / len(targets) * math.log2(len(targets) / n) for n in Counter(targets).values())


def distribution(targets: Sequence[Hashable], classes: Sequence[Hashable]) -> Distribution:
    """Return the distribution of targets over classes."""
    members: dict[Hashable, list[Hashable]] = defaultdict(list)
    for target, name in zip(targets, classes, strict=True):
        members[name].append(target)
    return Distribution(
        entropy(targets),
        [(len(inside) / len(targets), entropy(inside)) for inside in members.values()],
        max(n / len(inside) for inside in members.values() for n in Counter(inside).values()),
    )


def with_one_more_bit(d: Distribution) -> Distribution:
    """Return what becomes of it when every target is split in two equal halves."""
    return Distribution(d.entropy + 1, [(p, h + 1) for p, h in d.classes], d.top / 2)


def _conditional(d: Distribution) -> float:
    return math.fsum(p * h for p, h in d.classes)


FORMULAS: dict[str, Callable[[Distribution], float | None]] = {
    "itpr": lambda d: max(1 - len(d.classes) * p * h / d.entropy for p, h in d.classes) if d.entropy else None,
    "discrimination_rate": lambda d: 1 - _conditional(d) / d.entropy if d.entropy else None,
    "mutual_information": lambda d: d.entropy - _conditional(d),
    "conditional_privacy": lambda d: 1 - 2 ** (_conditional(d) - d.entropy),
    "maximum_information_leakage": lambda d: max(d.entropy - p * h for p, h in d.classes),
    "entropy_l_diversity_risk": lambda d: max(2**-h for _, h in d.classes),
    "posterior": lambda d: d.top,
    "entropy_variation": lambda d: max(d.entropy - h for _, h in d.classes),
}


@lru_cache(maxsize=64)
def scopes(table: Table) -> list[tuple[str, tuple[str, ...] | None, str | None, Distribution]]:
    """Return every scope: all attributes of an attacker or one, the record (or person) or a sensitive attribute as target."""
    found = []
    for scenario, attributes in table.attackers:
        for known in (None, *((name,) for name in attributes)):
            classes = rows_of(table, known or attributes)
            for sensitive in (None, *table.sensitive):
                if sensitive is not None:
                    targets: Sequence[Any] = rows_of(table, [sensitive])
                else:
                    targets = table[table.person] if table.person else range(table.rows)
                found.append((scenario, known, sensitive, distribution(targets, classes)))
    return found


def key_of(metric: str, scenario: str, known: tuple[str, ...] | None, sensitive: str | None) -> Key:
    """Return the key of a measurement; the reading is its variant."""
    return metric, scenario, known, sensitive, "inference" if sensitive else "re-identification", "record"


def _reference(metric: str) -> Callable[[Table, int], Iterator[Any]]:
    def measure(table: Table, threshold: int) -> Iterator[Any]:
        for scenario, known, sensitive, found in scopes(table):
            value = FORMULAS[metric](found)
            if value is not None:
                yield key_of(metric, scenario, known, sensitive), (value,)

    return measure


INFORMATION_REFERENCE: dict[str, Callable[[Table, int], Iterator[Any]]] = {metric: _reference(metric) for metric in FORMULAS}
