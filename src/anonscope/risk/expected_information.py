"""The mutual information that two columns have by chance alone, so that it can be taken off what they were measured to have.

N. X. Vinh, J. Epps and J. Bailey (2010), "Information Theoretic Measures for Clusterings Comparison", JMLR 11, theorem 2: the mean over
all permutations of one column, exact and without drawing any. A cell of values that occur a and b times holds k records with the chance
of the hypergeometric distribution. Values that occur equally often share their terms, and of each distribution only the part is summed
that has a chance worth naming: ten standard deviations around its mean.
"""

from collections.abc import Sequence

import numpy as np

_DEVIATIONS = 10
_CHUNK = 2_000_000


def expected_information(one: Sequence[int], other: Sequence[int], records: int) -> float:
    """Return the mean mutual information in bits, over all orders of the records, of two columns with these counts of values."""
    from scipy.special import gammaln

    a, times_a = np.unique(np.asarray(one, dtype=np.float64), return_counts=True)
    b, times_b = np.unique(np.asarray(other, dtype=np.float64), return_counts=True)
    n = float(records)
    if n < 2:
        return 0.0
    first, second = (grid.ravel() for grid in np.meshgrid(a, b, indexing="ij"))
    times = np.outer(times_a, times_b).ravel().astype(np.float64)
    mean = first * second / n
    spread = np.sqrt(mean * (1 - first / n) * (n - second) / (n - 1))
    low = np.maximum(np.maximum(1, first + second - n), np.floor(mean - _DEVIATIONS * spread - _DEVIATIONS))
    high = np.minimum(np.minimum(first, second), np.ceil(mean + _DEVIATIONS * spread + _DEVIATIONS))
    widths = np.maximum(high - low + 1, 0).astype(np.int64)
    fixed = gammaln(first + 1) + gammaln(second + 1) + gammaln(n - first + 1) + gammaln(n - second + 1) - gammaln(n + 1)
    total, begin = 0.0, 0
    ends = np.cumsum(widths)
    while begin < len(widths):
        stop = max(begin + 1, int(np.searchsorted(ends, (ends[begin - 1] if begin else 0) + _CHUNK, side="right")))
        part = slice(begin, stop)
        owner = np.repeat(np.arange(begin, stop), widths[part])
        step = np.arange(len(owner)) - np.repeat(np.cumsum(widths[part]) - widths[part], widths[part])
        k = low[owner] + step
        x, y = first[owner], second[owner]
        chance = np.exp(fixed[owner] - gammaln(k + 1) - gammaln(x - k + 1) - gammaln(y - k + 1) - gammaln(n - x - y + k + 1))
        total += float((times[owner] * chance * k / n * np.log2(n * k / (x * y))).sum())
        begin = stop
    return max(total, 0.0)
