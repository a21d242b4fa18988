"""Reasons and records from the command line, run as a newcomer would: in a process of its own."""

import json
import subprocess
import sys

import pytest

PEOPLE = "age,zip,sex,diagnosis\n" + "".join(
    f"{30 + i % 3},0{1000 + i % 2},{'MF'[i % 2]},{'flu' if i % 5 else 'gout'}\n" for i in range(60)
)
ROLES = ("-q", "age", "-q", "zip", "-q", "sex", "-s", "diagnosis")


def anonscope(*arguments):
    """Run the command and return the finished process."""
    return subprocess.run(
        [sys.executable, "-m", "anonscope", "audit", *map(str, arguments)], capture_output=True, text=True, encoding="utf-8", check=False
    )


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


def test_the_reasons_are_in_pages_and_wherever_they_are_asked_for(people):
    """HTML and Markdown have them unless switched off; text and JSON when asked."""
    for format, heading in (("html", "<h2>Why?</h2>"), ("markdown", "## Why")):
        assert heading in anonscope(people, *ROLES, "--format", format).stdout
        assert heading not in anonscope(people, *ROLES, "--format", format, "--no-explain").stdout
    usual, said = (json.loads(anonscope(people, *ROLES, "--format", "json", *more).stdout)["why"] for more in ([], ["--explain"]))

    assert usual is None
    assert said["blame"]["orders"] is None and said["blame"]["at_risk"] == 60


def test_records_are_written_without_values(people, tmp_path):
    """Every record, the report as usual, and nothing of the data."""
    target = tmp_path / "records.csv"
    run = anonscope(people, *ROLES, "--records", target)

    assert run.returncode == 1 and "VERDICT" in run.stdout
    lines = target.read_text().splitlines()
    assert len(lines) == 61 and lines[0].startswith('"row","class_size","uniqueness"')
    assert "flu" not in target.read_text() and "01000" not in target.read_text()


def test_values_need_two_words(people, tmp_path):
    """One is refused before any work; both show the people."""
    target = tmp_path / "records.csv"
    refused = anonscope(people, *ROLES, "--records", target, "--records-with-values")
    alone = anonscope(people, *ROLES, "--records-with-values", "--i-understand-this-shows-people")
    shown = anonscope(people, *ROLES, "--records", target, "--records-with-values", "--i-understand-this-shows-people")

    assert refused.returncode == 2 and "--i-understand-this-shows-people" in refused.stderr
    assert alone.returncode == 2 and "--records FILE" in alone.stderr
    assert shown.returncode == 1 and "01000" in target.read_text()


def test_a_file_of_records_has_a_known_ending(people, tmp_path):
    """CSV or Parquet; said before the table is read."""
    run = anonscope(people, *ROLES, "--records", tmp_path / "records.txt")

    assert (run.returncode, run.stdout) == (2, "")
    assert ".csv or .parquet" in run.stderr
