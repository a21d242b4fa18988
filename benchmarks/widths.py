"""Pages at every width, in light and in dark, in a real browser: what overflows, breaks or towers, and what axe-core finds.

python -m benchmarks.pictures --check [--keep FOLDER] makes every page of every table and prints a line a page; tests/web takes a few.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

WIDTHS = (320, 380, 768, 1280)
SCHEMES = ("light", "dark")
# The widest screen on which rows are cards, so that nothing has to be moved sideways; and the one on which rows are counted in lines.
CARDS, COUNTED, MOST_LINES = 640, 380, 5.6
OPEN = "open => document.querySelectorAll('details').forEach(d => d.open = open)"
# Of every number in a cell: whether it stands on one line. Of every cell: how many lines it has. Of every word: whether it is broken.
LOOK = r"""() => {
  const broken = [], towers = [], split = [], hollow = [];
  const lines = (node, from, to) => {
    const range = document.createRange();
    range.setStart(node, from); range.setEnd(node, to);
    return new Set([...range.getClientRects()].filter(r => r.width > 0).map(r => Math.round(r.top))).size;
  };
  for (const cell of document.querySelectorAll('td, th, .tile, .keys li')) {
    if (!cell.checkVisibility() || cell.closest('thead')) continue;
    if (cell.matches('td:empty') && getComputedStyle(cell).display === 'grid') hollow.push(cell.dataset.title);
    const tall = cell.getBoundingClientRect().height / parseFloat(getComputedStyle(cell).lineHeight);
    if (tall > 5.6 && cell.matches('td, th')) towers.push([Math.round(tall), cell.textContent.slice(0, 60)]);
    const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      for (const found of node.data.matchAll(/(?<![\w-])\d[\d.,]*\d(?![\w])/g))
        if (lines(node, found.index, found.index + found[0].length) > 1) broken.push(found[0]);
      for (const found of node.data.matchAll(/\p{L}{2,22}(?![\p{L}_])/gu))
        if (!/[\p{L}\d_.]/u.test(node.data[found.index - 1] ?? ' ') && lines(node, found.index, found.index + found[0].length) > 1)
          split.push(found[0]);
    }
  }
  const wide = [...document.querySelectorAll('.scroll, pre')].filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1)
    .map(e => e.textContent.trim().slice(0, 90));
  return {width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight, broken, towers, split, hollow, wide};
}"""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a page, where."""

    width: int
    opened: bool
    what: str


def faults(page: Any, html: str, widths: tuple[int, ...] = WIDTHS) -> Iterator[Fault]:
    """Yield what is wrong with a page at any width, closed and open."""
    page.set_content(html)
    for opened in (False, True):
        page.evaluate(OPEN, opened)
        for width in widths:
            page.set_viewport_size({"width": width, "height": 800})
            seen = page.evaluate(LOOK)
            found = [f"the page is {seen['width']} pixels wide"] if seen["width"] > width else []
            found += [f"numbers are broken: {seen['broken'][:5]}"] if seen["broken"] else []
            found += [f"words are broken: {seen['split'][:5]}"] if seen["split"] else []
            found += [f"cards have lines that say nothing: {seen['hollow'][:5]}"] if seen["hollow"] else []
            found += [f"a table scrolls sideways: {seen['wide'][0]!r}"] if seen["wide"] and width < CARDS else []
            found += [f"cells are towers: {seen['towers'][:3]}"] if seen["towers"] and width == COUNTED else []
            yield from (Fault(width, opened, what) for what in found)


def serious(page: Any) -> list[str]:
    """Return what axe-core calls serious or critical on the page that is open."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate(OPEN, True)
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found if one["impact"] in ("serious", "critical")]
