"""Whether means and proportions differ by more than chance would have it, were the release a sample of its own."""

import numpy as np

from anonscope.risk.counting.arrays import Floats
from anonscope.utility.alignment.aligned import Aligned, AlignedColumn
from anonscope.utility.measure import NOT_NUMERIC, Answer, Found, Utility, UtilityMeasurement, UtilitySettings, each_column, largest
from anonscope.utility.similarity import histograms


def z_of_means(column: AlignedColumn) -> Answer:
    """Return the difference of the means by its standard error; suppressed cells are left out, as an analyst would."""
    if not column.domain.numeric:
        return NOT_NUMERIC
    numbers = column.domain.numbers
    before = column.original[: len(numbers)]
    told = column.labels.numbered & ~column.labels.suppressed
    after = column.released[told]
    if not after.sum() > 0:
        return "every number is suppressed"
    one, other = _moments(numbers, before), _moments(column.labels.number[told], after)
    error = float(np.sqrt(one[1] / one[2] + other[1] / other[2]))
    apart = abs(one[0] - other[0])
    if error <= 0:
        return Found(0.0, 0.0) if apart == 0 else "no number varies, so there is no chance to compare with"
    return Found(apart / error, other[0] - one[0])


def _moments(numbers: Floats, n: Floats) -> tuple[float, float, float]:
    """Return mean, variance of a sample, and how many."""
    total = float(n.sum())
    mean = float(n @ numbers) / total
    return mean, float(n @ (numbers - mean) ** 2) / max(total - 1, 1.0), total


def z_of_proportions(column: AlignedColumn) -> Answer:
    """Return the largest difference of a value's share by its standard error."""
    found, n = histograms(column), column.records
    # Half a record in a million is the noise of adding shares up, not a difference.
    apart = np.where(np.abs(found.before - found.after) * n < 1e-6, 0.0, np.abs(found.before - found.after))
    pooled = (found.before + found.after) / 2
    error = np.sqrt(pooled * (1 - pooled) * 2 / n)
    z = np.divide(apart, error, out=np.zeros(len(apart)), where=error > 0)
    return Found(float(z.max(initial=0.0)))


def _z_test(aligned: Aligned, settings: UtilitySettings) -> list[UtilityMeasurement]:
    return [
        *each_column("z_test", aligned, z_of_means, variant="means", together=largest),
        *each_column("z_test", aligned, z_of_proportions, variant="proportions", together=largest),
    ]


Z_TEST = Utility(
    name="z_test",
    title="z-test",
    question="Do means and proportions differ by more than chance?",
    reading="Below 1.96 a test at 5 % would not notice; the more records, the smaller a difference it notices.",
    formula="means: |m1 - m2| / sqrt(s1^2 / n1 + s2^2 / n2); proportions: largest |p1 - p2| / sqrt(2 p (1 - p) / n), p = (p1 + p2) / 2",
    source="Aufschläger et al. 2023, section 5.2",
    family="statistics",
    better="lower",
    range=(0, None),
    scopes=("table", "attribute"),
    variants=("means", "proportions"),
    raw="difference of the means",
    measure=_z_test,
)
