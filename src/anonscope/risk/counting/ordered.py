"""How far each class is from the whole table when the order of sensitive values matters.

The earth mover's distance over ranks is the area between two cumulative curves. Between two values that a class
holds its curve is flat, so each such gap is a difference of prefix sums of the table's own curve, split where the
two curves cross: no grid of classes x values is ever made.

    ordered(t, i)           the rank of each sensitive value, from 0; equal numbers share one, NULL comes first
    ladder(i, g, s)         share of records up to rank i, and the sum of g over all ranks below i
    gap(q, lo, hi, p, begins)    a class's cumulative share p is constant from rank lo up to hi; below the first it is 0
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
    # Numbers that are equal though written otherwise are one point of the curve; a small table need not be grouped anew to see that.
    tied = numeric and (engine.remote or engine.rows("SELECT COUNT(*) - COUNT(DISTINCT i) FROM ordered")[0][0] > 0)
    engine.materialise("gap", _GAP.format(point=_TIED if tied else _POINT))
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

_POINT = "SELECT c.q, o.i, c.n, c.class_n FROM kind_cell AS c JOIN ordered AS o ON c.t = o.t"
_TIED = """
    SELECT c.q, o.i, CAST(SUM(c.n) AS BIGINT) AS n, MIN(c.class_n) AS class_n
    FROM kind_cell AS c JOIN ordered AS o ON c.t = o.t
    GROUP BY c.q, o.i
"""

# A class's first value is where as many records are up to it as have it.
_GAP = """
SELECT y.q, y.lo, COALESCE(y.next, x.steps) AS hi, CAST(y.up AS DOUBLE) / y.class_n AS p, CASE WHEN y.up = y.n THEN 1 ELSE 0 END AS begins
FROM (
  SELECT q, i AS lo, n, class_n, LEAD(i) OVER (PARTITION BY q ORDER BY i) AS next,
    SUM(n) OVER (PARTITION BY q ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS up
  FROM ({point}) AS point
) AS y
CROSS JOIN (SELECT MAX(i) AS steps FROM ladder) AS x
"""

# Ranks up to j have a share of at most p in the whole table; clipped to the gap, j + 1 is where the curves cross. A window over
# everything is one worker's task, so it goes over the different shares, which are far fewer than the gaps. Below its first value a class
# has nothing, so that all of the table's own curve lies between the two.
_DISTANCE = """
SELECT q, CASE WHEN steps < 2 OR SUM(area) < 0 THEN 0 ELSE SUM(area) / (steps - 1) END AS emd
FROM (
  SELECT z.q, x.steps,
    z.begins * a.s + z.p * (z.mid - z.lo) - (m.s - a.s) + (b.s - m.s) - z.p * (z.hi - z.mid) AS area
  FROM (
    SELECT d.q, d.lo, d.hi, d.p, d.begins, CASE WHEN y.j + 1 < d.lo THEN d.lo WHEN y.j + 1 > d.hi THEN d.hi ELSE y.j + 1 END AS mid
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
