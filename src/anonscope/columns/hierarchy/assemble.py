"""What all builders share: levels become a hierarchy, and of many possible steps a few are chosen."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from anonscope.columns.hierarchy.hierarchy import Hierarchy
from anonscope.columns.images import EVERYTHING, set_label

# Every level multiplies the combinations that a search has to look at.
MOST_LEVELS = 5
# A label that lists more values than this is no label any more.
MOST_LISTED = 8


@dataclass(frozen=True, slots=True)
class Level:
    """A level in the making: what it does, and a label for every value, or None where the value keeps its own name."""

    words: str
    labels: Sequence[str | None]


def assemble(name: str, leaves: Sequence[str], levels: Iterable[Level]) -> Hierarchy:
    """Return the hierarchy of these levels, without those that join nothing, and with one label for all above them."""
    lost: set[int] = set()
    made: list[tuple[str, ...]] = []
    words: list[str] = []
    size = len(leaves)
    for level in levels:
        labels = set(level.labels)
        # A value that keeps its name but is called like a group would be taken for the group.
        lost.update(row for row, leaf in enumerate(leaves) if level.labels[row] is None and leaf in labels)
        named = [leaf if label is None else label for leaf, label in zip(leaves, level.labels, strict=True)]
        for row in lost:
            named[row] = EVERYTHING
        left = len(set(named))
        if 1 < left < size:
            made.append(tuple(named))
            words.append(level.words)
            size = left
    made.append((EVERYTHING,) * len(leaves))
    return Hierarchy(name, tuple(leaves), tuple(made), (*words, "everything"))


def even_steps(
    heights: Sequence[float], top: float, most: int = MOST_LEVELS, allowed: Callable[[int, int], bool] = lambda lower, upper: True
) -> list[int]:
    """Return which of these ascending heights make the most even stairs from 0 to the top, in so many steps at most.

    Even means that the squares of the steps have the smallest sum. Of equally even stairs the one that starts higher is taken.
    """
    # best[i] holds, for each number of steps, the cheapest stairs that end at height i.
    best: list[list[tuple[float, list[int]]]] = []
    for i, height in enumerate(heights):
        found: list[tuple[float, list[int]]] = [(height**2, [i])]
        for steps in range(1, most):
            below = [
                (best[j][steps - 1][0] + (height - heights[j]) ** 2, [*best[j][steps - 1][1], i])
                for j in range(i)
                if len(best[j]) >= steps and allowed(j, i)
            ]
            if not below:
                break
            found.append(min(below, key=_preferred))
        best.append(found)
    whole = [(cost + (top - heights[stairs[-1]]) ** 2, stairs) for found in best for cost, stairs in found]
    return min(whole, key=_preferred)[1] if whole else []


def group_label(values: Sequence[str]) -> str:
    """Return the label of a group of values in their order: all of them where they are few, else the first and the last."""
    if len(values) <= MOST_LISTED:
        return set_label(tuple(values))
    return f"{_quoted(values[0])} to {_quoted(values[-1])}"


def _quoted(value: str) -> str:
    """Return the end of a band; in quotes if it could be read as two."""
    return '"' + value.replace('"', '""') + '"' if " to " in value or '"' in value else value


def _preferred(choice: tuple[float, list[int]]) -> tuple[float, list[int]]:
    cost, stairs = choice
    return round(cost, 9), [-step for step in stairs]
