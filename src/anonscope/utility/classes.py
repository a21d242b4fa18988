"""Losses of classes: how many records look alike in the release, and how much room each class covers."""

from functools import partial

import numpy as np

from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.risk.counting.columns import numbered
from anonscope.utility.alignment.aligned import Aligned
from anonscope.utility.measure import Answer, Found, Utility, UtilityMeasurement, UtilitySettings, measured
from anonscope.utility.suppression import suppressed_tuples


def classes(aligned: Aligned) -> tuple[Integers, Floats]:
    """Return the class of every pair of tuples, and the records of every class; records that were left out have the last."""
    kept = np.flatnonzero(aligned.present)
    number, count = numbered([c.marks[kept] for c in aligned.columns], [len(c.labels.texts) + 1 for c in aligned.columns])
    every = np.full(len(aligned.n), count if len(kept) else 0, dtype=np.int64)
    every[kept] = number
    return every, np.bincount(number, weights=aligned.n[kept], minlength=count) if len(kept) else np.zeros(0)


def kept_classes(aligned: Aligned) -> Floats:
    """Return the records of every class that tells something."""
    number, sizes = classes(aligned)
    told = np.bincount(number, weights=~suppressed_tuples(aligned), minlength=len(sizes) + 1)[: len(sizes)] > 0
    return sizes[told]


def _group_average(aligned: Aligned, settings: UtilitySettings) -> list[UtilityMeasurement]:
    _, sizes = classes(aligned)
    answer: Answer = Found(float(sizes.sum()) / len(sizes)) if len(sizes) else "the release has no record"
    return [measured("group_average", answer)]


def _c_avg(aligned: Aligned, settings: UtilitySettings) -> list[UtilityMeasurement]:
    _, sizes = classes(aligned)
    if not len(sizes):
        return [measured("c_avg", "the release has no record")]
    average = float(sizes.sum()) / len(sizes)
    found = [measured("c_avg", Found(average / float(sizes.min()), float(sizes.min())), None, "achieved k")]
    if settings.k is not None:
        found.append(measured("c_avg", Found(average / settings.k, settings.k), None, "policy's k"))
    return found


def _discernibility(aligned: Aligned, settings: UtilitySettings) -> list[UtilityMeasurement]:
    """Whoever left the release is told from nobody, so counts as being in a class of all."""
    n = float(aligned.records)
    _, sizes = classes(aligned)
    kept = kept_classes(aligned)
    plain = float((sizes * sizes).sum()) + n * aligned.left_out
    arx = float((kept * kept).sum()) + n * (n - float(kept.sum()))
    return [measured("discernibility", Found(cost / n**2, cost), None, variant) for variant, cost in (("classes", plain), ("arx", arx))]


def _average_class_size(aligned: Aligned, settings: UtilitySettings) -> list[UtilityMeasurement]:
    kept = kept_classes(aligned)
    answer: Answer = Found(float(kept.sum()) / len(kept)) if len(kept) else "every record is suppressed"
    return [measured("average_class_size", answer)]


def log_areas(aligned: Aligned) -> Floats:
    """Return of every pair of tuples how many original tuples its release may stand for, as a logarithm to base 2."""
    logs = np.zeros(len(aligned.n))
    for column in aligned.columns:
        sizes = np.log2(np.maximum(column.labels.images.sizes, 1.0))
        false = ~column.labels.images.contain(column.marks, column.places)
        logs += np.where(false, np.log2(len(column.domain.values)), sizes[column.marks])
    return logs


def _ambiguity(aligned: Aligned, settings: UtilitySettings) -> list[UtilityMeasurement]:
    logs = log_areas(aligned)
    if logs.max() > 1000:
        return [measured("ambiguity", "the number of tuples is too large to be written")]
    return [measured("ambiguity", Found(float(aligned.n @ np.exp2(logs)) / aligned.records))]


