"""Lanes: a name and a figure on a line, and bars below it. What most charts of ours are made of, because it fits every page."""

from collections.abc import Sequence
from dataclasses import dataclass

from anonscope.report.charts.scales import LETTERS, across, fitting
from anonscope.report.charts.svg import Svg, element

_LINE, _BAR, _GAP = 19, 11, 9
_NAME = 16  # the line of a name that leaves no room for its figure


@dataclass(frozen=True, slots=True)
class LaneBar:
    """A bar from one share of the width to another; `words` is what it tells when it is pointed at."""

    start: float
    end: float
    mark: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class Lane:
    """A name, a figure, and lines of bars; `whisker` is from where to where the first may end."""

    name: str
    figure: str
    bars: tuple[tuple[LaneBar, ...], ...]
    whisker: tuple[float, float] | None = None


def lanes(wanted: Sequence[Lane], limit: float | None = None) -> tuple[Svg, int]:
    """Return the drawing and its height; `limit` is a share of the width at which a dashed line stands."""
    parts, top = [], 0
    for lane in wanted:
        figure = fitting(lane.figure, LETTERS - 10)
        # Names that differ in their last words only would all look alike if the figure took their place.
        parts.append(element("text", element("title", lane.name), fitting(lane.name), x=0, y=top + 13, class_="name"))
        if len(lane.name) + len(figure) >= LETTERS:
            top += _NAME
        parts.append(element("text", figure, x="100%", y=top + 13, text_anchor="end", class_="figure"))
        begin = top = top + _LINE
        for line in lane.bars:
            parts.append(element("rect", x="0%", y=top, width="100%", height=_BAR - 1, class_="track"))
            for bar in line:
                wide = across(max(bar.end - bar.start, 0.002))
                inside = (element("title", bar.words),) if bar.words else ()
                parts.append(element("rect", *inside, x=across(bar.start), y=top, width=wide, height=_BAR - 1, class_=f"bar {bar.mark}"))
            top += _BAR + 1
        if lane.whisker is not None:
            low, high = (across(end) for end in lane.whisker)
            middle = begin + (_BAR - 1) / 2
            parts.append(element("line", x1=low, x2=high, y1=middle, y2=middle, class_="whisker"))
            parts += [element("line", x1=end, x2=end, y1=middle - 4, y2=middle + 4, class_="whisker") for end in (low, high)]
        top += _GAP
    if limit is not None:
        parts.append(element("line", x1=across(limit), x2=across(limit), y1=0, y2=top, class_="limit"))
    return Svg("".join(parts)), max(top, 1)
