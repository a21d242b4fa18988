"""Risk against loss: points by two measures, those with a name numbered, so that no name ever lies on another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

from anonscope.report.charts.chart import Chart, Key, empty
from anonscope.report.charts.plane import HEIGHT, axis, frame, level, path, stretched, up
from anonscope.report.charts.scales import Scale, across, linear, percent, powers, short
from anonscope.report.charts.svg import Svg, element

Kind = Literal["plain", "edge", "chosen", "now", "refused"]
# Further points would only blacken the paper.
_MOST_POINTS = 600
_NARROWEST = 200  # pixels of the plane on the smallest page
_MARK = 20  # pixels that a numbered mark takes
_WORDS: dict[Kind, str] = {
    "plain": "tried",
    "edge": "not beaten in both by any other",
    "chosen": "chosen",
    "now": "the table as it is",
    "refused": "does not meet the policy",
}


@dataclass(frozen=True, slots=True)
class Point:
    """One candidate: where it stands, what it is called, and whether nothing beats it (edge), it was taken (chosen), or is there now."""

    x: float
    y: float
    label: str
    kind: Kind = "plain"
    named: bool = False  # it has a number on the paper, and its name in the key


@dataclass(frozen=True, slots=True)
class Scatter:
    """Candidates by two measures; `alternative` says in words what the picture shows."""

    x_title: str
    y_title: str
    points: tuple[Point, ...]
    alternative: str
    title: str = "Risk against loss"
    limit: float | None = None  # of what stands upwards
    limit_words: str = "the policy's limit"
    log: bool = False  # upwards, in powers of ten
    shares: bool = False  # along the width, as percentages
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def scatter(asked: Scatter) -> Chart:
    """Return the chart."""
    if not asked.points:
        return empty(asked.title, "There is nothing to compare.")
    plain = _thinned([p for p in asked.points if p.kind == "plain" and not p.named])
    named = [p for p in asked.points if p.named]
    others = [*_thinned([p for p in asked.points if p.kind != "plain" and not p.named]), *named]
    edge = sorted((p for p in others if p.kind in ("edge", "chosen")), key=lambda p: (p.x, p.y))
    heights = [p.y for p in asked.points] + ([asked.limit] if asked.limit is not None else [])
    x = linear([p.x for p in asked.points])
    y = powers(heights) if asked.log and all(h > 0 for h in heights) else linear(heights)
    drawing = [frame(axis(x, asked.x_title, percent if asked.shares else short), axis(y, asked.y_title, _upwards(y)))]
    if asked.limit is not None:
        drawing.append(level(y, asked.limit, asked.limit_words))
    if len(edge) > 1:
        drawing.append(stretched(path([(x.place(p.x), y.place(p.y)) for p in edge], "curve edge", "not beaten in both")))
    drawing += [_dot(p, x, y) for p in (*plain, *(p for p in others if not p.named))]
    key = []
    for numbers, gathered in _gathered(named, x, y):
        drawing.append(_numbered(numbers, gathered[0], x, y))
        key += [Key(number, p.label, numbered=True) for number, p in zip(numbers.split("+"), gathered, strict=True)]
    key.sort(key=lambda one: int(one.mark))
    key += [Key(f"dot {kind}", _WORDS[kind]) for kind in dict.fromkeys(p.kind for p in asked.points if not p.named)]
    return Chart(asked.title, asked.alternative, "plane", HEIGHT, Svg("".join(drawing)), tuple(key), asked.header, asked.rows)


def _thinned(points: Sequence[Point]) -> Sequence[Point]:
    return points[:: max(1, ceil(len(points) / _MOST_POINTS))]


def _upwards(scale: Scale) -> Callable[[float], str]:
    return _one_in if scale.log else short


def _one_in(value: float) -> str:
    return short(value) if value >= 1 else f"1/{short(round(1 / value))}"


def _gathered(points: Sequence[Point], x: Scale, y: Scale) -> list[tuple[str, list[Point]]]:
    """Return the numbered points with their numbers; those that would lie on each other on the smallest page share a mark."""
    groups: list[list[int]] = []
    for i, p in enumerate(points):
        for group in groups:
            first = points[group[0]]
            wide = abs(x.place(p.x) - x.place(first.x)) * _NARROWEST
            if wide < _MARK * (1 + 0.5 * len(group)) and abs(up(y, p.y) - up(y, first.y)) < _MARK:
                group.append(i)
                break
        else:
            groups.append([i])
    return [("+".join(str(i + 1) for i in group), [points[i] for i in group]) for group in groups]


def _numbered(numbers: str, point: Point, x: Scale, y: Scale) -> Svg:
    wide = 18 + 7 * (len(numbers) - 1)
    at, height = across(x.place(point.x)), up(y, point.y)
    moved = f"translate({-wide / 2:g} 0)"
    box = element("rect", x=at, y=height - 9, width=wide, height=18, rx=9, transform=moved, class_=f"mark {point.kind}")
    said = element("text", numbers, x=at, y=height + 4, text_anchor="middle", class_=f"number {point.kind}")
    return element("g", element("title", point.label), box, said)


def _dot(point: Point, x: Scale, y: Scale) -> Svg:
    radius, place = {"plain": 2.5, "refused": 3.5}.get(point.kind, 4.5), across(x.place(point.x))
    return element("circle", element("title", point.label), cx=place, cy=up(y, point.y), r=radius, class_=f"dot {point.kind}")
