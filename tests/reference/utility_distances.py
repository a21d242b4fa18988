"""Distances of records, the slow and obvious way: of what each became, and within what became alike."""

import math
from collections.abc import Sequence
from typing import Any


def euclidean_distance(columns: Sequence[Any]) -> float | None:
    numeric = [c for c in columns if c.numeric]
    total = 0.0
    for i in range(columns[0].n):
        squares = 0.0
        for c in numeric:
            x, y = c.before[i], c.released(c.after[i])
            squares += (c.number[x] - y) ** 2 if x is not None and y is not None else 0.0
        total += math.sqrt(squares)
    return total / columns[0].n if numeric else None


def vectorised_distance(columns: Sequence[Any]) -> float:
    total = 0.0
    for i in range(columns[0].n):
        squares = 0.0
        for c in columns:
            x, y = c.before[i], c.after[i]
            if c.numeric:
                moved = c.number[x] - c.released(y) if x is not None and c.released(y) is not None else 0.0
                squares += (moved / c.span) ** 2 if c.span else float(moved != 0)
                continue
            image = set(c.domain) if c.suppressed[y] else set(c.image[y])
            for value in c.domain:
                there = 1 / len(image) if value in image else 0.0
                squares += ((value == x) - there) ** 2 / 2
        total += math.sqrt(squares)
    return total / columns[0].n


def condensation(columns: Sequence[Any]) -> float:
    """Return the mean over records of how far apart the original records of their class were, by the whole table's."""

    def apart(i: int, j: int) -> float:
        squares = 0.0
        for c in columns:
            x, y = c.before[i], c.before[j]
            if c.numeric:
                low = min(c.number.values())
                u, v = ((c.number[z] - low) / c.span if z is not None and c.span else 0.5 for z in (x, y))
                squares += (u - v) ** 2 if c.span else 0.0
            else:
                squares += x != y
        return math.sqrt(squares)

    rows = list(zip(*(c.after for c in columns), strict=True))
    n = columns[0].n
    whole = max(apart(i, j) for i in range(n) for j in range(n))
    widths = [max(apart(j, k) for j in range(n) for k in range(n) if rows[j] == rows[k] == rows[i]) for i in range(n)]
    return sum(widths) / n / whole if whole else 0.0
