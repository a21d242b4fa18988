"""Changes of a hierarchy, one at a time: groups are merged, split, renamed and put in another order. The result is always a tree."""

from collections.abc import Sequence
from dataclasses import replace

from anonscope.columns.hierarchy.hierarchy import Hierarchy
from anonscope.errors import HierarchyError

_CHANGED = "groups of your own"


def merged(hierarchy: Hierarchy, level: int, labels: Sequence[str], name: str) -> Hierarchy:
    """Return a hierarchy in which groups of a level are one, under a name; they must stand in one group of the level above."""
    here = _level(hierarchy, level)
    chosen = set(labels)
    _check_labels(here, chosen)
    if len(chosen) < 2:
        raise HierarchyError("Merging takes at least two groups.")
    parents = {above for label, above in zip(here, hierarchy.labels(level + 1), strict=True) if label in chosen}
    if len(parents) > 1:
        raise HierarchyError("These groups belong to different groups one level up. Merge those first, or choose others.")
    _check_name(name, set(here) - chosen)
    return _with(hierarchy, level, [name if label in chosen else label for label in here])


def split(hierarchy: Hierarchy, level: int, label: str, members: Sequence[str], name: str) -> Hierarchy:
    """Return a hierarchy in which some members of a group, named as the level below does, are a group of their own."""
    here, below = _level(hierarchy, level), hierarchy.labels(level - 1)
    _check_labels(here, {label})
    chosen = set(members)
    inside = {under for under, group in zip(below, here, strict=True) if group == label}
    if not chosen or not chosen <= inside:
        raise HierarchyError("A group is split by naming members of it, as the level below calls them.")
    if chosen == inside:
        raise HierarchyError("All members were named, so there is nothing to split.")
    _check_name(name, set(here))
    return _with(hierarchy, level, [name if under in chosen else group for under, group in zip(below, here, strict=True)])


def renamed(hierarchy: Hierarchy, level: int, label: str, name: str) -> Hierarchy:
    """Return a hierarchy in which a group is called otherwise."""
    here = _level(hierarchy, level)
    _check_labels(here, {label})
    _check_name(name, set(here) - {label})
    words = hierarchy.words
    changed = _with(hierarchy, level, [name if group == label else group for group in here])
    return replace(changed, words=words)


def moved(hierarchy: Hierarchy, level: int, label: str, by: int) -> Hierarchy:
    """Return a hierarchy in which a group stands so many places further down, or up; the order is that of values, where it counts."""
    here = _level(hierarchy, level)
    _check_labels(here, {label})
    order = list(dict.fromkeys(here))
    at = order.index(label)
    order.insert(max(0, min(len(order) - 1, at + by)), order.pop(at))
    place = {group: number for number, group in enumerate(order)}
    rows = sorted(range(len(here)), key=lambda row: place[here[row]])
    return replace(
        hierarchy,
        leaves=tuple(hierarchy.leaves[row] for row in rows),
        levels=tuple(tuple(labels[row] for row in rows) for labels in hierarchy.levels),
    )


def _level(hierarchy: Hierarchy, level: int) -> tuple[str, ...]:
    if not 1 <= level < hierarchy.height:
        raise HierarchyError(f"Only levels 1 to {hierarchy.height - 1} can be changed: level 0 are the values, and the last hides all.")
    return hierarchy.labels(level)


def _check_labels(here: Sequence[str], chosen: set[str]) -> None:
    if not chosen <= set(here):
        raise HierarchyError("There is no such group on this level.")


def _check_name(name: str, taken: set[str]) -> None:
    if not name.strip():
        raise HierarchyError("A group needs a name.")
    if name in taken:
        raise HierarchyError("Another group of this level has that name already.")


def _with(hierarchy: Hierarchy, level: int, labels: Sequence[str]) -> Hierarchy:
    levels = tuple(tuple(labels) if number == level else found for number, found in enumerate(hierarchy.levels, start=1))
    words = tuple(_CHANGED if number == level else word for number, word in enumerate(hierarchy.words, start=1))
    return replace(hierarchy, levels=levels, words=words)
