"""The exact sum of floating point numbers, computed by the engine: the same on every engine, in whatever order it adds.

A floating point number is a whole number times a power of two. Numbers of about the same size are brought to the same power, their
whole numbers are added exactly, and the few sums, one for each power, are put together here.
"""

from fractions import Fraction

from anonscope.engines import Engine

# One bit more than a number has, because the power may be found one too high.
_BITS = 53
# Added in two halves, so that the sums of many billions of records are whole numbers of 64 bits.
_HALF = 2**27


def exact_sum(engine: Engine, origin: str, number: str) -> Fraction:
    """Return the sum of an expression over all rows, each counted `n` times; it must be finite and never missing."""
    power = f"SELECT n, x, FLOOR(LN(ABS(x)) / LN(2)) AS e FROM (SELECT n, {number} AS x FROM {origin}) AS a WHERE x <> 0"
    # In two steps, because a power of two that brings the smallest numbers up is itself too large.
    steps = f"SELECT n, x, e, FLOOR(({_BITS} - e) / 2) AS s FROM ({power}) AS b"
    whole = f"SELECT n, e, x * POWER(2, s) * POWER(2, {_BITS} - e - s) AS m FROM ({steps}) AS c"
    halves = f"SELECT n, e, m, FLOOR(m / CAST({_HALF} AS DOUBLE)) AS h FROM ({whole}) AS d"
    high, low = "SUM(CAST(h AS BIGINT) * n)", f"SUM(CAST(m - h * CAST({_HALF} AS DOUBLE) AS BIGINT) * n)"
    sums = engine.rows(f"SELECT e, {high} AS high, {low} AS low FROM ({halves}) AS f GROUP BY e")
    return sum(((int(h) * _HALF + int(w)) * Fraction(2) ** (int(e) - _BITS) for e, h, w in sums), Fraction())
