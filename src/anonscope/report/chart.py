"""Charts as places on a sheet of paper: the template draws them as SVG, and the table beside them says the same in numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Literal

Kind = Literal["plain", "edge", "chosen"]
_WIDTH, _HEIGHT = 640, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 16, 12, 44
_TICKS = 5
# Further points would only blacken the paper.
_MOST_POINTS = 600


@dataclass(frozen=True, slots=True)
class Point:
    """One candidate: where it stands, what it is called, and whether nothing beats it (edge) or it was taken (chosen)."""

    x: float
    y: float
    label: str
    kind: Kind = "plain"


@dataclass(frozen=True, slots=True)
class Scatter:
    """Candidates by two measures; `alternative` says in words what the picture shows."""

    x_title: str
    y_title: str
    points: tuple[Point, ...]
    alternative: str
    named: bool = False  # the names of the points are drawn beside them


@dataclass(frozen=True, slots=True)
class Bars:
    """Groups of bars: one group a version, one bar a series; None has no bar."""

    y_title: str
    groups: tuple[str, ...]
    series: tuple[tuple[str, tuple[float | None, ...]], ...]
    alternative: str
    limit: float | None = None
    spans: tuple[tuple[float, float] | None, ...] = ()  # of the first series: from where to where each may lie


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis."""

    place: float
    text: str


@dataclass(frozen=True, slots=True)
class PlacedPoint:
    """A point of a scatter plot on the paper."""

    x: float
    y: float
    label: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class PlacedBar:
    """A bar on the paper; `series` counts from 0."""

    x: float
    y: float
    width: float
    height: float
    series: int
    text: str


@dataclass(frozen=True, slots=True)
class Whisker:
    """From where to where a bar may end, on the paper."""

    x: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """Everything the template needs to draw a chart."""

    x_title: str
    y_title: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    points: tuple[PlacedPoint, ...] = ()
    line: str = ""  # the points that nothing beats, joined
    bars: tuple[PlacedBar, ...] = ()
    whiskers: tuple[Whisker, ...] = ()
    legend: tuple[str, ...] = ()
    limit: float | None = None
    alternative: str = ""
    named: bool = False  # whether there is room for the names of the points
    width: int = _WIDTH
    height: int = _HEIGHT
    left: int = _LEFT
    right: int = _WIDTH - _RIGHT
    top: int = _TOP
    bottom: int = _HEIGHT - _BOTTOM


def drawn(chart: Scatter | Bars) -> Drawing:
    """Return where everything of a chart stands."""
    return _scatter(chart) if isinstance(chart, Scatter) else _bars(chart)


def _scatter(chart: Scatter) -> Drawing:
    plain = [p for p in chart.points if p.kind == "plain"]
    step = max(1, ceil(len(plain) / _MOST_POINTS))
    points = [*plain[::step], *(p for p in chart.points if p.kind == "edge"), *(p for p in chart.points if p.kind == "chosen")]
    x_low, x_high, x_ticks = _axis([p.x for p in points])
    y_low, y_high, y_ticks = _axis([p.y for p in points])

    def across(x: float) -> float:
        return round(_LEFT + (x - x_low) / (x_high - x_low) * (_WIDTH - _LEFT - _RIGHT), 1)

    def up(y: float) -> float:
        return round(_HEIGHT - _BOTTOM - (y - y_low) / (y_high - y_low) * (_HEIGHT - _TOP - _BOTTOM), 1)

    edge = sorted((p for p in points if p.kind != "plain"), key=lambda p: (p.x, p.y))
    return Drawing(
        x_title=chart.x_title,
        y_title=chart.y_title,
        x_ticks=tuple(Tick(across(x), f"{x:g}") for x in x_ticks),
        y_ticks=tuple(Tick(up(y), f"{y:g}") for y in y_ticks),
        points=tuple(PlacedPoint(across(p.x), up(p.y), p.label, p.kind) for p in points),
        named=chart.named,
        line=" ".join(f"{across(p.x)},{up(p.y)}" for p in edge) if len(edge) > 1 else "",
        alternative=chart.alternative,
    )


def _bars(chart: Bars) -> Drawing:
    values = [v for _, series in chart.series for v in series if v is not None] + ([chart.limit] if chart.limit is not None else [])
    values += [high for span in chart.spans if span is not None for high in span]
    _, high, ticks = _axis([0.0, *values])
    inner, tall = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    group = inner / max(len(chart.groups), 1)
    width = min(group * 0.8 / max(len(chart.series), 1), 48)
    bars = []
    for i, name in enumerate(chart.groups):
        start = _LEFT + group * (i + 0.5) - width * len(chart.series) / 2
        for j, (title, series) in enumerate(chart.series):
            value = series[i]
            if value is not None:
                height = tall * value / high
                text = f"{name}, {title}: {value:g}"
                bars.append(
                    PlacedBar(round(start + j * width, 1), round(_TOP + tall - height, 1), round(width - 2, 1), round(height, 1), j, text)
                )
    first = [_LEFT + group * (i + 0.5) - width * len(chart.series) / 2 + width / 2 for i in range(len(chart.groups))]
    whiskers = tuple(
        Whisker(round(x - 1, 1), round(_TOP + tall - tall * max(span[0], 0) / high, 1), round(_TOP + tall - tall * span[1] / high, 1))
        for x, span in zip(first, chart.spans, strict=False)
        if span is not None
    )
    return Drawing(
        x_title="",
        whiskers=whiskers,
        y_title=chart.y_title,
        x_ticks=tuple(Tick(round(_LEFT + group * (i + 0.5), 1), name[:24]) for i, name in enumerate(chart.groups)),
        y_ticks=tuple(Tick(round(_TOP + tall - tall * y / high, 1), f"{y:g}") for y in ticks),
        bars=tuple(bars),
        legend=tuple(title for title, _ in chart.series) if len(chart.series) > 1 else (),
        limit=None if chart.limit is None else round(_TOP + tall - tall * chart.limit / high, 1),
        alternative=chart.alternative,
    )


def _axis(values: Sequence[float]) -> tuple[float, float, list[float]]:
    """Return where an axis begins and ends, and its marks: at round numbers around the values."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if high - low <= 0:
        low, high = (0.0, high) if high > 0 else (low, low + 1.0)
    raw = (high - low) / _TICKS
    power = 10.0 ** floor(log10(raw))
    step = next(digit * power for digit in (1, 2, 2.5, 5, 10) if digit * power >= raw * 0.999)
    first, last = floor(low / step), ceil(high / step - 1e-9)
    if 0 < first * step <= (high - low):
        first = 0
    return first * step, last * step, [round(i * step, 12) for i in range(first, last + 1)]
