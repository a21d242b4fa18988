"""Hierarchies of several columns in one file to edit: what is written is read back, and a bad edit is told by level and group."""

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.columns.hierarchy.edited import edited_document, read_edited
from anonscope.errors import HierarchyError
from anonscope.io.toml_file import TomlFile
from support.strategies import law

TABLE = {
    "age": ["31", "34", "38", "52", "57", "91", "unknown"],
    "income": ["1.5", "2.25", "-3.5", "10.75", "11", "12.5", "40"],
    "zip": ["01011", "01012", "02011", "02012", "90011", "90012", "90013"],
    "admitted": ["2022-12-31", "2023-01-14", "2023-02-03", "2023-05-02", "2024-05-09", "2024-06-30", "2031-01-01"],
    "work": ['a "b"', "c\\d", "", "x\ty", "é", "*", "z"],
    "sex": ["F", "M", "F", "M", "F", "M", "F"],
}


def _read(text: str, column: str | None) -> an.Hierarchy:
    return read_edited(TomlFile(text, "ladders.toml", HierarchyError), column)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    """Every column of every kind: the same values, labels and words; numbers and dates are ranges, and the last level is not written."""
    with an.read(pa.table(TABLE), quasi_identifiers=list(TABLE)) as data:
        built = an.build_hierarchies(data)
    path = an.edit_hierarchies(built, tmp_path / "ladders.toml")
    for column, hierarchy in built.items():
        found = an.read_hierarchy(path, column)
        assert (found.leaves, found.levels) == (hierarchy.leaves, hierarchy.levels)
        assert found.words == hierarchy.words
    text = path.read_text(encoding="utf-8")
    assert '"[30-34]" = "30 to 34"' in text
    assert '"2023" = "2023"' in text


@law
@given(st.data())
def test_any_tree_is_read_back(data: st.DataObject) -> None:
    """Whatever values and labels are called, and however groups lie among them."""
    texts = st.one_of(st.integers(-30, 30).map(str), st.dates().map(str), st.text(max_size=4))
    leaves = tuple(data.draw(st.lists(texts, min_size=1, max_size=8, unique=True)))
    levels, below = [], leaves
    for _ in range(data.draw(st.integers(0, 3))):
        names = data.draw(st.lists(st.one_of(texts, st.just("*")), min_size=1, max_size=4))
        above = {node: data.draw(st.sampled_from(names)) for node in dict.fromkeys(below)}
        below = tuple(above[node] for node in below)
        levels.append(below)
    if not levels or len(set(levels[-1])) > 1:
        levels.append(("*",) * len(leaves))
    tree = an.Hierarchy("tree", leaves, tuple(levels))
    found = _read(edited_document({"a column": tree, "b": tree}), "a column")
    assert (found.leaves, found.levels) == (tree.leaves, tree.levels)


