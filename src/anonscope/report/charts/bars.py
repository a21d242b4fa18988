"""Groups of bars: one group a version or an attack, one bar a series, with intervals and a limit where there are some."""

from dataclasses import dataclass

from anonscope.io.figures import figure
from anonscope.report.charts.chart import Chart, Key, empty
from anonscope.report.charts.lanes import Lane, LaneBar, lanes
from anonscope.report.charts.scales import Scale, linear

_SERIES = 4  # colours that can be told apart


@dataclass(frozen=True, slots=True)
class Bars:
    """Groups of bars; None has no bar."""

    title: str
    groups: tuple[str, ...]
    series: tuple[tuple[str, tuple[float | None, ...]], ...]
    alternative: str
    limit: float | None = None
    spans: tuple[tuple[float, float] | None, ...] = ()  # of the first series: from where to where each may lie
    reach: float = 0.0  # so far the axis goes at least: an interval of next to nothing must not look like all there is


def bars(asked: Bars) -> Chart:
    """Return the chart; its table is the one of the section that it stands in."""
    if not asked.groups:
        return empty(asked.title, "There is nothing to compare.", "lanes")
    values = [v for _, series in asked.series for v in series if v is not None] + ([asked.limit] if asked.limit is not None else [])
    values += [end for span in asked.spans if span is not None for end in span]
    scale = linear([*values, asked.reach])
    wanted = [_lane(asked, i, scale) for i in range(len(asked.groups))]
    drawing, height = lanes(wanted, None if asked.limit is None else scale.place(asked.limit))
    key = [Key(f"series{j % _SERIES}", name) for j, (name, _) in enumerate(asked.series)] if len(asked.series) > 1 else []
    key += [Key("line limit", f"limit: {figure(asked.limit)}")] if asked.limit is not None else []
    return Chart(asked.title, asked.alternative, "lanes", height, drawing, tuple(key))


def _lane(asked: Bars, number: int, scale: Scale) -> Lane:
    name, zero = asked.groups[number], scale.place(0.0)
    lines, figures = [], []
    for j, (title, series) in enumerate(asked.series):
        value = series[number]
        figures.append(figure(value))
        if value is not None:
            start, end = sorted((zero, scale.place(value)))
            lines.append((LaneBar(start, end, f"series{j % _SERIES}", f"{name}, {title}: {figure(value)}"),))
    span = asked.spans[number] if number < len(asked.spans) else None
    return Lane(name, " / ".join(figures), tuple(lines), None if span is None else (scale.place(span[0]), scale.place(span[1])))
