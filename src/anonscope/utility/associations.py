"""How much the associations of pairs of columns changed: Pearson's correlation, Cramér's V and mutual information.

R. Aufschläger et al. (2023), equations 30 and 33 to 35. Labels are values of their own; for correlations they are their numbers.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from anonscope.risk.counting.arrays import Flags, Floats, Integers
from anonscope.risk.counting.columns import numbered
from anonscope.utility.alignment.aligned import Aligned, AlignedColumn
from anonscope.utility.measure import Answer, Found, Utility, UtilityMeasurement, UtilitySettings, measured

# Pairs grow with the square of the columns.
MOST_COLUMNS = 40
_VARIANTS = ("pearson", "cramers_v", "mutual_information")


def pearson(x: Floats, y: Floats, n: Floats) -> float | None:
    """Return the correlation of two numbers with counts, or None where one of them does not vary."""
    total = float(n.sum())
    if not total > 0:
        return None
    x, y = x - float(n @ x) / total, y - float(n @ y) / total
    spreads = float(n @ (x * x)), float(n @ (y * y))
    # What is left of a constant after its mean is taken off is rounding.
    if min(spreads) <= 1e-24 * total * max(1.0, float(np.abs(x).max()), float(np.abs(y).max())) ** 2:
        return None
    return min(max(float(n @ (x * y)) / float(np.sqrt(spreads[0]) * np.sqrt(spreads[1])), -1.0), 1.0)


def contingency(x: Integers, y: Integers, n: Floats) -> tuple[float | None, float]:
    """Return Cramér's V (None where a side has one value) and the mutual information in bits."""
    cell, cells = numbered([x, y], [int(x.max()) + 1, int(y.max()) + 1])
    first = np.zeros(cells, dtype=np.int64)
    first[cell] = np.arange(len(cell))
    total = float(n.sum())
    joint = np.bincount(cell, weights=n, minlength=cells) / total
    one, other = np.bincount(x, weights=n) / total, np.bincount(y, weights=n) / total
    expected = one[x[first]] * other[y[first]]
    information = max(float(joint @ np.log2(joint / expected)), 0.0)
    fewest = min(int((one > 0).sum()), int((other > 0).sum())) - 1
    if fewest < 1:
        return None, information
    squared = max(float((joint * joint / expected).sum()) - 1, 0.0)
    return float(np.sqrt(min(squared / fewest, 1.0))), information


def _change(aligned: Aligned, settings: UtilitySettings) -> list[UtilityMeasurement]:
    columns = aligned.columns
    if len(columns) < 2:
        return [measured("association_change", "an association needs two columns", None, variant) for variant in _VARIANTS]
    if len(columns) > MOST_COLUMNS:
        reason = f"{len(columns):,} columns have too many pairs; name at most {MOST_COLUMNS}"
        return [measured("association_change", reason, None, variant) for variant in _VARIANTS]
    changes: dict[tuple[str, int | None], list[float]] = {}
    for i, j in combinations(range(len(columns)), 2):
        for variant, change in _changes(aligned, columns[i], columns[j]):
            for of in (None, i, j):
                changes.setdefault((variant, of), []).append(change)
    found = []
    for variant in _VARIANTS:
        for of in (None, *range(len(columns))):
            values = changes.get((variant, of))
            answer: Answer = Found(float(np.mean(values)), float(np.max(values))) if values else _REASONS[variant]
            found.append(measured("association_change", answer, None if of is None else columns[of].name, variant))
    return found


_REASONS = {
    "pearson": "no pair has two numeric columns that vary before and after",
    "cramers_v": "no pair has two columns that vary before",
    "mutual_information": "an association needs two columns",
}


def _changes(aligned: Aligned, one: AlignedColumn, other: AlignedColumn) -> Iterator[tuple[str, float]]:
    """Yield how much each association of two columns changed; one that is gone because a column no longer varies is 0 after."""
    n = aligned.n
    before, information = contingency(one.places, other.places, n)
    after, told = contingency(one.marks, other.marks, n)
    yield "mutual_information", abs(information - told)
    if before is not None:
        yield "cramers_v", abs(before - (after or 0.0))
    if one.domain.numeric and other.domain.numeric:
        (x, kept_x), (y, kept_y) = (_numbers_before(column) for column in (one, other))
        (u, kept_u), (v, kept_v) = (_numbers_after(column) for column in (one, other))
        old = pearson(*(z[kept_x & kept_y] for z in (x, y, n)))
        new = pearson(*(z[kept_u & kept_v] for z in (u, v, n)))
        if old is not None:
            yield "pearson", abs(old - (new or 0.0))


def _numbers_before(column: AlignedColumn) -> tuple[Floats, Flags]:
    numbers = column.domain.numbers
    kept = column.places < len(numbers)
    return numbers[np.minimum(column.places, len(numbers) - 1)], kept


def _numbers_after(column: AlignedColumn) -> tuple[Floats, Flags]:
    """Return the numbers of labels; a suppressed cell has none, as for an analyst."""
    labels = column.labels
    return labels.number[column.marks], (labels.numbered & ~labels.suppressed)[column.marks]


ASSOCIATION_CHANGE = Utility(
    name="association_change",
    title="Change of association",
    question="How much did what columns say about each other change?",
    reading="0 is every association as before; a correlation that turned round has 2.",
    formula="mean over pairs of columns of |association before - association after|",
    source="Aufschläger et al. 2023, equations 30 and 33 to 35",
    family="statistics",
    better="lower",
    range=(0, None),
    scopes=("table", "attribute"),
    variants=_VARIANTS,
    raw="largest change of a pair",
    measure=_change,
)
