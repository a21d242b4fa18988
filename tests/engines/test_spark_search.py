"""The anonymiser, suggestions and comparisons on Spark: what DuckDB finds, with the records where they are."""

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.columns.hierarchy.for_columns import hierarchies_for
from anonscope.errors import AlignmentError, OptionError
from anonscope.risk.counting import combinations
from anonscope.transform.steps.recode import Recode
from support.said import all_said

KNOWN = ["age", "zip", "sex"]


def people(rows: int = 600) -> pa.Table:
    """Return people with missing values and empty texts, each with a number."""
    return pa.table(
        {
            "id": [f"n{i}" for i in range(rows)],
            "age": pa.array([None if i % 31 == 7 else 18 + i * 7 % 71 for i in range(rows)], pa.int64()),
            "zip": [f"{10_000 + i * i % 97:05}" for i in range(rows)],
            "sex": [(None, "", "F", "M", "F", "M", "F")[i % 7] for i in range(rows)],
            "ill": [f"d{i * i % 11}" for i in range(rows)],
        }
    )


def records_of(table: Any) -> Counter[tuple[Any, ...]]:
    table = table if isinstance(table, pa.Table) else table.toArrow()
    return Counter(zip(*(table.column(name).to_pylist() for name in table.column_names), strict=True))


@pytest.fixture(scope="module")
def step(tmp_path_factory: pytest.TempPathFactory) -> Recode:
    """A step of a recipe, with hierarchies in files."""
    folder = tmp_path_factory.mktemp("hierarchies")
    with an.read(people()) as data:
        made = hierarchies_for(data.engine, data.relation, KNOWN)
    for column, hierarchy in made.items():
        hierarchy.save(folder / f"{column}.csv")
    return Recode(
        quasi_identifiers=tuple(KNOWN),
        sensitive=("ill",),
        rules=({"metric": "k_anonymity", "minimum": 4}, {"metric": "l_diversity", "minimum": 2}),
        method="mondrian",
        hierarchies={column: str(folder / f"{column}.csv") for column in made},
    )


def test_a_recoding_is_carried_out_with_the_same_records(spark: Any, step: Recode) -> None:
    """Labels are joined by value; missing and empty values find theirs."""
    with an.read(people()) as here, an.read(spark.createDataFrame(people())) as there:
        ours, theirs = an.apply(step, here), an.apply(step, there)

        assert records_of(theirs.table) == records_of(ours.table)
        assert theirs.changes == ours.changes
        # Comparing every record with every combination would never end on a large table.
        plan = theirs.table._jdf.queryExecution().executedPlan().toString()
        assert "Join" in plan and "NestedLoop" not in plan and "Cartesian" not in plan


def test_too_many_combinations_are_split_on_spark(spark: Any, step: Recode, monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for 200 combinations the release keeps all limits, and loses hardly more than with room for all."""
    with an.read(people()) as data:
        whole = an.apply(step, data).table
    monkeypatch.setattr(combinations, "MOST_COMBINATIONS", 200)
    with an.read(spark.createDataFrame(people())) as data:
        parts = an.apply(step, data).table.toArrow()
        fetched = [statement.sql for statement in data.engine.statements if "parted_wanted" in statement.sql]
    with an.read(people(), quasi_identifiers=KNOWN, sensitive=["ill"]) as original:
        told = an.compare(original, an.read(whole), an.read(parts), names=["whole", "parts"], key="id")

    assert len(fetched) > 2
    kept = [told.audits["parts"][metric].value for metric in ("k_anonymity", "l_diversity")]
    assert kept[0] is not None and kept[0] >= 4 and kept[1] is not None and kept[1] >= 2
    ncp = {v.name: m.value or 0.0 for v in told.versions for m in v.utilities if m.utility == "ncp" and m.column is None}
    assert 0 < ncp["parts"] <= 1.05 * ncp["whole"]


def test_columns_get_the_same_roles(spark: Any) -> None:
    """What is found by looking at columns on Spark is what DuckDB finds."""
    with an.read(people()) as here, an.read(spark.createDataFrame(people())) as there:
        ours, theirs = an.suggest(here, time_budget=30), an.suggest(there, time_budget=30)

    assert theirs.roles == ours.roles
    assert [c.columns for c in theirs.search.combinations] == [c.columns for c in ours.search.combinations]


def test_a_table_is_anonymised_written_and_compared(spark: Any, tmp_path: Path) -> None:
    """All of it on Spark, the release as a folder of parts that DuckDB reads as well; records are matched by a key, and linked too."""
    known = ["age", "sex"]
    frames = (people(), spark.createDataFrame(people()))
    here, there = (all_said(an.read(frame, quasi_identifiers=known)) for frame in frames)
    with here, there:
        ours, theirs = (an.anonymise(data, limits={"k_anonymity": 5}, suppressed="drop") for data in (here, there))
        path = theirs.write(tmp_path / "release.parquet")
        outside = people(300).drop_columns(["id", "ill"])
        told, found = (an.compare(data, path, key="id", external=outside, external_score="mean") for data in (here, there))
        with pytest.raises(AlignmentError, match=r"no order on Spark.*--key"):
            an.compare(there, path)
        with pytest.raises(OptionError, match="Open the original on Spark"):
            an.compare(here, theirs)

    assert ours.met and theirs.met and theirs.loss == ours.loss
    # Values are not looked at there, which somebody acknowledged.
    assert path.is_dir() and theirs.after is not None and theirs.after.verdict.outcome == "release with acknowledgement"
    assert found.versions[1].utilities == told.versions[1].utilities
    assert [v.balance for v in found.versions] == [v.balance for v in told.versions]
    # So is what an external table tells: linked by combinations and their counts.
    assert [v.linkage for v in found.versions] == [v.linkage for v in told.versions]
    assert found.versions[1].balance is not None and 0 < (found.versions[1].balance.external_risk or 0) < 1


def test_both_tables_of_a_linkage_may_stay_on_spark(spark: Any) -> None:
    """The same matches and scores as on DuckDB; what labels stand for cannot be observed there, because records have no order."""
    one, other = people(60).drop_columns(["id", "ill"]), people(40).drop_columns(["id", "ill"])
    with an.read(one) as here, an.read(spark.createDataFrame(one)) as there:
        ours, theirs = an.link(here, other), an.link(there, spark.createDataFrame(other))

    assert (theirs.counts, theirs.scores, theirs.average_risk, theirs.records) == (ours.counts, ours.scores, ours.average_risk, 60)
