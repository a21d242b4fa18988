"""Before and after: what every column has become, as the share of its records at each level of its hierarchy."""

from collections.abc import Sequence
from dataclasses import dataclass

from anonscope.report.charts.chart import Chart, Key, empty
from anonscope.report.charts.lanes import Bar, Lane, lanes

TITLE = "What became of each column"
_DEEPEST = 4  # colours between as it was and hidden


@dataclass(frozen=True, slots=True)
class Ladder:
    """A column: the share of the records at each level, and how many values each level has; the last level hides everything."""

    column: str
    shares: tuple[float, ...]
    cardinalities: tuple[int, ...]
    loss: float


def ladders(columns: Sequence[Ladder]) -> Chart:
    """Return a bar a column, in which every level that is used has its part."""
    if not columns:
        return empty(TITLE, "No column was recoded.", "lanes")
    drawing, height = lanes([Lane(c.column, f"{100 * c.loss:.1f} % lost", (tuple(_bars(c)),)) for c in columns])
    whole = [c.column for c in columns if c.shares and c.shares[0] >= 1]
    hidden = [c.column for c in columns if len(c.shares) > 1 and c.shares[-1] >= 1]
    rest = len(columns) - len(whole) - len(hidden)
    said = f"Of {len(columns)} columns, {len(whole)} are as they were, {rest} are coarser and {len(hidden)} are hidden."
    rows = tuple(
        (f"{c.column}, {level_words(i, len(c.shares))}", f"{c.cardinalities[i]:,}", f"{100 * share:.1f} %")
        for c in columns
        for i, share in enumerate(c.shares)
        if share > 0
    )
    used = dict.fromkeys(_mark(i, len(c.shares)) for c in columns for i, share in enumerate(c.shares) if share > 0)
    key = tuple(Key(mark, _key_words(mark)) for mark in sorted(used, key=lambda mark: (mark == "hidden", mark)))
    return Chart(TITLE, said, "lanes", height, drawing, key, ("column and level", "values", "of the records"), rows)


def level_words(level: int, levels: int) -> str:
    """Return what a level is called in a report."""
    return "as it was" if level == 0 else "hidden" if level == levels - 1 else f"level {level}"


def _key_words(mark: str) -> str:
    if mark in ("level0", "hidden"):
        return "as it was" if mark == "level0" else "hidden"
    steps = int(mark.removeprefix("level"))
    return f"{steps} {'step' if steps == 1 else 'steps'} coarser{' or more' if steps == _DEEPEST else ''}"


def _bars(column: Ladder) -> list[Bar]:
    found, at = [], 0.0
    for level, share in enumerate(column.shares):
        if share > 0:
            words = f"{column.column}: {100 * share:.1f} % {level_words(level, len(column.shares))}, {column.cardinalities[level]:,} values"
            found.append(Bar(at, min(at + share, 1.0), _mark(level, len(column.shares)), words))
            at += share
    return found


def _mark(level: int, levels: int) -> str:
    if level == 0:
        return "level0"
    return "hidden" if level == levels - 1 else f"level{min(level, _DEEPEST)}"
