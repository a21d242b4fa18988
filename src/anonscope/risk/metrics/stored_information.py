"""The personal information of records by statements, for tuples that stay on their engine.

tuple_information(q, n, bits, b0..)     all cells of a tuple together, and the cell of each attribute
"""

from collections.abc import Iterator

from anonscope.risk.counting import StoredTuples
from anonscope.risk.metrics.nearest_rank import nearest_rank
from anonscope.risk.metrics.tuple_metric import TupleFinding, summary


def information(tuples: StoredTuples, percent: int, every: str) -> Iterator[TupleFinding]:
    """Yield the percentile over records, then the summaries of all attributes together and of each, under the variant `every`."""
    engine, sensitive = tuples.engine, tuples.layout.sensitive
    _open_information(tuples)
    yield TupleFinding(variant=f"{percent}th percentile", value=nearest_rank(engine, "tuple_information", "bits", percent))
    columns = ["bits", *(f"b{place}" for place in range(len(tuples.names)))]
    (row,) = engine.rows(f"SELECT {', '.join(map(_over_records, columns))} FROM tuple_information")
    for i in range(len(columns)):
        yield TupleFinding(attribute=i - 1 if i else None, variant=every, summary=summary(*row[3 * i : 3 * i + 3]))
    if sensitive:
        for j, *found in sorted(engine.rows(f"SELECT sensitive, {_over_records('bits')} FROM told GROUP BY sensitive")):
            yield TupleFinding(sensitive=sensitive[j], variant=every, summary=summary(*found))


def _over_records(column: str) -> str:
    return f"MIN({column}), SUM(n * {column}) / SUM(n), MAX({column})"


def _open_information(tuples: StoredTuples) -> None:
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
