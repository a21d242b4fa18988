"""The exact sum of floating point numbers, computed by the engine: the same on every engine, in whatever order it adds.

A floating point number is a whole number times a power of two. Numbers of about the same size are brought to the same power, their
whole numbers are added exactly, and the few sums, one for each power, are put together here.
"""

from fractions import Fraction

from anonscope.engines import Engine

# One bit more than a number has, because the power may be found one too high.
_BITS = 53


def exact_sum(engine: Engine, origin: str, number: str) -> Fraction:
    """Return the sum of an expression over all rows, each counted `n` times; it must be finite and never missing."""
    power = f"SELECT n, x, FLOOR(LN(ABS(x)) / LN(2)) AS e FROM (SELECT n, {number} AS x FROM {origin}) AS a WHERE x <> 0"
    # In two halves, because a power of two that brings the smallest numbers up is itself too large.
    halves = f"SELECT n, x, e, FLOOR(({_BITS} - e) / 2) AS h FROM ({power}) AS b"
    whole = f"SELECT n, e, CAST(x * POWER(2, h) * POWER(2, {_BITS} - e - h) AS BIGINT) AS m FROM ({halves}) AS c"
    added = "SUM(CAST(m AS DECIMAL(18, 0)) * CAST(n AS DECIMAL(18, 0)))"
    sums = engine.rows(f"SELECT e, CAST({added} AS VARCHAR) AS s FROM ({whole}) AS d GROUP BY e")
    return sum((Fraction(int(s)) * Fraction(2) ** (int(e) - _BITS) for e, s in sums), Fraction())
