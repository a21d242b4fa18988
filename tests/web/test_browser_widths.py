"""Pages of real and of awkward tables at every width: nothing overflows, no number is broken, no cell is a tower, and axe finds nothing."""

from dataclasses import replace
from pathlib import Path

import pytest

import anonscope as an
from anonscope.io.samples import write_hospital
from benchmarks.pages import LONG, SIXTY, invented
from benchmarks.widths import faults, serious
from support.browsing import needs_browser

pytestmark = needs_browser


def _page(source, **roles):
    with an.read(source, **roles) as data:
        if not data.roles.attributes:
            data.accept(an.suggest(data))
        return an.audit(data, explain="quick").render("html")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The pages, made once."""
    import os

    folder = tmp_path_factory.mktemp("widths")
    write_hospital(folder)
    made = {"long names": _page(invented(LONG, 9), quasi_identifiers=LONG[:2], sensitive=LONG[2:])}
    made["sixty"] = _page(invented([*SIXTY, "ill"], 3), quasi_identifiers=SIXTY, sensitive=["ill"])
    with an.read(folder / "patients.csv", roles=folder / "patients.roles.toml", rows=1500) as data:
        found = an.audit(data, "trusted-internal", explain="quick")
        made["sample"] = replace(found, planned=found.plan(seconds=1)).render("html")
        release = an.anonymise(data, limits={"k_anonymity": 3}, method="mondrian")
        made["release"] = release.render("html")
        made["comparison"] = an.compare(data, release.release, names=["release"]).render("html")
    real = Path(os.environ.get("ANONSCOPE_DATA") or "none")
    if real.is_dir():
        known = {"quasi_identifiers": ["gender", "region", "highest_education", "age_band"], "sensitive": ["final_result"]}
        made["OULAD"] = _page(real / "oulad" / "studentInfo.csv", rows=2000, person="id_student", **known)
        made["Adult"] = _page(real / "adult" / "adult_full_48842.csv", rows=2000)
        made["SPARCS"] = _page(real / "sparcs" / "sparcs_2016_sample1000.csv")
    return made


def test_nothing_overflows_or_breaks_at_any_width(pages, chromium):
    """Closed and open: no page is wider than the screen, no table scrolls sideways on a narrow one, no number and no word is broken."""
    context = chromium.new_context()
    shown = context.new_page()
    wrong = {name: found for name, html in pages.items() if (found := list(faults(shown, html)))}
    context.close()
    assert wrong == {}


def test_print_is_complete(pages, chromium):
    """What is folded away on the screen is there on paper: the definitions, the roles and every attacker."""
    context = chromium.new_context()
    shown = context.new_page()
    shown.set_content(pages["sample"])
    assert not shown.get_by_text("Roles of the columns", exact=True).is_visible()
    shown.emulate_media(media="print")
    folded = "() => [...document.querySelectorAll('details > *:not(summary)')].filter(e => e.getBoundingClientRect().height < 2)"
    assert shown.get_by_text("Roles of the columns", exact=True).is_visible()
    assert [text for text in shown.evaluate(f"({folded})().map(e => e.closest('.first-page') ? '' : e.textContent)") if text] == []
    context.close()


@pytest.mark.parametrize(("paper", "width", "height"), [("A4", 184, 265), ("Letter", 190, 247)])
def test_what_is_signed_stands_on_two_pages(pages, chromium, paper, width, height):
    """Verdict, charts, plan, rules, notes, assumptions and roles, then the signature; the appendix follows, with nothing folded above."""
    context = chromium.new_context(viewport={"width": round(width / 25.4 * 96), "height": 800})
    shown = context.new_page()
    shown.set_content(pages["sample"])
    shown.emulate_media(media="print")
    signed = shown.locator(".on-paper .sign").bounding_box()
    assert signed["y"] + signed["height"] <= 2 * height / 25.4 * 96
    assert shown.locator(".sign").filter(visible=True).count() == 1 and shown.locator("h2.appendix").is_visible()
    assert (
        signed["y"]
        < shown.locator("h2.appendix").bounding_box()["y"]
        < shown.get_by_role("heading", name="Definitions").bounding_box()["y"]
    )
    assert shown.locator(".first-page .two > figure").nth(1).bounding_box()["x"] > width  # side by side
    context.close()


def test_the_foot_of_a_page_has_verdict_file_and_number(pages):
    """As style sheets for paper say it."""
    page = pages["sample"]
    foot = page[page.index("@page") : page.index("</style>")]
    assert "Verdict: do not release" in foot and "patients.csv, SHA-256 " in foot and "counter(page)" in foot and "counter(pages)" in foot


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(pages, chromium, scheme):
    """Contrast in the dark included; the rules of axe-core."""
    pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    context = chromium.new_context(color_scheme=scheme)
    shown = context.new_page()
    for name in ("sample", "release", "comparison"):
        shown.set_content(pages[name])
        assert serious(shown) == [], name
    context.close()


@pytest.mark.parametrize("doctype", ["<!doctype html>", ""])
def test_a_dark_notebook_shows_every_cell(chromium, doctype):
    """Figures have the ink of words, also where whoever shows the notebook forgot to say that it is modern HTML."""
    import pyarrow as pa

    table = pa.table({"age": [30 + i % 4 for i in range(48)], "sex": ["F", "M"] * 24, "ill": ["flu", "gout", "flu", "asthma"] * 12})
    made = an.anonymise(table, limits={"k_anonymity": 3}, quasi_identifiers=["age", "sex"], sensitive=["ill"])
    context = chromium.new_context(color_scheme="dark")
    shown = context.new_page()
    shown.set_content(f"{doctype}<body>{made._repr_html_()}</body>")
    inks = shown.evaluate("() => [...document.querySelectorAll('td:not([class])')].map((one) => getComputedStyle(one).color)")
    words = shown.evaluate("() => getComputedStyle(document.querySelector('.lead')).color")
    context.close()
    assert len(inks) > 5 and set(inks) == {words} and words != "rgb(0, 0, 0)"