GOOD = """
[columns.age]
values = ["31", "38", "52"]
[[columns.age.levels]]
[columns.age.levels.groups]
thirties = "30 to 39"
fifties = ["52"]
[[columns.age.levels]]
[columns.age.levels.groups]
adult = ["thirties", "fifties"]
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('fifties = ["52"]', 'fifties = "38 to 59"', "level 1, group 2: takes something that group 1 has already"),
        ('"30 to 39"', '"30 to 37"', "level 1: 1 of the values are in no group"),
        ('["thirties", "fifties"]', '["thirties"]', "level 2: 1 of the groups of level 1 are in no group"),
        ('["thirties", "fifties"]', '"30 to 35"', "level 2, group 1: takes a part of group 1 of level 1"),
        ('["thirties", "fifties"]', '["thirties", "forties"]', "level 2, group 1: 1 of what it lists is not a group of level 1"),
        ('fifties = ["52"]', 'fifties = ["52", "52"]', "level 1, group 2: lists something twice"),
        ('fifties = ["52"]', 'fifties = ["secret"]', "level 1, group 2: 1 of what it lists is not among the values"),
        ('"30 to 39"', '"39 to 30"', "level 1, group 1: must be a range from the smaller to the larger"),
        ('"30 to 39"', '"secret"', "level 1, group 1: must be a range"),
        ('"30 to 39"', "3", "level 1, group 1: must be a range"),
        ("groups]\nthirties", "group]\nthirties", "level 1: there is a key that is not known; known are words, groups"),
        ('values = ["31", "38", "52"]', 'value = ["31"]', "column 'age': there is a key that is not known; known are values, levels"),
        ('values = ["31", "38", "52"]', "", "column 'age': values are missing"),
        ('"38", "52"]', '"38", "52", "52"]', "column 'age': 1 of the values are listed twice"),
        ("[columns.age]", "secret = 1\n[columns.age]", "known are schema, columns"),
        ("[columns.age]", 'schema = "anonscope/edited-hierarchies/2"\n[columns.age]', "this version reads"),
    ],
)
def test_a_bad_edit_is_told_by_level_and_group(old: str, new: str, says: str) -> None:
    """In one sentence that holds no value and no label."""
    assert _read(GOOD, "age").levels == (("thirties", "thirties", "fifties"), ("adult",) * 3)
    assert old in GOOD
    with pytest.raises(HierarchyError) as told:
        _read(GOOD.replace(old, new, 1), "age")
    assert says in str(told.value)
    assert not any(word in str(told.value) for word in ("secret", "thirties", "fifties", "31", "52"))


def test_a_file_is_asked_for_the_column_it_has() -> None:
    """One column needs no name; another one is told what there is."""
    assert _read(GOOD, None).height == 2
    with pytest.raises(HierarchyError, match=r"says nothing about column 'zip'; it is about 'age'"):
        _read(GOOD, "zip")
    with pytest.raises(HierarchyError, match="is about 2 columns"):
        _read(GOOD + '[columns.sex]\nvalues = ["F"]\n', None)


def test_an_edit_reaches_the_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written by the command, changed by hand, taken by audit and anonymise; a file that exists stays, and only TOML is written."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + i},{'NESW'[i % 4]},{'ab'[i % 2]}" for i in range(40)]
    Path("people.csv").write_text("\n".join(["age,region,ill", *rows, ""]), encoding="utf-8")
    roles = ["people.csv", "-q", "age", "-q", "region", "-s", "ill", "--quiet"]
    told = CliRunner().invoke(app, ["hierarchy", *roles, "--edit", "ladders.toml"])
    assert told.exit_code == 0, told.output
    assert "--hierarchy age=ladders.toml --hierarchy region=ladders.toml" in told.output
    text = Path("ladders.toml").read_text(encoding="utf-8")
    start = text.index('[columns."region"]')
    own = '[columns.region]\nvalues = ["N", "E", "S", "W"]\n[[columns.region.levels]]\n[columns.region.levels.groups]\n'
    Path("ladders.toml").write_text(text[:start] + own + 'cold = ["N", "E"]\nwarm = ["S", "W"]\n', encoding="utf-8")
    given = [*roles, "--hierarchy", "age=ladders.toml", "--hierarchy", "region=ladders.toml"]
    made = CliRunner().invoke(
        app, ["anonymise", *given, "--limit", "k_anonymity=2", "--method", "global", "--level", "region=1", "-o", "release.csv"]
    )
    assert made.exit_code == 0, made.output
    regions = {line.split(",")[1] for line in Path("release.csv").read_text(encoding="utf-8").splitlines()[1:]}
    assert regions <= {"cold", "warm", "*"} and {"cold", "warm"} <= regions
    assert CliRunner().invoke(app, ["audit", *given, "--no-plan"]).exit_code in (0, 1)
    again = CliRunner().invoke(app, ["hierarchy", *roles, "--edit", "ladders.toml"])
    assert "exists" in str(again.exception)
    other = CliRunner().invoke(app, ["hierarchy", *roles, "--edit", "ladders.csv"])
    assert ".toml" in str(other.exception)


def test_reports_say_where_likeness_had_no_say() -> None:
    """Another engine joins rare categories by their counts alone, so that its ladders can differ."""
    from anonscope.columns.hierarchy.for_columns import made_from_data

    assert "by their counts alone" in made_from_data(["job"], remote=True)
    assert "by their counts alone" not in made_from_data(["job"], remote=False)
