"""Losses of numbers: how far the release puts values from where they were. Intervals count as their middle."""

import numpy as np

from anonscope.risk.counting.arrays import Flags, Floats
from anonscope.utility.alignment.aligned import Aligned, AlignedColumn
from anonscope.utility.measure import NOT_NUMERIC, Answer, Found, Utility, UtilityMeasurement, UtilitySettings, each_column, measured

NO_NUMBERS = "no record has a number before and after"
ONE_NUMBER = "all numbers of the original are the same, so there is no scale"


def differences(column: AlignedColumn) -> tuple[Floats, Flags]:
    """Return the distance of every pair's label from its value, and which pairs have both as numbers."""
    both = (column.place < len(column.domain.numbers)) & column.labels.numbered[column.label]
    before = column.domain.numbers[np.where(both, column.place, 0)] if len(column.domain.numbers) else np.zeros(len(both))
    return np.where(both, column.labels.number[column.label] - before, 0.0), both


def mean_absolute_deviation(column: AlignedColumn) -> Answer:
    if not column.domain.numeric:
        return NOT_NUMERIC
    moved, both = differences(column)
    if not both.any():
        return NO_NUMBERS
    return Found(float(column.count @ np.abs(moved)) / float(column.count[both].sum()))


def proximity_loss(column: AlignedColumn) -> Answer:
    """Return the mean distance by the range of the column; a suppressed cell is as far as can be."""
    if not column.domain.numeric:
        return NOT_NUMERIC
    moved, both = differences(column)
    apart, count = _apart(column, moved, both, column.domain.range)
    total = float(count.sum())
    return Found(float(count @ apart) / total, float(column.count @ np.abs(moved)) / total)


def root_mean_square_loss(column: AlignedColumn) -> Answer:
    """Return the Euclidean distance of a column from what it became, by the largest that could be."""
    if not column.domain.numeric:
        return NOT_NUMERIC
    moved, both = differences(column)
    apart, count = _apart(column, moved, both, column.domain.range)
    total = float(count.sum())
    squares = float(count @ apart**2) / total
    return Found(float(np.sqrt(squares)), float(np.sqrt(float(column.count @ moved**2) / total)))


def step_loss(column: AlignedColumn) -> Answer:
    """Return the mean distance by the most that the widest label allows: half of it, as numbers are put in the middle of a band."""
    if not column.domain.numeric:
        return NOT_NUMERIC
    moved, both = differences(column)
    if not both.any():
        return NO_NUMBERS
    labels = column.labels
    used = column.label[both & ~labels.suppressed[column.label]]
    widths = np.where(np.isfinite(labels.high[used] - labels.low[used]), labels.high[used] - labels.low[used], 0.0)
    most = float(widths.max()) / 2 if len(widths) else 0.0
    apart, count = _apart(column, moved, both, most)
    return Found(float(count @ apart) / float(count.sum()), most)


def _apart(column: AlignedColumn, moved: Floats, both: Flags, most: float) -> tuple[Floats, Floats]:
    """Return of every pair with a number how far it moved by the most that it could, and how many records it stands for.

    What is suppressed, or no number any more, is as far as can be.
    """
    hidden = column.labels.suppressed[column.label] | ~both
    apart = np.minimum(np.abs(moved) / most, 1.0) if most > 0 else (moved != 0).astype(np.float64)
    numbers = column.place < len(column.domain.numbers)
    return np.where(hidden, 1.0, apart)[numbers], column.count[numbers]


def _proximity_loss(aligned: Aligned, settings: UtilitySettings) -> list[UtilityMeasurement]:
    variants = (("manhattan", proximity_loss), ("euclidean", root_mean_square_loss), ("step", step_loss))
    return [m for variant, measure in variants for m in each_column("proximity_loss", aligned, measure, variant=variant)]


def squared_error(column: AlignedColumn) -> Answer:
    if not column.domain.numeric:
        return NOT_NUMERIC
    moved, both = differences(column)
    if not both.any():
        return NO_NUMBERS
    n = column.count[both]
    before = column.domain.numbers[column.place[both]]
    centre = before - float(n @ before) / float(n.sum())
    error, whole = float(n @ moved[both] ** 2), float(n @ centre**2)
    if whole <= 0:
        return Found(0.0, 0.0) if error == 0 else ONE_NUMBER
    return Found(error / whole, error / float(n.sum()))


def _euclidean_distance(aligned: Aligned, settings: UtilitySettings) -> list[UtilityMeasurement]:
    squares, scaled = np.zeros(len(aligned.n)), np.zeros(len(aligned.n))
    numeric = [column for column in aligned.columns if column.domain.numeric]
    for column in numeric:
        squares += _moved(column) ** 2
        scaled += _scaled_squares(column)
    found = []
    for variant, sums in (("units", squares), ("scaled", scaled)):
        distance: Answer = Found(float(aligned.n @ np.sqrt(sums)) / aligned.records) if numeric else "no column is numeric"
        found.append(measured("euclidean_distance", distance, None, variant))
    return found