def _kullback_leibler(aligned: Aligned, settings: UtilitySettings) -> list[UtilityMeasurement]:
    """Compare how likely a tuple was with how likely the classes of its own records make it, each spread evenly over its area."""
    n = float(aligned.records)
    before, count = numbered([c.places for c in aligned.columns], [len(c.domain.values) for c in aligned.columns])
    number, sizes = classes(aligned)
    logs = log_areas(aligned)
    size = np.append(sizes, aligned.left_out)[number]
    p = np.bincount(before, weights=aligned.n, minlength=count) / n
    # Areas can be beyond any number, so the sum over a tuple's classes is taken in logarithms, from its likeliest class down.
    likely = np.log2(size / n) - logs
    best = np.full(count, -np.inf)
    np.maximum.at(best, before, likely)
    first = _first_of(before, number)
    q = best + np.log2(np.bincount(before[first], weights=np.exp2(likely[first] - best[before[first]]), minlength=count))
    value = float(p @ (np.log2(p) - q))
    return [measured("kullback_leibler", Found(max(value, 0.0)))]


def _first_of(before: Integers, number: Integers) -> Integers:
    """Return one pair of tuples for every original tuple and class; false cells may make several of them differ in area."""
    _, first = np.unique(before * (number.max() + 1) + number, return_index=True)
    return first


# Recoding a whole column merges classes, but recoding single cells can part them: only ambiguity grows with every coarser cell.
_ENTRY = partial(Utility, family="classes", better="lower", scopes=("table",))

GROUP_AVERAGE = _ENTRY(
    name="group_average",
    title="Average group size",
    question="How many records look alike, on average over groups?",
    reading="1 is every record told from all others; the number of records is all alike.",
    formula="records of the release / groups of records with the same labels",
    source="Aufschläger et al. 2023, equation 17",
    range=(1, None),
    measure=_group_average,
)
C_AVG = _ENTRY(
    name="c_avg",
    title="Normalised average class size",
    question="How much larger are classes than k asks for?",
    reading="1 is as small as k allows; 2 is twice as large on average.",
    formula="records of the release / (classes * k), k the smallest class (achieved k), or the size that the policy asks for (policy's k)",
    source="LeFevre et al. 2006; Aufschläger et al. 2023, equation 18",
    range=(0, None),
    variants=("achieved k", "policy's k"),
    raw="the k",
    measure=_c_avg,
)
DISCERNIBILITY = _ENTRY(
    name="discernibility",
    title="Discernibility",
    question="From how many records is a record not told?",
    reading="1 is all alike; 1 / records is every record told from all others.",
    formula="sum over classes of size^2, and records for every record left out (arx: or suppressed in all columns); by records^2",
    source="Bayardo & Agrawal 2005; Aufschläger et al. 2023, equation 19",
    range=(0, 1),
    variants=("classes", "arx"),
    raw="pairs of records",
    measure=_discernibility,
)
AVERAGE_CLASS_SIZE = _ENTRY(
    name="average_class_size",
    title="Average size of kept classes",
    question="How many records look alike among those that are not suppressed?",
    reading="1 is every record told from all others; suppressed records are left aside.",
    formula="records that are not suppressed / their classes",
    source="LeFevre et al. 2006",
    range=(1, None),
    measure=_average_class_size,
)
AMBIGUITY = _ENTRY(
    name="ambiguity",
    title="Ambiguity",
    question="How many original tuples may a released record stand for?",
    reading="1 is its own only; the product of all columns' values is any.",
    formula="mean over records of the product over columns of values under the label",
    source="Goldberger & Tassa 2010",
    range=(1, None),
    monotone=True,
    measure=_ambiguity,
)
KULLBACK_LEIBLER = _ENTRY(
    name="kullback_leibler",
    title="Kullback-Leibler divergence",
    question="How badly would one who takes every class as evenly filled guess the original table?",
    reading="0 is the original's distribution of tuples; every bit halves how likely it makes them.",
    formula="sum over tuples of p log2(p / q), q(x) = sum over the classes of x's records of share / product of values under the labels",
    source="Machanavajjhala et al. 2007",
    range=(0, None),
    measure=_kullback_leibler,
)
