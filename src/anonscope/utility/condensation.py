"""How far apart records of one class were before they became alike, by how far apart any two records were.

C. Aggarwal (2005), "On k-anonymity and the curse of dimensionality"; R. Aufschläger et al. (2023), equation 15, where the records of
a group are its original ones. A largest distance is a matter of pairs: small classes are worked out exactly, and of large ones a
few sweeps from one far point to the next find a lower bound, while centre and corners give an upper one.
"""

from dataclasses import dataclass

import numpy as np

from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.risk.rounding import ROUNDING
from anonscope.utility.alignment.aligned import Aligned
from anonscope.utility.classes import classes
from anonscope.utility.measure import Answer, Found, Utility, UtilityMeasurement, UtilitySettings, measured

# Different tuples of a class up to which all pairs are compared.
SMALL = 32
SWEEPS = 4
_CHUNK = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """Distinct original tuples: numbers scaled to their range, and codes of categories, where two values are 1 apart."""

    numbers: Floats  # tuple x numeric column
    codes: Integers  # tuple x category

    def apart(self, one: Integers, other: Integers) -> Floats:
        """Return the squared distances of pairs of tuples."""
        squares: Floats = ((self.numbers[one] - self.numbers[other]) ** 2).sum(axis=1)
        squares += (self.codes[one] != self.codes[other]).sum(axis=1)
        return squares


def diameters(points: _Points, group: Integers, groups: int) -> tuple[Floats, Floats]:
    """Return a lower and an upper bound of the largest distance within every group; `group` numbers the tuples and rises."""
    begin = np.searchsorted(group, np.arange(groups))
    size = np.bincount(group, minlength=groups)
    far = begin.copy()
    lower = np.zeros(groups)
    radius = np.full(groups, np.inf)
    for _ in range(SWEEPS):
        squares = points.apart(np.arange(len(group)), far[group])
        largest = np.maximum.reduceat(squares, begin)
        lower, radius = np.maximum(lower, largest), np.minimum(radius, largest)
        # The first of the tuples that are farthest away is the next to start from.
        candidates = np.where(squares == largest[group], np.arange(len(group)), len(group))
        far = np.minimum.reduceat(candidates, begin)
    upper = np.minimum(_corners(points, begin), 4 * radius)
    small = np.flatnonzero((size > 1) & (size <= SMALL))
    for chunk in np.array_split(small, max(1, int((size[small] ** 2).sum()) // _CHUNK + 1)):
        if len(chunk):
            lower[chunk] = upper[chunk] = _exact(points, begin[chunk], size[chunk])
    return np.sqrt(lower), np.sqrt(np.maximum(upper, lower))


def _corners(points: _Points, begin: Integers) -> Floats:
    """Return the squared diagonals of the boxes around groups."""
    spans = np.maximum.reduceat(points.numbers, begin, axis=0) - np.minimum.reduceat(points.numbers, begin, axis=0)
    differ = np.maximum.reduceat(points.codes, begin, axis=0) != np.minimum.reduceat(points.codes, begin, axis=0)
    diagonals: Floats = (spans**2).sum(axis=1) + differ.sum(axis=1)
    return diagonals


def _exact(points: _Points, begin: Integers, size: Integers) -> Floats:
    """Return the largest squared distance among all pairs of every group."""
    pairs = size * size
    owner = np.repeat(np.arange(len(size)), pairs)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    squares = points.apart(begin[owner] + number // size[owner], begin[owner] + number % size[owner])
    return np.maximum.reduceat(squares, np.cumsum(pairs) - pairs)


def _relative_condensation_loss(aligned: Aligned, settings: UtilitySettings) -> list[UtilityMeasurement]:
    name = "relative_condensation_loss"
    if not settings.condensation:
        return [measured(name, "it was not asked for", None, variant) for variant in ("mean", "largest")]
    number, sizes = classes(aligned)
    groups = len(sizes) + (aligned.left_out > 0)
    order = np.argsort(number, kind="stable")
    points = _Points(_scaled(aligned)[order], _codes(aligned)[order])
    lower, upper = diameters(points, number[order], groups)
    (whole,), (most,) = diameters(points, np.zeros(len(order), dtype=np.int64), 1)
    records = np.bincount(number, weights=aligned.n, minlength=groups)
    found = []
    for variant in ("mean", "largest"):
        answer: Answer = Found(0.0)
        if whole > 0:
            low, high = (float(records @ x) / records.sum() if variant == "mean" else float(x.max()) for x in (lower, upper))
            value, interval = min(low / whole, 1.0), (low / float(most), min(high / float(whole), 1.0))
            answer = Found(value, interval=interval if interval[1] - interval[0] > ROUNDING else None)
        found.append(measured(name, answer, None, variant))
    return found


def _scaled(aligned: Aligned) -> Floats:
    """Return the numeric columns, each by its range; a missing number is at the middle."""
    made = [np.zeros((len(aligned.n), 0))]
    for column in aligned.columns:
        numbers, span = column.domain.numbers, column.domain.range
        if column.domain.numeric and span > 0:
            scaled = np.append((numbers - numbers[0]) / span, 0.5)
            made.append(scaled[np.minimum(column.places, len(numbers))][:, None])
    return np.concatenate(made, axis=1)


def _codes(aligned: Aligned) -> Integers:
    made = [c.places[:, None] for c in aligned.columns if not c.domain.numeric]
    return np.concatenate([np.zeros((len(aligned.n), 0), dtype=np.int64), *made], axis=1)


RELATIVE_CONDENSATION_LOSS = Utility(
    name="relative_condensation_loss",
    title="Relative condensation loss",
    question="How far apart were records that now look alike, against the whole table?",
    reading="0 is only equal records alike, 1 is classes that span the table.",
    formula="per class: largest distance of two of its original records / largest distance in the table; mean over records, or largest",
    source="Aggarwal 2005; Aufschläger et al. 2023, equation 15",
    family="distance",
    better="lower",
    range=(0, 1),
    scopes=("table",),
    variants=("mean", "largest"),
    measure=_relative_condensation_loss,
)
