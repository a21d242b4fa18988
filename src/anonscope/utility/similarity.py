"""How alike a column's histograms are before and after, over the values of the original.

Each released label is spread evenly over what it may stand for, so that bands can be compared with values. Labels outside the
original's values have a bar of their own. Weights of records count, where there are any.

Cosine and Jaccard compare numbers and dates in bins, as Kim 2025 does (section 3.5.1): equally wide ones over the range of the original,
the same for both, and as wide beyond it. A released number counts where it stands, and only a band is spread: incomes that were all
rounded to 0 have their histogram at 0, and incomes rounded to hundreds have nearly the one that they had.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from anonscope.risk.counting.arrays import Flags, Floats
from anonscope.utility.alignment.aligned import Aligned, AlignedColumn
from anonscope.utility.measure import Found, Utility, UtilityMeasurement, UtilitySettings, each_column


@dataclass(frozen=True, slots=True, eq=False)
class Histograms:
    """Shares of the same bars before and after; `numbers` has where a bar stands, for those that have a place."""

    before: Floats
    after: Floats
    numbers: Floats
    placed: Flags


def histograms(column: AlignedColumn) -> Histograms:
    """Return the shares of a column's values in the original, and in the release by what its labels may stand for."""
    images, labels, domain = column.labels.images, column.labels, column.domain
    size, total = len(domain.values), float(column.weight.sum())
    before = np.bincount(column.place, weights=column.weight, minlength=size) / total
    masses = np.bincount(column.label, weights=column.weight, minlength=images.labels) / total
    outside = np.flatnonzero(images.sizes == 0)
    numbers, placed = np.zeros(size), np.zeros(size, dtype=bool)
    numbers[: len(domain.numbers)], placed[: len(domain.numbers)] = domain.numbers, True
    return Histograms(
        before=np.concatenate([before, np.zeros(len(outside))]),
        after=np.concatenate([images.spread(masses), masses[outside]]),
        numbers=np.concatenate([numbers, labels.number[outside]]),
        placed=np.concatenate([placed, labels.numbered[outside]]),
    )


def binned(column: AlignedColumn, bins: int) -> Histograms:
    """Return the shares of a column's bins before and after; a column without numbers has its values for bins."""
    domain, labels = column.domain, column.labels
    if not domain.numeric or not len(domain.numbers):
        return histograms(column)
    size, total = len(domain.values), float(column.weight.sum())
    before = np.bincount(column.place, weights=column.weight, minlength=size) / total
    masses = np.bincount(column.label, weights=column.weight, minlength=labels.images.labels) / total
    own = np.array([np.nan if (number := domain.number(text)) is None else number for text in labels.texts])
    placed = ~np.isnan(own)
    spread = labels.images.spread(np.where(placed, 0.0, masses))
    strange = np.flatnonzero(~placed & (labels.images.sizes == 0))
    numbers = np.concatenate([domain.numbers, own[placed]])
    found, bars = np.unique(_bin(numbers, float(domain.numbers[0]), domain.range, bins), return_inverse=True)
    missing = size - len(domain.numbers)  # 1 where values are missing, which has a bar of its own
    known = len(domain.numbers)
    shares = []
    for values, released in ((before, np.zeros(int(placed.sum()))), (spread, masses[placed])):
        inside = np.bincount(bars, weights=np.concatenate([values[:known], released]), minlength=len(found))
        shares.append(np.concatenate([inside, values[known:]]))
    return Histograms(
        before=np.concatenate([shares[0], np.zeros(len(strange))]),
        after=np.concatenate([shares[1], masses[strange]]),
        numbers=np.concatenate([found, np.zeros(missing + len(strange))]),
        placed=np.concatenate([np.ones(len(found), dtype=bool), np.zeros(missing + len(strange), dtype=bool)]),
    )


def _bin(numbers: Floats, low: float, span: float, bins: int) -> Floats:
    """Return the bin of every number: 0 to bins - 1 within the range, whose upper end belongs to the last; further ones beyond it."""
    if span <= 0:
        return numbers  # one number before, so that every other one is another bin
    found = np.floor((numbers - low) / span * bins)
    return np.where(numbers == low + span, bins - 1.0, found)


def cosine(one: Floats, other: Floats) -> float:
    """Return the cosine of the angle between two vectors that are not 0."""
    norms = float(np.sqrt((one @ one) * (other @ other)))
    return min(float(one @ other) / norms, 1.0)


def jaccard(one: Floats, other: Floats) -> float:
    """Return what two histograms share by what they have together; of two sets (all bars 0 or alike) it is the usual ratio."""
    together = float(np.maximum(one, other).sum())
    return float(np.minimum(one, other).sum()) / together if together > 0 else 1.0


def total_variation(one: Floats, other: Floats) -> float:
    """Return the share that has to move to make one histogram the other."""
    return min(float(np.abs(one - other).sum()) / 2, 1.0)


def jensen_shannon(one: Floats, other: Floats) -> float:
    """Return the square root of the Jensen-Shannon divergence in bits: a distance from 0 to 1."""
    middle = (one + other) / 2
    divergence = sum(float((x[x > 0] * np.log2(x[x > 0] / middle[x > 0])).sum()) / 2 for x in (one, other))
    return float(np.sqrt(min(max(divergence, 0.0), 1.0)))


