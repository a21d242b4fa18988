"""Unicity of events on Spark is that of DuckDB, and nothing but counts comes back."""

from typing import Any

import pyarrow as pa
import pytest

import anonscope as an


@pytest.mark.parametrize("attributes", [[], ["sex"]])
def test_unicity_is_the_same_on_spark(spark: Any, attributes: list[str]) -> None:
    """Points, coarsened and not, drawn by the same hash; missing values are a value."""
    rows = [(i % 17, f"2020-0{1 + i % 3}-1{i % 7}", i * 7 % 5 if i % 11 else None, "F" if i % 17 % 2 else "M") for i in range(120)]
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(("id", "day", "place", "sex"))})
    frame = spark.createDataFrame([tuple(row) for row in rows], "id INT, day STRING, place INT, sex STRING")
    found = []
    for source in (table, frame):
        with an.read(source, person="id") as data:
            found.append(an.unicity(data, ["day", "place"], coarsen={"day": "month"}, attributes=attributes, most=3, people=9))

    assert found[0].alone == found[1].alone
    assert found[0].with_attributes == found[1].with_attributes
    assert found[0].alone[0].people == 9
