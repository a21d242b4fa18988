"""The measures of utility folded into three questions that people ask: are the values, the distributions and the relations still there?

A fold is one share from 0 to 1, and it is one stated measure, not a mean of many: what it says can be looked up, and the others of its
kind stand behind it. A fold that was not measured says why.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from anonscope.utility.measure import UtilityMeasurement


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """One of the three questions, and the measures that answer it."""

    name: str
    title: str
    question: str
    by: str  # the measure whose complement it is, where records correspond
    variant: str | None = None
    whole: str | None = None  # the measure of tables as wholes that it rests on where they do not
    most: float = 1.0  # of that measure, where it is a score and not a loss
    score: bool = False
    measures: tuple[str, ...]  # all that are about this question


FOLDS: tuple[Fold, ...] = (
    Fold(
        name="values",
        title="Values kept",
        question="How much detail do the cells still have?",
        by="ncp",
        measures=(
            *("ncp", "arx_loss", "precision", "generalisation_loss", "numeric_loss", "suppressed_cells", "suppressed_records"),
            *("false_cells", "non_uniform_entropy", "conditional_entropy", "monotone_entropy", "proximity_loss"),
            *("mean_absolute_deviation", "squared_error", "euclidean_distance", "vectorised_distance", "relative_condensation_loss"),
            *("group_average", "c_avg", "discernibility", "average_class_size", "ambiguity", "consistency_loss"),
        ),
    ),
    Fold(
        name="distributions",
        title="Distributions kept",
        question="Is every value of a column still as frequent as it was?",
        by="total_variation",
        whole="k_marginal_score",
        most=1000.0,
        score=True,
        measures=(
            *("total_variation", "earth_movers_distance", "jensen_shannon", "cosine_similarity", "jaccard_similarity"),
            *("entropy_loss", "kullback_leibler", "z_test"),
        ),
    ),
    Fold(
        name="relations",
        title="Relations kept",
        question="Do columns still say about each other what they said?",
        by="association_change",
        variant="cramers_v",
        whole="pairwise_association_change",
        measures=("association_change",),
    ),
)


@dataclass(frozen=True, slots=True)
class KeptKind:
    """What a release keeps of one kind, and by which measure; or why nobody knows."""

    fold: str
    share: float | None
    by: str
    reason: str | None = None


def kept(measured: Iterable[UtilityMeasurement], *, whole: bool = False) -> tuple[KeptKind, ...]:
    """Return the three folds of what was measured of a release; `whole` says that its records do not correspond to the original's."""
    found = list(measured)
    return tuple(_kept(fold, found, whole=whole) for fold in FOLDS)


def _kept(fold: Fold, measured: list[UtilityMeasurement], *, whole: bool) -> KeptKind:
    if whole and fold.whole is None:
        return KeptKind(fold.name, None, fold.by, "its records do not correspond to those of the original")
    by = fold.whole if whole and fold.whole is not None else fold.by
    one = next((m for m in measured if m.utility == by and m.column is None and (whole or m.variant == fold.variant)), None)
    if one is None or one.value is None:
        return KeptKind(fold.name, None, by, one.reason if one is not None else "it was not measured")
    if whole and fold.score:
        return KeptKind(fold.name, min(max(one.value / fold.most, 0.0), 1.0), by)
    return KeptKind(fold.name, min(max(1 - one.value, 0.0), 1.0), by)