def _vectorised_distance(aligned: Aligned, settings: UtilitySettings) -> list[UtilityMeasurement]:
    squares = np.zeros(len(aligned.n))
    for column in aligned.columns:
        squares += _scaled_squares(column) if column.domain.numeric else _vector_squares(column)
    return [measured("vectorised_distance", Found(float(aligned.n @ np.sqrt(squares)) / aligned.records))]


def _scaled_squares(column: AlignedColumn) -> Floats:
    moved = _moved(column)
    squares: Floats = (moved / column.domain.range) ** 2 if column.domain.range > 0 else (moved != 0).astype(np.float64)
    return squares


def _vector_squares(column: AlignedColumn) -> Floats:
    """Return of every pair of tuples half the squared distance of a value's vector from the mean of those that its label may stand for.

    Of m values the mean is at (m - 1) / m from each of them, and at (m + 1) / m from any other: two values are 1 apart when halved.
    """
    images = column.labels.images
    size = np.where(column.labels.suppressed, len(column.domain.values), np.maximum(images.sizes, 1))[column.marks]
    within = column.labels.suppressed[column.marks] | images.contain(column.marks, column.places)
    squares: Floats = np.where(within, size - 1, size + 1) / (2 * size)
    return squares


def _moved(column: AlignedColumn) -> Floats:
    """Return of every pair of tuples how far this column's number moved; 0 where there is none before or after."""
    numbers = column.domain.numbers
    both = (column.places < len(numbers)) & column.labels.numbered[column.marks]
    return np.where(both, column.labels.number[column.marks] - numbers[np.minimum(column.places, len(numbers) - 1)], 0.0)


MEAN_ABSOLUTE_DEVIATION = Utility(
    name="mean_absolute_deviation",
    title="Mean absolute deviation",
    question="How far from its number is what was released for it, on average?",
    reading="0 is numbers as they were; the unit is the column's own (days, for dates).",
    formula="mean over records of |x - x'|, x' the middle of an interval (of the whole range, where suppressed)",
    source="Kim 2025, section 3.2.1",
    family="distance",
    better="lower",
    range=(0, None),
    scopes=("attribute",),
    needs=("numeric",),
    # The units of columns differ, so there is no number for the table.
    measure=lambda aligned, settings: each_column("mean_absolute_deviation", aligned, mean_absolute_deviation)[1:],
)
PROXIMITY_LOSS = Utility(
    name="proximity_loss",
    title="Proximity loss",
    question="How far from its number is what was released for it, against the range of the column?",
    reading="0 is numbers as they were, 1 is as far as can be or suppressed.",
    formula="mean over records of d = min(1, |x - x'| / (max - min)), 1 where suppressed; euclidean: sqrt(mean d^2); "
    "step: by half the widest label instead of the range",
    source="Kim 2025, section 3.2.1",
    family="distance",
    better="lower",
    range=(0, 1),
    scopes=("table", "attribute"),
    needs=("numeric",),
    variants=("manhattan", "euclidean", "step"),
    raw="units of the column",
    measure=_proximity_loss,
)
SQUARED_ERROR = Utility(
    name="squared_error",
    title="Squared error",
    question="How large is the error of numbers, against how much they varied?",
    reading="0 is numbers as they were, 1 is as bad as releasing the mean for all; it may be worse.",
    formula="sum (x - x')^2 / sum (x - mean)^2",
    source="Domingo-Ferrer & Mateo-Sanz 2002",
    family="distance",
    better="lower",
    range=(0, None),
    scopes=("table", "attribute"),
    needs=("numeric",),
    raw="squared units of the column",
    measure=lambda aligned, settings: each_column("squared_error", aligned, squared_error),
)
EUCLIDEAN_DISTANCE = Utility(
    name="euclidean_distance",
    title="Euclidean distance",
    question="How far is a record from what it became, over all numeric columns together?",
    reading="0 is numbers as they were; scaled by their ranges, columns of large numbers do not drown the others.",
    formula="mean over records of sqrt(sum over numeric columns of (x - x')^2)",
    source="Aufschläger et al. 2023, equation 16",
    family="distance",
    better="lower",
    range=(0, None),
    scopes=("table",),
    variants=("units", "scaled"),
    needs=("numeric",),
    measure=_euclidean_distance,
)
VECTORISED_DISTANCE = Utility(
    name="vectorised_distance",
    title="Vectorised distance",
    question="How far is a record from what it became, over numbers and categories together?",
    reading="0 is records as they were; a number counts by its range, and two categories are 1 apart.",
    formula="mean over records of sqrt(sum over numbers of ((x - x') / (max - min))^2 + sum over categories of |e - e'|^2 / 2), e 1 at the "
    "value and 0 elsewhere, e' the mean of e over the values that the label may stand for (all, where suppressed)",
    source="Aufschläger et al. 2023, equation 16, with categories as vectors",
    family="distance",
    better="lower",
    range=(0, None),
    scopes=("table",),
    measure=_vectorised_distance,
)
