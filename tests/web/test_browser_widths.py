"""Pages of real and of awkward tables at every width: nothing overflows, no number is broken, no cell is a tower, and axe finds nothing."""

import random
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.io.samples import write_hospital
from support.browsing import needs_browser

pytestmark = needs_browser
WIDTHS = (320, 380, 768, 1280)
LONG = ["x" * 500, "a name of " + "many words " * 45, "diagnosis_" + "y" * 490]
SIXTY = [f"q{i:02}" for i in range(60)]
OPEN = "open => document.querySelectorAll('details').forEach(d => d.open = open)"
# Of every number in a cell: whether it stands on one line. Of every cell: how many lines it has.
LOOK = r"""() => {
  const broken = [], towers = [];
  for (const cell of document.querySelectorAll('td, tbody th')) {
    if (!cell.checkVisibility()) continue;
    const tall = cell.getBoundingClientRect().height / parseFloat(getComputedStyle(cell).lineHeight);
    if (tall > 5.6) towers.push([Math.round(tall), cell.textContent.slice(0, 60)]);
    const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      for (const found of node.data.matchAll(/(?<![\w-])\d[\d.,]*\d(?![\w])/g)) {
        const range = document.createRange();
        range.setStart(node, found.index); range.setEnd(node, found.index + found[0].length);
        if (new Set([...range.getClientRects()].map(r => Math.round(r.top))).size > 1) broken.push(found[0]);
      }
    }
  }
  const wide = [...document.querySelectorAll('.scroll, pre')].filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1)
    .map(e => e.textContent.slice(0, 90));
  return {width: document.documentElement.scrollWidth, broken, towers, wide};
}"""


def _page(source, **roles):
    with an.read(source, **roles) as data:
        if not data.roles.attributes:
            data.accept(an.suggest(data))
        return an.audit(data, explain="quick").render("html")


def _invented(names, values):
    drawn = random.Random(1)
    return pa.table({name: [drawn.randrange(values) for _ in range(200)] for name in names})


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The pages, made once."""
    import os

    folder = tmp_path_factory.mktemp("widths")
    write_hospital(folder)
    made = {"long names": _page(_invented(LONG, 9), quasi_identifiers=LONG[:2], sensitive=LONG[2:])}
    made["sixty"] = _page(_invented([*SIXTY, "ill"], 3), quasi_identifiers=SIXTY, sensitive=["ill"])
    with an.read(folder / "patients.csv", roles=folder / "patients.roles.toml", rows=1500) as data:
        found = an.audit(data, "trusted-internal", explain="quick")
        made["sample"] = replace(found, planned=found.plan(seconds=1)).render("html")
        made["release"] = an.anonymise(data, limits={"k_anonymity": 3}, method="mondrian").render("html")
    real = Path(os.environ.get("ANONSCOPE_DATA") or "none")
    if real.is_dir():
        known = {"quasi_identifiers": ["gender", "region", "highest_education", "age_band"], "sensitive": ["final_result"]}
        made["OULAD"] = _page(real / "oulad" / "studentInfo.csv", rows=2000, person="id_student", **known)
        made["Adult"] = _page(real / "adult" / "adult_full_48842.csv", rows=2000)
        made["SPARCS"] = _page(real / "sparcs" / "sparcs_2016_sample1000.csv")
    return made


def test_nothing_overflows_or_breaks_at_any_width(pages, chromium):
    """Closed and open: no page is wider than the screen, no table scrolls sideways on a narrow one, no number is broken."""
    context = chromium.new_context()
    shown = context.new_page()
    for name, html in pages.items():
        shown.set_content(html)
        for opened in (False, True):
            shown.evaluate(OPEN, opened)
            for width in WIDTHS:
                shown.set_viewport_size({"width": width, "height": 800})
                seen = shown.evaluate(LOOK)
                assert seen["width"] <= width, (name, width, opened)
                assert seen["broken"] == [], (name, width, seen["broken"][:5])
                if width < 640:
                    assert seen["wide"] == [], (name, width)
                if width == 380:
                    assert seen["towers"] == [], (name, seen["towers"][:5])
    context.close()


def test_print_is_complete(pages, chromium):
    """What is folded away on the screen is there on paper: the definitions, the roles and every attacker."""
    context = chromium.new_context()
    shown = context.new_page()
    shown.set_content(pages["sample"])
    assert not shown.get_by_text("Roles of the columns", exact=True).is_visible()
    shown.emulate_media(media="print")
    folded = "() => [...document.querySelectorAll('details > *:not(summary)')].filter(e => e.getBoundingClientRect().height < 2).length"
    assert shown.get_by_text("Roles of the columns", exact=True).is_visible()
    assert shown.evaluate(folded) == 0
    context.close()


def test_the_foot_of_a_page_has_verdict_file_and_number(pages):
    """As style sheets for paper say it."""
    page = pages["sample"]
    foot = page[page.index("@page") : page.index("</style>")]
    assert "Verdict: do not release" in foot and "patients.csv, SHA-256 " in foot and "counter(page)" in foot and "counter(pages)" in foot


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(pages, chromium, scheme):
    """Contrast in the dark included; the rules of axe-core."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    context = chromium.new_context(color_scheme=scheme)
    shown = context.new_page()
    for name in ("sample", "release"):
        shown.set_content(pages[name])
        shown.evaluate(OPEN, True)
        found = axe.Axe().run(shown).response["violations"]
        serious = [(one["id"], one["nodes"][0]["html"][:120]) for one in found if one["impact"] in ("serious", "critical")]
        assert serious == [], name
    context.close()
