"""Before and after: what every column has become, as the spread of its values in both tables and as levels of its hierarchy."""

from collections.abc import Sequence
from dataclasses import dataclass

from anonscope.io.figures import per_cent
from anonscope.report.charts.chart import Chart, Key, empty
from anonscope.report.charts.lanes import Lane, LaneBar, lanes

TITLE = "What became of each column"
_DEEPEST = 4  # colours between as it was and hidden
_THINNEST = 0.004  # share of a bar that can be seen as a part of its own


@dataclass(frozen=True, slots=True)
class Values:
    """The shares of the commonest values of a column, none of which is named, and how many values there are."""

    shares: tuple[float, ...]
    number: int


@dataclass(frozen=True, slots=True)
class Ladder:
    """A column: the share of the records at each level, what each level does, and the values before and after; the last level hides all."""

    column: str
    shares: tuple[float, ...]
    cardinalities: tuple[int, ...]
    loss: float
    words: tuple[str, ...] = ()  # what each level above the values does
    before: Values | None = None
    after: Values | None = None

    def level(self, number: int) -> str:
        """Return what a level does, in words."""
        if number == 0:
            return "as it was"
        if number == len(self.shares) - 1:
            return "hidden"
        return self.words[number - 1] if number <= len(self.words) else f"{number} {'step' if number == 1 else 'steps'} coarser"


def ladders(columns: Sequence[Ladder]) -> Chart:
    """Return for every column its values before, its values after, and the levels that were used, each as a bar with a part for each."""
    if not columns:
        return empty(TITLE, "No column was recoded.", "lanes")
    drawing, height = lanes([_lane(c) for c in columns])
    whole = [c.column for c in columns if c.shares and c.shares[0] >= 1]
    hidden = [c.column for c in columns if len(c.shares) > 1 and c.shares[-1] >= 1]
    rest = len(columns) - len(whole) - len(hidden)
    said = f"Of {len(columns)} columns, {len(whole)} are as they were, {rest} are coarser and {len(hidden)} are hidden."
    spread = any(c.before and c.after for c in columns)
    key = [Key("value0", "before: a part for each value, the commonest first"), Key("value1", "after, the same")] if spread else []
    used = dict.fromkeys(_mark(i, len(c.shares)) for c in columns for i, share in enumerate(c.shares) if share > 0)
    key += [Key(mark, _key_words(mark)) for mark in sorted(used, key=lambda mark: (mark == "starred", mark))]
    rows = tuple(row for c in columns for row in _rows(c))
    return Chart(TITLE, said, "lanes", height, drawing, tuple(key), ("column", "records", "values"), rows)


def _rows(column: Ladder) -> list[tuple[str, ...]]:
    told: list[tuple[str, ...]] = []
    if column.before and column.after:
        for when, values in (("before", column.before), ("after", column.after)):
            commonest = f"commonest value {per_cent(values.shares[0])}" if values.shares else "no value"
            told.append((f"{column.column}, {when}", commonest, f"{values.number:,}"))
    return told + [
        (f"{column.column}, {column.level(i)}", per_cent(share), f"{column.cardinalities[i]:,}")
        for i, share in enumerate(column.shares)
        if share > 0
    ]


def _lane(column: Ladder) -> Lane:
    lines = [tuple(_levels(column))]
    if column.before and column.after:
        lines = [tuple(_values(column, "before", column.before, 0)), tuple(_values(column, "after", column.after, 1)), *lines]
    return Lane(column.column, f"{100 * column.loss:.1f} % lost", tuple(lines))


def _values(column: Ladder, when: str, values: Values, mark: int) -> list[LaneBar]:
    found, at = [], 0.0
    seen = [share for share in values.shares if share >= _THINNEST]
    for place, share in enumerate(seen, start=1):
        words = f"{column.column} {when}: {per_cent(share)} have value {place} of {values.number:,}, the commonest first"
        found.append(LaneBar(at, min(at + share, 1.0), f"value{mark}", words))
        at += share
    if values.number > len(seen):
        rest = f"{column.column} {when}: {per_cent(max(1 - at, 0.0))} have one of {values.number - len(seen):,} rarer values"
        found.append(LaneBar(min(at, 1.0), 1.0, f"value{mark} rare", rest))
    return found


def _key_words(mark: str) -> str:
    if mark in ("level0", "starred"):
        return "level: as it was" if mark == "level0" else "hidden"
    steps = int(mark.removeprefix("level"))
    return f"{steps} {'step' if steps == 1 else 'steps'} coarser{' or more' if steps == _DEEPEST else ''}"


def _levels(column: Ladder) -> list[LaneBar]:
    found, at = [], 0.0
    for level, share in enumerate(column.shares):
        if share > 0:
            words = f"{column.column}: {per_cent(share)} {column.level(level)}, {column.cardinalities[level]:,} values"
            found.append(LaneBar(at, min(at + share, 1.0), _mark(level, len(column.shares)), words))
            at += share
    return found


def _mark(level: int, levels: int) -> str:
    # Not "hidden": pages have a class of that name, for what only a screen reader reads.
    if level == 0:
        return "level0"
    return "starred" if level == levels - 1 else f"level{min(level, _DEEPEST)}"
