"""Slow, obvious versions of the measures of utility: one record after the other, in plain Python.

Tables are lists of texts (or None) by column. They use the notation of releases, as `read_image` explains it, and no hierarchies.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import date
from itertools import combinations
from typing import Any

from anonscope.columns.images import Dates, Everything, Exactly, Interval, number_in, read_image
from reference.utility_distances import condensation, euclidean_distance, vectorised_distance

Text = str | None
Table = dict[str, list[Text]]


class Column:
    """A column before and after, with what every label stands for."""

    def __init__(self, before: Sequence[Text], after: Sequence[Text] | None, weights: Sequence[float] | None = None) -> None:
        self.before = list(before)
        self.n = len(self.before)
        self.weights = list(weights) if weights is not None else [1.0] * self.n
        self.counts = Counter(self.before)
        self.domain = list(self.counts)
        texts = [text for text in self.domain if text is not None]
        self.days = bool(texts) and all(is_day(text) for text in texts)
        self.numeric = self.days or (bool(texts) and all(is_number(text) for text in texts))
        self.number = {text: number_of(text, days=self.days) for text in texts} if self.numeric else {}
        self.after = list(after) if after is not None else ["*"] * self.n
        replaced = defaultdict(set)
        for x, y in zip(self.before, self.after, strict=True):
            replaced[y].add(x)
        self.suppressed, self.image, self.bounds, self.extent = {}, {}, {}, {}
        for label, values in replaced.items():
            self._explain(label, values, dropped=after is None)

    def _explain(self, label: Text, values: set[Text], *, dropped: bool) -> None:
        self.suppressed[label] = False
        itself = values == {label} and not dropped
        image: Any = Exactly(label) if itself else Everything() if label is None else read_image(label, dates=self.days)
        under = {x for x in self.domain if image.contains(x)}
        low, high = self._range(under)
        extent: float = len(under)
        if isinstance(image, Exactly) and not itself and not under:
            own = number_of(label, days=self.days) if self.numeric else None
            if own is not None:
                under = {x for x in self.domain if x is not None and self.number[x] == own}
                low = high = own
                extent = 1
            else:
                image = Everything()
        elif isinstance(image, Interval) and self.numeric and not self.days:
            closed = image.closed or image.high == math.inf
            low = image.low if image.low > -math.inf else min(min(self.number.values()), image.high)
            high = image.high if image.high < math.inf else max(max(self.number.values()), image.low)
            extent = math.floor(high) + 1 - math.ceil(low) if closed else math.ceil(high) - math.ceil(low)
        elif isinstance(image, Dates) and self.days:
            low, high = image.first.toordinal(), image.last.toordinal()
            extent = high - low + 1
        elif not under:
            image = Everything()
        if isinstance(image, Everything):
            self.suppressed[label], under = True, set(self.domain)
            low, high = self._range(under)
        self.image[label], self.bounds[label] = under, (low, high)
        self.extent[label] = 1 if isinstance(image, Exactly) else max(extent, 1)
        self.is_interval = getattr(self, "is_interval", {}) | {
            label: (isinstance(image, Interval) and not self.days) or (isinstance(image, Dates) and self.days)
        }

    def _range(self, under: set[Text]) -> tuple[float | None, float | None]:
        numbers = [self.number[x] for x in under if x in self.number]
        return (min(numbers), max(numbers)) if numbers else (None, None)

    @property
    def span(self) -> float:
        return max(self.number.values()) - min(self.number.values())

    @property
    def texts(self) -> int:
        return sum(x is not None for x in self.domain)

    def lost(self, x: Text, y: Text) -> bool:
        return self.suppressed[y] or x not in self.image[y]

    def released(self, y: Text) -> float | None:
        """Return the number a label is taken for."""
        if not self.numeric:
            return None
        own = number_of(y, days=self.days)
        low, high = self.bounds[y]
        if own is not None:
            return own
        return None if low is None or high is None else (low + high) / 2

    def mean(self, loss: Any) -> float:
        """Return the mean over records of a loss of original and label; nothing true known loses 1."""
        return sum(1.0 if self.lost(x, y) else loss(x, y) for x, y in self.pairs) / self.n

    @property
    def pairs(self) -> list[tuple[Text, Text]]:
        return list(zip(self.before, self.after, strict=True))

    @property
    def bars(self) -> dict[Any, tuple[float, float]]:
        """Return the share of every value before and after, labels spread evenly over their images."""
        total = sum(self.weights)
        found: dict[Any, list[float]] = {x: [0.0, 0.0] for x in self.domain}
        for x, y, w in zip(self.before, self.after, self.weights, strict=True):
            found[x][0] += w / total
            for value in self.image[y]:
                found[value][1] += w / total / len(self.image[y])
            if not self.image[y]:
                found.setdefault(("outside", y), [0.0, 0.0])[1] += w / total
        return {key: (a, b) for key, (a, b) in found.items()}

    @property
    def bins(self) -> dict[Any, tuple[float, float]]:
        """Return the share of every bin before and after: numbers where they stand, bands spread evenly over their values."""
        if not self.numeric:
            return self.bars
        low, total = min(self.number.values()), sum(self.weights)
        found: dict[Any, list[float]] = {}

        def add(text: Text, side: int, mass: float) -> None:
            number = number_of(text, days=self.days)
            if number is None:
                key: Any = ("other", text)
            elif not self.span:
                key = number
            else:
                key = 19 if number == low + self.span else math.floor((number - low) / self.span * 20)
            found.setdefault(key, [0.0, 0.0])[side] += mass / total

        for x, y, w in zip(self.before, self.after, self.weights, strict=True):
            add(x, 0, w)
            spread = [y] if number_of(y, days=self.days) is not None or not self.image[y] else list(self.image[y])
            for value in spread:
                add(value, 1, w / len(spread))
        return {key: (a, b) for key, (a, b) in found.items()}


def is_number(text: str) -> bool:
    return number_in(text) is not None and not (text.lstrip("+-")[:2].isdigit() and text.lstrip("+-")[0] == "0")


def is_day(text: str) -> bool:
    return number_of(text, days=True) is not None


def number_of(text: Text, *, days: bool) -> float | None:
    if not days:
        return number_in(text)
    try:
        return float(date.fromisoformat(text or "").toordinal()) if len(text or "") == 10 else None
    except ValueError:
        return None


def entropy(counts: Sequence[float]) -> float:
    total = sum(counts)
    return sum(-c / total * math.log2(c / total) for c in counts if c)


def ncp(column: Column) -> float:
    def penalty(x: Text, y: Text) -> float:
        if column.is_interval[y]:
            low, high = column.bounds[y]
            if not column.span:
                return 0.0
            inside = min(high, max(column.number.values())) - max(low, min(column.number.values()))
            return min(max(inside / column.span, 0.0), 1.0)
        under = sum(value is not None for value in column.image[y])
        return 0.0 if under < 2 or column.extent[y] == 1 else under / column.texts

    return column.mean(penalty)


def generalisation_loss(column: Column) -> float:
    return column.mean(lambda x, y: 1 - 1 / column.extent[y])


def numeric_loss(column: Column) -> float | None:
    if not column.numeric:
        return None

    def width(x: Text, y: Text) -> float:
        low, high = column.bounds[y]
        return (high - low) / column.span if column.span and low is not None else 0.0

    return column.mean(width)


def suppressed_cells(column: Column) -> float:
    return sum(column.suppressed[y] and not (x is None and y is None) for x, y in column.pairs) / column.n


def false_cells(column: Column) -> float:
    return sum(not column.suppressed[y] and x not in column.image[y] for x, y in column.pairs) / column.n


def _entropies(column: Column, loss: Any) -> float:
    most = column.n * entropy(list(column.counts.values()))
    return sum(loss(x, y) for x, y in column.pairs) / most if most else 0.0


def non_uniform_entropy(column: Column) -> float:
    def bits(x: Text, y: Text) -> float:
        around = column.n if column.lost(x, y) else sum(column.counts[b] for b in column.image[y])
        return -math.log2(column.counts[x] / around)

    return _entropies(column, bits)


def conditional_entropy(column: Column) -> float:
    def bits(x: Text, y: Text) -> float:
        return entropy([column.counts[b] for b in (column.domain if column.lost(x, y) else column.image[y])])

    return _entropies(column, bits)


def monotone_entropy(column: Column) -> float:
    def bits(x: Text, y: Text) -> float:
        under = column.domain if column.lost(x, y) else column.image[y]
        return sum(column.counts[b] for b in under) / column.n * entropy([column.counts[b] for b in under])

    return _entropies(column, bits)


def entropy_loss(column: Column) -> float:
    before, after = entropy(list(column.counts.values())), entropy(list(Counter(column.after).values()))
    return max(0.0, before - after) / before if before else 0.0


def consistency_loss(column: Column) -> float:
    became = defaultdict(Counter)
    for x, y in column.pairs:
        became[x][y] += 1
    return sum(sum(labels.values()) - max(labels.values()) for labels in became.values()) / column.n


def _moved(column: Column) -> list[tuple[float, float]]:
    return [(column.number[x], column.released(y)) for x, y in column.pairs if x in column.number and column.released(y) is not None]


def mean_absolute_deviation(column: Column) -> float | None:
    both = _moved(column) if column.numeric else []
    return sum(abs(x - y) for x, y in both) / len(both) if both else None


def proximity_loss(column: Column) -> float | None:
    if not column.numeric:
        return None
    losses = []
    for x, y in column.pairs:
        if x is None:
            continue
        number = column.released(y)
        if column.suppressed[y] or number is None:
            losses.append(1.0)
        else:
            apart = abs(column.number[x] - number)
            losses.append(min(1.0, apart / column.span) if column.span else float(apart != 0))
    return sum(losses) / len(losses)


def squared_error(column: Column) -> float | None:
    both = _moved(column) if column.numeric else []
    if not both:
        return None
    centre = sum(x for x, _ in both) / len(both)
    error, whole = sum((x - y) ** 2 for x, y in both), sum((x - centre) ** 2 for x, _ in both)
    return error / whole if whole else (0.0 if error == 0 else None)


def cosine_similarity(column: Column) -> float:
    bars = column.bins.values()
    return sum(a * b for a, b in bars) / math.sqrt(sum(a * a for a, _ in bars) * sum(b * b for _, b in bars))


def jaccard_similarity(column: Column) -> float:
    return sum(map(min, column.bins.values())) / sum(map(max, column.bins.values()))


def total_variation(column: Column) -> float:
    return sum(abs(a - b) for a, b in column.bars.values()) / 2


def jensen_shannon(column: Column) -> float:
    bars = column.bars.values()
    divergence = entropy([(a + b) / 2 for a, b in bars]) - entropy([a for a, _ in bars]) / 2 - entropy([b for _, b in bars]) / 2
    return math.sqrt(max(divergence, 0.0))


def classes(columns: Sequence[Column]) -> Counter:
    return Counter(zip(*(c.after for c in columns), strict=True))


def group_average(columns: Sequence[Column]) -> float:
    return columns[0].n / len(classes(columns))


def discernibility(columns: Sequence[Column]) -> float:
    return sum(n * n for n in classes(columns).values()) / columns[0].n ** 2


def suppressed_records(columns: Sequence[Column]) -> float:
    rows = zip(*(c.after for c in columns), strict=True)
    return sum(all(c.suppressed[y] for c, y in zip(columns, row, strict=True)) for row in rows) / columns[0].n


def areas(columns: Sequence[Column]) -> list[float]:
    rows = zip(*(c.pairs for c in columns), strict=True)
    return [math.prod(len(c.domain) if c.lost(x, y) else len(c.image[y]) for c, (x, y) in zip(columns, row, strict=True)) for row in rows]


def ambiguity(columns: Sequence[Column]) -> float:
    return sum(areas(columns)) / columns[0].n


def mutual_information_change(columns: Sequence[Column]) -> float | None:
    def information(x: Sequence[Text], y: Sequence[Text]) -> float:
        return (
            entropy(list(Counter(x).values()))
            + entropy(list(Counter(y).values()))
            - entropy(list(Counter(zip(x, y, strict=True)).values()))
        )

    changes = [abs(information(a.before, b.before) - information(a.after, b.after)) for a, b in combinations(columns, 2)]
    return sum(changes) / len(changes) if changes else None


OF_COLUMNS = {
    "ncp": ncp,
    "generalisation_loss": generalisation_loss,
    "numeric_loss": numeric_loss,
    "suppressed_cells": suppressed_cells,
    "false_cells": false_cells,
    "non_uniform_entropy": non_uniform_entropy,
    "conditional_entropy": conditional_entropy,
    "monotone_entropy": monotone_entropy,
    "entropy_loss": entropy_loss,
    "consistency_loss": consistency_loss,
    "mean_absolute_deviation": mean_absolute_deviation,
    "proximity_loss": proximity_loss,
    "squared_error": squared_error,
    "cosine_similarity": cosine_similarity,
    "jaccard_similarity": jaccard_similarity,
    "total_variation": total_variation,
    "jensen_shannon": jensen_shannon,
}
OF_TABLES = {
    "group_average": group_average,
    "discernibility": discernibility,
    "suppressed_records": suppressed_records,
    "ambiguity": ambiguity,
    "euclidean_distance": euclidean_distance,
    "vectorised_distance": vectorised_distance,
    "relative_condensation_loss": condensation,
}
