"""Where a limit is kept and where it is broken, to the last unit: one rule for the verdict and for the search.

A number that only reaches its limit keeps it, unless the metric is defined by a strict inequality (`Metric.strict`): then it must stay
short of it. Sums of floating-point numbers may miss a number that they equal by a few units in the last place. Within that distance
they count as equal to the limit, so rounding never breaks a limit that is reached, and never keeps a strict one that is not undercut.
"""

from math import isfinite
from typing import TYPE_CHECKING, Any, overload

from anonscope.risk.metrics.metric import Metric
from anonscope.risk.rounding import slack

if TYPE_CHECKING:
    from numpy.typing import NDArray


@overload
def keeping(values: float, minimum: float | None, maximum: float | None, *, strict: bool) -> bool: ...
@overload
def keeping(values: "NDArray[Any]", minimum: float | None, maximum: float | None, *, strict: bool) -> "NDArray[Any]": ...
def keeping(values: Any, minimum: float | None, maximum: float | None, *, strict: bool) -> Any:
    """Return which numbers keep a limit: one of `minimum` and `maximum` is given."""
    if minimum is not None:
        return values >= minimum - slack(minimum)
    assert maximum is not None, "a limit has a minimum or a maximum"
    return values < maximum - slack(maximum) if strict else values <= maximum + slack(maximum)


def limits_of(metric: Metric, variant: str | None) -> str:
    """Return in words which numbers are a limit on a metric."""
    low, high = metric.range
    if metric.whole or variant in metric.whole_variants:
        return "a whole number from 1 on"
    if metric.strict or metric.positive:
        return f"above {low:g}" if high is None else f"above {low:g} and at most {high:g}"
    return f"from {low:g} on" if high is None else f"from {low:g} to {high:g}"


def limit_fault(metric: Metric, variant: str | None, value: object) -> str | None:
    """Return what is wrong with a value as a limit on a metric, if anything is: one that no table can meet, or that means nothing."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return f"The limit of {metric.title} must be a number"
    low, high = metric.range
    if metric.whole or variant in metric.whole_variants:
        if value < 1 or value != int(value):
            return f"{metric.title} counts, so its limit is {limits_of(metric, variant)}, not {value:g}"
    elif value < low or (high is not None and value > high):
        reach = f"from {low:g} on" if high is None else f"from {low:g} to {high:g}"
        return f"{metric.title} lies {reach}, so its limit does too, and is not {value:g}"
    elif value == low and metric.strict:
        return f"{metric.title} must stay below its limit and is never below {low:g}, so its limit is {limits_of(metric, variant)}"
    elif value == low and metric.positive:
        return f"{metric.title} is above {low:g} in every table, so its limit is {limits_of(metric, variant)}"
    return None
