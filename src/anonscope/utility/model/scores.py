"""How good predictions are: accuracy, F1, area under the curve and R2, each with weights so that test sets can be drawn anew."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anonscope.risk.counting.arrays import Floats, Integers


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """What a model says of the test records: a class each with probabilities of all classes, or a number each."""

    truth: Floats
    said: Floats
    probabilities: Floats | None = None  # record x class


Score = Callable[[Predictions, Floats], float | None]


def accuracy(found: Predictions, weights: Floats) -> float | None:
    """Return the share of records whose class was told."""
    return float(weights @ (found.truth == found.said)) / float(weights.sum())


def f1(found: Predictions, weights: Floats) -> float | None:
    """Return the mean over the classes of the test records of the harmonic mean of precision and recall."""
    truth, said = found.truth.astype(np.int64), found.said.astype(np.int64)
    size = int(max(truth.max(), said.max())) + 1
    right = np.bincount(truth, weights=weights * (truth == said), minlength=size)
    either = np.bincount(truth, weights=weights, minlength=size) + np.bincount(said, weights=weights, minlength=size)
    some = np.bincount(truth, weights=weights, minlength=size) > 0
    return float((2 * right[some] / either[some]).mean())


def area_under_curve(found: Predictions, weights: Floats) -> float | None:
    """Return how often a record of a class is rated above one of another, as the mean over classes; ties count half."""
    assert found.probabilities is not None
    truth = found.truth.astype(np.int64)
    classes = range(found.probabilities.shape[1])
    # Of two classes, one says all.
    chosen = [1] if len(classes) == 2 else classes
    areas = [_area(found.probabilities[:, c], truth == c, weights) for c in chosen]
    known = [area for area in areas if area is not None]
    return float(np.mean(known)) if known else None


def _area(rating: Floats, positive: Integers, weights: Floats) -> float | None:
    _, tie = np.unique(rating, return_inverse=True)
    ups, downs = np.bincount(tie, weights=weights * positive), np.bincount(tie, weights=weights * ~positive)
    total = float(ups.sum()) * float(downs.sum())
    return float(ups @ (np.cumsum(downs) - downs / 2)) / total if total > 0 else None


def r2(found: Predictions, weights: Floats) -> float | None:
    """Return the share of the variance that predictions explain; below 0 the mean would have been better."""
    centre = float(weights @ found.truth) / float(weights.sum())
    whole = float(weights @ (found.truth - centre) ** 2)
    return 1 - float(weights @ (found.truth - found.said) ** 2) / whole if whole > 0 else None


SCORES: dict[str, dict[str, Score]] = {
    "classification": {"accuracy": accuracy, "f1": f1, "area_under_curve": area_under_curve},
    "regression": {"r2": r2},
}


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """A score, where 95 % of its values lie over test sets drawn anew, and those values."""

    value: float
    interval: tuple[float, float] | None
    values: Floats


def scored(score: Score, found: Predictions, draws: Integers) -> Scored | None:
    """Return a score with its interval, or None where the test records do not allow it."""
    value = score(found, np.ones(len(found.truth)))
    if value is None:
        return None
    again = [score(found, weights) for weights in draws.astype(np.float64)]
    values = np.array([np.nan if x is None else x for x in again])
    return Scored(value, _interval(values), values)


def interval_of_difference(one: Scored, other: Scored) -> tuple[float, float] | None:
    """Return where 95 % of the differences of two scores lie; both were drawn on the same test sets."""
    return _interval(one.values - other.values)


def _interval(values: Floats) -> tuple[float, float] | None:
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    low, high = np.quantile(known, [0.025, 0.975])
    return float(low), float(high)
