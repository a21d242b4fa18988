"""How one column is spread: its skewness, and how much of it lies in the top per cent.

The first of the pre-checks of S. Kim (2025),
"Quantitative Metrics for Balancing Privacy and Utility in Pseudonymized Big Data", Electronics 14, 4350:
histograms, weighted where there are survey weights.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonscope.engines import Engine
from anonscope.risk.counting import is_numeric

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Marginal:
    """One column; a number that does not exist is None, and `reasons` says why."""

    column: str
    values: int
    numeric: bool
    missing: float  # share of the records
    commonest: float  # share of the records that has the commonest value
    top_values: float  # share of the records that has one of the commonest 1 % of the values, at least one
    skewness: float | None
    top_records: float | None  # share of the column's total that 1 % of the records hold
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Histogram:
    """Distinct values of one column and how many records, or people they stand for, have each; `missing` have none."""

    column: str
    numeric: bool
    values: "NDArray[Any]"
    mass: "NDArray[Any]"
    missing: float

    @property
    def total(self) -> float:
        return float(self.mass.sum()) + self.missing


def fetch_histogram(engine: Engine, column: str, name: str, attribute: int, *, weighted: bool, as_text: bool) -> Histogram:
    """Return the histogram of one column of `source`; codes made of digits are text, not numbers."""
    each = "x" if weighted else "CAST(1 AS DOUBLE)"
    engine.materialise(
        "value_mass", f"SELECT v, SUM(m) AS m FROM (SELECT {name} AS v, {each} AS m FROM source) AS y WHERE NOT v IS NULL GROUP BY v"
    )
    ((missing,),) = engine.rows(f"SELECT COALESCE(SUM(m), 0) FROM (SELECT {name} AS v, {each} AS m FROM source) AS y WHERE v IS NULL")
    numeric = not as_text and is_numeric(engine, attribute)
    shown = "CAST(TRIM(v) AS DOUBLE)" if numeric else "v"
    values, mass = engine.arrays(f"SELECT {shown} AS v, m FROM value_mass ORDER BY v")
    return Histogram(column, numeric, values, mass, float(missing))


def describe(histogram: Histogram) -> Marginal:
    """Return what one histogram says of its column."""
    import numpy as np

    mass, total = histogram.mass, histogram.total
    every = np.sort(np.append(mass, histogram.missing) if histogram.missing else mass)[::-1]
    skewness, why_no_skewness = _skewness(histogram)
    top, why_no_top = _held_by_the_top(histogram)
    return Marginal(
        column=histogram.column,
        values=len(mass),
        numeric=histogram.numeric,
        missing=_share(histogram.missing, total),
        commonest=_share(float(every[:1].sum()), total),
        top_values=_share(float(every[: max(1, math.ceil(len(every) / 100))].sum()), total),
        skewness=skewness,
        top_records=top,
        reasons=tuple(dict.fromkeys(reason for reason in (why_no_skewness, why_no_top) if reason)),
    )


def _share(part: float, whole: float) -> float:
    return min(part / whole, 1.0) if whole > 0 else 0.0


def _skewness(histogram: Histogram) -> tuple[float | None, str | None]:
    """Return the third standardised moment of the records that have a number."""
    if not histogram.numeric:
        return None, "not numeric: no skewness and no total"
    x, mass = histogram.values, histogram.mass
    spread = float(x.max()) - float(x.min())
    if not 0 < spread < math.inf or not mass.sum() > 0:
        return None, "constant: no skewness"
    # Scaled, so that third powers of large amounts stay within a double.
    z = (x - x.min()) / spread
    mean = float((mass * z).sum() / mass.sum())
    second, third = (float((mass * (z - mean) ** power).sum() / mass.sum()) for power in (2, 3))
    return (third / second**1.5, None) if second > 0 else (None, "constant: no skewness")


def _held_by_the_top(histogram: Histogram) -> tuple[float | None, str | None]:
    """Return the share of the column's sum that the 1 % of the records with the largest numbers hold."""
    import numpy as np

    if not histogram.numeric:
        return None, None
    x, mass = histogram.values[::-1], histogram.mass[::-1]
    if x[-1] < 0:
        return None, "negative numbers: no share of the total"
    with np.errstate(over="ignore"):
        whole = float((x * mass).sum())
    if not 0 < whole < math.inf:
        return None, "the numbers add up to nothing that can be shared"
    top = float(mass.sum()) / 100
    # The value at the edge counts with the part of its records that belongs to the top.
    taken = np.clip(top - (np.cumsum(mass) - mass), 0, mass)
    return min(float((x * taken).sum()) / whole, 1.0), None
