"""The syntactic models as their definitions read: each condition tried on every class and every value."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from reference.information import entropy
from reference.tuples import rows_of
from support.strategies import Table

Groups = list[list[Hashable]]


def groups(classes: Sequence[Hashable], values: Sequence[Hashable]) -> Groups:
    """Return the sensitive values of every class."""
    members: dict[Hashable, list[Hashable]] = defaultdict(list)
    for value, name in zip(values, classes, strict=True):
        members[name].append(value)
    return list(members.values())


def alpha(found: Groups, values: Sequence[Hashable]) -> Iterator[tuple[str | None, float]]:
    yield None, max(max(Counter(inside).values()) / len(inside) for inside in found)


def entropy_l(found: Groups, values: Sequence[Hashable]) -> Iterator[tuple[str | None, float]]:
    least = min(entropy(inside) for inside in found)
    yield None, 2**least
    # The largest l whose logarithm the entropy reaches, up to rounding.
    yield "floor", max(whole for whole in range(1, len(values) + 1) if math.log2(whole) <= least + 1e-12)


def recursive(found: Groups, values: Sequence[Hashable]) -> Iterator[tuple[str | None, float]]:
    own = min(len(set(inside)) for inside in found)
    # Without an l it is the own one, but at least 2: a class of one value is not diverse whatever c is.
    for variant, rank in ((None, max(own, 2)), ("l = 2", 2)):
        if rank <= own:
            ranked = [sorted(Counter(inside).values(), reverse=True) for inside in found]
            yield variant, max(counts[0] / sum(counts[rank - 1 :]) for counts in ranked)


def _shares(found: Groups, values: Sequence[Hashable]) -> list[tuple[float, float]]:
    """Return p and q of every value of the table in every class, those it lacks included."""
    whole = Counter(values)
    return [(part[v] / len(inside), n / len(values)) for inside in found for part in [Counter(inside)] for v, n in whole.items()]


def basic_beta(found: Groups, values: Sequence[Hashable]) -> Iterator[tuple[str | None, float]]:
    yield None, max([(p - q) / q for p, q in _shares(found, values) if p > q], default=0)


def enhanced_beta(found: Groups, values: Sequence[Hashable]) -> Iterator[tuple[str | None, float]]:
    gains = [((p - q) / q, q) for p, q in _shares(found, values) if p > q]
    if all(gain <= -math.log(q) for gain, q in gains):
        yield None, max([gain for gain, _ in gains], default=0)


def delta(found: Groups, values: Sequence[Hashable]) -> Iterator[tuple[str | None, float]]:
    shares = _shares(found, values)
    present = max(abs(math.log2(p / q)) for p, q in shares if p > 0)
    yield None, present
    if all(p > 0 for p, _ in shares):
        yield "strict", present


MODELS = {
    "alpha_k_anonymity": alpha,
    "entropy_l_diversity": entropy_l,
    "recursive_c_l_diversity": recursive,
    "basic_beta_likeness": basic_beta,
    "enhanced_beta_likeness": enhanced_beta,
    "delta_disclosure": delta,
}


def _reference(metric: str) -> Callable[[Table, int], Iterator[Any]]:
    def measure(table: Table, threshold: int) -> Iterator[Any]:
        for scenario, attributes in table.attackers:
            for sensitive in table.sensitive:
                values = rows_of(table, [sensitive])
                for variant, value in MODELS[metric](groups(rows_of(table, attributes), values), values):
                    yield (metric, scenario, None, sensitive, variant, "record"), (value,)

    return measure


SYNTACTIC_REFERENCE: dict[str, Callable[[Table, int], Iterator[Any]]] = {metric: _reference(metric) for metric in MODELS}
