"""What if on Spark: the same answer as on DuckDB, from counts alone; a database has none."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from stored import into_sqlite

import anonscope as an
from anonscope.errors import OptionError

NAMES = ("age", "zip", "sex", "ill")
ROWS = [(20 + i * 7 % 40, f"47{100 + i % 6}", "f" if i % 3 else "m", ("flu", "gout", "asthma")[i % 3]) for i in range(150)]
LEVELS = {"age": 2, "zip": 1}


def told(source: Any, **reading: Any) -> dict[str, Any]:
    with an.read(source, quasi_identifiers=["age", "zip", "sex"], sensitive=["ill"], **reading) as data:
        found = an.explore(data, limits={"k_anonymity": 4, "l_diversity": 2}, levels=LEVELS, suppression=0.2)
    return {key: value for key, value in found.to_dict().items() if key != "source"}


@pytest.fixture(scope="module")
def here() -> dict[str, Any]:
    return told(pa.table({name: [row[i] for row in ROWS] for i, name in enumerate(NAMES)}))


def test_a_what_if_on_spark_is_that_of_duckdb(spark: Any, here: dict[str, Any]) -> None:
    """Classes, rules, suppression and loss; only the note about hierarchies says what was not counted there."""
    there = told(spark.createDataFrame(ROWS, "age INT, zip STRING, sex STRING, ill STRING"))
    assert {**there, "notes": None} == {**here, "notes": None} and len(there["notes"]) == len(here["notes"])


def test_a_database_is_asked_nothing_it_cannot_answer(tmp_path: Path) -> None:
    """A release is made by DuckDB or Spark, and so is what one would be like."""
    table = pa.table({name: [row[i] for row in ROWS] for i, name in enumerate(NAMES)})
    with pytest.raises(OptionError, match="Export the table first"):
        told(into_sqlite(tmp_path / "people.db", "people", table), table="people")
