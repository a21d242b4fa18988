"""Linkage as a flow: how many released records lead to one person, to few, to many and to nobody."""

from collections.abc import Sequence
from dataclasses import dataclass

from anonscope.report.charts.chart import Chart, empty
from anonscope.report.charts.svg import Svg, element, joined

TITLE = "Whom released records lead to"
_HEIGHT, _GAP, _LEAST = 200, 8, 26


@dataclass(frozen=True, slots=True)
class Stream:
    """A part of the records, and where it leads."""

    name: str
    records: int
    mark: str
    words: str = ""


def flow(streams: Sequence[Stream], source: str) -> Chart:
    """Return the streams from the release to where they end; a stream without a record is told beside it only."""
    total = sum(stream.records for stream in streams)
    if not total:
        return empty(TITLE, "No record was linked.", "flow")
    shown = [stream for stream in streams if stream.records]
    # What is small keeps a line of its own at its end, so that names never lie on each other.
    room = _HEIGHT - _GAP * (len(shown) - 1)
    raw = [max(_LEAST, room * stream.records / total) for stream in shown]
    over = sum(raw) - room
    spare = sum(x - _LEAST for x in raw) or 1
    ends = [x - over * (x - _LEAST) / spare for x in raw]
    bands, words, left, right = [], [], 0.0, 0.0
    start = (_HEIGHT - room) / 2
    for stream, end in zip(shown, ends, strict=True):
        thick = room * stream.records / total
        top, below = start + left, right + (end - min(thick, end)) / 2
        low = min(thick, end)
        upper, lower = f"{top:.1f}C500 {top:.1f} 500 {below:.1f} 1000 {below:.1f}", f"{top + thick:.1f} 0 {top + thick:.1f}"
        shape = f"M0 {upper}V{below + low:.1f}C500 {below + low:.1f} 500 {lower}Z"
        said = f"{stream.name}: {stream.records:,} of {total:,} ({100 * stream.records / total:.1f} %)"
        bands.append(element("path", element("title", said), d=shape, class_=f"band {stream.mark}"))
        middle = right + end / 2
        words.append(element("text", stream.name, x="100%", dx=8, y=middle - 1, class_="name"))
        words.append(
            element("text", f"{stream.records:,}, {100 * stream.records / total:.1f} %", x="100%", dx=8, y=middle + 12, class_="tick")
        )
        left, right = left + thick, right + end + _GAP
    size: dict[str, str | float] = {"x": 0, "y": 0, "width": "100%", "height": _HEIGHT}
    drawn = element("svg", *bands, viewbox=f"0 0 1000 {_HEIGHT}", preserveaspectratio="none", aria_hidden="true", **size)
    begin = element("text", f"{total:,} records of {source}", x=0, y=_HEIGHT + 18, class_="tick")
    rows = tuple((stream.name, f"{stream.records:,}", f"{100 * stream.records / total:.1f} %", stream.words) for stream in streams)
    told = "; ".join(f"{stream.name}: {stream.records:,}" for stream in streams)
    return Chart(
        TITLE,
        f"Of {total:,} records: {told}.",
        "flow",
        _HEIGHT + 24,
        Svg(joined(drawn, *words, begin)),
        (),
        ("leads to", "records", "share", "which means"),
        rows,
    )
