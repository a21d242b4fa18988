"""How many hide how well: the share of people by the size of their group, one curve an attacker, the policy's line, before and after."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from anonscope.io.figures import per_cent
from anonscope.report.charts.chart import Chart, Key, empty
from anonscope.report.charts.plane import axis, frame, path, stretched, upright
from anonscope.report.charts.scales import across, percent, powers, shares, short
from anonscope.report.charts.svg import Svg, element

ASKS = "the policy asks for groups of {}; what is left of it is at risk"
TITLE = "How many hide how well"
# More curves would hide each other, more steps would not be seen.
MOST_CURVES, _MOST_STEPS = 5, 240


@dataclass(frozen=True, slots=True)
class Curve:
    """Groups of look-alikes as (members, groups), as one attacker sees them; `before` is the table that a release was made of."""

    name: str
    sizes: tuple[tuple[int, int], ...]
    before: bool = False


@dataclass(frozen=True, slots=True)
class _Counted:
    """The share of members in groups of up to each size."""

    sizes: tuple[int, ...]
    shares: tuple[float, ...]

    def up_to(self, size: float) -> float:
        place = bisect_right(self.sizes, size)
        return self.shares[place - 1] if place else 0.0


def hiding(curves: Sequence[Curve], wanted: int, members: str = "people", *, whose: str = "policy", asks: str = ASKS) -> Chart:
    """Return the chart; `wanted` is the group size that the policy asks for, or whose it is and what it means."""
    shown = [curve for curve in curves if curve.sizes][:MOST_CURVES]
    if not shown:
        return empty(TITLE, "No groups were counted.")
    counted = [_counted(curve.sizes) for curve in shown]
    largest = max(found.sizes[-1] for found in counted)
    x, y = powers([1, largest, wanted]), shares()
    marks = _series(shown)
    edge = across(x.place(wanted))
    lines = [
        path(_steps(found, x.high, x.place), f"curve {mark}", curve.name) for curve, found, mark in zip(shown, counted, marks, strict=True)
    ]
    drawing = [
        element("rect", x="0%", y=0, width=edge, height="100%", class_="danger"),
        frame(axis(x, "people in the group", short), axis(y, "share in groups of up to so many", percent)),
        stretched(*lines),
        upright(x, wanted, f"{whose}: {wanted:,}"),
    ]
    sizes = _told(largest, wanted)
    rows = tuple((f"up to {size:,}", *(per_cent(found.up_to(size)) for found in counted)) for size in sizes)
    names = [curve.name for curve in shown]
    worst = counted[0]
    alone, below = per_cent(worst.up_to(1)), per_cent(worst.up_to(wanted - 1))
    said = (
        f"{names[0]}: {alone} of the {members} stand alone, {below} are in groups of fewer than {wanted:,}, "
        f"and the largest group has {worst.sizes[-1]:,}."
    )
    more = len([curve for curve in curves if curve.sizes]) - len(shown)
    key = [Key(f"line {mark}", name) for mark, name in zip(marks, names, strict=True)]
    key += [Key("line limit", asks.format(f"{wanted:,}"))]
    key += [Key("none", f"{more} more attackers, in the sections below")] if more > 0 else []
    return Chart(TITLE, said, "plane", 230, Svg("".join(drawing)), tuple(key), ("group size", *names), rows)


def _counted(sizes: tuple[tuple[int, int], ...]) -> _Counted:
    ordered = sorted(sizes)
    total = sum(size * groups for size, groups in ordered) or 1
    reached = accumulate(size * groups for size, groups in ordered)
    return _Counted(tuple(size for size, _ in ordered), tuple(part / total for part in reached))


def _steps(found: _Counted, end: float, place: Callable[[float], float]) -> list[tuple[float, float]]:
    """Return the corners of the curve: as many as can be seen."""
    sizes = found.sizes
    if len(sizes) > _MOST_STEPS:
        kept = {0, len(sizes) - 1}
        at = -1.0
        for i, size in enumerate(sizes):
            here = place(size)
            if here - at >= 1 / _MOST_STEPS:
                kept.add(i)
                at = here
        chosen = sorted(kept)
    else:
        chosen = list(range(len(sizes)))
    corners, height = [(0.0, 0.0)], 0.0
    for i in chosen:
        here = place(sizes[i])
        corners += [(here, height), (here, found.shares[i])]
        height = found.shares[i]
    return [*corners, (place(end), height)]


def _series(curves: Sequence[Curve]) -> list[str]:
    """Return the mark of every curve; what was before is the same for all pages."""
    marks, number = [], 0
    for curve in curves:
        marks.append("before" if curve.before else f"series{number}")
        number += not curve.before
    return marks


def _told(largest: int, wanted: int) -> list[int]:
    """Return the sizes that the table beside the chart tells."""
    sizes = {1, 2, wanted - 1, largest} | {10**i for i in range(1, len(str(largest)))}
    return sorted(size for size in sizes if 1 <= size <= largest or size == wanted - 1 >= 1)
