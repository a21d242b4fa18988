"""Every measure of utility and loss, in the order reports show them, and what they say of a release."""

from collections.abc import Iterable

from anonscope.errors import OptionError
from anonscope.utility.alignment.aligned import Aligned, AlignedColumn, align, settled
from anonscope.utility.alignment.labels import ALTERED
from anonscope.utility.associations import ASSOCIATION_CHANGE
from anonscope.utility.classes import AMBIGUITY, AVERAGE_CLASS_SIZE, C_AVG, DISCERNIBILITY, GROUP_AVERAGE, KULLBACK_LEIBLER
from anonscope.utility.condensation import RELATIVE_CONDENSATION_LOSS
from anonscope.utility.consistency import CONSISTENCY_LOSS
from anonscope.utility.distances import EUCLIDEAN_DISTANCE, MEAN_ABSOLUTE_DEVIATION, PROXIMITY_LOSS, SQUARED_ERROR, VECTORISED_DISTANCE
from anonscope.utility.entropies import CONDITIONAL_ENTROPY, ENTROPY_LOSS, MONOTONE_ENTROPY, NON_UNIFORM_ENTROPY
from anonscope.utility.measure import BINS, Utility, UtilityMeasurement, UtilitySettings
from anonscope.utility.penalties import ARX_LOSS, GENERALISATION_LOSS, NCP, NUMERIC_LOSS, PRECISION
from anonscope.utility.similarity import COSINE_SIMILARITY, EARTH_MOVERS_DISTANCE, JACCARD_SIMILARITY, JENSEN_SHANNON, TOTAL_VARIATION
from anonscope.utility.suppression import FALSE_CELLS, SUPPRESSED_CELLS, SUPPRESSED_RECORDS
from anonscope.utility.z_test import Z_TEST

UTILITIES: dict[str, Utility] = {
    utility.name: utility
    for utility in (
        NCP,
        ARX_LOSS,
        PRECISION,
        GENERALISATION_LOSS,
        NUMERIC_LOSS,
        SUPPRESSED_CELLS,
        SUPPRESSED_RECORDS,
        FALSE_CELLS,
        NON_UNIFORM_ENTROPY,
        CONDITIONAL_ENTROPY,
        MONOTONE_ENTROPY,
        ENTROPY_LOSS,
        PROXIMITY_LOSS,
        MEAN_ABSOLUTE_DEVIATION,
        SQUARED_ERROR,
        EUCLIDEAN_DISTANCE,
        VECTORISED_DISTANCE,
        RELATIVE_CONDENSATION_LOSS,
        GROUP_AVERAGE,
        C_AVG,
        DISCERNIBILITY,
        AVERAGE_CLASS_SIZE,
        AMBIGUITY,
        KULLBACK_LEIBLER,
        COSINE_SIMILARITY,
        JACCARD_SIMILARITY,
        TOTAL_VARIATION,
        EARTH_MOVERS_DISTANCE,
        JENSEN_SHANNON,
        CONSISTENCY_LOSS,
        Z_TEST,
        ASSOCIATION_CHANGE,
    )
}


def measure_all(
    aligned: Aligned, utilities: Iterable[str] | None = None, *, k: int | None = None, condensation: bool = True, bins: int = BINS
) -> tuple[UtilityMeasurement, ...]:
    """Return what every measure says of a release, or those named, in the order of the registry.

    `k` is the class size that was asked for. `condensation` may be turned off: of large classes it takes longer than all others.
    `bins` is into how many bins the range of a number is divided for the cosine and the Jaccard similarity.
    """
    if k is not None and k < 1:
        raise OptionError(f"k must be at least 1, not {k}.")
    wanted = set(UTILITIES if utilities is None else utilities)
    if unknown := sorted(wanted - set(UTILITIES)):
        raise OptionError(f"No measure of utility is called {unknown[0]!r}. There are: {', '.join(UTILITIES)}.")
    if bins < 1:
        raise OptionError(f"Histograms need at least one bin, not {bins}.")
    settings = UtilitySettings(k, condensation, bins)
    return tuple(m for name, utility in UTILITIES.items() if name in wanted for m in utility.measure(aligned, settings))


__all__ = ["ALTERED", "BINS", "UTILITIES", "Aligned", "AlignedColumn", "Utility", "UtilityMeasurement", "align", "measure_all", "settled"]
