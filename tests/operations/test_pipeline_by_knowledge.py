"""Risk rates that count by what others can know: the g-distinct of a column times how easily others get it."""

import json

import pyarrow as pa
import pyarrow.csv
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.risk.policy import from_limits

WEIGHTS = {"high": 1.0, "medium": 2 / 3, "low": 1 / 3}
N = 60
TABLE = pa.table(
    {
        "age": [20 + i % 15 for i in range(N)],
        "zip": [10115 + i % 6 for i in range(N)],
        "diagnosis": [f"E1{i % 5}" for i in range(N)],
        "blood_pressure": [110 + 2 * (i % 9) for i in range(N)],
        "qxv": [f"v{i % 7}" for i in range(N)],
    }
)


def rates(**asked: object) -> dict[str, float | None]:
    with an.read(TABLE, threads=1) as data:
        found = an.pipeline(data, from_limits({"k_anonymity": 2}), alpha=100, beta=0, preview=True, **asked)
    assert bool(asked) == any("by how easily others get" in note for note in found.notes)
    return {column.column: column.risk_rate for column in found.columns}


def test_a_rate_counts_by_what_others_can_know():
    """By the availability that a proposal of roles states for the column; an unknown column counts in full."""
    plain, weighed = rates(), rates(by_knowledge=True)
    known = {column.name: column.evidence.availability for column in an.suggest(TABLE).columns}
    assert known["qxv"] is None and len({known["age"], known["zip"], known["blood_pressure"]} - {None}) > 1
    for column, rate in plain.items():
        factor = WEIGHTS[known[column]] if known[column] is not None else 1.0
        assert weighed[column] == pytest.approx(factor * rate)
    assert any(weighed[column] < plain[column] for column in plain)


def test_the_prompt_asks_for_it(tmp_path):
    """And thresholds are held against the weighed rate."""
    path = tmp_path / "people.csv"
    pyarrow.csv.write_csv(TABLE, path)
    (tmp_path / "policy.toml").write_text(
        'schema = "anonscope/policy/1"\nname = "own"\ntitle = "Own"\nversion = "1"\norigin = "a test"\nsummary = "Two."\n'
        '[[rules]]\nmetric = "k_anonymity"\nminimum = 2\n'
    )
    said = [
        "pipeline",
        str(path),
        "--alpha",
        "100",
        "--beta",
        "10",
        "--policy",
        str(tmp_path / "policy.toml"),
        "--format",
        "json",
        "--quiet",
    ]
    found = [json.loads(CliRunner().invoke(app, [*said, *more]).stdout)["columns"] for more in ((), ("--by-knowledge",))]
    for columns, expected in zip(found, (rates(), rates(by_knowledge=True)), strict=True):
        for column in columns:
            assert column["risk_rate"] == pytest.approx(expected[column["column"]], abs=1e-6)
            assert (column["role"] == "quasi-identifier") == (round(expected[column["column"]], 2) >= 10)
