"""Who cannot see well, uses no mouse or has a small screen can use the pages too (WCAG 2.2 AA)."""

import os
from pathlib import Path

import pytest

from support.browsing import Visitor, needs_browser

pytestmark = needs_browser
# Contrast that WCAG 2.2 asks of text (1.4.3); large text may have less, so this is the stricter.
CONTRAST, LARGE = 4.5, 3.0
PAGES = ("start", "roles", "results")


def show(visitor, page):
    """Go to one of the three pages."""
    if page == "start":
        return
    visitor.click("#sample")
    visitor.page.wait_for_selector("#roles:not([hidden])")
    if page == "results":
        visitor.click("text=Audit this table")
        visitor.sees_verdict()
        visitor.sees_sliders()


@pytest.fixture
def visit(served, chromium):
    """Open the pages with wishes of the browser: a colour scheme, a size of the screen."""
    opened = []

    def open_with(**wishes):
        context = chromium.new_context(**wishes)
        opened.append(context)
        somebody = Visitor(context)
        somebody.page.goto(served)
        return somebody

    yield open_with
    for context in opened:
        context.close()


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_in_light_and_dark(visit, page, scheme):
    """Every text on every page has the contrast that WCAG asks for, computed from the colours in force."""
    visitor = visit(color_scheme=scheme)
    show(visitor, page)

    assert visitor.page.evaluate(LOW_CONTRAST, [CONTRAST, LARGE]) == []


@pytest.mark.parametrize("page", PAGES)
def test_everything_has_a_role_and_a_name(visit, page):
    """One main landmark, one first heading, no control without a name, no id twice, no level of heading left out."""
    visitor = visit()
    show(visitor, page)

    found = visitor.page.evaluate(STRUCTURE)
    assert found["landmarks"] == {"banner": 1, "main": 1, "contentinfo": 1, "navigation": 2 if page == "results" else 1}
    assert found["h1"] == 1
    assert found["language"] == "en"
    assert found["nameless"] == []
    assert found["twice"] == []
    assert found["skipped"] == []


@pytest.mark.parametrize("page", PAGES)
def test_a_small_screen_needs_no_sideways_scrolling(visit, page):
    """At 320 pixels the page is as wide as the screen; tables scroll inside their own box."""
    visitor = visit(viewport={"width": 320, "height": 640})
    show(visitor, page)

    assert visitor.page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("page", PAGES)
def test_targets_are_large_enough(visit, page):
    """Buttons, links that look like buttons and roles are at least 24 pixels high (2.5.8)."""
    visitor = visit()
    show(visitor, page)

    assert visitor.page.evaluate(SMALL_TARGETS) == []


def test_focus_is_always_visible(visit):
    """Whatever Tab reaches on the page of the columns shows an outline."""
    visitor = visit()
    show(visitor, "roles")
    unseen = []
    for _ in range(25):
        visitor.press("Tab")
        unseen += visitor.page.evaluate(UNSEEN_FOCUS)
    assert unseen == []


def test_progress_is_announced(visit):
    """While an audit runs, a live region says what is being done."""
    visitor = visit()
    visitor.click("#sample")
    visitor.page.wait_for_selector("#roles:not([hidden])")
    assert visitor.page.get_attribute("#summary", "aria-live") == "polite"
    visitor.page.route("**/events", lambda route: None)  # the job seems to run for ever
    visitor.click("text=Audit this table")
    visitor.page.wait_for_selector("#progress [role=status]")
    assert visitor.page.locator("#progress progress[aria-label]").count() == 1
    assert visitor.page.is_enabled("#progress >> text=Cancel")


def test_paper_shows_the_report_and_nothing_to_click(visit):
    """In print the verdict stays; sliders, buttons and navigation go."""
    visitor = visit()
    show(visitor, "results")
    visitor.page.emulate_media(media="print")

    assert visitor.page.is_visible("#report .verdict h1")
    assert not visitor.page.is_visible("#explore")
    assert not visitor.page.is_visible(".top")


def test_screenshots_are_taken(visit, tmp_path):
    """Pictures of the three pages, for whoever wants to look; ANONSCOPE_SCREENSHOTS names the folder."""
    folder = Path(os.environ.get("ANONSCOPE_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    visitor = visit(viewport={"width": 1180, "height": 860})
    for page in PAGES:
        visitor.page.goto(visitor.page.url.split("/table")[0])
        show(visitor, page)
        visitor.page.screenshot(path=folder / f"{page}.png", full_page=page == "results")
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
