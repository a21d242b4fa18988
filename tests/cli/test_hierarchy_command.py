"""`anonscope hierarchy`: what it prints, what it writes, how it refuses."""

import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import AnonscopeError

TABLE = "age,sex,zip,ill\n" + "".join(
    f"{20 + i % 40},{'MF'[i % 2]},{10000 + 123 * i % 5000},{'flu' if i % 3 else 'gout'}\n" for i in range(60)
)
COLUMNS = ["-q", "age", "-q", "sex", "-q", "zip"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_the_levels_in_the_terminal(table: Path) -> None:
    """Column by level: what it does, and how many values are left."""
    result = CliRunner().invoke(app, ["hierarchy", str(table), "-q", "age", "-q", "sex"])

    assert result.exit_code == 0, result.output
    assert [line.split() for line in result.stdout.splitlines()[5:14]] == [
        ["Levels"],
        ["column", "level", "what", "it", "does", "values", "left"],
        ["age", "0", "as", "in", "the", "table", "40"],
        ["1", "in", "bands", "of", "5", "years", "8"],
        ["2", "in", "bands", "of", "10", "years", "4"],
        ["3", "in", "bands", "of", "20", "years", "2"],
        ["4", "everything", "1"],
        ["sex", "0", "as", "in", "the", "table", "2"],
        ["1", "everything", "1"],
    ]
    assert "can be chosen in 10 ways" in result.stdout


@pytest.mark.parametrize("format", ["text", "json", "markdown", "html"])
def test_no_value_is_printed(table: Path, format: str) -> None:
    """Neither of the table nor of a hierarchy; the JSON has a schema."""
    result = CliRunner().invoke(app, ["hierarchy", str(table), *COLUMNS, "--format", format])

    assert result.exit_code == 0, result.output
    assert all(text not in result.stdout for text in ("10123", "[20-24]", "101**", "gout"))
    if format == "json":
        document = json.loads(result.stdout)
        assert document["schema"] == "anonscope/hierarchies/1"
        assert document["columns"][1]["levels"][1] == {"level": 1, "words": "everything", "values": 1}


def test_what_is_saved_can_be_used(table: Path, tmp_path: Path) -> None:
    """A file a column, how to use them on standard error, and the same hierarchies when they are."""
    folder = tmp_path / "hierarchies"
    folder.mkdir()
    saved = CliRunner().invoke(app, ["hierarchy", str(table), *COLUMNS, "--save", str(folder)])
    options = shlex.split(saved.stderr.rpartition("use them: ")[2])
    again = CliRunner().invoke(app, ["hierarchy", str(table), *COLUMNS, *options, "--format", "json"])

    assert sorted(path.name for path in folder.iterdir()) == ["age.hierarchy.csv", "sex.hierarchy.csv", "zip.hierarchy.csv"]
    assert an.read_hierarchy(folder / "age.hierarchy.csv").label("20", 1) == "[20-24]"
    assert [c["hierarchy"] for c in json.loads(again.stdout)["columns"]] == ["age.hierarchy.csv", "sex.hierarchy.csv", "zip.hierarchy.csv"]


def test_existing_files_are_replaced_only_if_so_said(table: Path, tmp_path: Path) -> None:
    """Somebody may have changed them by hand."""
    target = tmp_path / "sex.hierarchy.csv"
    target.write_text("mine", encoding="utf-8")
    command = ["hierarchy", str(table), "-q", "sex", "--save", str(tmp_path)]
    refused = CliRunner().invoke(app, command)

    assert "1 of the files exist already" in str(refused.exception)
    assert target.read_text(encoding="utf-8") == "mine"
    assert CliRunner().invoke(app, [*command, "--force"]).exit_code == 0
    assert target.read_text(encoding="utf-8") == "F;*\nM;*\n"


def test_all_are_replaced_or_none(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A set of which half is new fits no table."""
    files = [tmp_path / f"{column}.hierarchy.csv" for column in ("age", "sex", "zip")]
    for file in files:
        file.write_text("mine", encoding="utf-8")
    seen: list[Path] = []

    def full(path: Path) -> None:
        seen.append(path)
        if len(seen) == 2:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("anonscope.operations.hierarchy.open_mode", full)
    refused = CliRunner().invoke(app, ["hierarchy", str(table), *COLUMNS, "--save", str(tmp_path), "--force"])

    assert "No space left" in str(refused.exception)
    assert [file.read_text(encoding="utf-8") for file in files] == ["mine"] * 3 and len(list(tmp_path.iterdir())) == 4


def test_columns_may_be_called_anything(tmp_path: Path) -> None:
    """Files may not; two columns never share one, and a column without values has none."""
    table = tmp_path / "odd.csv"
    table.write_text("a/b,a b,empty\n1,x,\n2,y,\n", encoding="utf-8")
    folder = tmp_path / "out"
    folder.mkdir()
    result = CliRunner().invoke(app, ["hierarchy", str(table), "-q", "a/b", "-q", "a b", "-q", "empty", "--save", str(folder)])

    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in folder.iterdir()) == ["a_b.hierarchy.csv", "a_b_2.hierarchy.csv"]


def test_proposed_roles_can_be_accepted(table: Path, tmp_path: Path) -> None:
    """So that nothing but the table is needed; a report goes to a file."""
    target = tmp_path / "levels.html"
    result = CliRunner().invoke(app, ["hierarchy", str(table), "--accept-suggestions", "--quiet", "-o", str(target)])

    assert result.exit_code == 0, result.output
    assert "in bands of 5 years" in target.read_text(encoding="utf-8")


def test_levels_can_be_printed_on_paper(table: Path, tmp_path: Path) -> None:
    """The ending .pdf is as good as any other of a report."""
    target = tmp_path / "levels.pdf"
    result = CliRunner().invoke(app, ["hierarchy", str(table), *COLUMNS, "-o", str(target)])

    assert result.exit_code == 0, result.output
    assert target.read_bytes().startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "No quasi-identifier"),
        (["-q", "agee"], "Did you mean 'age'?"),
        (["-q", "age", "--hierarchy", "age"], "COLUMN=FILE"),
        (["-q", "age", "--hierarchy", "ill=x.csv"], "neither a quasi-identifier"),
        (["-q", "age", "--hierarchy", "age=x.csv"], "No such file"),
        (["-q", "age", "--save", "nowhere"], "does not exist"),
        (["-q", "age", "-o", "out.docx"], "does not tell the format"),
    ],
)
def test_what_cannot_be_used_is_an_error_of_ours(table: Path, options: list[str], says: str) -> None:
    """`main` turns it into one line and exit code 2."""
    result = CliRunner().invoke(app, ["hierarchy", str(table), *options])

    assert isinstance(result.exception, AnonscopeError)
    assert says in str(result.exception)


def test_uncovered_values_are_counted(table: Path, tmp_path: Path) -> None:
    """With the column, and nothing is written."""
    tree = tmp_path / "tree.csv"
    tree.write_text("M;any\n", encoding="utf-8")
    folder = tmp_path / "out"
    folder.mkdir()
    result = CliRunner().invoke(app, ["hierarchy", str(table), "-q", "sex", "--hierarchy", f"sex={tree}", "--save", str(folder)])

    assert "does not cover 1 of the 2 values of column 'sex'" in str(result.exception)
    assert list(folder.iterdir()) == []
