"""How far numbers that are equal may be apart, and so where a limit is kept: one tolerance for verdicts, metrics and searches.

Sums of floating-point numbers may miss a number that they equal by a few units in the last place, whatever order they are added in.
A number that only reaches its limit keeps it, unless the metric is defined by a strict inequality (`Metric.strict`): then it must stay
short of it. Within that distance numbers count as equal to the limit, so rounding never breaks a limit that is reached, and never keeps
a strict one that is not undercut.
"""

from math import ceil
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Of a number; at least this much where the number is small.
ROUNDING = 1e-12
# A share of some records is a whole number of them if it misses one by less.
_OF_RECORDS = 1e-9


def slack(number: float) -> float:
    """Return the distance within which another number counts as equal to this one."""
    return ROUNDING * max(1.0, abs(number))


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


def exceeds(value: float, maximum: float) -> bool:
    """Return whether a number is larger than a limit allows."""
    return value > maximum + slack(maximum)


def at_most(share: float, records: int) -> int:
    """Return how many records are at most a share of them: 5 % of 100 records is 5, whatever its last binary digits are."""
    return min(int(share * records + _OF_RECORDS), records)


def at_least(share: float, records: int) -> int:
    """Return how many records are at least a share of them."""
    return ceil(share * records - _OF_RECORDS)
