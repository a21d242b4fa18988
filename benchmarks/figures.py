"""Draw the papers' figures from the tables of our pages: python -m benchmarks.figures.

The tables are what was measured; a picture says nothing that they do not. SCORR's figures 12 and 13 and the ITPR paper's 6 and 7 are
those of docs/engines/metric-costs.md, the ITPR paper's 3 to 5 those of docs/risk/itpr-figures.md, and Kim's 1 and 2 those of
docs/utility/rut-scenarios.md.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path

from benchmarks.job import ROOT

DOCS = ROOT / "docs"
COLOURS = ("#1f5fa8", "#9a5b00", "#2f7d4f", "#8a2f6b", "#5b4bb5", "#a33a2a", "#4d6b1f", "#00707a", "#7a5c00", "#444444")
DASHES = ("", "7 4", "2 3", "9 3 2 3")
_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 430, 300, 56, 34, 120, 46
_ROW = re.compile(r"^\|(.+)\|$", re.MULTILINE)


@dataclass(frozen=True)
class Panel:
    """Some lines over the same places: with a title, what lies across, and whether either axis is logarithmic."""

    title: str
    across: str
    ticks: tuple[str, ...]
    places: tuple[float, ...]
    lines: Mapping[str, Sequence[float]]
    logarithmic: bool = False
    dashed: frozenset[str] = frozenset()  # lines that are drawn dashed, in the colour of the one before


def table(text: str, heading: str) -> list[list[str]]:
    """Return the first table below a heading, row by row, without its ruler."""
    below = text[text.index(f"\n{heading}\n") :]
    start = below.index("\n|")
    end = below.find("\n\n", start)
    rows = [[cell.strip() for cell in row.split("|")] for row in _ROW.findall(below[start : end if end > 0 else None])]
    return [row for row in rows if not set("".join(row)) <= set("- ")]


def by_row(text: str, heading: str, title: str, across: str, *, logarithmic: bool = False) -> Panel:
    """Return a table whose rows are lines, and whose columns are places; a column that is headed by words is left out."""
    header, *rows = table(text, heading)
    kept = [i for i, cell in enumerate(header) if i and _number(cell) is not None]
    places = tuple(float(_number(header[i]) or 0) for i in kept)
    lines = {row[0]: [float(_number(row[i]) or 0) for i in kept] for row in rows}
    power = logarithmic and places[0] >= 1000
    ticks = tuple(f"10{_raised(round(math.log10(p)))}" if power else f"{p:g}" for p in places)
    return Panel(title, across, ticks, places, lines, logarithmic)


def _number(cell: str) -> float | None:
    found = re.match(r"-?[\d,]*\.?\d+", cell)
    return float(found.group().replace(",", "")) if found and not re.search(r"[a-z]", cell.partition("<")[0]) else None


def balance_panels(text: str) -> Iterator[Panel]:
    """Yield Kim's figures 1 and 2, each as it came out here and as it is printed."""
    header, *rows = table(text, "## What came out")
    at = {name: header.index(name) for name in ("safety", "U", "RUT")}
    levels = ("P1", "P2", "P3")
    for printed in (False, True):
        whose = "printed" if printed else "here"

        def value(cell: str, printed: bool = printed) -> float:
            first, _, rest = cell.partition(" [")
            return float(rest.partition("]")[0] if printed else first)

        one: dict[str, list[float]] = {}
        two: dict[str, list[float]] = {}
        for scenario in ("S1", "S2", "S3"):
            cells = [next(row for row in rows if row[0] == f"{scenario} {level}") for level in levels]
            one[f"{scenario} safety"] = [value(row[at["safety"]]) for row in cells]
            one[f"{scenario} utility"] = [value(row[at["U"]]) for row in cells]
            two[scenario] = [value(row[at["RUT"]]) for row in cells]
        dashed = frozenset(name for name in one if name.endswith("utility"))
        yield Panel(f"Figure 1, {whose}", "level", levels, (1, 2, 3), one, dashed=dashed)
        yield Panel(f"Figure 2, {whose}: RUT", "level", levels, (1, 2, 3), two)


