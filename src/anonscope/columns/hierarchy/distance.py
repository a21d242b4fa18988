"""How far each class is from the whole table when sensitive values form a tree.

N. Li, T. Li, S. Venkatasubramanian (2007), "t-closeness", section 4.3: two values are as far apart as the height of the lowest
node above both, by the height of the tree. What a node has too much of under one child and too little of under another is
moved across it. A node that no record of a class lies under has nothing to move, so only the nodes above its cells are made.

    leaf(v, level, node)                  every value of the hierarchy with all nodes above it; the table's values stay where they are
    tree(t, level, node)                  every sensitive value with itself (level 0) and all nodes above it
    branch(level, node, parent, share)    every node, the one above it, and its share of the table's records
    surplus(q, level, node, parent, extra)  by how much a class's share under a node exceeds the table's
    hierarchical_distance(q, emd)
"""

from collections.abc import Sequence

from anonscope.columns.hierarchy.hierarchy import Hierarchy
from anonscope.engines import Engine
from anonscope.errors import HierarchyError, shown


def measure_hierarchical(engine: Engine, attribute: int, column: str, hierarchy: Hierarchy) -> None:
    """Make `hierarchical_distance` for the sensitive attribute whose `kind_cell` and `value` are open."""
    import pyarrow as pa

    above = [hierarchy.nodes(level) for level in range(hierarchy.height + 1)]
    levels = range(hierarchy.height + 1)
    placed = {
        "v": pa.array([leaf for leaf in hierarchy.leaves for _ in levels], pa.string()),
        "level": [level for _ in hierarchy.leaves for level in levels],
        "node": [_node(hierarchy, above, row, level) for row in range(len(hierarchy.leaves)) for level in levels],
    }
    engine.register("arrow_source_leaf", pa.table(placed))
    engine.materialise("leaf", "SELECT v, level, node FROM arrow_source_leaf")
    _check_covered(engine, attribute, column, hierarchy)
    # A missing value that the file has no line for (an empty one) hangs from the root, far from all.
    row = hierarchy.leaves.index("") if "" in hierarchy.leaves else None
    missing = " UNION ALL ".join(f"SELECT 0 AS t, {level} AS level, {_node(hierarchy, above, row, level)} AS node" for level in levels)
    # On level 0 a node is the value itself.
    found = (
        "SELECT d.code AS t, l.level, CASE WHEN l.level = 0 THEN d.code ELSE l.node END AS node "
        f"FROM dictionary AS d JOIN leaf AS l ON d.v = l.v WHERE d.attribute = {attribute}"
    )
    engine.materialise("tree", f"{found} UNION ALL {missing}")
    engine.materialise("branch", _BRANCH)
    engine.materialise("surplus", _SURPLUS)
    engine.materialise("hierarchical_distance", _DISTANCE)


def _node(hierarchy: Hierarchy, above: Sequence[tuple[int, ...]], row: int | None, level: int) -> int:
    """Return the node above a row of the hierarchy on a level; a row that is not there has one of its own below the root."""
    if level in (0, hierarchy.height):
        return 0
    return -1 if row is None else above[level][row]


def _check_covered(engine: Engine, attribute: int, column: str, hierarchy: Hierarchy) -> None:
    """Raise if the table has values that the hierarchy has no line for."""
    ((uncovered, values),) = engine.rows(
        "SELECT COALESCE(SUM(CASE WHEN l.v IS NULL THEN 1 ELSE 0 END), 0), COUNT(*) FROM dictionary AS d "
        f"LEFT JOIN (SELECT v FROM leaf WHERE level = 0) AS l ON d.v = l.v WHERE d.attribute = {attribute}"
    )
    if uncovered:
        raise HierarchyError(
            f"The hierarchy {shown(hierarchy.name)} does not cover {int(uncovered):,} of the {values:,} values of column {shown(column)}. "
            "Add a line for each, written exactly as in the table."
        )


_BRANCH = """
SELECT x.level, x.node, COALESCE(y.node, 0) AS parent, SUM(v.n) / CAST(MIN(w.n) AS DOUBLE) AS share
FROM value AS v JOIN tree AS x ON v.t = x.t LEFT JOIN tree AS y ON y.t = x.t AND y.level = x.level + 1 CROSS JOIN total AS w
GROUP BY x.level, x.node, y.node
"""

_SURPLUS = """
SELECT p.q, p.level, p.node, b.parent, p.n / CAST(p.class_n AS DOUBLE) - b.share AS extra
FROM (
  SELECT c.q, x.level, x.node, CAST(SUM(c.n) AS BIGINT) AS n, MIN(c.class_n) AS class_n
  FROM kind_cell AS c JOIN tree AS x ON c.t = x.t
  GROUP BY c.q, x.level, x.node
) AS p
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
