"""Records that say nothing, counted once: manifest, archive and report of a release give the same number, whatever became of them."""

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import anonscope as an
from anonscope.transform.release.manifest import manifest_path
from anonscope.transform.steps import SuppressColumn

CHANCE = np.random.default_rng(2)
PEOPLE = pa.table(
    {
        "age": [*CHANCE.integers(30, 34, 190).tolist(), *range(60, 70)],
        "zip": [*CHANCE.choice(["10115", "10117"], 190).tolist(), *(f"2{i}245" for i in range(10))],
        "ill": CHANCE.choice(["flu", "gout", "asthma"], 200).tolist(),
    }
)


@pytest.mark.parametrize("method", ["global", "local", "mondrian"])
@pytest.mark.parametrize("fate", ["keep", "drop"])
def test_manifest_and_report_count_the_same_records(tmp_path: Path, method: str, fate: str) -> None:
    """Counted again in the file by hand: stars in every column that says something of somebody, and records that are gone."""
    with an.read(PEOPLE, quasi_identifiers=["age", "zip"], sensitive=["ill"]) as data:
        found = an.anonymise(data, limits={"k_anonymity": 8}, method=method, suppression=0.1, suppressed=fate)
        path = Path(found.write(tmp_path / "release.csv"))
    records = json.loads(manifest_path(path).read_text(encoding="utf-8"))["records"]
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    telling = [column for column in ("age", "zip") if any(row[column] != "*" for row in rows)]
    starred = sum(all(row[column] == "*" for column in telling) for row in rows) if telling else 0

    assert records == {"before": 200, "after": len(rows), "removed": 200 - len(rows), "starred": starred, "suppressed": found.suppressed}
    assert records["suppressed"] == records["removed"] + records["starred"]
    assert method != "global" or records["suppressed"] > 0


def test_a_column_that_is_starred_for_everybody_suppresses_nobody() -> None:
    """It was generalised to nothing."""
    with an.read(PEOPLE, quasi_identifiers=["zip"], sensitive=["ill"], insensitive=["age"]) as data:
        changes = an.apply(SuppressColumn(column="zip"), data).changes
    assert (changes.records_removed, changes.records_starred, changes.records_suppressed) == (0, 0, 0)
