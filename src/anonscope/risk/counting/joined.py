"""One sensitive attribute, with all others counted among what the attacker knows.

This replaces `cell`, `value`, `class_kind` and `kind_cell` of the scenario, so it comes after everything else that is measured on them.
"""

from anonscope.engines import Engine
from anonscope.risk.counting.encode import Layout
from anonscope.risk.counting.roll_up import KIND_CELL


def open_joined(engine: Engine, layout: Layout, j: int) -> None:
    """Make `cell`, `value`, `class_kind` and `kind_cell` for the j-th sensitive attribute, the others being part of the class."""
    known = ["q", *(f"t{i}" for i in range(len(layout.sensitive)) if i != j)]
    keys, same = ", ".join(known), " AND ".join(f"x.{column} = k.{column}" for column in known)
    engine.number("joined_key", f"SELECT DISTINCT {keys} FROM scenario_record", known, "id")
    engine.materialise(
        "cell",
        f"SELECT k.id AS q, x.t{j} AS t, CAST(SUM(x.n) AS BIGINT) AS n FROM scenario_record AS x JOIN joined_key AS k ON {same} "
        f"GROUP BY k.id, x.t{j}",
    )
    engine.materialise("class_kind", "SELECT q, CAST(SUM(n) AS BIGINT) AS n, COUNT(*) AS kinds, MIN(t) AS t FROM cell GROUP BY q")
    engine.materialise("kind_cell", KIND_CELL)
    engine.materialise("value", "SELECT t, CAST(SUM(n) AS BIGINT) AS n FROM cell GROUP BY t")
