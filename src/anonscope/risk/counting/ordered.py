"""How far each class is from the whole table when the order of sensitive values matters.

The earth mover's distance over ranks is the area between two cumulative curves. Between two values that a class
holds its curve is flat, so each such gap is a difference of prefix sums of the table's own curve, split where the
two curves cross: no grid of classes x values is ever made.

    ordered(t, i)           the rank of each sensitive value, from 0; equal numbers share one, NULL comes first
    ladder(i, g, s)         share of records up to rank i, and the sum of g over all ranks below i
    gap(q, lo, hi, p)       a class's cumulative share p is constant from rank lo up to hi
    ordered_distance(q, emd)    of one class for all that are alike (`kind_cell`)
"""

from anonscope.engines import Engine
from anonscope.engines.values import CODE, NUMBER


def is_numeric(engine: Engine, attribute: int) -> bool:
    """Return whether every value of an encoded column is a number and none is a code with a leading zero."""
    ((numbers, values),) = engine.rows(
        f"SELECT COALESCE(SUM(CASE WHEN REGEXP_MATCHES(v, '{NUMBER}') AND NOT REGEXP_MATCHES(v, '{CODE}') THEN 1 ELSE 0 END), 0), "
        f"COUNT(*) FROM dictionary WHERE attribute = {attribute}"
    )
    return bool(values) and numbers == values


def measure_ordered(engine: Engine, attribute: int, *, numeric: bool) -> None:
    """Make `ordered_distance` for the sensitive attribute whose `kind_cell` and `value` are open."""
    order = "CAST(TRIM(d.v) AS DOUBLE)" if numeric else "d.v"
    # NULL has no number: it takes the lowest rank of its own.
    engine.materialise(
        "ordered",
        "SELECT t, DENSE_RANK() OVER (ORDER BY present, place) - 1 AS i FROM ("
        "SELECT x.t, CASE WHEN d.v IS NULL THEN 0 ELSE 1 END AS present, "
        f"{order} AS place FROM value AS x LEFT JOIN dictionary AS d ON d.attribute = {attribute} AND d.code = x.t) AS y",
    )
    engine.materialise("ladder", _LADDER)
    engine.materialise("gap", _GAP)
    engine.materialise("ordered_distance", _DISTANCE)


_LADDER = """
SELECT i, g, SUM(g) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - g AS s
FROM (
  SELECT i, CAST(SUM(n) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS DOUBLE) / total_n AS g
  FROM (
    SELECT o.i, CAST(SUM(v.n) AS BIGINT) AS n, MIN(w.n) AS total_n
    FROM value AS v JOIN ordered AS o ON v.t = o.t CROSS JOIN total AS w
    GROUP BY o.i
    UNION ALL
    SELECT MAX(o.i) + 1 AS i, CAST(0 AS BIGINT) AS n, MIN(w.n) AS total_n
    FROM ordered AS o CROSS JOIN total AS w
  ) AS marginal
) AS cumulative
"""

# The first gap of a class, below its smallest value, has p = 0.
_GAP = """
SELECT q, lo, COALESCE(next, steps) AS hi, p
FROM (
  SELECT q, i AS lo, LEAD(i) OVER (PARTITION BY q ORDER BY i) AS next, steps,
    CAST(SUM(n) OVER (PARTITION BY q ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS DOUBLE) / class_n AS p
  FROM (
    SELECT c.q, o.i, CAST(SUM(c.n) AS BIGINT) AS n, MIN(c.class_n) AS class_n, MIN(x.steps) AS steps
    FROM kind_cell AS c JOIN ordered AS o ON c.t = o.t
    CROSS JOIN (SELECT MAX(i) AS steps FROM ladder) AS x
    GROUP BY c.q, o.i
  ) AS point
) AS step
UNION ALL
SELECT c.q, 0 AS lo, MIN(o.i) AS hi, CAST(0 AS DOUBLE) AS p
FROM kind_cell AS c JOIN ordered AS o ON c.t = o.t
GROUP BY c.q
"""

# Ranks up to j have a share of at most p in the whole table; clipped to the gap, j + 1 is where the curves cross. A window over
# everything is one worker's task, so it goes over the different shares, which are far fewer than the gaps.
_DISTANCE = """
SELECT q, CASE WHEN steps < 2 OR SUM(area) < 0 THEN 0 ELSE SUM(area) / (steps - 1) END AS emd
FROM (
  SELECT z.q, x.steps,
    z.p * (z.mid - z.lo) - (m.s - a.s) + (b.s - m.s) - z.p * (z.hi - z.mid) AS area
  FROM (
    SELECT d.q, d.lo, d.hi, d.p, CASE WHEN y.j + 1 < d.lo THEN d.lo WHEN y.j + 1 > d.hi THEN d.hi ELSE y.j + 1 END AS mid
    FROM gap AS d JOIN (
      SELECT p, kind, COALESCE(MAX(i) OVER (ORDER BY p, kind ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), -1) AS j
      FROM (
        SELECT DISTINCT p, 1 AS kind, -1 AS i FROM gap
        UNION ALL
        SELECT g AS p, 0 AS kind, i FROM ladder
      ) AS u
    ) AS y ON d.p = y.p
    WHERE y.kind = 1
  ) AS z
  JOIN ladder AS a ON a.i = z.lo
  JOIN ladder AS b ON b.i = z.hi
  JOIN ladder AS m ON m.i = z.mid
  CROSS JOIN (SELECT MAX(i) AS steps FROM ladder) AS x
) AS w
GROUP BY q, steps
"""
