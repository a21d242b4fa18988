"""The commands around an audit: what they print, where they write, how they refuse."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from anonscope.cli import app
from anonscope.errors import AnonscopeError

TABLE = "age,sex,zip,ill\n30,F,01234,flu\n31,M,01235,flu\n30,F,01234,asthma\n52,M,09999,flu\n"
COMMANDS = {
    "precheck": ["-q", "age", "-q", "sex", "-q", "zip"],
    "associations": [],
    "fragmentation": ["--target", "ill"],
}
every_command = pytest.mark.parametrize("name", COMMANDS)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@every_command
@pytest.mark.parametrize("format", ["text", "json", "markdown", "html"])
def test_every_format_is_printed_and_holds_no_value(name: str, format: str, table: Path) -> None:
    """Exit 0, and no cell of the data in sight."""
    result = CliRunner().invoke(app, [name, str(table), *COMMANDS[name], "--format", format])

    assert result.exit_code == 0, result.output
    assert all(value not in result.stdout for value in ("01234", "asthma", "flu"))
    if format == "json":
        assert json.loads(result.stdout)["schema"] == f"anonscope/{name}/1"


@every_command
def test_the_ending_of_the_file_gives_the_format(name: str, table: Path, tmp_path: Path) -> None:
    """A page for .html; one line on standard error says where it is."""
    target = tmp_path / "out.html"
    result = CliRunner().invoke(app, [name, str(table), *COMMANDS[name], "-o", str(target)])

    assert result.exit_code == 0
    assert target.read_text(encoding="utf-8").lstrip().startswith("<!doctype html>")
    assert str(target) in result.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["precheck"], "No quasi-identifier"),
        (["precheck", "-q", "age", "--like", "age"], "COLUMN=KIND"),
        (["precheck", "-q", "nope"], "nope"),
        (["associations", "-c", "age"], "at least two"),
        (["associations", "-o", "out.docx"], "does not tell the format"),
        (["fragmentation", "-f", "age,age"], "two fragments"),
        (["fragmentation", "-n", "99"], "not 99"),
    ],
)
def test_what_cannot_be_used_is_an_error_of_ours(arguments: list[str], says: str, table: Path) -> None:
    """`main` turns it into one line and exit code 2."""
    command, *options = arguments
    result = CliRunner().invoke(app, [command, str(table), *options])

    assert isinstance(result.exception, AnonscopeError)
    assert says in str(result.exception)


def test_a_given_fragmentation_is_scored(table: Path) -> None:
    """Columns are listed with commas, a fragment an option."""
    result = CliRunner().invoke(app, ["fragmentation", str(table), "-f", "age,sex", "-f", "zip", "--common", "ill", "--format", "json"])

    document = json.loads(result.stdout)
    assert (document["method"], document["name"], document["common"]) == ("given", "uFMRMR", ["ill"])
    assert [f["columns"] for f in document["fragments"]] == [["age", "sex"], ["zip"]]


def test_a_second_release_may_lack_a_column_that_is_linked_by(tmp_path: Path) -> None:
    """`link --also` with --column and -q about a column that only the first release has."""
    rows = [(20 + i, f"{i % 4}", "abc"[i % 3]) for i in range(30)]
    (tmp_path / "people.csv").write_text("years,zip,trade\n" + "\n".join(f"{a},{z},{t}" for a, z, t in rows), encoding="utf-8")
    (tmp_path / "first.csv").write_text("age,zip\n" + "\n".join(f"{a},{z}" for a, z, _ in rows), encoding="utf-8")
    (tmp_path / "second.csv").write_text("zip,trade\n" + "\n".join(f"{z},{t}" for _, z, t in rows), encoding="utf-8")
    asked = ["link", str(tmp_path / "first.csv"), str(tmp_path / "people.csv"), "--also", str(tmp_path / "second.csv")]
    result = CliRunner().invoke(app, [*asked, "--column", "age=years", "-q", "age", "-q", "zip", "--format", "json"])

    assert result.exit_code == 0, result.output
