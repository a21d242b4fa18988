"""Categories without an order: the rarest are joined first.

Several ladders are made, and that is taken that allows least loss; see `judged`. One keeps the commonest values by name on every level
and has all others in one group, ever more of them. Others join groups two by two, the rarest or those that are most alike, or each rare
one with a common one; see `likeness`. A group is labelled by its values where they are few, "{A, B}", and by one of them and their number
where they are many; which ones they are is in the hierarchy.
"""

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING, Any

from anonscope.columns.hierarchy.assemble import MOST_LEVELS, MOST_LISTED, Level, assemble, even_steps, group_label
from anonscope.columns.hierarchy.hierarchy import Hierarchy
from anonscope.columns.hierarchy.judged import MOST_JUDGED, allowed_loss, best_of
from anonscope.columns.hierarchy.likeness import Group, Groups, Joins, by_likeness, by_rarity, in_company

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Values that are alike make larger classes together, which counts of one column do not show: for that, so much more may be lost.
_FOR_LIKENESS = 1.03


def categories(name: str, values: Sequence[str], counts: Sequence[int], profiles: "NDArray[Any] | None" = None) -> Hierarchy:
    """Return the best of three ladders; `profiles` has a row for every value: what its records are like in other columns."""
    records = dict(zip(values, counts, strict=True))
    leaves = sorted(records, key=lambda value: (-records[value], value))
    sizes = [records[leaf] for leaf in leaves]
    common = _commonest(name, leaves)
    if len(leaves) < 4 or len(leaves) > MOST_JUDGED:
        return common
    place = {value: i for i, value in enumerate(values)}
    rows = profiles[[place[leaf] for leaf in leaves]] if profiles is not None else None
    rare = [common, _joined(name, leaves, sizes, by_rarity(sizes), "rarest"), _in_company(name, leaves, in_company(sizes))]
    found = best_of(rare, sizes)
    if rows is None:
        return found
    likened = [
        _joined(name, leaves, sizes, by_likeness(sizes, rows), "rare and like ones"),
        _in_company(name, leaves, in_company(sizes, rows)),
    ]
    alike = best_of(likened, sizes)
    return alike if allowed_loss(alike, sizes) <= _FOR_LIKENESS * allowed_loss(found, sizes) else found


def _commonest(name: str, leaves: Sequence[str]) -> Hierarchy:
    """Return the commonest half of the values and the rest, the commonest quarter and the rest, and so on."""
    kept = [len(leaves) >> i for i in range(1, len(leaves).bit_length())]
    kept = [number for number in kept if number + 1 < len(leaves)]
    chosen = even_steps([log(len(leaves) / (number + 1)) for number in kept], log(max(len(leaves), 1)))
    return assemble(name, leaves, (_level(leaves, kept[i]) for i in chosen))


def _level(leaves: Sequence[str], kept: int) -> Level:
    rest = sorted(leaves[kept:])
    label = group_label(rest) if len(rest) <= MOST_LISTED else f"other ({len(rest):,} values)"
    common = "the commonest" if kept == 1 else f"the {kept:,} commonest"
    return Level(f"{common}, and all others together", [None] * kept + [label] * len(rest))


def _joined(name: str, leaves: Sequence[str], sizes: Sequence[int], joins: Joins, which: str) -> Hierarchy:
    """Return levels of a tree that joins two groups each time: those that climb most evenly, the last with two groups."""
    total = sum(sizes) or 1
    lost, groups, heights = 0.0, len(leaves), []
    weight: dict[Group, int] = {(i,): size for i, size in enumerate(sizes)}
    for first, second in joins[:-1]:
        weight[first + second] = weight[first] + weight[second]
        lost += _told(weight[first + second]) - _told(weight[first]) - _told(weight[second])
        groups -= 1
        heights.append((groups, lost / total))
    # A level for every halving of the groups, and the last: more cannot be used.
    wanted = sorted({2, *(max(2, round(len(leaves) / 2**i)) for i in range(1, 12))} & {groups for groups, _ in heights})
    steps = [(groups, height) for groups, height in heights if groups in wanted]
    chosen = even_steps([height for _, height in steps[:-1]], steps[-1][1], MOST_LEVELS - 1) if steps else []
    kept = [*(steps[i][0] for i in chosen), 2] if steps else []
    return assemble(name, leaves, (_grouped(leaves, joins, number, which) for number in kept))


def _told(records: int) -> float:
    return records * log(max(records, 1))


def _in_company(name: str, leaves: Sequence[str], levels: Sequence[Groups]) -> Hierarchy:
    return assemble(name, leaves, (_named(leaves, groups, "rare ones with a common one") for groups in levels[-MOST_LEVELS:]))


def _grouped(leaves: Sequence[str], joins: Joins, number: int, which: str) -> Level:
    group: dict[int, Group] = {i: (i,) for i in range(len(leaves))}
    for first, second in joins[: len(leaves) - number]:
        for i in (joined := first + second):
            group[i] = joined
    return _named(leaves, list(dict.fromkeys(group.values())), f"the {which} together")


def _named(leaves: Sequence[str], groups: Groups, which: str) -> Level:
    """Return a level of groups: a value by itself keeps its name, few are listed, and many are named by their commonest one."""
    labels: list[str | None] = [None] * len(leaves)
    for members in groups:
        if len(members) > 1:
            listed = sorted(leaves[i] for i in members)
            # No other group has this value, so the label is its own.
            name = group_label(listed) if len(members) <= MOST_LISTED else f"{leaves[min(members)]} and {len(members) - 1:,} others"
            for i in members:
                labels[i] = name
    return Level(f"in {len(groups):,} groups, {which}", labels)
