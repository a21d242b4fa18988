"""Codes by their beginnings: what is cut off the end is replaced by a star.

Where all codes are equally long every character that was cut leaves a star, "123**"; where they are not, one star stands for
whatever followed, "123*".
"""

from collections.abc import Sequence
from math import log

from anonscope.columns.hierarchy.assemble import Level, assemble, even_steps
from anonscope.columns.hierarchy.hierarchy import Hierarchy

# Beginnings longer than this tell nothing that shorter ones do not.
_LONGEST = 40


def prefixes(name: str, values: Sequence[str]) -> Hierarchy:
    """Return ever shorter beginnings of codes; those that join most evenly, if there are many lengths."""
    leaves = sorted(values)
    longest = max(map(len, leaves), default=0)
    fixed = longest if len(set(map(len, leaves))) == 1 else None
    # Of beginnings that join the same values the longest says most.
    kept_for = {len({leaf[:kept] for leaf in leaves}): kept for kept in range(1, min(longest - 1, _LONGEST) + 1)}
    steps = sorted((groups, kept) for groups, kept in kept_for.items() if 1 < groups < len(leaves))[::-1]
    chosen = even_steps([log(len(leaves) / groups) for groups, _ in steps], log(max(len(leaves), 1)))
    return assemble(name, leaves, (_level(leaves, steps[i][1], fixed) for i in chosen))


def starred(values: Sequence[str], ends: Sequence[int], fixed: int | None = None) -> list[str]:
    """Return the beginning of every value up to its end, with a star if it stands for anything longer."""
    kept = [value[:end] for value, end in zip(values, ends, strict=True)]
    cut = {start for start, value in zip(kept, values, strict=True) if len(start) < len(value)}
    return [start + "*" * (1 if fixed is None else fixed - len(start)) if start in cut else start for start in kept]


def _level(leaves: Sequence[str], kept: int, fixed: int | None) -> Level:
    unit = "digit" if all(leaf[:kept].isdigit() for leaf in leaves) else "character"
    return Level(f"first {unit}" if kept == 1 else f"first {kept} {unit}s", starred(leaves, [kept] * len(leaves), fixed))
