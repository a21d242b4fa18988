"""A release that was published by stated exceptions is that in a comparison too, and never meets its policy."""

import pyarrow as pa
import pyarrow.csv
import pytest

import anonscope as an

TABLE = pa.table({"age": [20 + 10 * (i // 20) for i in range(80)], "ill": [("flu", "gout", "cold", "ague")[i % 4] for i in range(80)]})
POLICY = """schema = "anonscope/policy/1"
name = "large"
title = "Large groups"
version = "1"
origin = "a test"
[[rules]]
metric = "k_anonymity"
minimum = 5
label = "five look alike"
[[rules]]
metric = "t_closeness"
maximum = 0.0
label = "nothing is told"
"""


@pytest.fixture
def folder(tmp_path):
    """A release of a table whose last group tells more than the policy lets it, and somebody said why that may be."""
    rows = TABLE.to_pylist()[:-4] + [{"age": 50, "ill": "flu"}] * 4
    pyarrow.csv.write_csv(pa.Table.from_pylist(rows), tmp_path / "people.csv")
    (tmp_path / "large.toml").write_text(POLICY)
    with an.read(tmp_path / "people.csv", quasi_identifiers=["age"], sensitive=["ill"], threads=1) as data:
        stated = {"t_closeness:ill<=0.5": "flu is no secret here"}
        made = an.anonymise(data, tmp_path / "large.toml", exceptions=stated, method="global", levels={"age": 0})
        made.write(tmp_path / "release.csv")
    return tmp_path


def test_exceptions_of_the_manifest_are_those_of_the_comparison(folder):
    """As `verify` says it; by another policy, or without the manifest, nobody stated anything."""
    assert "with exceptions" in an.verify(folder / "release.csv").render("text")
    (folder / "bare.csv").write_bytes((folder / "release.csv").read_bytes())
    with an.read(folder / "people.csv", quasi_identifiers=["age"], sensitive=["ill"], threads=1) as data:
        found = an.compare(data, folder / "release.csv", policy=folder / "large.toml")
        bare = an.compare(data, folder / "bare.csv", policy=folder / "large.toml")
        (folder / "other.toml").write_text(POLICY.replace("minimum = 5", "minimum = 6"))
        other = an.compare(data, folder / "release.csv", policy=folder / "other.toml")
    assert found.exit_code == 4 and found.met == () and found.releases[0].findings.verdict.outcome == "release with exceptions"
    assert "release.csv may be released only by stated exceptions" in " ".join(found.render("text").split())
    assert [(one.exit_code, one.releases[0].findings.verdict.outcome) for one in (bare, other)] == [(1, "withhold")] * 2
