"""Every tutorial is carried out as a reader would: files as they come, commands in order, programs as one."""

import re

import pyarrow as pa
import pytest
import yaml
from markupsafe import escape

import anonscope as an
from anonscope.report.glossary import glossary
from anonscope.web.pages import page_environment
from benchmarks.notebooks import notebooks, printed, stored
from benchmarks.pictures import PICTURED
from support.documentation import DOCS, ROOT
from support.tutorials import TUTORIALS, carried_out

ON_SPARK = "warehouse-on-spark"  # carried out where the other tests of Spark are


@pytest.mark.parametrize("name", [name for name in TUTORIALS if name != ON_SPARK])
def test_a_tutorial_works(name, tmp_path, monkeypatch):
    """From its first block to its last, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    assert carried_out(TUTORIALS[name]) >= 1


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_shows_what_it_leads_to(name):
    """A picture with words for whoever does not see it, made by the command that makes all of them."""
    shown = re.findall(r"!\[([^\]]+)\]\(\.\./(images/[\w.-]+)\)", TUTORIALS[name].read_text(encoding="utf-8"))
    assert shown and all((DOCS / picture).is_file() for _, picture in shown)
    assert name == "hospital-registry" or (name in PICTURED and f"images/tutorial-{name}.png" in {picture for _, picture in shown})


def test_the_navigation_has_four_parts():
    """Tutorials, how-to, reference and background; every tutorial is under the first."""
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    assert [next(iter(entry)) for entry in nav] == ["Start", "Tutorials", "How-to", "Reference", "Background"]
    listed = [next(iter(entry.values())) for entry in nav[1]["Tutorials"]]
    assert set(listed) == {"tutorials/notebooks.md"} | {f"tutorials/{name}.md" for name in TUTORIALS} and len(TUTORIALS) == 8


def test_notebooks_print_what_they_store():
    """Every cell is run again; what is stored is small, and the page names all six."""
    pytest.importorskip("opendp")
    page = (DOCS / "tutorials" / "notebooks.md").read_text(encoding="utf-8")
    assert len(notebooks()) == 6
    for notebook in notebooks():
        assert f"`{notebook.name}`" in page and notebook.stat().st_size < 20_000
        assert printed(notebook) == stored(notebook), notebook.name


def test_the_glossary_is_one_list():
    """The page has every term with its meaning and where more stands, in the words that reports and the web app show."""
    terms = glossary()
    rows = [f"| {term.term} | {term.meaning} | [more]({term.page}) |" for term in terms]
    page = (DOCS / "glossary.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in page if line.startswith("| ")][2:] == rows and len(terms) >= 30
    assert all((DOCS / term.page).is_file() for term in terms)
    table = pa.table({"age": [30, 30, 41], "ill": ["flu", "gout", "flu"]})
    with an.read(table, quasi_identifiers=["age"], sensitive=["ill"]) as data:
        shown = an.audit(data).render("html")
    served = page_environment().get_template("glossary.html.jinja").render(version="0", terms=terms)
    for term in terms:
        assert escape(term.meaning) in shown and escape(term.meaning) in served


def test_which_tool_when_has_a_date_and_every_peer():
    """A comparison without a version and a date is a rumour."""
    page = (DOCS / "which-tool-when.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| [")]
    for peer in ("ARX", "sdcMicro", "pyCANON", "Anonymeter", "Amnesia", "Google's DLP"):
        assert any(line.startswith(f"| [{peer}](") and re.search(r"[0-9]+\.[0-9]+", line) for line in rows), peer
    assert "15 November 2026" in page
