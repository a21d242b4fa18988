"""How far combinations of values are from as frequent as they were: pairs and triples of columns, groups, and what sample is as good."""

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np

from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.risk.counting.columns import numbered
from anonscope.utility.unpaired.tables import Unpaired

MOST_TRIPLES = 500  # more are drawn from
MOST_GROUPS = 20  # values of a column whose records are looked at by themselves
LEAST_GROUP = 100  # records of the original
FRACTIONS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_DENSE = 2_000_000


def sets_of(tables: Unpaired, k: int) -> list[tuple[int, ...]]:
    """Return all sets of k columns, or of too many some that are drawn, always the same."""
    columns = len(tables.names)
    if comb(columns, k) <= MOST_TRIPLES:
        return list(combinations(range(columns), k))
    chance = np.random.default_rng(1)
    found: set[tuple[int, ...]] = set()
    while len(found) < MOST_TRIPLES:
        found.add(tuple(sorted(chance.choice(columns, k, replace=False).tolist())))
    return sorted(found)


def variations(sizes: Sequence[int], one: Sequence[Integers], other: Sequence[Integers], sets: Sequence[tuple[int, ...]]) -> Floats:
    """Return the total variation between two tables over each set of columns: half the sum of differences of shares."""
    return np.array([_variation(sizes, one, other, columns) for columns in sets])


def _variation(sizes: Sequence[int], one: Sequence[Integers], other: Sequence[Integers], columns: tuple[int, ...]) -> float:
    shape = [sizes[i] for i in columns]
    cells = int(np.prod(shape, dtype=np.float64))
    if cells <= _DENSE:
        shares = [
            np.bincount(np.ravel_multi_index([table[i] for i in columns], shape), minlength=cells) / len(table[0]) for table in (one, other)
        ]
    else:
        number, cells = numbered([np.concatenate([one[i], other[i]]) for i in columns], shape)
        split = len(one[0])
        shares = [np.bincount(part, minlength=cells) / len(part) for part in (number[:split], number[split:])]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def of_sets(tables: Unpaired, k: int) -> tuple[list[tuple[int, ...]], Floats]:
    """Return the sets of k columns and the total variation over each; worked out once."""
    if ("sets", k) not in tables.cache:
        sets = sets_of(tables, k)
        tables.cache["sets", k] = sets, variations(tables.sizes, tables.original, tables.release, sets)
    found: tuple[list[tuple[int, ...]], Floats] = tables.cache["sets", k]
    return found


def worst_group(tables: Unpaired, column: int) -> float | None:
    """Return the least score (1 - mean variation over pairs) of the groups that a column makes; None where it makes none."""
    size, others = tables.sizes[column], [i for i in range(len(tables.names)) if i != column]
    counts = np.bincount(tables.original[column], minlength=size)
    groups = np.nonzero(counts >= LEAST_GROUP)[0]
    if (counts > 0).sum() > MOST_GROUPS or (counts > 0).sum() < 2 or not len(groups) or not others:
        return None
    sets = [s for s in sets_of(tables, min(2, len(others))) if column not in s] if len(others) > 1 else [(others[0],)]
    worst = 1.0
    for group in groups:
        ours, theirs = tables.original[column] == group, tables.release[column] == group
        if not theirs.any():
            return 0.0
        one, other = [codes[ours] for codes in tables.original], [codes[theirs] for codes in tables.release]
        worst = min(worst, 1 - float(variations(tables.sizes, one, other, sets).mean()))
    return worst


def equivalent_share(tables: Unpaired) -> float:
    """Return the share of the original whose sample differs from it by as much as the release, over pairs of columns."""
    k = min(2, len(tables.names))
    sets, found = of_sets(tables, k)
    wanted, n = float(found.mean()), tables.records[0]
    if not wanted:
        return 1.0
    chance = np.random.default_rng(tables.seed)
    before: tuple[float, float] | None = None
    for share in FRACTIONS:
        count = max(1, round(share * n))
        drawn = chance.permutation(n)[:count]
        near = float(variations(tables.sizes, tables.original, [codes[drawn] for codes in tables.original], sets).mean())
        if near <= wanted:
            if before is None:
                return count / n
            low, far = before
            # Between two shares, the logarithm of the share is taken to fall evenly with what is lost.
            part = (far - wanted) / (far - near) if far > near else 1.0
            return float(np.exp(np.log(low) + part * (np.log(count / n) - np.log(low))))
        before = count / n, near
    return 1.0
