"""Blame and minimal unique sets as their definitions read: slow, obvious, and sharing no line with the package."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, permutations

from reference.metrics import view
from support.strategies import Table


def crowd(table: Table, attributes: Sequence[str]) -> list[int]:
    """Return for every record how many people share its values: records, or distinct persons where there are person ids."""
    seen = view(table, attributes) if attributes else None
    classes = seen.classes if seen else [()] * table.rows
    persons = table[table.person] if table.person else range(table.rows)
    members = defaultdict(set)
    for name, person in zip(classes, persons, strict=True):
        members[name].add(person)
    return [len(members[name]) for name in classes]


def at_risk(table: Table, attributes: Sequence[str], limit: int) -> int:
    """Return how many records fewer than `limit` people share."""
    return sum(size < limit for size in crowd(table, attributes))


def shapley(table: Table, attributes: Sequence[str], limit: int) -> dict[str, Fraction]:
    """Return the mean, over all orders of learning, of the records each attribute newly puts at risk."""
    gained: dict[str, Fraction] = dict.fromkeys(attributes, Fraction(0))
    for order in permutations(attributes):
        for i, name in enumerate(order):
            gained[name] += at_risk(table, order[: i + 1], limit) - at_risk(table, order[:i], limit)
    return {name: total / math.factorial(len(attributes)) for name, total in gained.items()}


def minimal_uniques(table: Table, attributes: Sequence[str], size: int) -> list[set[frozenset[str]]]:
    """Return for every record the sets it is unique on while it is unique on no part of them."""
    alone = {
        frozenset(chosen): [n == 1 for n in crowd(table, chosen)]
        for length in range(len(attributes) + 1)
        for chosen in combinations(attributes, length)
    }
    return [
        {
            chosen
            for chosen, unique in alone.items()
            if 1 <= len(chosen) <= size and unique[r] and not any(alone[part][r] for part in alone if part < chosen)
        }
        for r in range(table.rows)
    ]


def suda_score(sets: set[frozenset[str]], attributes: int) -> int:
    """Return the sum of (M - s)! over a record's sets."""
    return sum(math.factorial(attributes - len(chosen)) for chosen in sets)


def records_by_set(found: list[set[frozenset[str]]]) -> Counter[frozenset[str]]:
    """Return how many records each set is minimal unique for."""
    return Counter(chosen for sets in found for chosen in sets)
