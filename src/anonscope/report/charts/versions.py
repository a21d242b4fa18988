"""Versions by scores: a heat map in panels that stand side by side where there is room, one panel a score and one column a version."""

from collections.abc import Sequence
from dataclasses import dataclass

from anonscope.io.figures import number
from anonscope.report.charts.chart import Chart, Key, Panel, empty
from anonscope.report.charts.scales import across, fitting
from anonscope.report.charts.svg import Svg, element

TITLE = "Versions by scores"
_CELL, _HEAD, _NAME = 22, 18, 24
_TOLD = 60  # letters of a name in what a panel is said to show
_MOST_ROWS = 14  # of a panel; those of the highest scores are drawn
_WIDE, _WRITTEN = 3, 5  # versions whose figures have three decimals, two, none


@dataclass(frozen=True, slots=True)
class Square:
    """A score of a version: its value, how it is judged (low, mid, high, or None where nothing judges it), what is said of it."""

    value: float | None
    tone: str | None
    words: str


@dataclass(frozen=True, slots=True)
class Rows:
    """A panel: what it is about, and a line a name with a square a version. `ordered` has its order, else the highest score comes first."""

    title: str
    lines: tuple[tuple[str, tuple[Square, ...]], ...]
    ordered: bool = False


def versions(names: Sequence[str], panels: Sequence[Rows], note: str = "") -> Chart:
    """Return the heat map; every figure is in the table beside it too."""
    shown = [panel for panel in panels if panel.lines]
    if not names or not shown:
        return empty(TITLE, "No score was measured.")
    drawn = tuple(_panel(panel, len(names)) for panel in shown)
    high = [sum(line[1][i].tone == "high" for panel in shown for line in panel.lines) for i in range(len(names))]
    said = "High risk or broken: " + ", ".join(f"{name} {count}" for name, count in zip(names, high, strict=True)) + "."
    key = [Key(str(i + 1), name, numbered=True) for i, name in enumerate(names)]
    key += [
        Key("square low", "low, up to 0.33; or a rule that is met"),
        Key("square mid", "medium, up to 0.66"),
        Key("square high", "high, above 0.66; or a rule that is broken"),
        Key("square shade4", "no level: the deeper the nearer to 1"),
        Key("square unknown", "not measured"),
    ]
    return Chart(TITLE, said, "panels", 0, Svg(""), tuple(key), note=note, panels=drawn)


def _panel(panel: Rows, several: int) -> Panel:
    lines = panel.lines
    if len(lines) > _MOST_ROWS:
        kept = set(sorted(range(len(lines)), key=lambda i: -_highest(lines[i][1]))[:_MOST_ROWS])
        lines = tuple(line for i, line in enumerate(lines) if i in kept)
    if not panel.ordered:
        lines = tuple(sorted(lines, key=lambda line: -_highest(line[1])))
    wide, parts = 1 / several, []
    for i in range(several):
        parts.append(element("text", str(i + 1), x=across((i + 0.5) * wide), y=12, text_anchor="middle", class_="tick"))
    for j, (name, squares) in enumerate(lines):
        top = _HEAD + _CELL * j
        parts.append(element("text", element("title", name), fitting(name, _NAME), x=-8, y=top + 15, text_anchor="end", class_="name"))
        for i, square in enumerate(squares):
            place: dict[str, str | float] = {"x": across(i * wide), "y": top, "width": across(wide * 0.97), "height": _CELL - 2}
            parts.append(element("rect", element("title", square.words), **place, class_=f"square {_mark(square)}"))
            if several <= _WRITTEN:
                at = across((i + 0.485) * wide)
                parts.append(
                    element("text", _figure(square.value, several), x=at, y=top + 15, text_anchor="middle", class_=f"in {_mark(square)}")
                )
    left = len(panel.lines) - len(lines)
    title = f"{panel.title} (the {len(lines)} highest of {len(panel.lines)})" if left else panel.title
    said = "; ".join(
        f"{fitting(name, _TOLD)}: {', '.join(square.words.rpartition(': ')[2] for square in squares)}" for name, squares in lines
    )
    return Panel(title, said, _HEAD + _CELL * len(lines), Svg("".join(parts)))


def _highest(squares: Sequence[Square]) -> float:
    """Return the highest score of a line; what was not measured is no lower than any."""
    return max((1.0 if square.value is None else square.value for square in squares), default=0.0)


def _mark(square: Square) -> str:
    if square.value is None:
        return "unknown"
    return square.tone or f"shade{min(4, int(4.999 * max(square.value, 0.0)))}"


def _figure(value: float | None, several: int) -> str:
    if value is None:
        return "?"
    if several <= _WIDE or abs(value) >= 2:
        return number(value)
    text = f"{value:.2f}"
    return ".99+" if text == "1.00" and value < 1 else "<.01" if text == "0.00" and value > 0 else text
