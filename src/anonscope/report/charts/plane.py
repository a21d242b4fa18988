"""A plane with two axes: what curves and points are drawn on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from anonscope.report.charts.scales import Scale, across
from anonscope.report.charts.svg import Svg, element, joined

HEIGHT = 230
WHOLE = 1000  # curves are drawn on a square that is stretched to the paper


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale, what it counts, and how its marks are written."""

    scale: Scale
    title: str
    words: Mapping[float, str]


def axis(scale: Scale, title: str, write: Callable[[float], str]) -> Axis:
    """Return an axis whose marks are written by a function."""
    return Axis(scale, title, {tick: write(tick) for tick in scale.ticks})


def up(scale: Scale, value: float) -> float:
    """Return the height at which a value stands, in pixels from the top."""
    return round(HEIGHT * (1 - scale.place(value)), 1)


def frame(x: Axis, y: Axis) -> Svg:
    """Return grid, marks and titles of both axes."""
    parts = [element("text", y.title, x=-48, y=-12, class_="tick title")]
    for tick, words in y.words.items():
        at = up(y.scale, tick)
        parts.append(element("line", x1="0%", x2="100%", y1=at, y2=at, class_="grid"))
        parts.append(element("text", words, x=-12, y=at + 4, text_anchor="end", class_="tick"))
    for tick, words in x.words.items():
        place = across(x.scale.place(tick))
        parts.append(element("line", x1=place, x2=place, y1=HEIGHT, y2=HEIGHT + 4, class_="axis"))
        parts.append(element("text", words, x=place, y=HEIGHT + 18, text_anchor="middle", class_="tick"))
    parts.append(element("line", x1="0%", x2="100%", y1=HEIGHT, y2=HEIGHT, class_="axis"))
    parts.append(element("text", x.title, x="50%", y=HEIGHT + 36, text_anchor="middle", class_="tick title"))
    return joined(*parts)


def stretched(*paths: Svg) -> Svg:
    """Return paths on the square from (0, 0) to (1000, 1000), stretched to the paper."""
    size: dict[str, str | float] = {"x": 0, "y": 0, "width": "100%", "height": HEIGHT}
    return element("svg", *paths, viewbox=f"0 0 {WHOLE} {WHOLE}", preserveaspectratio="none", aria_hidden="true", **size)


def path(places: Sequence[tuple[float, float]], class_: str, words: str) -> Svg:
    """Return a line through places from 0 to 1, upwards; `words` is what it is called."""
    steps = " ".join(f"{'M' if i == 0 else 'L'}{WHOLE * x:.1f} {WHOLE * (1 - y):.1f}" for i, (x, y) in enumerate(places))
    return element("path", element("title", words), d=steps, class_=class_, vector_effect="non-scaling-stroke")


def upright(x: Scale, value: float, words: str) -> Svg:
    """Return a dashed line that stands on a value, named where there is room."""
    place = x.place(value)
    at, side = across(place), "end" if place > 0.5 else "start"
    line = element("line", x1=at, x2=at, y1=0, y2=HEIGHT, class_="limit")
    return joined(line, element("text", words, x=at, y=HEIGHT / 2, dx=-6 if side == "end" else 6, text_anchor=side, class_="tick said"))


def level(y: Scale, value: float, words: str) -> Svg:
    """Return a dashed line that lies on a value, named at its end."""
    at = up(y, value)
    line = element("line", x1="0%", x2="100%", y1=at, y2=at, class_="limit")
    return joined(line, element("text", words, x="100%", y=at - 6 if at > 24 else at + 16, text_anchor="end", class_="tick said"))
