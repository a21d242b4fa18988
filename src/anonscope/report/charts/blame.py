"""Who is to blame, and how many facts single somebody out: what each attribute adds, what the best few of them do."""

from collections.abc import Sequence
from dataclasses import dataclass

from anonscope.io.figures import per_cent
from anonscope.report.charts.chart import Chart, Key, empty
from anonscope.report.charts.lanes import Lane, LaneBar, lanes

BLAME, FACTS = "Who is to blame", "How many facts single somebody out"
_MOST = 15


@dataclass(frozen=True, slots=True)
class BlamedPart:
    """What one attribute adds to the records at risk (its Shapley value), and how many fewer there were without it."""

    name: str
    share: float  # of all records at risk
    without: float  # share of the records at risk that would not be so if it were not known


def waterfall(parts: Sequence[BlamedPart], at_risk: int, limit: int) -> Chart:
    """Return the way from all attributes down to none; attributes beyond the largest are taken together."""
    if not parts or not at_risk:
        return empty(BLAME, "Nobody is at risk.", "lanes")
    shown = sorted(parts, key=lambda part: -part.share)
    rest = shown[_MOST:]
    wanted, left, rows = [], 1.0, []
    for part in shown[:_MOST]:
        wanted.append(_step(part.name, part.share, left, part.without))
        rows.append((part.name, per_cent(part.share), per_cent(part.without)))
        left -= part.share
    if rest:
        share = sum(part.share for part in rest)
        wanted.append(_step(f"{len(rest)} others", share, left, None))
        rows.append((f"{len(rest)} others", per_cent(share), "—"))
    drawing, height = lanes(wanted)
    first = shown[0]
    alike = [part.name for part in shown if per_cent(part.share) == per_cent(first.share)]
    cause = f"{first.name} causes" if len(alike) == 1 else f"each of {', '.join(alike)} causes"
    said = f"Of {at_risk:,} records in groups of fewer than {limit:,}, {cause} {per_cent(first.share)}."
    key = (
        Key("series0", "part of the records at risk that it causes, from all attributes down to none (Shapley value)"),
        Key("series1", "part that would not be at risk without it, the others known (leave one out)"),
    )
    return Chart(BLAME, said, "lanes", height, drawing, key, ("attribute", "causes", "fewer without it"), tuple(rows))


def _step(name: str, share: float, left: float, without: float | None) -> Lane:
    low, high = sorted((max(left - share, 0.0), min(left, 1.0)))
    lines = [(LaneBar(low, high, "series0", f"{name}: {per_cent(share)}"),)]
    if without is not None:
        lines.append((LaneBar(0.0, min(max(without, 0.0), 1.0), "series1", f"{name}: {per_cent(without)} fewer without it"),))
    return Lane(name, per_cent(share), tuple(lines))


def facts(best: Sequence[tuple[tuple[str, ...], int]], records: int, how: str) -> Chart:
    """Return the share of records that are unique by the best 1, 2, 3, ... attributes, with the names of these."""
    if not best or not records:
        return empty(FACTS, "No sets of attributes were counted.", "lanes")
    shown = best if len(best) <= _MOST else [*best[: _MOST - 1], best[-1]]
    wanted = [
        Lane(
            _set(names, shown[i - 1][0] if i else ()),
            per_cent(unique / records),
            ((LaneBar(0.0, unique / records, "series0", f"{', '.join(names)}: {unique:,}"),),),
        )
        for i, (names, unique) in enumerate(shown)
    ]
    drawing, height = lanes(wanted)
    rows = tuple((f"{len(names)}", ", ".join(names), f"{unique:,}", per_cent(unique / records)) for names, unique in shown)
    names, unique = shown[min(2, len(shown) - 1)]
    said = f"{_counted(len(names))} ({', '.join(names)}) make {per_cent(unique / records)} of {records:,} records unique. {how}"
    return Chart(FACTS, said, "lanes", height, drawing, (), ("attributes known", "the worst set", "unique", "share"), rows, how)


def _set(names: tuple[str, ...], before: tuple[str, ...]) -> str:
    """Return the number of attributes and their names; of a set that adds one to the last only that one."""
    added = [name for name in names if name not in before]
    return f"{len(names)}: and {added[0]}" if len(added) == 1 and len(names) > 2 else f"{len(names)}: {', '.join(names)}"


def _counted(number: int) -> str:
    return "One attribute" if number == 1 else f"{number} attributes"
