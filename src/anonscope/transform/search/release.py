"""What is left when classes are suppressed, and whether that keeps the limits.

Suppressed records may stay with "*" everywhere ("keep"): together with records that are "*" everywhere anyway they are one class,
which must keep the limits as any other. Or they go ("drop"): then the limits are about the records that stay, and classes that
fail among those are suppressed as well, until none does. Or nobody looks at them any more ("unchecked"), as in ARX, where classes
are compared with the whole input and nothing is checked again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonscope.risk.counting.arrays import Flags
from anonscope.transform.search.classes import Classes, Whole, whole
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.problem import Problem


@dataclass(frozen=True, slots=True, eq=False)
class NodeRelease:
    """Which tuples are suppressed, how many records that is, and which limits the release breaks all the same."""

    mask: Flags
    suppressed: int
    broken: tuple[Limit, ...]


def released(
    problem: Problem, levels: tuple[int, ...], table: Whole, mask: Flags, limits: Sequence[Limit], classes: Classes
) -> NodeRelease:
    """Return the release of a node whose `classes` break a limit where `mask` is true; more may have to be suppressed."""
    of_classes = [limit for limit in limits if limit.per == "class"]
    of_table = [limit for limit in limits if limit.per == "table"]
    scoped = [limit for limit in of_classes if limit.attributes is not None]
    stopping: list[Limit] = []
    while True:
        suppressed = int(problem.n[mask].sum())
        # A table without a record is no release.
        if suppressed > problem.budget or (problem.suppressed == "drop" and suppressed == problem.records):
            return NodeRelease(mask, suppressed, tuple(stopping or _broken(problem, levels, table, of_classes)))
        rest = whole(problem, ~mask) if problem.suppressed == "drop" and suppressed else table
        made = {scope: _classes(problem, levels, mask, rest, scope) for scope in {limit.attributes for limit in limits}}
        if not suppressed or problem.suppressed == "unchecked":
            break
        # Where all records stay, classes that were not suppressed are what they were.
        judged = scoped if problem.suppressed == "keep" else of_classes
        fails = np.zeros(problem.tuples, dtype=bool)
        for limit in judged:
            failing = _failing(limit, made[limit.attributes]) & ~mask
            fails |= failing
            stopping += [limit] if failing.any() and limit not in stopping else []
        if not fails.any():
            break
        # A class goes as a whole.
        whole_classes = np.zeros(classes.count, dtype=bool)
        whole_classes[classes.number[fails]] = True
        mask = mask | whole_classes[classes.number]
    broken = [limit for limit in of_table if not limit.keeps(made[limit.attributes])]
    if problem.suppressed == "keep" and suppressed:
        broken += [limit for limit in of_classes if _failing(limit, made[limit.attributes])[mask].any()]
    return NodeRelease(mask, suppressed, tuple(broken))


def release_classes(problem: Problem, levels: tuple[int, ...], mask: Flags, attributes: tuple[int, ...] | None = None) -> Classes:
    """Return the classes of a release by all attributes or by some, as an audit of it would count them."""
    dropped = problem.suppressed == "drop" and bool(mask.any())
    return _classes(problem, levels, mask, whole(problem, ~mask) if dropped else whole(problem), attributes)


def _classes(problem: Problem, levels: tuple[int, ...], mask: Flags, table: Whole, attributes: tuple[int, ...] | None) -> Classes:
    known = range(len(levels)) if attributes is None else attributes
    number = Classes.at(problem, levels, table, attributes).number.copy()
    chosen = None
    if problem.population is not None:
        top = np.array([ladder.height for ladder in problem.ladders])
        chosen = np.broadcast_to(np.where(np.isin(np.arange(len(levels)), known), levels, top), (problem.tuples, len(levels))).copy()
    if problem.suppressed == "keep":
        star = mask
        if mask.any():
            starred = np.ones(problem.tuples, dtype=bool)
            for a in known:
                starred &= problem.coded(a, levels[a]) == problem.ladders[a].star(levels[a])
            star = mask | starred
        number[star] = number.max(initial=0) + 1
        if chosen is not None:
            chosen[star] = top
    else:
        number[mask] = -1
    inside = number >= 0
    taken = np.zeros(int(number.max(initial=0)) + 1, dtype=np.int64)
    taken[number[inside]] = 1
    renumbered = np.cumsum(taken) - 1
    number[inside] = renumbered[number[inside]]
    return Classes(problem, number, int(taken.sum()), table, chosen)


def _broken(problem: Problem, levels: tuple[int, ...], table: Whole, limits: Sequence[Limit]) -> list[Limit]:
    """Return the limits that some class of a node breaks before anything is suppressed."""
    return [limit for limit in limits if not limit.keeps(Classes.at(problem, levels, table, limit.attributes)).all()]


def _failing(limit: Limit, classes: Classes) -> Flags:
    """Return which tuples are in a class that breaks a limit."""
    fails = np.zeros(len(classes.number), dtype=bool)
    kept = limit.keeps(classes)
    inside = classes.number >= 0
    fails[inside] = ~kept[classes.number[inside]]
    return fails
