"""A released text runs nothing in the recipient's office program, unless somebody says that it may."""

import csv
import json
import re

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import NotPublished, OptionError

CELLS = ["=1+cmd|' /C calc'!A0", "+SUM(A1)", "-cmd", "@SUM(A1)", "\t=1", "\r=1"]
HARMLESS = ["-5", "+49 170 1234", "-10–-5", "-1.5e3", "=", "-", "a=b", "x-y", "'=1"]


def release(values, names=("note", "age")):
    """Return a release of these values, unchanged."""
    folder = [dict(zip(names, (value, str(30 + i % 2)), strict=True)) for i, value in enumerate(values)]
    data = an.read(pa.Table.from_pylist(folder), insensitive=list(names))
    return an.apply([an.TRANSFORMATIONS["generalise_interval"](column=names[1], width=10)], data)


def cells(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [record[0] for record in list(csv.reader(file))[1:]]


def test_formulas_are_refused_unless_somebody_says_otherwise(tmp_path):
    """Columns and numbers are told, and no value; nothing is written."""
    made = release(CELLS + HARMLESS)
    with pytest.raises(NotPublished, match=r"'note' \(6 cells\)") as caught:
        made.save(tmp_path / "release.csv")
    assert "calc" not in str(caught.value) and list(tmp_path.iterdir()) == []
    made.save(tmp_path / "kept.csv", formulas="keep")
    assert cells(tmp_path / "kept.csv") == CELLS + HARMLESS
    made.save(tmp_path / "release.parquet")
    with pytest.raises(OptionError, match="refuse, mark, keep"):
        made.save(tmp_path / "other.csv", formulas="run")


@pytest.mark.parametrize("value", CELLS)
def test_every_kind_of_formula_is_seen(tmp_path, value):
    """One cell is enough, as the first or with others."""
    with pytest.raises(NotPublished, match="1 cell"):
        release(["x", value]).save(tmp_path / "release.tsv")


def test_what_calls_nothing_is_released_as_it_is(tmp_path):
    """Numbers, ranges and telephone numbers begin with a sign too."""
    release(HARMLESS).save(tmp_path / "release.csv")
    assert cells(tmp_path / "release.csv") == HARMLESS


def test_marked_cells_are_what_is_judged_and_verified(tmp_path):
    """The file has the apostrophes, its manifest says so, and it verifies."""
    release(CELLS + HARMLESS).save(tmp_path / "release.csv", formulas="mark")
    assert cells(tmp_path / "release.csv") == [f"'{cell}" for cell in CELLS] + HARMLESS
    assert json.loads((tmp_path / "release.csv.manifest.json").read_text())["release"]["formulas"] == "marked"
    assert an.verify(tmp_path / "release.csv").holds


def test_a_name_of_a_column_is_never_changed(tmp_path):
    """So one that is a formula is refused, marked or not."""
    made = release(["x", "y"], ("=note()", "age"))
    for formulas in ("refuse", "mark"):
        with pytest.raises(NotPublished, match="names of columns"):
            made.save(tmp_path / "release.csv", formulas=formulas)


def test_markdown_escapes_the_names_of_columns():
    """A name with signs of Markdown and HTML breaks no table and makes no link."""
    name = "a|b[c](http://x)<img src=x>`d`"
    with an.read(pa.table({name: ["1", "1", "2"], "s": ["x", "y", "z"]}), quasi_identifiers=[name], sensitive=["s"]) as data:
        text = an.audit(data).render("markdown")
    assert "a" in text and not re.search(r"(?<!\\)(<img|\]\(http|`d|a\|b)", text)
