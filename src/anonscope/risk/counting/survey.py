"""Survey weights and households: who stands for how many people, and who lives with whom.

    household(v, code)              a number for every household; a record without one has 0
    member(w0.., h, n, x)           records of a household that agree on the quasi-identifiers, and the sum of their weights
For one scenario:
    scenario_member(q, h, n, x)
    class_weight(q, n, x)           records of a class, and how many people they stand for
"""

from anonscope.columns.roles import Roles
from anonscope.engines import Engine
from anonscope.risk.counting.encode import Layout, packed
from anonscope.risk.counting.roll_up import masked


def faulty_weights(engine: Engine) -> str | None:
    """Return what is wrong with the weights, in words and counts, or None."""
    ((missing, negative),) = engine.rows(
        "SELECT SUM(CASE WHEN x IS NULL THEN 1 ELSE 0 END), SUM(CASE WHEN x < 0 THEN 1 ELSE 0 END) FROM source"
    )
    faults = [f"{what} in {int(n):,} records" for what, n in (("missing or no number", missing), ("negative", negative)) if n]
    return f"the survey weight is {' and '.join(faults)}" if faults else None


def open_members(engine: Engine, layout: Layout, roles: Roles, *, weighted: bool) -> None:
    """Make `member` from the source; without usable weights every record stands for itself."""
    words = [f"w{word}" for word in range(layout.words)]
    kept = [column for column, there in (("h", roles.household is not None), ("x", weighted)) if there]
    coded = engine.coded("source", "weight", packed(layout), kept)
    home, joined = "0", ""
    if roles.household is not None:
        engine.number("household", "SELECT DISTINCT h AS v FROM source WHERE NOT h IS NULL", ["v"], "code")
        home, joined = "COALESCE(a.code, 0)", " LEFT JOIN household AS a ON a.v = x.h"
    stands_for = "x.x" if weighted else "CAST(1 AS DOUBLE)"
    listed, keys = ", ".join(f"x.{word}" for word in words), ", ".join([*words, "h"])
    engine.materialise(
        "member",
        f"SELECT {keys}, COUNT(*) AS n, SUM(x) AS x FROM (SELECT {listed}, {home} AS h, {stands_for} AS x FROM {coded}{joined}) AS y "
        f"GROUP BY {keys}",
    )


def open_class_weights(engine: Engine, layout: Layout, columns: tuple[str, ...]) -> None:
    """Make `scenario_member` and `class_weight` for the scenario whose `class` is open."""
    radices = layout.of(columns)
    words = sorted({radix.word for radix in radices})
    selected = ", ".join(f"{masked(layout, radices, word)} AS k{word}" for word in words)
    keys = ", ".join(f"k{word}" for word in words)
    counted = (
        f"SELECT {keys}, h, CAST(SUM(n) AS BIGINT) AS n, SUM(x) AS x FROM (SELECT {selected}, h, n, x FROM member) AS y GROUP BY {keys}, h"
    )
    if len(words) == 1:
        engine.materialise("scenario_member", f"SELECT k{words[0]} AS q, h, n, x FROM ({counted}) AS z")
    else:
        same = " AND ".join(f"z.k{word} = k.k{word}" for word in words)
        engine.materialise("scenario_member", f"SELECT k.q, z.h, z.n, z.x FROM ({counted}) AS z JOIN tuple_key AS k ON {same}")
    engine.materialise("class_weight", "SELECT q, CAST(SUM(n) AS BIGINT) AS n, SUM(x) AS x FROM scenario_member GROUP BY q")
