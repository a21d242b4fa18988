"""How far numbers that are equal may be apart: one tolerance for verdicts, metrics and searches.

Sums of floating-point numbers may miss a number that they equal by a few units in the last place, whatever order they are added in.
"""

from math import ceil

# Of a number; at least this much where the number is small.
ROUNDING = 1e-12
# A share of some records is a whole number of them if it misses one by less.
_OF_RECORDS = 1e-9


def slack(number: float) -> float:
    """Return the distance within which another number counts as equal to this one."""
    return ROUNDING * max(1.0, abs(number))


def exceeds(value: float, maximum: float) -> bool:
    """Return whether a number is larger than a limit allows."""
    return value > maximum + slack(maximum)


def at_most(share: float, records: int) -> int:
    """Return how many records are at most a share of them: 5 % of 100 records is 5, whatever its last binary digits are."""
    return min(int(share * records + _OF_RECORDS), records)


def at_least(share: float, records: int) -> int:
    """Return how many records are at least a share of them."""
    return ceil(share * records - _OF_RECORDS)
