"""What a pseudonymisation level would cost a column, from its histogram and without writing a release.

The levels are those of S. Kim (2025), Electronics 14, 4350, table 5; `transform.levels` has them, and makes recipes of them.

A released value is spread evenly over the values of the column it may stand for, so that both histograms have one domain.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonscope.columns.hierarchy import read_hierarchy
from anonscope.columns.hierarchy.diagnosis_names import grouped_names
from anonscope.io.figures import decimals
from anonscope.risk.marginals import Histogram
from anonscope.transform.ready.levels import CODE, LEVELS, NAMES, PREFIXES, STEPS, Kind, own_level, scale_of, step_of

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


@dataclass(frozen=True, slots=True)
class _Rule:
    """What one level does to a column, as the recipe of that level does it."""

    told: str
    step: float | None = None  # to round to
    kept: int | None = None  # characters
    labels: Mapping[str, str] | None = None  # of names; what is none of them says nothing


def preview(histogram: Histogram, kind: Kind, *, seed: int, hierarchy: str | None = None) -> list[Preview]:
    """Return what each of the three levels would cost; `hierarchy` is the file of the column's own, where the roles name one."""
    rules = _rules(histogram, kind, hierarchy)
    reason = rules if isinstance(rules, str) else None
    sampled, sample = _sampled(histogram, seed) if reason is None else (histogram, None)
    found = []
    for i, level in enumerate(LEVELS):
        rule = rules[i] if not isinstance(rules, str) else _as_printed(kind, i)
        entry = Preview(column=histogram.column, kind=kind, level=level, rule=rule.told, reason=reason, sample=sample)
        found.append(entry if reason is not None else _cost(sampled, entry, rule))
    return found


def _cost(histogram: Histogram, entry: Preview, rule: _Rule) -> Preview:
    import numpy as np

    if rule.step is not None:
        released: NDArray[Any] = np.floor(histogram.values / rule.step + 0.5) * rule.step
    elif rule.labels is not None:
        released = np.array([rule.labels.get(value, "*") for value in histogram.values.tolist()])
    else:
        released = histogram.values if rule.kept is None else histogram.values.astype(f"U{rule.kept}")
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


def _rules(histogram: Histogram, kind: Kind, hierarchy: str | None) -> Sequence[_Rule] | str:
    """Return what each level does to the column, or why it cannot be treated like its kind."""
    import numpy as np

    if not len(histogram.values) or not histogram.mass.sum() > 0:
        return "the column has no values"
    if kind in STEPS:
        if not histogram.numeric:
            return "the column is not numeric, so it cannot be rounded"
        if not np.isfinite(histogram.values.max() - histogram.values.min()):
            return "the numbers are too large"
        scale = scale_of(float((histogram.mass * np.abs(histogram.values)).sum() / histogram.mass.sum()))
        steps = [step_of(kind, i, scale) for i in range(len(LEVELS))]
        return [_Rule(f"rounded to {step:,}", step=step) for step in steps]
    if kind == "diagnosis" and not all(re.match(CODE, value) for value in histogram.values[:1000]):
        return _by_hierarchy(histogram.column, hierarchy) if hierarchy is not None else _by_names(histogram)
    return [_as_printed(kind, i) for i in range(len(LEVELS))]


def _by_hierarchy(column: str, file: str) -> Sequence[_Rule]:
    own = read_hierarchy(file, column)
    levels = [own_level(i, own.height) for i in range(len(LEVELS))]
    return [
        _Rule(f"level {level} of {own.height} of its hierarchy", labels=dict(zip(own.leaves, own.labels(level), strict=True)))
        if level > 0
        else _Rule("kept")
        for level in levels
    ]


def _by_names(histogram: Histogram) -> Sequence[_Rule] | str:
    """Return how common names of diagnoses are grouped, by the same share of them as in a recipe."""
    blocks, chapters = (grouped_names(chapters=chapters) for chapters in (False, True))
    named = sum(mass for value, mass in zip(histogram.values.tolist(), histogram.mass.tolist(), strict=True) if value in chapters)
    if named < NAMES * histogram.mass.sum():
        return "the column holds no ICD-10 codes and few common names; grouping names needs a hierarchy"
    return [_Rule("kept"), _Rule("its block of ICD-10", labels=blocks), _Rule("its chapter of ICD-10", labels=chapters)]


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


def _as_printed(kind: Kind, i: int) -> _Rule:
    if kind in STEPS:
        return _Rule(f"rounded to {decimals(STEPS[kind][i], 0)}", step=STEPS[kind][i])
    kept = PREFIXES[kind][i]
    return _Rule("kept" if kept is None else f"first {kept} character{'s' if kept > 1 else ''}", kept=kept)
