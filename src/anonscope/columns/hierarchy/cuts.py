"""Ordered groups joined where the data is: in two parts, each of them in two, and so on.

The whole is divided at the median. Each part is divided where both sides have equally many records (the quartiles, and so on), or at a
natural break, which leaves both sides as short as can be. Rounder borders are preferred that are nearly as good.
"""

from collections.abc import Callable, Sequence
from typing import Literal

Rule = Literal["median", "break"]
# Borders that part the records worse by so much of a part are as good, if they are rounder.
_NEARLY = 0.05
# Of a natural break each side has at least this share of the records.
_LEAST = 0.2


def halved(
    records: Sequence[float],
    lengths: Callable[[int, int], float] | None = None,
    rounder: Sequence[int] | None = None,
    rule: Rule = "median",
) -> list[list[int]]:
    """Return for ever finer levels where their parts begin: two parts first, then four, and so on while groups are joined.

    `lengths` says how long the groups from one to before another are together, and `rounder` how round the border before each is.
    """
    begun = [0.0]
    for number in records:
        begun.append(begun[-1] + number)
    levels: list[list[int]] = []
    parts = [0]
    while True:
        finer = []
        for begin, end in zip(parts, [*parts[1:], len(records)], strict=True):
            finer.append(begin)
            if (cut := _cut(begun, begin, end, lengths, rounder, rule if levels else "median")) is not None:
                finer.append(cut)
        if len(finer) == len(parts) or len(finer) >= len(records):
            return levels
        levels.append(finer)
        parts = finer


def _cut(
    begun: Sequence[float],
    begin: int,
    end: int,
    lengths: Callable[[int, int], float] | None,
    rounder: Sequence[int] | None,
    rule: Rule,
) -> int | None:
    """Return before which group a part is divided; None if it is a single group."""
    if end - begin < 2:
        return None
    whole = begun[end] - begun[begin]
    if whole <= 0:
        return (begin + end) // 2
    sides = {place: (begun[place] - begun[begin]) / whole for place in range(begin + 1, end)}
    if rule == "break" and lengths is not None:
        total = lengths(begin, end)
        fair = {place: share for place, share in sides.items() if _LEAST <= share <= 1 - _LEAST}
        costs = {
            place: (share * lengths(begin, place) + (1 - share) * lengths(place, end)) / total if total > 0 else abs(share - 0.5)
            for place, share in fair.items()
        } or {place: abs(share - 0.5) for place, share in sides.items()}
    else:
        costs = {place: abs(share - 0.5) for place, share in sides.items()}
    least = min(costs.values())
    near = [place for place, cost in costs.items() if cost <= least + _NEARLY]
    return min(near, key=lambda place: (-rounder[place] if rounder is not None else 0, costs[place], place))
