"""Pairs that bite: how many records two attributes together make unique, for every pair."""

from collections.abc import Mapping, Sequence

from anonscope.io.figures import per_cent
from anonscope.report.charts.chart import Chart, Key, empty
from anonscope.report.charts.scales import across, fitting
from anonscope.report.charts.svg import Svg, element

TITLE = "Pairs that bite"
_MOST, _CELL, _NAME, _TOLD = 14, 22, 16, 12


def pairs(unique: Mapping[tuple[str, str], int], alone: Mapping[str, int], records: int) -> Chart:
    """Return the heat map; `alone` is what each attribute does by itself. Of many attributes those in the worst pairs are shown."""
    if not unique or not records:
        return empty(TITLE, "There are not two quasi-identifiers.", "pairs")
    worst: dict[str, int] = {}
    for (one, other), count in unique.items():
        worst[one], worst[other] = max(worst.get(one, 0), count), max(worst.get(other, 0), count)
    names = [name for name in alone if name in worst]
    if len(names) > _MOST:
        kept = set(sorted(names, key=lambda name: -worst[name])[:_MOST])
        names = [name for name in names if name in kept]
    most = max(unique.values()) or 1
    ordered = sorted(unique.items(), key=lambda entry: -entry[1])[:_TOLD]
    rows = tuple((f"{one} with {other}", f"{count:,}", per_cent(count / records)) for (one, other), count in ordered)
    (one, other), count = ordered[0]
    alike = sum(number == count for number in unique.values()) - 1
    others = f", and so does {'another pair' if alike == 1 else f'each of {alike:,} other pairs'}" if alike else ""
    said = (
        f"{one} with {other} makes most records unique: {count:,} of {records:,} ({per_cent(count / records)}){others}."
        if count
        else f"No two attributes make any of {records:,} records unique."
    )
    left = f"; the {_MOST} attributes of the worst pairs out of {len(worst)}" if len(worst) > _MOST else ""
    key = (Key("heat0", "no record unique"), Key("heat4", f"{per_cent(max(unique.values()) / records)} of the records unique{left}"))
    drawing = _grid(names, unique, alone, most, records)
    return Chart(
        TITLE,
        said,
        "pairs",
        20 + _CELL * len(names),
        drawing,
        key,
        ("pair", "unique", "share"),
        rows,
        "On the diagonal, each attribute alone.",
    )


def _grid(names: Sequence[str], unique: Mapping[tuple[str, str], int], alone: Mapping[str, int], most: int, records: int) -> Svg:
    parts, wide = [], 1 / len(names)
    for i, name in enumerate(names):
        parts.append(element("text", str(i + 1), x=across((i + 0.5) * wide), y=12, text_anchor="middle", class_="tick"))
        parts.append(
            element(
                "text",
                element("title", name),
                f"{i + 1} {fitting(name, _NAME)}",
                x=-8,
                y=20 + _CELL * (i + 0.7),
                text_anchor="end",
                class_="name",
            )
        )
        for j in range(i + 1):
            count = alone[name] if i == j else unique.get((names[j], name), unique.get((name, names[j]), 0))
            words = f"{name}: {count:,}" if i == j else f"{names[j]} with {name}: {count:,} ({per_cent(count / records)})"
            depth = 0 if count == 0 else min(4, 1 + int(3.999 * count / most))
            parts.append(
                element(
                    *("rect", element("title", words)),
                    x=across(j * wide),
                    y=20 + _CELL * i,
                    width=across(wide * 0.96),
                    height=_CELL - 1,
                    class_=f"heat{depth}",
                )
            )
    return Svg("".join(parts))
