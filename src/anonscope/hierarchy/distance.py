"""How far each class is from the whole table when sensitive values form a tree.

N. Li, T. Li, S. Venkatasubramanian (2007), "t-closeness", section 4.3: two values are as far apart as the height of the lowest
node above both, by the height of the tree. What a node has too much of under one child and too little of under another is
moved across it. A node that no record of a class lies under has nothing to move, so only the nodes above its cells are made.

    tree(t, level, node)                  every sensitive value with itself (level 0) and all nodes above it
    branch(level, node, parent, share)    every node, the one above it, and its share of the table's records
    surplus(q, level, node, parent, extra)  by how much a class's share under a node exceeds the table's
    hierarchical_distance(q, emd)
"""

from anonscope.engines import Engine
from anonscope.errors import HierarchyError, shown
from anonscope.hierarchy.hierarchy import Hierarchy


def measure_hierarchical(engine: Engine, attribute: int, column: str, hierarchy: Hierarchy) -> None:
    """Make `hierarchical_distance` for the sensitive attribute whose `cell` and `value` are open."""
    import pyarrow as pa

    codes, levels, nodes = _placed(dict(engine.rows(f"SELECT code, v FROM dictionary WHERE attribute = {attribute}")), column, hierarchy)
    engine.register("arrow_source_tree", pa.table({"t": codes, "level": levels, "node": nodes}))
    engine.materialise("tree", "SELECT t, level, node FROM arrow_source_tree")
    engine.materialise("branch", _BRANCH)
    engine.materialise("surplus", _SURPLUS)
    engine.materialise("hierarchical_distance", _DISTANCE)


def _placed(values: dict[int, str], column: str, hierarchy: Hierarchy) -> tuple[list[int], list[int], list[int]]:
    """Return the rows of `tree`. A missing value that the file has no line for (an empty one) hangs from the root, far from all."""
    if uncovered := hierarchy.uncovered(values.values()):
        raise HierarchyError(
            f"The hierarchy {shown(hierarchy.name)} does not cover {uncovered:,} of the {len(values):,} values of column {shown(column)}. "
            "Add a line for each, written exactly as in the table."
        )
    rows = {leaf: row for row, leaf in enumerate(hierarchy.leaves)}
    places = {code: rows[value] for code, value in values.items()} | {0: rows.get("", -1)}
    above = [hierarchy.nodes(level) for level in range(hierarchy.height + 1)]
    codes, levels, nodes = [], [], []
    for code, row in places.items():
        for level in range(hierarchy.height + 1):
            codes.append(code)
            levels.append(level)
            nodes.append(code if not level else 0 if level == hierarchy.height else above[level][row] if row >= 0 else -1)
    return codes, levels, nodes


_BRANCH = """
SELECT x.level, x.node, COALESCE(y.node, 0) AS parent, SUM(v.n) / CAST(MIN(w.n) AS DOUBLE) AS share
FROM value AS v JOIN tree AS x ON v.t = x.t LEFT JOIN tree AS y ON y.t = x.t AND y.level = x.level + 1 CROSS JOIN total AS w
GROUP BY x.level, x.node, y.node
"""

_SURPLUS = """
SELECT p.q, p.level, p.node, b.parent, p.n / CAST(k.n AS DOUBLE) - b.share AS extra
FROM (
  SELECT c.q, x.level, x.node, CAST(SUM(c.n) AS BIGINT) AS n
  FROM cell AS c JOIN tree AS x ON c.t = x.t
  GROUP BY c.q, x.level, x.node
) AS p
JOIN class AS k ON p.q = k.q
JOIN branch AS b ON p.level = b.level AND p.node = b.node
"""

# Under a node, what all children have too much of, less what they have too little of, is what the node has too much of.
# Children that the class has no record under have too little, and this way they need not be looked at.
_DISTANCE = """
SELECT q, SUM(CASE WHEN moved < 0 THEN 0 ELSE moved * level / height END) AS emd
FROM (
  SELECT x.q, x.level, h.height, CASE WHEN p.extra > 0 THEN x.much - p.extra ELSE x.much END AS moved
  FROM (
    SELECT q, level + 1 AS level, parent, SUM(CASE WHEN extra > 0 THEN extra ELSE 0 END) AS much
    FROM surplus
    GROUP BY q, level, parent
  ) AS x
  JOIN surplus AS p ON p.q = x.q AND p.level = x.level AND p.node = x.parent
  CROSS JOIN (SELECT CAST(MAX(level) AS DOUBLE) AS height FROM tree) AS h
) AS y
GROUP BY q
"""
