"""Draw the curves of docs/engines/how-far.md from the tables of that page: python -m benchmarks.curves.

Both axes are logarithmic, so a straight line that rises as steeply as the dotted one means: twice the work, twice the time.
"""

import math
import re
from dataclasses import dataclass
from pathlib import Path

from benchmarks.job import ROOT

PAGE, PICTURE = ROOT / "docs/engines/how-far.md", ROOT / "docs" / "images" / "how-far.svg"
_WIDTH, _HEIGHT, _LEFT, _TOP, _ROOM = 430, 300, 56, 34, 46
_COLOURS = {"audit": "#1f5fa8", "bare GROUP BY": "#9a5b00"}
_TABLE = re.compile(r"^\| (records|quasi-identifiers) \| classes \|[^\n]*\n\|[-| ]+\n((?:\|[^\n]*\n)+)", re.MULTILINE)


@dataclass(frozen=True)
class Panel:
    """One table: what grows, and the seconds of both."""

    title: str
    across: str
    points: tuple[tuple[float, float, float], ...]  # size, bare GROUP BY, audit


def panels(text: str) -> list[Panel]:
    """Return the tables of the page that say how cost grows, each with the heading above it."""
    found = []
    for match in _TABLE.finditer(text):
        title = re.findall(r"^### (.+)$", text[: match.start()], re.MULTILINE)[-1]
        rows = [[cell.strip() for cell in line.strip("| \n").split("|")] for line in match.group(2).splitlines()]
        points = tuple((float(row[0].replace(",", "")), float(row[2]), float(row[3])) for row in rows)
        found.append(Panel(title, match.group(1), points))
    return found


def svg(drawn: list[Panel]) -> str:
    """Return the picture: two panels a row."""
    rows = -(-len(drawn) // 2)
    parts = [_panel(panel, (i % 2) * _WIDTH, (i // 2) * _HEIGHT) for i, panel in enumerate(drawn)]
    words = "; ".join(f"{p.title}: {p.points[-1][2]:g} s for {p.points[-1][0]:,.0f} {p.across}" for p in drawn)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * _WIDTH} {rows * _HEIGHT}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12"><title>{words}</title>'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n'
    )


def _panel(panel: Panel, x: int, y: int) -> str:
    sizes = [p[0] for p in panel.points]
    times = [t for p in panel.points for t in p[1:]]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    first, last = math.log10(sizes[0]), math.log10(sizes[-1])
    wide, tall = _WIDTH - _LEFT - 20, _HEIGHT - _TOP - _ROOM

    def at(size: float, seconds: float) -> tuple[float, float]:
        across = (math.log10(size) - first) / (last - first)
        return x + _LEFT + across * wide, y + _TOP + tall - (math.log10(seconds) - low) / (high - low) * tall

    lines = [f'<text x="{x + _LEFT}" y="{y + 18}" font-weight="600">{panel.title}</text>']
    for power in range(low, high + 1):
        left, level = at(sizes[0], 10.0**power)
        lines.append(f'<path d="M{left:.1f} {level:.1f}h{wide}" stroke="#ddd"/>')
        lines.append(f'<text x="{left - 6:.1f}" y="{level + 4:.1f}" text-anchor="end" fill="#444">{10.0**power:g} s</text>')
    for size in sizes:
        place, _ = at(size, 10.0**low)
        shown = f"10{_raised(round(math.log10(size)))}" if panel.across == "records" else f"{size:g}"
        lines.append(f'<text x="{place:.1f}" y="{y + _HEIGHT - 26}" text-anchor="middle" fill="#444">{shown}</text>')
    lines.append(f'<text x="{x + _LEFT + wide / 2:.0f}" y="{y + _HEIGHT - 10}" text-anchor="middle" fill="#444">{panel.across}</text>')
    start = at(sizes[0], min(panel.points[0][1:]))
    steep = min(10.0**high, min(panel.points[0][1:]) * sizes[-1] / sizes[0])
    end = at(sizes[0] * steep / min(panel.points[0][1:]), steep)
    lines.append(f'<path d="M{start[0]:.1f} {start[1]:.1f}L{end[0]:.1f} {end[1]:.1f}" stroke="#888" stroke-dasharray="2 4"/>')
    for column, (name, colour) in enumerate(reversed(_COLOURS.items()), start=1):
        dots = [at(point[0], point[column]) for point in panel.points]
        path = "L".join(f"{a:.1f} {b:.1f}" for a, b in dots)
        dashed = "" if name == "audit" else ' stroke-dasharray="7 4"'
        lines.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"{dashed}/>')
        lines += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" fill="{colour}"/>' for a, b in dots]
        lines.append(f'<text x="{x + _LEFT + 8 + 60 * (2 - column)}" y="{y + _TOP + 12}" fill="{colour}">{name}</text>')
    return "".join(lines)


def _raised(power: int) -> str:
    return "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(power))


def main() -> None:
    """Draw the picture anew."""
    Path(PICTURE).write_text(svg(panels(PAGE.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
