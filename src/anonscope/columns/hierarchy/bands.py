"""Bands of numbers, and the coarser ones that they can be joined to where the records are."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from anonscope.columns.hierarchy.assemble import MOST_LEVELS, Level
from anonscope.columns.hierarchy.cuts import Rule, halved

# A level that leaves more than this of the bands below it hardly coarsens them.
_MOST_LEFT = 2 / 3
_RULES: tuple[Rule, ...] = ("median", "break")
_WORDS: dict[Rule, str] = {"median": "in {} about equally full bands", "break": "in {} bands, parted at natural breaks"}


@dataclass(frozen=True, slots=True)
class Banded:
    """A level of bands over ordered numbers: the label of every number, and where its band begins, in whole units of the scale."""

    words: str
    labels: Sequence[str]
    begins: Sequence[int]


def joined(
    levels: Sequence[Banded], records: Sequence[int], numbers: Sequence[float], text: Callable[[int], str], whole: bool
) -> Iterator[list[Level]]:
    """Return ladders: all levels as they are, and each beginning of them below bands that are joined where the records are."""
    plain = [Level(level.words, level.labels) for level in levels]
    yield plain
    for last in range(len(levels), 0, -1):
        for rule in _RULES:
            if above := _above(levels[last - 1], records, numbers, text, whole, rule, MOST_LEVELS - last):
                yield [*plain[:last], *above]


def _above(
    base: Banded, records: Sequence[int], numbers: Sequence[float], text: Callable[[int], str], whole: bool, rule: Rule, most: int
) -> list[Level]:
    """Return at most so many levels above one, finest first."""
    starts = [0, *(i for i in range(1, len(base.labels)) if base.labels[i] != base.labels[i - 1])]
    ends = [*starts[1:], len(base.labels)]
    begins = [base.begins[start] for start in starts]
    sizes = [float(sum(records[start:end])) for start, end in zip(starts, ends, strict=True)]
    levels = halved(
        sizes,
        lambda begin, end: numbers[ends[end - 1] - 1] - numbers[starts[begin]],
        [_roundness(begin) for begin in begins],
        rule,
    )
    kept: list[list[int]] = []
    for parts in levels[:most]:
        if len(parts) <= _MOST_LEFT * len(starts) and (not kept or len(kept[-1]) <= _MOST_LEFT * len(parts)):
            kept.append(parts)
    return [Level(_WORDS[rule].format(len(parts)), _labels(base, starts, ends, begins, parts, text, whole)) for parts in reversed(kept)]


def _labels(
    base: Banded,
    starts: Sequence[int],
    ends: Sequence[int],
    begins: Sequence[int],
    parts: Sequence[int],
    text: Callable[[int], str],
    whole: bool,
) -> list[str]:
    """Return the label of every number where the bands of each part are joined; a band that is a part by itself keeps its label."""
    found: list[str] = []
    for first, beyond in zip(parts, [*parts[1:], len(starts)], strict=True):
        numbers = ends[beyond - 1] - starts[first]
        if beyond - first == 1:
            label = base.labels[starts[first]]
        elif first == 0:
            label = f"<{text(begins[beyond])}"
        elif beyond == len(starts):
            label = f"{text(begins[first])}+"
        else:
            label = f"[{text(begins[first])}-{text(begins[beyond] - 1)}]" if whole else f"[{text(begins[first])}, {text(begins[beyond])})"
        found += [label] * numbers
    return found


def _roundness(number: int) -> int:
    """Return how round a whole number is: 3 for each 0 at its end, and less for a 5, or for being even."""
    if number == 0:
        return 100
    zeros = 0
    while number % 10 == 0:
        number //= 10
        zeros += 1
    return 3 * zeros + (2 if number % 5 == 0 else 1 if number % 2 == 0 else 0)
