"""Who cannot see well, uses no mouse or has a small screen can use the pages too (WCAG 2.2 AA)."""

import os
from pathlib import Path

import pytest

from support.browsing import COMPLETE, Visitor, needs_browser

pytestmark = needs_browser
# Contrast that WCAG 2.2 asks of text (1.4.3); large text may have less, so this is the stricter.
CONTRAST, LARGE = 4.5, 3.0
PAGES = ("start", *COMPLETE)


WIDTH, HEIGHT = 1280, 860


@pytest.fixture(scope="module")
def visit(furnished, chromium):
    """Open a page in a colour scheme, once for all tests; each finds it on a screen of the size that it asks for."""
    contexts, opened = {}, {}

    def open_with(page, scheme="light", width=WIDTH, height=HEIGHT):
        if scheme not in contexts:
            contexts[scheme] = chromium.new_context(storage_state=furnished.cookies, color_scheme=scheme)
        if (page, scheme) not in opened:
            somebody = opened[page, scheme] = Visitor(contexts[scheme])
            if page == "start":
                somebody.page.goto(furnished.address.rpartition("/w/")[0])
            else:
                somebody.page.goto(f"{furnished.address}/{page}")
                somebody.page.wait_for_selector(COMPLETE[page])
        opened[page, scheme].page.set_viewport_size({"width": width, "height": height})
        return opened[page, scheme]

    yield open_with
    for context in contexts.values():
        context.close()


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_in_light_and_dark(visit, page, scheme):
    """Every text on every page has the contrast that WCAG asks for, computed from the colours in force."""
    visitor = visit(page, scheme)

    assert visitor.page.evaluate(LOW_CONTRAST, [CONTRAST, LARGE]) == []


@pytest.mark.parametrize("page", PAGES)
def test_everything_has_a_role_and_a_name(visit, page):
    """One main landmark, one first heading, no control without a name, no id twice, no level of heading left out."""
    visitor = visit(page)

    found = visitor.page.evaluate(STRUCTURE)
    assert found["landmarks"] == {"banner": 1, "main": 1, "contentinfo": 1, "navigation": 0 if page == "start" else 1}
    assert found["h1"] == 1
    assert found["language"] == "en"
    assert found["nameless"] == []
    assert found["twice"] == []
    assert found["skipped"] == []


@pytest.mark.parametrize("page", PAGES)
def test_a_small_screen_needs_no_sideways_scrolling(visit, page):
    """At 320 pixels the page is as wide as the screen; tables scroll inside their own box; rows of columns are cards."""
    visitor = visit(page, width=320, height=640)

    assert visitor.page.evaluate("document.documentElement.scrollWidth") <= 320
    assert not visitor.page.evaluate("[...document.querySelectorAll('.dense')].some(t => t.scrollWidth > innerWidth)")


def test_a_line_of_a_card_stays_together_where_a_word_is_explained(visit):
    """Where rows are cards a line is a grid of its title and what it says; a link to the glossary must not be a cell of it."""
    visitor = visit("sign-off", width=380, height=700)
    visitor.page.wait_for_selector("#report td a.term")

    assert visitor.page.evaluate(FALLEN_APART) == []


@pytest.mark.parametrize("page", PAGES)
def test_targets_are_large_enough(visit, page):
    """Buttons, links that look like buttons and roles are at least 24 pixels high (2.5.8)."""
    visitor = visit(page)

    assert visitor.page.evaluate(SMALL_TARGETS) == []


def test_focus_is_always_visible(visit):
    """Whatever Tab reaches on the page of the columns shows an outline."""
    visitor = visit("columns")
    unseen = []
    for _ in range(25):
        visitor.press("Tab")
        unseen += visitor.page.evaluate(UNSEEN_FOCUS)
    assert unseen == []


def test_progress_is_announced(visitor, tmp_path):
    """While an audit runs, a live region says what is being done, in whichever room, and it can be stopped; and where a proxy keeps
    all events back, the verdict comes all the same."""
    path = tmp_path / "people.csv"
    path.write_text("age,sex,diagnosis\n" + "".join(f"{20 + i % 30},{'FM'[i % 2]},{'flu' if i % 3 else 'gout'}\n" for i in range(60)))
    visitor.brings(path)
    assert visitor.page.get_attribute("#summary", "aria-live") == "polite"
    visitor.page.route("**/events", lambda route: None)
    visitor.click("text=Audit this table")
    said = visitor.page.wait_for_selector("#under-way:has([role=status])")
    assert said.evaluate("line => [line.querySelectorAll('progress[aria-label]').length, line.querySelector('button').textContent]") == [
        1,
        "Cancel",
    ]
    visitor.sees_verdict()