def svg(panels: Sequence[Panel]) -> str:
    """Return the picture: two panels a row."""
    rows = -(-len(panels) // 2)
    words = "; ".join(panel.title for panel in panels)
    drawn = "".join(_panel(panel, (i % 2) * _WIDTH, (i // 2) * _HEIGHT) for i, panel in enumerate(panels))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * _WIDTH} {rows * _HEIGHT}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12"><title>{escape(words)}</title>'
        f'<rect width="100%" height="100%" fill="white"/>{drawn}</svg>\n'
    )


def _panel(panel: Panel, x: int, y: int) -> str:
    wide, tall = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    values = [value for line in panel.lines.values() for value in line]
    levels = _levels(values, logarithmic=panel.logarithmic)
    scale = math.log10 if panel.logarithmic else float
    first, last, low, high = scale(panel.places[0]), scale(panel.places[-1]), scale(levels[0]), scale(levels[-1])

    def at(place: float, value: float) -> tuple[float, float]:
        across, up = (scale(place) - first) / (last - first), (scale(max(value, levels[0])) - low) / (high - low)
        return x + _LEFT + across * wide, y + _TOP + tall - up * tall

    parts = [f'<text x="{x + _LEFT}" y="{y + 18}" font-weight="600">{escape(panel.title)}</text>']
    for level in levels:
        left, height = at(panel.places[0], level)
        parts.append(f'<path d="M{left:.1f} {height:.1f}h{wide}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 6:.1f}" y="{height + 4:.1f}" text-anchor="end" fill="#444">{level:g}</text>')
    drawn = -math.inf
    for place, tick in zip(panel.places, panel.ticks, strict=True):
        middle = at(place, levels[0])[0]
        if middle - drawn < 7 * len(tick) + 6:
            continue
        drawn = middle
        parts.append(f'<text x="{middle:.1f}" y="{y + _HEIGHT - 26}" text-anchor="middle" fill="#444">{tick}</text>')
    parts.append(f'<text x="{x + _LEFT + wide / 2:.0f}" y="{y + _HEIGHT - 10}" text-anchor="middle" fill="#444">{panel.across}</text>')
    heights = _apart([at(panel.places[-1], line[-1])[1] for line in panel.lines.values()])
    colour = -1
    for (name, line), height in zip(panel.lines.items(), heights, strict=True):
        colour += name not in panel.dashed
        shade, dash = COLOURS[colour % len(COLOURS)], "7 4" if name in panel.dashed else DASHES[colour % 4 if not panel.dashed else 0]
        dots = [at(place, value) for place, value in zip(panel.places, line, strict=True)]
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        path = "L".join(f"{a:.1f} {b:.1f}" for a, b in dots)
        parts.append(f'<path d="M{path}" fill="none" stroke="{shade}" stroke-width="2"{dashed}/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{shade}"/>' for a, b in dots]
        # Colour alone tells nothing to some: every line ends in its name.
        parts.append(f'<text x="{x + _LEFT + wide + 8}" y="{height + 4:.1f}" fill="{shade}" font-size="11">{escape(name)}</text>')
    return "".join(parts)


def _levels(values: Iterable[float], *, logarithmic: bool) -> list[float]:
    known = list(values)
    if logarithmic:
        low, high = math.floor(math.log10(min(known))), math.ceil(math.log10(max(known)))
        return [10.0**power for power in range(low, max(high, low + 1) + 1)]
    top = max(known) or 1.0
    step = next(s for s in (0.1, 0.2, 0.25, 0.5, 1, 2, 2.5, 5, 10, 20) if top / s <= 6)
    return [round(step * i, 6) for i in range(math.ceil(round(top / step, 6)) + 1)]


def _apart(heights: Sequence[float], least: float = 12.0) -> list[float]:
    """Return heights of names that do not cover each other, in the order of the lines."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    found = list(heights)
    for before, i in pairwise(order):
        found[i] = max(found[i], found[before] + least)
    return found


def _raised(power: int) -> str:
    return "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(power))


def pictures() -> dict[Path, str]:
    """Return every picture, by where it is kept."""
    costs = (DOCS / "engines" / "metric-costs.md").read_text(encoding="utf-8")
    itpr = (DOCS / "risk" / "itpr-figures.md").read_text(encoding="utf-8")
    rut = (DOCS / "utility" / "rut-scenarios.md").read_text(encoding="utf-8")
    return {
        DOCS / "images" / "metric-costs.svg": svg(
            [
                by_row(costs, "## Over records", "CPU seconds over records", "records", logarithmic=True),
                by_row(costs, "## Over quasi-identifiers", "CPU seconds over quasi-identifiers", "quasi-identifiers", logarithmic=True),
            ]
        ),
        DOCS / "images" / "itpr-figures.svg": svg(
            [
                by_row(itpr, "## Figure 3", "Figure 3: inference over lambda", "lambda"),
                by_row(itpr, "### Maximum information leakage over lambda", "Figure 3b: MIL over lambda", "lambda"),
                by_row(itpr, "## Figure 4", "Figure 4: inference over theta", "theta"),
                by_row(itpr, "## Figure 5", "Figure 5: ITPR over epsilon, by theta", "epsilon"),
            ]
        ),
        DOCS / "images" / "rut-scenarios.svg": svg(list(balance_panels(rut))),
    }


def main() -> None:
    """Draw all of them anew."""
    for path, text in pictures().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
