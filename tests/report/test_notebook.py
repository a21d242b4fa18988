"""Results in a notebook: a line for Python, a screen of their own for people, and frames that come back as what they were."""

import sys
from types import SimpleNamespace

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import OptionError

AGES = [30 + i % 4 for i in range(48)]
TABLE = pa.table({"age": AGES, "sex": ["F", "M"] * 24, "ill": ["flu", "gout", "flu", "asthma"] * 12})
ROLES = {"quasi_identifiers": ["age", "sex"], "sensitive": ["ill"]}


@pytest.fixture
def path(tmp_path):
    TABLE.to_pandas().to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


def test_a_result_is_one_line_for_python(path):
    """What it is, what it is about, what it says; no field and no value."""
    found = an.audit(path, limits_policy(), **ROLES)

    assert repr(found) == "<Audit people.csv: release, all rules are met>"
    assert repr(an.audit(path, **ROLES)).startswith("<Audit people.csv: withhold, ")
    for result in (an.anonymise(path, limits={"k_anonymity": 3}, **ROLES), an.link(path, path), an.compare(path, path, **ROLES)):
        assert "\n" not in repr(result) and repr(result).startswith(f"<{type(result).__name__} people.csv")


def limits_policy():
    """Return a policy that the table meets."""
    from anonscope.risk.policy import policy_or_limits

    return policy_or_limits(None, {"k_anonymity": 2})


@pytest.mark.parametrize("make", [lambda p: an.audit(p, **ROLES), lambda p: an.link(p, p), lambda p: an.compare(p, p, **ROLES)])
def test_a_notebook_gets_a_screen_of_its_own(path, make):
    """Styled, with its charts, for light and dark notebooks; nothing of it styles the rest of the notebook, or asks the network."""
    fragment = make(path)._repr_html_()

    assert "<svg" in fragment and "<html" not in fragment and "<script" not in fragment and "http" not in fragment
    style = fragment[fragment.index("<style>") : fragment.index("</style>")]
    assert ":root" not in style and "prefers-color-scheme: dark" in style and 'data-jp-theme-light="false"' in style


def test_paths_are_taken_where_tables_are(path):
    """What `read` takes, every function takes, with its keywords; a release can still be written."""
    found = an.anonymise(path, limits={"k_anonymity": 3}, **ROLES)

    assert found.met and found.release.table.num_rows == 48
    with an.read(path, **ROLES) as data, pytest.raises(OptionError, match="open already"):
        an.anonymise(data, limits={"k_anonymity": 3}, sensitive=["ill"])


@pytest.mark.parametrize(("given", "kind"), [(TABLE.to_pandas(), pd.DataFrame), (pl.from_arrow(TABLE), pl.DataFrame), (TABLE, pa.Table)])
def test_frames_come_back_as_what_went_in(given, kind):
    """pandas for pandas, polars for polars, Arrow for Arrow."""
    found = an.anonymise(given, limits={"k_anonymity": 3}, **ROLES)

    assert isinstance(found.release.frame, kind) and len(found.release.frame) == 48


@pytest.mark.parametrize("given", [TABLE.to_pandas(), pl.from_arrow(TABLE), TABLE])
def test_frames_are_compared_as_files_are(path, given):
    """A release that is still in memory needs no file."""
    written, held = an.compare(path, path, **ROLES), an.compare(path, given, **ROLES)

    kept, same = (found.to_dict()["versions"][1] for found in (held, written))
    assert {**kept, "version": None} == {**same, "version": None}


class Notebook:
    """Stands in for a notebook's IPython: it keeps what is displayed."""

    def __init__(self):
        self.pages = []
        self.kernel = object()

    def display(self, page, display_id):
        self.pages.append(page)
        return self

    def update(self, page):
        self.pages.append(page)


@pytest.fixture
def notebook(monkeypatch):
    """IPython as a kernel has it, and no patience."""
    shell = Notebook()
    display = SimpleNamespace(display=shell.display, HTML=str)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr("anonscope.io.progress._PATIENCE", 0.0)
    monkeypatch.setattr("anonscope.io.progress._AGAIN", 0.0)
    return shell


def test_a_notebook_shows_how_far_long_work_has_got(notebook, path):
    """A bar with words, taken away at the end; what the work calls in turn has no bar of its own."""
    an.anonymise(path, limits={"k_anonymity": 3}, **ROLES)

    assert any("<progress" in page and "anonscope: " in page for page in notebook.pages)
    assert notebook.pages[-1] == "" and notebook.pages.count("") == 1


def test_whoever_asks_to_be_told_is_told_instead(notebook, path):
    """No bar beside a callback, and none outside of notebooks."""
    told = []
    an.audit(path, progress=lambda *step: told.append(step), **ROLES)

    assert told and notebook.pages == []
    notebook.kernel = None
    del notebook.kernel
    an.audit(path, **ROLES)
    assert notebook.pages == []
