"""The example on the page about linkage gives the numbers that the page shows."""

import re
from pathlib import Path

import pytest

from anonscope.attacks.linkage import link_tables
from anonscope.engines.duckdb import DuckDB
from anonscope.io.sources import open_source

PAGE = Path(__file__).parents[3] / "docs/commands/link.md"


def test_the_example_of_the_page(tmp_path):
    """Every number of the table is what linking the two files gives; both files stand on one engine."""
    text = PAGE.read_text(encoding="utf-8")
    for title, content in re.findall(r'^```csv title="([^"]+)"\n(.*?)^```$', text, re.MULTILINE | re.DOTALL):
        (tmp_path / title).write_text(content, encoding="utf-8")
    engine = DuckDB(threads=1)
    try:
        found = link_tables(engine, open_source(tmp_path / "release.csv", engine), open_source(tmp_path / "register.csv", engine))
    finally:
        engine.close()
    shown = {name: float(value) for name, value in re.findall(r"^\| ([a-z ]+) \| (\d\.\d{4}) \|", text, re.MULTILINE)}

    assert shown == {
        "average risk": pytest.approx(found.average_risk, abs=5e-5),
        "matched share": pytest.approx(found.matched_share, abs=5e-5),
        "average risk of matched": pytest.approx(found.average_risk_of_matched, abs=5e-5),
        "maximum risk": pytest.approx(found.maximum_risk),
        "unique match share": pytest.approx(found.unique_match_share, abs=5e-5),
        "internal risk": pytest.approx(found.internal_risk, abs=5e-5),
        "prosecutor average": pytest.approx(found.prosecutor.average, abs=5e-5),
    }
