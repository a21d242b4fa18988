"""A percentile over records by nearest rank, of a table that stays on its engine.

Sorting all rows would bring them to one worker. Instead the range of the values is cut into bands, the records of each are counted,
and the band that holds the rank is cut again, until nothing in it differs. Only ends of bands are fetched.
"""

from anonscope.engines import Engine
from anonscope.risk.rounding import slack

_BANDS = 2**14


def nearest_rank(engine: Engine, table: str, value: str, percent: int) -> float:
    """Return the smallest value of a table of (value, n) that is not exceeded by this percentage of the records."""
    if engine.joins:
        return _in_order(engine, table, value, percent)
    # low and high are the smallest and largest value in the band, below are the records before it, total_n are all.
    whole = f"MIN({value}) AS low, MAX({value}) AS high, CAST(0 AS BIGINT) AS below, CAST(SUM(n) AS BIGINT) AS total_n"
    band, depth = f"(SELECT {whole} FROM {table})", 0
    while True:
        narrower = f"band_{depth}"
        engine.hold(narrower, _narrower(table, value, percent, band))
        ((low, high),) = engine.rows(f"SELECT low, high FROM {narrower}")
        if high - low <= slack(high):
            return float(low)
        band, depth = narrower, depth + 1


def _in_order(engine: Engine, table: str, value: str, percent: int) -> float:
    """Return it where one worker does everything in any case: the rows are put in order."""
    so_far = f"SUM(n) OVER (ORDER BY {value} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    # The total from a window too: beside a table, an engine that guesses one row would add it up anew for each.
    reached = f"SELECT {value} AS v, CAST({so_far} AS BIGINT) AS reached, CAST(SUM(n) OVER () AS BIGINT) AS total_n FROM {table}"
    ((found,),) = engine.rows(f"SELECT MIN(v) FROM ({reached}) AS a WHERE NOT reached * 100 < total_n * {percent}")
    return float(found)


def _narrower(table: str, value: str, percent: int, band: str) -> str:
    """Return the statement for the part of a band that holds the rank."""
    # Engines round or cut off when they make a whole number; either way larger values are in later parts.
    place = f"CASE WHEN b.high > b.low THEN CAST((x.{value} - b.low) / (b.high - b.low) * {_BANDS} AS BIGINT) ELSE CAST(0 AS BIGINT) END"
    parts = (
        f"SELECT x.{value} AS v, x.n, b.below, b.total_n, {place} AS part FROM {table} AS x CROSS JOIN {band} AS b "
        f"WHERE NOT x.{value} < b.low AND NOT x.{value} > b.high"
    )
    counted = (
        "SELECT part, MIN(v) AS low, MAX(v) AS high, CAST(SUM(n) AS BIGINT) AS n, MIN(below) AS below, MIN(total_n) AS total_n "
        f"FROM ({parts}) AS y GROUP BY part"
    )
    so_far = "SUM(n) OVER (ORDER BY part ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    reached = f"SELECT low, high, n, total_n, below + CAST({so_far} AS BIGINT) AS reached FROM ({counted}) AS z"
    # In whole numbers: a share of the records may fall on either side of a rank.
    return (
        f"SELECT low, high, reached - n AS below, total_n FROM ({reached}) AS a "
        f"WHERE NOT reached * 100 < total_n * {percent} AND (reached - n) * 100 < total_n * {percent}"
    )
