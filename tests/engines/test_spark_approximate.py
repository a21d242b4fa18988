"""Groups are drawn on Spark as on DuckDB: counted whole they are the same, and a sample holds the truth."""

from typing import Any

import pyarrow as pa

import anonscope as an


def test_estimates_on_spark(spark: Any) -> None:
    """Missing values, and texts that are the same in two columns; nothing but counts of sizes comes back."""
    rows = [(str(i % 23), str(i % 7) if i % 5 else None, i * i % 31) for i in range(1200)]
    frame = spark.createDataFrame(rows, "place STRING, trade STRING, age INT")
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(("place", "trade", "age"))})
    whole, drawn = [], []
    for source in (table, frame):
        with an.read(source, quasi_identifiers=["place", "trade", "age"]) as data:
            whole.append(an.approximate(data))
            drawn.append(an.approximate(data, groups=300, seed=5))

    assert whole[0].exact and (whole[0].below, whole[0].without) == (whole[1].below, whole[1].without)
    assert not drawn[1].exact and drawn[1].sampled > 100
    for found, truth in zip(drawn[1].below, whole[0].below, strict=True):
        assert found.share.low <= truth.share.value <= found.share.high
