"""Hierarchies as files: what is written is read back exactly, and what is no hierarchy is refused."""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

import anonscope as an
from anonscope.errors import HierarchyError, OptionError, OutputError

TREE = an.Hierarchy(
    "ill",
    ("flu", "ulcer", "asthma"),
    (("lung", "stomach", "lung"), ("any", "any", "any")),
    ("organ", "everything"),
)


def written(folder: Path, text: str, name: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_what_a_hierarchy_says() -> None:
    """Levels are counted in steps up, from the values themselves."""
    assert (TREE.height, TREE.cardinalities) == (2, (3, 2, 1))
    assert TREE.labels(0) == TREE.leaves
    assert TREE.nodes(1) == (0, 1, 0)
    assert TREE.label("asthma", 1) == "lung"
    assert TREE.under("lung", 1) == ("flu", "asthma")
    assert TREE.uncovered(["flu", "gout", "cough"]) == 2


def test_a_hierarchy_shows_no_value_by_itself() -> None:
    """Neither in a log nor in an error."""
    with pytest.raises(HierarchyError) as caught:
        TREE.label("gout", 1)

    assert all(word not in repr(TREE) + str(caught.value) for word in ("flu", "ulcer", "lung", "gout"))


def test_a_level_that_is_not_there_is_named() -> None:
    """With those that are."""
    with pytest.raises(OptionError, match="levels from 0 to 2, not 3"):
        TREE.labels(3)


@pytest.mark.parametrize(
    ("leaves", "levels", "words", "message"),
    [
        (("a", "b"), (("x", "x"), ("y", "z"), ("*", "*")), (), "line 2: what stands in field 2 has two different parents in field 3"),
        (("a", "a"), (("*", "*"),), (), "line 2: this value has a line already"),
        (("a", "b"), (("*",),), (), "not as long as its list of values"),
        (("a", "b"), (("x", "y"),), (), "no last level"),
        (("a", "b"), (), (), "no last level"),
        (("a", "b"), (("*", "*"),), ("one", "two"), "has 1 levels, but words for 2"),
    ],
)
def test_what_does_not_coarsen_cannot_be_made(
    leaves: tuple[str, ...], levels: tuple[tuple[str, ...], ...], words: tuple[str, ...], message: str
) -> None:
    """Also in Python, not only in files."""
    with pytest.raises(HierarchyError, match=message):
        an.Hierarchy("x", leaves, levels, words)


def test_the_csv_is_that_of_arx() -> None:
    """A line a value, semicolons, no header."""
    assert TREE.to_csv() == "flu;lung;any\nulcer;stomach;any\nasthma;lung;any\n"


def test_toml_lists_what_each_label_stands_for(tmp_path: Path) -> None:
    """A level after the other, with words for what it does."""
    path = written(
        tmp_path,
        'schema = "anonscope/hierarchy/1"\n[[levels]]\nwords = "organ"\n[levels.labels]\nlung = ["flu", "asthma"]\nstomach = ["ulcer"]\n',
        "ill.toml",
    )
    read = an.read_hierarchy(path)

    assert read.leaves == ("flu", "asthma", "ulcer")
    assert read.levels == (("lung", "lung", "stomach"), ("*", "*", "*"))
    assert read.words == ("organ", "everything")


@pytest.mark.parametrize("header", ["value,label", "value,level 1"])
def test_a_mapping_has_a_header(tmp_path: Path, header: str) -> None:
    """Value and label, or value and levels."""
    read = an.read_hierarchy(written(tmp_path, f"{header}\nflu,lung\nulcer,stomach\n", "ill.csv"))

    assert (read.leaves, read.levels) == (("flu", "ulcer"), (("lung", "stomach"), ("*", "*")))


def test_labels_with_commas_do_not_make_a_comma_the_delimiter(tmp_path: Path) -> None:
    """ARX writes sets and intervals without quotes."""
    read = an.read_hierarchy(written(tmp_path, "1;{1, 2, 3, 4};*\n5;{5, 6, 7, 8};*\n", "x.csv"))

    assert read.levels[0] == ("{1, 2, 3, 4}", "{5, 6, 7, 8}")


@pytest.mark.parametrize("suffix", [".csv", ".toml"])
@seed(2025)
@settings(max_examples=60, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_is_written_is_read_back(tmp_path: Path, suffix: str, data: st.DataObject) -> None:
    """Values and labels of any text, line breaks, delimiters, quotes and headers among them."""
    text = st.one_of(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
        st.sampled_from(["value", "label", "level 1", 'a"b', "a;b", "a,b", "\ufeff", "\r\n", "\x85", "#", " ", "", "*"]),
    )
    leaves = tuple(data.draw(st.lists(text, min_size=1, max_size=8, unique=True)))
    levels = []
    below = leaves
    for _ in range(data.draw(st.integers(0, 3))):
        above = {node: data.draw(text) for node in dict.fromkeys(below)}
        below = tuple(above[node] for node in below)
        levels.append(below)
    root = data.draw(text)
    words = tuple(
        data.draw(st.lists(st.text(st.characters(codec="ascii"), min_size=1), min_size=len(levels) + 1, max_size=len(levels) + 1))
    )
    made = an.Hierarchy(f"tree{suffix}", leaves, (*levels, (root,) * len(leaves)), words)
    read = an.read_hierarchy(made.save(tmp_path / f"tree{suffix}"))

    assert read == (made if suffix == ".toml" else replace(made, words=()))
    assert pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("levels = 3", "at least one level"),
        ('schema = "anonscope/hierarchy/2"', "this version reads anonscope/hierarchy/1"),
        ("flu = 1", "a key that is not known"),
        ("[[levels]]\nwords = 'organ'\n", "line 1: levels: a level has labels"),
        ("[[levels]]\nlabel = 'lung'\n", "line 1: levels: there is a key that is not known"),
        ("[[levels]]\nwords = 1\n[levels.labels]\nlung = ['flu']\n", "words must be one phrase"),
        ("[[levels]]\n[levels.labels]\nlung = 'flu'\n", "line 1: levels: a label has a list"),
        ("[[levels]]\n[levels.labels]\nlung = ['flu']\nliver = ['flu']\n", "line 1: levels: something is listed twice"),
        (
            "[[levels]]\n[levels.labels]\nlung = ['flu']\nstomach = ['ulcer']\n[[levels]]\n[levels.labels]\nall = ['lung']\n",
            "line 5: levels: 1 of the labels of the level below are in none of the lists",
        ),
        (
            "[[levels]]\n[levels.labels]\nlung = ['flu']\n[[levels]]\n[levels.labels]\nall = ['lung', 'flu']\n",
            "line 4: levels: 1 of the listed labels are not on the level below",
        ),
        ("values = ['flu']\n[[levels]]\n[levels.labels]\nlung = ['flu', 'ulcer']\n", "line 1: values: must have every value"),
        ("values = 3\n[[levels]]\n[levels.labels]\nlung = ['flu', 'ulcer']\n", "line 1: values: must be a list"),
        ("[[levels]\n", "not valid TOML"),
    ],
)
def test_toml_that_is_no_hierarchy_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """With file and line, and without any value or label."""
    with pytest.raises(HierarchyError, match=message) as caught:
        an.read_hierarchy(written(tmp_path, text, "tree.toml"))

    assert "'tree.toml'" in str(caught.value)
    assert not any(word in str(caught.value) for word in ("flu", "ulcer", "lung"))


def test_csv_with_an_open_quote_is_refused(tmp_path: Path) -> None:
    """With its line."""
    with pytest.raises(HierarchyError, match=r"'tree.csv', line 3: a quoted field is not closed"):
        an.read_hierarchy(written(tmp_path, 'flu;lung\n"ulcer;stomach\ngout;toe\n', "tree.csv"))


def test_a_header_alone_is_no_hierarchy(tmp_path: Path) -> None:
    """There must be a value."""
    with pytest.raises(HierarchyError, match="has no line"):
        an.read_hierarchy(written(tmp_path, "value,label\n", "tree.csv"))


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    """An unknown ending, a missing folder, no value."""
    with pytest.raises(OptionError, match=r"written as .csv or .toml"):
        TREE.save(tmp_path / "tree.txt")
    with pytest.raises(OutputError, match="does not exist"):
        TREE.save(tmp_path / "nowhere" / "tree.csv")
    with pytest.raises(HierarchyError, match="has no value"):
        an.Hierarchy("none", (), ((),)).save(tmp_path / "none.csv")
    assert list(tmp_path.iterdir()) == []
