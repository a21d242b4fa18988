"""The re-identification risk rate of a column, and the class that thresholds make of it.

H. Khan, L. Menten, L. M. Peeters, "An Algorithmic Pipeline for GDPR-Compliant Healthcare Data Anonymisation: Moving Toward
Standardisation", identification stage; after Y. Mansour et al. (2021). A value that c records share is g-distinct by 1/c; the rate
of a column is the mean of that over its distinct values, in percent. The paper's text says "sum", its figures are the mean.
A missing value is a value; a column with more than 85 % missing values is set aside. The rate says nothing about what outsiders
know: sex is "non-sensitive" and a flag that one record has is "sensitive". It is one kind of evidence, never the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Literal

from anonscope.columns.suggestion.profile import Profile
from anonscope.errors import OptionError

MISSING_LIMIT = 0.85
ALPHA = 25.0
BETA = 1.0
# What the paper chose for its tables of 500 and of 1,000 records.
PUBLISHED = ((25.0, 1.0), (10.0, 1.0))
Label = Literal["sensitive", "quasi-identifier", "non-sensitive", "set aside"]


@dataclass(frozen=True, slots=True)
class RiskRate:
    """Risk rate in percent and what the thresholds make of it; a column that was set aside has no rate."""

    percent: float | None
    label: Label


def risk_rate(profile: Profile, alpha: float = ALPHA, beta: float = BETA) -> RiskRate:
    """Return the risk rate of a column; it is compared after rounding to two decimals, as the paper prints it."""
    if profile.missing_share > MISSING_LIMIT or not profile.sizes:
        return RiskRate(None, "set aside")
    percent = 100 * sum(values / size for size, values in profile.sizes) / profile.distinct
    return RiskRate(percent, label_of(percent, alpha, beta))


def label_of(percent: float, alpha: float, beta: float) -> Label:
    """Return what thresholds make of a rate."""
    printed = round(percent, 2)
    if printed > alpha:
        return "sensitive"
    return "quasi-identifier" if printed >= beta else "non-sensitive"


def thresholds_of(rates: Sequence[float], alpha: float | None = None, beta: float | None = None) -> tuple[float, float]:
    """Return thresholds that the rates themselves suggest, where none is given: the middle of gaps between them.

    Rates fall by factors, so gaps are ratios, and the middle is the geometric mean. Alpha lies in the widest gap, and above it columns
    are sensitive. Beta lies in the gap around 1 %: what a hundred people share narrows nobody down, however the other columns are. Where
    that leaves no quasi-identifier, as in large tables, it lies in the widest gap below alpha. Where there are not three different
    rates, the published ones stand.
    """
    different = sorted({round(rate, 2) for rate in rates} - {0.0}, reverse=True)
    if alpha is None:
        above = [rate for rate in different if beta is None or rate >= beta]
        # Below it somebody must be left to be a quasi-identifier, and somebody to be none.
        pairs = list(pairwise(above))[: -1 if beta is None else None]
        if beta is None and len(rare := [rate for rate in different if rate >= BETA]) > 1:
            pairs = list(pairwise(rare))
        alpha = _middle(pairs) if pairs else max(ALPHA, beta or 0.0)
    if beta is None:
        below = [rate for rate in different if rate <= alpha]
        around = [pair for pair in pairwise(below) if pair[0] >= BETA > pair[1]]
        beta = min(_middle(around or list(pairwise(below))) if len(below) > 1 else BETA, alpha)
    return alpha, beta


def _middle(pairs: Sequence[tuple[float, float]]) -> float:
    high, low = max(pairs, key=lambda pair: pair[0] / pair[1])
    return round(sqrt(high * low), 2)


def check_thresholds(alpha: float, beta: float) -> None:
    """Raise unless 0 <= beta <= alpha <= 100."""
    if not 0 <= beta <= alpha <= 100:
        raise OptionError(f"The thresholds are percentages with 0 <= beta <= alpha <= 100, not alpha {alpha:g} and beta {beta:g}.")
