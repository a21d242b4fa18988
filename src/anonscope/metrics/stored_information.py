"""The personal information of records by statements, for tuples that stay on their engine.

divergence(attribute, o0.., n, bits)    records that agree on all attributes but one: how far that one is spread there otherwise
                                        than in the table
tuple_information(q, n, bits)           all attributes of a tuple together
"""

from collections.abc import Iterator

from anonscope.count import StoredTuples, same
from anonscope.metrics.nearest_rank import nearest_rank
from anonscope.metrics.tuple_metric import TupleFinding, summary

_SUMMARY = "MIN(bits), SUM(n * bits) / SUM(n), MAX(bits)"


def information(tuples: StoredTuples, percent: int, every: str) -> Iterator[TupleFinding]:
    """Yield the percentile over records, then the summaries of all attributes together and of each, under the variant `every`."""
    engine, layout = tuples.engine, tuples.layout
    _open_information(tuples)
    yield TupleFinding(variant=f"{percent}th percentile", value=nearest_rank(engine, "tuple_information", "bits", percent))
    (row,) = engine.rows(f"SELECT {_SUMMARY} FROM tuple_information")
    yield TupleFinding(variant=every, summary=summary(*row))
    each = engine.rows(f"SELECT attribute, {_SUMMARY} FROM divergence GROUP BY attribute")
    for place, found in sorted((tuples.place(attribute), row) for attribute, *row in each):
        yield TupleFinding(attribute=place, variant=every, summary=summary(*found))
    if layout.sensitive:
        for j, *found in sorted(engine.rows(f"SELECT sensitive, {_SUMMARY} FROM told GROUP BY sensitive")):
            yield TupleFinding(sensitive=layout.sensitive[j], variant=every, summary=summary(*found))


def _open_information(tuples: StoredTuples) -> None:
    engine, sides, keys = tuples.engine, tuples.sides(), ["attribute", *tuples.others()]
    listed, grouped = ", ".join(keys), ", ".join(f"x.{key}" for key in keys)
    spread = (
        f"SELECT {grouped}, CAST(SUM(x.n) AS BIGINT) AS n, SUM(x.n * LN(x.n / CAST(k.n AS DOUBLE))) AS told FROM ({sides}) AS x "
        f"JOIN attribute_class AS k ON {same(('attribute', 'a'), 'x', 'k')} GROUP BY {grouped}"
    )
    bits = f"SELECT {listed}, y.n, (told / y.n - LN(y.n / CAST(w.n AS DOUBLE))) / LN(2) AS bits FROM ({spread}) AS y CROSS JOIN total AS w"
    # A divergence is never negative; rounding may leave one a hair below.
    engine.materialise(
        "divergence", f"SELECT {listed}, n, CASE WHEN bits < 0 THEN CAST(0 AS DOUBLE) ELSE bits END AS bits FROM ({bits}) AS z"
    )
    cells = f"SELECT x.q, x.n, d.bits FROM ({sides}) AS x JOIN divergence AS d ON {same(keys)}"
    if tuples.layout.sensitive:
        tuples.open_told()
        cells = f"{cells} UNION ALL SELECT q, n, bits FROM told"
    engine.materialise("tuple_information", f"SELECT q, MIN(n) AS n, SUM(bits) AS bits FROM ({cells}) AS y GROUP BY q")
