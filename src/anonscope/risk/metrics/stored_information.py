"""The personal information of records by statements, for tuples that stay on their engine.

tuple_information(q, n, bits, b0..)     all cells of a tuple together, and the cell of each attribute
"""

from collections.abc import Callable, Iterator
from typing import Any

from anonscope.risk.counting import StoredTuples
from anonscope.risk.metrics.nearest_rank import nearest_rank
from anonscope.risk.metrics.tuple_metric import TupleFinding, summary


def information(tuples: StoredTuples, percent: int, every: str) -> Iterator[TupleFinding]:
    """Yield the percentile over records, then the summaries of all attributes together and of each, under the variant `every`."""
    engine, sensitive = tuples.engine, tuples.layout.sensitive
    _open_information(tuples)
    columns = ["bits", *(f"b{place}" for place in range(len(tuples.names)))]
    asked: list[Callable[[], Any]] = [
        lambda: nearest_rank(engine, "tuple_information", "bits", percent),
        lambda: engine.rows(f"SELECT {', '.join(map(_over_records, columns))} FROM tuple_information"),
        lambda: engine.rows(f"SELECT sensitive, {_over_records('bits')} FROM told GROUP BY sensitive") if sensitive else [],
    ]
    percentile, (row,), told = engine.together(asked)
    yield TupleFinding(variant=f"{percent}th percentile", value=percentile)
    for i in range(len(columns)):
        yield TupleFinding(attribute=i - 1 if i else None, variant=every, summary=summary(*row[3 * i : 3 * i + 3]))
    for j, *found in sorted(told):
        yield TupleFinding(sensitive=sensitive[j], variant=every, summary=summary(*found))


def _over_records(column: str) -> str:
    return f"MIN({column}), SUM(n * {column}) / SUM(n), MAX({column})"


def _open_information(tuples: StoredTuples) -> None:
    if tuples.joined:
        _open_beside(tuples)
        return
    # A tuple is one value of the attribute among the alike, so their divergence from the table is a sum over them.
    bits = (
        "SELECT y.q, y.n, y.attribute, (y.told / y.alike - LN(y.alike / CAST(w.n AS DOUBLE))) / LN(2) AS bits "
        f"FROM ({tuples.sides()}) AS y CROSS JOIN total AS w"
    )
    # A divergence is never negative; rounding may leave one a hair below.
    cells = f"SELECT q, n, attribute, CASE WHEN bits < 0 THEN CAST(0 AS DOUBLE) ELSE bits END AS bits FROM ({bits}) AS z"
    if tuples.layout.sensitive:
        tuples.open_told()
        cells = f"{cells} UNION ALL SELECT q, n, -1 AS attribute, bits FROM told"
    each = ", ".join(
        f"SUM(CASE WHEN attribute = {radix.attribute} THEN bits ELSE CAST(0 AS DOUBLE) END) AS b{place}"
        for place, radix in enumerate(tuples.radices)
    )
    tuples.engine.materialise("tuple_information", f"SELECT q, MIN(n) AS n, SUM(bits) AS bits, {each} FROM ({cells}) AS x GROUP BY q")


def _open_beside(tuples: StoredTuples) -> None:
    """Make the same with every attribute beside the others instead of below them."""
    places = range(len(tuples.names))
    told = [f"s{j}" for j in range(len(tuples.layout.sensitive))]
    if told:
        tuples.open_told()
    bits = ", ".join(f"(y.told{p} / y.alike{p} - LN(y.alike{p} / CAST(w.n AS DOUBLE))) / LN(2) AS b{p}" for p in places)
    cells = f"SELECT y.q, y.n, {bits} FROM ({tuples.all_sides()}) AS y CROSS JOIN total AS w"
    cut = ", ".join(f"CASE WHEN b{p} < 0 THEN CAST(0 AS DOUBLE) ELSE b{p} END AS b{p}" for p in places)
    together = " + ".join([*(f"z.b{p}" for p in places), *(f"{name}.bits" for name in told)])
    joins = "".join(f" JOIN told AS {name} ON {name}.sensitive = {j} AND {name}.q = z.q" for j, name in enumerate(told))
    each = ", ".join(f"z.b{p}" for p in places)
    tuples.engine.materialise(
        "tuple_information", f"SELECT z.q, z.n, {together} AS bits, {each} FROM (SELECT q, n, {cut} FROM ({cells}) AS x) AS z{joins}"
    )
