"""One sensitive attribute, with all others counted among what the attacker knows.

This replaces `class`, `cell` and `value` of the scenario, so it comes after everything else that is measured on them.
"""

from anonscope.engines import Engine
from anonscope.risk.counting.encode import Layout


def open_joined(engine: Engine, layout: Layout, j: int) -> None:
    """Make `cell`, `class` and `value` for the j-th sensitive attribute, the others being part of the class."""
    known = ["q", *(f"t{i}" for i in range(len(layout.sensitive)) if i != j)]
    keys, same = ", ".join(known), " AND ".join(f"x.{column} = k.{column}" for column in known)
    engine.number("joined_key", f"SELECT DISTINCT {keys} FROM scenario_record", known, "id")
    engine.materialise(
        "cell",
        f"SELECT k.id AS q, x.t{j} AS t, CAST(SUM(x.n) AS BIGINT) AS n FROM scenario_record AS x JOIN joined_key AS k ON {same} "
        f"GROUP BY k.id, x.t{j}",
    )
    engine.materialise("class", "SELECT q, CAST(SUM(n) AS BIGINT) AS n, CAST(SUM(n) AS BIGINT) AS persons FROM cell GROUP BY q")
    engine.materialise("value", "SELECT t, CAST(SUM(n) AS BIGINT) AS n FROM cell GROUP BY t")