def test_paper_shows_the_report_and_nothing_to_click(visit):
    """In print the verdict stays; buttons and navigation go."""
    page = visit("risk").page
    page.emulate_media(media="print")
    seen = [page.is_visible(part) for part in ("#report .verdict h1", "#records", ".top", ".desk")]
    page.emulate_media(media="screen")
    assert seen == [True, False, False, False]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(visit, page, scheme):
    """The rules of axe-core, in every room."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    visitor = visit(page, scheme)
    visitor.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    found = axe.Axe().run(visitor.page).response["violations"]
    serious = [(one["id"], [node["html"][:120] for node in one["nodes"]][:3]) for one in found if one["impact"] in ("serious", "critical")]
    assert serious == []


def test_screenshots_are_taken(visit, tmp_path):
    """Pictures of every room, for whoever wants to look; ANONSCOPE_SCREENSHOTS names the folder."""
    folder = Path(os.environ.get("ANONSCOPE_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        visitor = visit(page)
        visitor.page.screenshot(path=folder / f"{page}.png", full_page=page == "risk")
        assert (folder / f"{page}.png").stat().st_size > 10_000


LOW_CONTRAST = """([ordinary, large]) => {
  const parts = (colour) => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const memory = new Map();
  const seen = (colour) => { if (!memory.has(colour)) memory.set(colour, parts(colour)); return memory.get(colour); };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = seen(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0.99) return colour;
    }
    return seen(getComputedStyle(document.documentElement).backgroundColor);
  };
  const bad = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !node.checkVisibility() || node.closest('.hidden, svg, script, :disabled, .skip')) continue;
    const style = getComputedStyle(node);
    const [a, b] = [light(seen(style.color)), light(behind(node))].sort((p, q) => q - p);
    const big = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (big ? large : ordinary)) bad.push(`${node.tagName}.${node.className}: ${ratio.toFixed(2)}`);
  }
  return [...new Set(bad)];
}"""

STRUCTURE = """() => {
  const count = (selector) => [...document.querySelectorAll(selector)].filter((n) => n.checkVisibility()).length;
  const name = (node) => {
    const by = node.getAttribute('aria-labelledby');
    return (node.getAttribute('aria-label') || (by && document.getElementById(by)?.textContent)
      || [...(node.labels ?? [])].map((l) => l.textContent).join('')
      || node.textContent || node.getAttribute('alt') || '').trim();
  };
  const visible = (selector) => [...document.querySelectorAll(selector)].filter((n) => n.checkVisibility());
  const controls = visible('a, button, input, select, summary, progress, svg[role=img], [role=img], fieldset');
  const nameless = controls.filter((n) => !name(n)).map((n) => n.outerHTML.slice(0, 80));
  const ids = [...document.querySelectorAll('[id]')].map((n) => n.id);
  const levels = visible('h1, h2, h3, h4').map((n) => Number(n.tagName[1]));
  return {
    landmarks: { banner: count('[role=banner]'), main: count('main'), contentinfo: count('body > footer'), navigation: count('nav') },
    h1: count('h1'), language: document.documentElement.lang, nameless,
    twice: ids.filter((id, i) => ids.indexOf(id) !== i),
    skipped: levels.map((level, i) => [levels[i - 1] ?? 0, level]).filter(([before, level]) => level > before + 1),
  };
}"""

SMALL_TARGETS = """() => [...document.querySelectorAll('button, .button, .pill, summary, select, .slider input')]
  .filter((n) => n.checkVisibility()).filter((n) => n.getBoundingClientRect().height < 24).map((n) => n.outerHTML.slice(0, 80))"""

UNSEEN_FOCUS = """() => {
  const node = document.activeElement;
  if (node === document.body) return [];
  const outlined = (n) => n && getComputedStyle(n).outlineStyle !== 'none' && parseFloat(getComputedStyle(n).outlineWidth) >= 2;
  return outlined(node) || outlined(node.nextElementSibling) ? [] : [node.outerHTML.slice(0, 80)];
}"""

FALLEN_APART = """() => [...document.querySelectorAll('#report td[data-title]')]
  .filter((cell) => getComputedStyle(cell).display === 'grid')
  .filter((cell) => cell.children.length > 1 || (cell.children.length && [...cell.childNodes].some((part) => part.data?.trim())))
  .map((cell) => cell.textContent)"""