def earth_movers_distance(found: Histograms) -> float:
    """Return the work of moving one histogram to the other by the largest that could be.

    Between bars that stand on the number line the work is their distance by the range; to and from others it is 1.
    """
    if found.placed.sum() < 2:
        return total_variation(found.before, found.after)
    placed = np.flatnonzero(found.placed)
    order = placed[np.argsort(found.numbers[placed], kind="stable")]
    numbers = found.numbers[order]
    masses = [float(x[order].sum()) for x in (found.before, found.after)]
    rest = np.flatnonzero(~found.placed)
    aside = abs(masses[0] - masses[1]) + total_variation(*(_scaled(x[rest]) for x in (found.before, found.after))) * min(
        1 - masses[0], 1 - masses[1]
    )
    span = float(numbers[-1] - numbers[0])
    if span <= 0 or min(masses) <= 0:
        return min(aside, 1.0)
    gaps = np.cumsum(found.before[order] / masses[0] - found.after[order] / masses[1])[:-1]
    work = float(np.abs(gaps) @ (np.diff(numbers) / span))
    return min(aside + min(masses) * work, 1.0)


def _scaled(x: Floats) -> Floats:
    total = x.sum()
    return x / total if total > 0 else x


def _of_histograms(name: str, measure: Callable[[Histograms], float]) -> Callable[[Aligned, UtilitySettings], list[UtilityMeasurement]]:
    return lambda aligned, settings: each_column(name, aligned, lambda column: Found(measure(histograms(column))))


def _cosine(aligned: Aligned, settings: UtilitySettings) -> list[UtilityMeasurement]:
    def measure(found: Histograms) -> float:
        return cosine(found.before, found.after)

    return each_column("cosine_similarity", aligned, partial(_found, measure, settings.bins))


def _jaccard(aligned: Aligned, settings: UtilitySettings) -> list[UtilityMeasurement]:
    def sets(found: Histograms) -> float:
        return jaccard((found.before > 0).astype(np.float64), (found.after > 0).astype(np.float64))

    def shares(found: Histograms) -> float:
        return jaccard(found.before, found.after)

    return [
        m
        for variant, measure in (("shares", shares), ("sets", sets))
        for m in each_column("jaccard_similarity", aligned, partial(_found, measure, settings.bins), variant=variant)
    ]


def _found(measure: Callable[[Histograms], float], bins: int, column: AlignedColumn) -> Found:
    return Found(measure(binned(column, bins)))


_ENTRY = partial(Utility, family="similarity", scopes=("table", "attribute"), range=(0, 1))

COSINE_SIMILARITY = _ENTRY(
    name="cosine_similarity",
    title="Cosine similarity",
    question="Do the histograms before and after point the same way?",
    reading="1 is the same shares of all values, 0 is no value in common.",
    formula="a.b / (|a| |b|), a and b the shares of values (numbers: of 20 bins) before and after",
    source="Kim 2025, sections 3.2.2 and 3.5.1",
    better="higher",
    measure=_cosine,
)
JACCARD_SIMILARITY = _ENTRY(
    name="jaccard_similarity",
    title="Jaccard similarity",
    question="How much do the histograms before and after have in common?",
    reading="1 is the same shares of all values (or, of sets, the same values), 0 is nothing in common.",
    formula="sum min(a, b) / sum max(a, b), a and b the shares of values (numbers: of 20 bins) before and after; "
    "sets: those in both / those in either",
    source="Kim 2025, sections 3.2.2 and 3.5.1",
    better="higher",
    variants=("shares", "sets"),
    measure=_jaccard,
)
TOTAL_VARIATION = _ENTRY(
    name="total_variation",
    title="Total variation",
    question="What share of the records would have to change its value to restore the column's histogram?",
    reading="0 is the same shares of all values, 1 is no value in common.",
    formula="sum |a - b| / 2, a and b the shares of values before and after",
    source="Levin, Peres & Wilmer 2009, chapter 4",
    better="lower",
    measure=_of_histograms("total_variation", lambda found: total_variation(found.before, found.after)),
)
EARTH_MOVERS_DISTANCE = _ENTRY(
    name="earth_movers_distance",
    title="Earth mover's distance",
    question="How far would values have to move to restore the column's histogram?",
    reading="0 is the same histogram, 1 is everything moved across the whole range; without an order it is the total variation.",
    formula="sum over gaps of |sum of (a - b) below| * gap / range for numbers and dates, else sum |a - b| / 2",
    source="Aufschläger et al. 2023, section 5.2",
    better="lower",
    measure=_of_histograms("earth_movers_distance", earth_movers_distance),
)
JENSEN_SHANNON = _ENTRY(
    name="jensen_shannon",
    title="Jensen-Shannon distance",
    question="How well could one tell from a value whether it was drawn before or after?",
    reading="0 is not at all, 1 is always.",
    formula="sqrt(H((a + b) / 2) - H(a) / 2 - H(b) / 2) in bits, a and b the shares of values before and after",
    source="Endres & Schindelin 2003",
    better="lower",
    measure=_of_histograms("jensen_shannon", lambda found: jensen_shannon(found.before, found.after)),
)
