"""What a pseudonymisation level would cost a column, from its histogram and without writing a release.

The levels are those of S. Kim (2025), Electronics 14, 4350, table 5; `transform.levels` has them, and makes recipes of them.

A released value is spread evenly over the values of the column it may stand for, so that both histograms have one domain.
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonscope.risk.marginals import Histogram
from anonscope.transform.ready.levels import CODE, LEVELS, PREFIXES, STEPS, Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

# More distinct values than this are sampled; counts of classes and marginals never are.
MOST_VALUES = 1_000_000


@dataclass(frozen=True, slots=True)
class PreviewSample:
    """Which part of the distinct values was looked at."""

    values: int
    of: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """One level of one column: 0 deviation and similarities of 1 mean that nothing changes.

    `deviation` is the mean absolute change as a share of the column's range for numbers, and the mean of 1 - 1 / (values that
    become one) for the rest. `jaccard` is the sum of the smaller over the sum of the larger of two histograms.
    """

    column: str
    kind: Kind
    level: str
    rule: str
    deviation: float | None = None
    cosine: float | None = None
    jaccard: float | None = None
    reason: str | None = None
    sample: PreviewSample | None = None


def preview(histogram: Histogram, kind: Kind, *, seed: int) -> list[Preview]:
    """Return what each of the three levels would cost."""
    reason = _unfit(histogram, kind)
    sampled, sample = _sampled(histogram, seed) if reason is None else (histogram, None)
    found = []
    for i, level in enumerate(LEVELS):
        entry = Preview(column=histogram.column, kind=kind, level=level, rule=_rule(kind, i), reason=reason, sample=sample)
        found.append(entry if reason is not None else _cost(sampled, entry, i))
    return found


def _cost(histogram: Histogram, entry: Preview, i: int) -> Preview:
    import numpy as np

    if entry.kind in STEPS:
        step = STEPS[entry.kind][i]
        released: NDArray[Any] = np.floor(histogram.values / step + 0.5) * step
    else:
        kept = PREFIXES[entry.kind][i]
        released = histogram.values if kept is None else histogram.values.astype(f"U{kept}")
    _, groups, sizes = np.unique(released, return_inverse=True, return_counts=True)
    mass = histogram.mass
    spread = (np.bincount(groups, weights=mass) / sizes)[groups]
    known = float(mass.sum())
    if entry.kind in STEPS:
        span = float(histogram.values.max() - histogram.values.min())
        moved = float((mass * np.abs(histogram.values - released)).sum()) / known
        deviation = min(1.0, moved / span) if span > 0 else 0.0
    else:
        deviation = float((mass * (1 - 1 / sizes[groups])).sum()) / known
    # Missing values stay missing: one more value that both histograms share.
    old, new = np.append(mass, histogram.missing), np.append(spread, histogram.missing)
    cosine = float((old * new).sum() / np.sqrt((old * old).sum() * (new * new).sum()))
    jaccard = float(np.minimum(old, new).sum() / np.maximum(old, new).sum())
    return Preview(
        column=entry.column,
        kind=entry.kind,
        level=entry.level,
        rule=entry.rule,
        deviation=deviation,
        cosine=min(cosine, 1.0),
        jaccard=jaccard,
        sample=entry.sample,
    )


def _unfit(histogram: Histogram, kind: Kind) -> str | None:
    """Return why a column cannot be treated like its kind, or None."""
    import numpy as np

    if not len(histogram.values) or not histogram.mass.sum() > 0:
        return "the column has no values"
    if kind in STEPS:
        if not histogram.numeric:
            return "the column is not numeric, so it cannot be rounded"
        return None if np.isfinite(histogram.values.max() - histogram.values.min()) else "the numbers are too large"
    if kind == "diagnosis":
        coded = all(re.match(CODE, value) for value in histogram.values[:1000])
        return None if coded else "the column holds no ICD-10 codes; grouping names needs a hierarchy"
    return None


def _sampled(histogram: Histogram, seed: int) -> tuple[Histogram, PreviewSample | None]:
    import numpy as np

    values, mass = histogram.values, histogram.mass
    sample, missing = None, histogram.missing
    if len(values) > MOST_VALUES:
        sample = PreviewSample(MOST_VALUES, len(values), seed)
        chosen = np.sort(np.random.default_rng(seed).choice(len(values), MOST_VALUES, replace=False))
        values, mass = values[chosen], mass[chosen]
        missing = missing * float(mass.sum()) / float(histogram.mass.sum())
    if histogram.numeric:
        return Histogram(histogram.column, True, values, mass, missing), sample
    return Histogram(histogram.column, False, values.astype("U"), mass, missing), sample


def _rule(kind: Kind, i: int) -> str:
    if kind in STEPS:
        return f"rounded to {STEPS[kind][i]:,.0f}"
    kept = PREFIXES[kind][i]
    return "kept" if kept is None else f"first {kept} character{'s' if kept > 1 else ''}"
