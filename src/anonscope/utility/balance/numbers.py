"""Shares that mean something, and the two ways to make one number of several."""

from collections.abc import Sequence
from math import isfinite
from typing import Literal, get_args

from anonscope.errors import OptionError

Total = Literal["mean", "maximum"]
TOTALS: tuple[Total, ...] = get_args(Total)


def check_share(name: str, value: float) -> float:
    """Return a number from 0 to 1, or raise."""
    if not isfinite(value) or not 0 <= value <= 1:
        raise OptionError(f"{name} must be a number from 0 to 1, not {value:g}.")
    return float(value)


def total_of(values: Sequence[float | None], weights: Sequence[float], how: Total) -> float | None:
    """Return the weighted mean, or the largest of what has a weight; values that were not measured are left out."""
    if how not in TOTALS:
        raise OptionError(f"A total is a {' or a '.join(TOTALS)}, not {how!r}.")
    known = [(value, weight) for value, weight in zip(values, weights, strict=True) if value is not None and weight > 0]
    if not known:
        return None
    if how == "maximum":
        return max(value for value, _ in known)
    return sum(value * weight for value, weight in known) / sum(weight for _, weight in known)
