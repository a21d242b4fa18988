"""Categories without an order: the rarest are joined first.

Every level keeps the commonest values by name and has all others in one group, ever more of them. The group is labelled by its values
where they are few, "{A, B}", and by their number where they are many; which ones they are is in the hierarchy.
"""

from collections.abc import Sequence
from math import log

from anonscope.columns.hierarchy.assemble import MOST_LISTED, Level, assemble, even_steps, group_label
from anonscope.columns.hierarchy.hierarchy import Hierarchy


def categories(name: str, values: Sequence[str], counts: Sequence[int]) -> Hierarchy:
    """Return the commonest half of the values and the rest, the commonest quarter and the rest, and so on."""
    records = dict(zip(values, counts, strict=True))
    leaves = sorted(records, key=lambda value: (-records[value], value))
    kept = [len(leaves) >> i for i in range(1, len(leaves).bit_length())]
    kept = [number for number in kept if number + 1 < len(leaves)]
    chosen = even_steps([log(len(leaves) / (number + 1)) for number in kept], log(max(len(leaves), 1)))
    return assemble(name, leaves, (_level(leaves, kept[i]) for i in chosen))


def _level(leaves: Sequence[str], kept: int) -> Level:
    rest = sorted(leaves[kept:])
    label = group_label(rest) if len(rest) <= MOST_LISTED else f"other ({len(rest):,} values)"
    common = "the commonest" if kept == 1 else f"the {kept:,} commonest"
    return Level(f"{common}, and all others together", [None] * kept + [label] * len(rest))
