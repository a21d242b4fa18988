"""The propensity score: how well a model tells records of the release from those of the original.

Logistic regression on every value and on all pairs of columns, each column in three groups there: so what columns say about each other
counts, and what pMSE is if both tables were drawn from the same people is known by formula. No permutation, which would reward noise.
"""

from typing import Any

import numpy as np

from anonscope.risk.counting.arrays import Integers
from anonscope.utility.unpaired.tables import Unpaired

RARE = 50  # records of both tables that a value, or two together, need for a coefficient of their own
GROUPS = 3
MOST = 10_000  # records of each table; of more, so many are drawn
_ROUNDS = 15
_RIDGE = 1e-6


def design(columns: "list[Integers]", sizes: "list[int]") -> Any:
    """Return ones, every value but the commonest of each column, and all pairs of groups of values, as a sparse matrix."""
    from scipy.sparse import csr_array, hstack

    n = len(columns[0])
    parts = [csr_array(np.ones((n, 1)))]
    groups = []
    for codes, size in zip(columns, sizes, strict=True):
        parts.append(_values(codes, size))
        # The commonest values have a group each, the rest is one together.
        rank = np.empty(size, dtype=np.int64)
        rank[np.argsort(-np.bincount(codes, minlength=size), kind="stable")] = np.arange(size)
        groups.append(np.minimum(rank[codes], GROUPS - 1))
    for i, one in enumerate(groups):
        for other in groups[:i]:
            both = np.where((one > 0) & (other > 0), (one - 1) * (GROUPS - 1) + other, 0)
            parts.append(_values(both, (GROUPS - 1) ** 2 + 1, base=0))
    return hstack([part for part in parts if part.shape[1]], format="csr")


def _values(codes: Integers, size: int, base: int | None = None) -> Any:
    """Return a column for every value but the base (the commonest), rare ones together, as a sparse matrix."""
    from scipy.sparse import csr_array

    counts = np.bincount(codes, minlength=size)
    base = int(np.argmax(counts)) if base is None else base
    place = np.full(size, -1)
    kept = [value for value in np.nonzero(counts >= RARE)[0].tolist() if value != base]
    place[kept] = np.arange(len(kept))
    rare = (place < 0) & (counts > 0)
    rare[base] = False
    width = len(kept)
    if counts[rare].sum() >= RARE:
        place[rare] = width
        width += 1
    rows = np.nonzero(place[codes] >= 0)[0]
    return csr_array((np.ones(len(rows)), (rows, place[codes][rows])), shape=(len(codes), width))


def propensity(tables: Unpaired) -> tuple[float, float]:
    """Return pMSE and what it is expected to be if both tables were drawn from the same people (after Snoke and others 2018)."""
    chance = np.random.default_rng(tables.seed)
    drawn = [chance.permutation(count)[:MOST] for count in tables.records]
    joined = [np.concatenate([a[drawn[0]], b[drawn[1]]]) for a, b in zip(tables.original, tables.release, strict=True)]
    matrix = design(joined, list(tables.sizes))
    n, m = (len(part) for part in drawn)
    which = np.concatenate([np.zeros(n), np.ones(m)])
    share = m / (n + m)
    weights = np.zeros(matrix.shape[1])
    weights[0] = np.log(share / (1 - share))
    scores = np.full(n + m, share)
    found = 0.0
    for _ in range(_ROUNDS):
        before = found
        slope = matrix.T @ (which - scores) - _RIDGE * weights
        curve = (matrix.T @ (matrix * (scores * (1 - scores))[:, None])).toarray() + _RIDGE * np.eye(len(weights))
        step = np.linalg.lstsq(curve, slope, rcond=None)[0]
        weights = weights + step
        scores = 1 / (1 + np.exp(-np.clip(matrix @ weights, -30, 30)))
        found = float(((scores - share) ** 2).mean())
        if abs(found - before) <= 1e-4 * found:
            break
    # Both sides vary: were the original fixed, as for a synthesis from its own model, it would be 1 - share of that.
    expected = (matrix.shape[1] - 1) * (1 - share) * share / (n + m)
    return found, float(expected)
