"""Hierarchy files: what is read, and what is refused with the line that is wrong."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.columns.hierarchy import read_hierarchy
from anonscope.columns.roles import load
from anonscope.errors import HierarchyError, RoleError


def written(folder: Path, text: str, name: str = "tree.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
def test_a_line_a_value_from_fine_to_coarse(tmp_path: Path, delimiter: str) -> None:
    """ARX writes semicolons; commas and tabs are understood too."""
    lines = ["flu;lung;*", "asthma;lung;*", "ulcer;stomach;*"]
    hierarchy = read_hierarchy(written(tmp_path, "\n".join(lines).replace(";", delimiter)))

    assert hierarchy.leaves == ("flu", "asthma", "ulcer")
    assert hierarchy.levels == (("lung", "lung", "stomach"), ("*", "*", "*"))
    assert hierarchy.height == 2


def test_a_root_is_put_above_where_there_is_none(tmp_path: Path) -> None:
    """Also above a file that only lists the values: then all are equally far apart."""
    assert read_hierarchy(written(tmp_path, "flu;lung\nulcer;stomach\n")).levels == (("lung", "stomach"), ("*", "*"))
    assert read_hierarchy(written(tmp_path, "flu\nulcer\n")).levels == (("*", "*"),)


def test_quoted_names_may_hold_the_delimiter(tmp_path: Path) -> None:
    """As in any delimited text; a byte order mark and empty lines are no matter."""
    hierarchy = read_hierarchy(written(tmp_path, '\ufeff"flu; severe";lung\n\nasthma;lung\n'))

    assert hierarchy.leaves == ("flu; severe", "asthma")


def test_a_delimiter_inside_quotes_is_none(tmp_path: Path) -> None:
    """Three semicolons in a name, and one comma that divides."""
    assert read_hierarchy(written(tmp_path, '"a;b;c;d",low\n"e",high\n')).leaves == ("a;b;c;d", "e")


@pytest.mark.parametrize("text", ["ill", "=tree.csv", "ill="])
def test_the_option_needs_a_column_and_a_file(text: str) -> None:
    """One sentence that shows how it is written, and exit code 2."""
    result = subprocess.run(
        [sys.executable, "-m", "anonscope", "audit", "table.csv", "-q", "zip", "--hierarchy", text],
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.returncode == 2
    assert "COLUMN=FILE" in result.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no line"),
        ("flu;lung\nulcer\n", "line 2: 1 fields, but the first line has 2"),
        ("flu;lung\nulcer;stomach\nflu;lung\n", "line 3: this value has a line already"),
        ("flu;lung;a;*\ngout;lung;b;*\n", "line 2: what stands in field 2 has two different parents in field 3"),
    ],
)
def test_what_is_no_tree_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """The line is named, and no value of it."""
    with pytest.raises(HierarchyError, match=message) as caught:
        read_hierarchy(written(tmp_path, text))

    assert not any(word in str(caught.value) for word in ("flu", "ulcer", "gout", "lung"))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """Missing, or not text."""
    with pytest.raises(HierarchyError, match="No such file"):
        read_hierarchy(tmp_path / "none.csv")
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(HierarchyError, match="not UTF-8"):
        read_hierarchy(tmp_path / "bytes.csv")


TABLE = pa.table({"zip": ["1", "1", "2"], "ill": ["flu", "ulcer", "secret"]})


def test_values_without_a_line_are_counted_not_named(tmp_path: Path) -> None:
    """A hierarchy that covers a part only would give a distance that means nothing."""
    tree = written(tmp_path, "flu;lung\nulcer;stomach\n")
    with (
        an.read(TABLE, quasi_identifiers=["zip"], sensitive=["ill"], hierarchies={"ill": tree}) as data,
        pytest.raises(HierarchyError, match="does not cover 1 of the 3 values of column 'ill'") as caught,
    ):
        an.audit(data)

    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"hierarchies": {"name": "tree.csv"}}, "'name' has a hierarchy but is neither a quasi-identifier"),
        ({"distance": {"ill": "hierarchical"}}, "'ill' has a hierarchical distance but no hierarchy"),
    ],
)
def test_roles_that_do_not_fit(given: dict[str, dict[str, str]], message: str) -> None:
    """Said before the table is read."""
    with an.read(TABLE, quasi_identifiers=["zip"], sensitive=["ill"], **given) as data, pytest.raises(RoleError, match=message):
        an.audit(data)


def test_a_roles_file_names_hierarchies_from_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It works from wherever the command is run, is written back, and reports show no folder."""
    (tmp_path / "deep").mkdir()
    written(tmp_path / "deep", "flu;lung\nulcer;stomach\nsecret;stomach\n")
    roles = written(tmp_path / "deep", 'quasi_identifiers = ["zip"]\nsensitive = ["ill"]\n[hierarchies]\nill = "tree.csv"\n', "roles.toml")
    monkeypatch.chdir(tmp_path)
    with an.read(TABLE, roles=Path("deep/roles.toml")) as data:
        result = an.audit(data)

    assert result["t_closeness"].variant == "hierarchical"
    assert result.to_dict()["roles"]["hierarchies"] == {"ill": "tree.csv"}
    again = written(tmp_path, load(roles).to_toml(tmp_path), "again.toml")
    assert Path(load(again).hierarchies["ill"]).read_text(encoding="utf-8").startswith("flu")


def test_a_hierarchy_must_name_a_file(tmp_path: Path) -> None:
    """A number is none."""
    with pytest.raises(RoleError, match="must be the name of a file"):
        load(written(tmp_path, "[hierarchies]\nill = 3\n", "roles.toml"))
