"""Parts of a table that stand on an engine, and the pieces they are split into."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonscope.risk.counting.arrays import Flags, Integers
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.local.checks import Checks
from anonscope.transform.search.mondrian import FREE_BITS, OpenParts, Split
from anonscope.transform.search.parted.table import Children


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Parts: where they stand, what they are called there, how many combinations each has, and how far they were split."""

    table: str
    parts: Integers
    combinations: Integers
    levels: Integers
    along: Flags

    def of(self, chosen: Any) -> "Held":
        """Return some of the parts."""
        return Held(self.table, self.parts[chosen], self.combinations[chosen], self.levels[chosen], self.along[chosen])

    def bundles(self, most: int) -> "Iterator[Held]":
        """Yield parts that follow one another, as many as have so many combinations together, but at least one."""
        start, total = 0, 0
        for i, combinations in enumerate(self.combinations.tolist()):
            if total + combinations > most and i > start:
                yield self.of(slice(start, i))
                start, total = i, 0
            total += combinations
        if len(self.parts) > start:
            yield self.of(slice(start, None))


@dataclass(frozen=True, slots=True, eq=False)
class Needs:
    """What a class must keep, as far as it can be told from what was counted on the engine."""

    checks: Checks
    records: int  # at least
    persons: int  # at least; 0 where each record is one

    @classmethod
    def of(cls, checks: Checks, limits: tuple[Limit, ...], *, events: bool) -> "Needs":
        """Return the needs by checks of all limits but k, and by k, which is about persons at event level."""
        k = max((int(np.ceil(limit.limit)) for limit in limits if limit.metric == "k_anonymity"), default=0)
        return cls(checks, checks.least, k) if events else cls(checks, max(checks.least, k), 0)


@dataclass(frozen=True, slots=True, eq=False)
class CountedChildren(OpenParts):
    """Parts whose tuples are the children along one attribute. Persons cannot be added up, so they are bounded from below."""

    persons: Integers
    fewest: int

    @classmethod
    def along_one(cls, children: Children, needs: Needs, levels: Integers, along: Flags) -> "CountedChildren":
        """Return parts by their children along an attribute; which are closed along which is noted in `along`."""
        rows = np.arange(len(children.part))
        return cls(
            children.problem, needs.checks, needs.records, rows, children.part, levels, along, FREE_BITS, children.persons, needs.persons
        )

    def keep(self, tuples: Integers, number: Integers, count: int, levels: Integers) -> Flags:
        kept = OpenParts.keep(self, tuples, number, count, levels)
        if not self.fewest:
            return kept
        # Several children have at least as many persons as the one that has most.
        persons = np.zeros(count, dtype=np.int64)
        np.maximum.at(persons, number, self.persons[tuples])
        return np.asarray(kept & (persons >= self.fewest))


def leaving(split: Split, children: Children) -> Flags:
    """Return which children leave their part."""
    leaves = np.zeros(len(children.part), dtype=bool)
    leaves[split.rows] = split.passed[split.child]
    return leaves


class Pieces:
    """What parts are split into: the pieces, and how tuples find theirs."""

    def __init__(self, before: Held) -> None:
        self._before = before
        self._combinations: list[int] = []
        self._levels: list[Integers] = []
        self._along: list[Flags] = []
        self.goes: list[tuple[int, int, int, int]] = []  # part, attribute, level of the children, piece of those that stay
        self.pieces: list[tuple[int, int, int]] = []  # part, node and piece of those that leave

    def __len__(self) -> int:
        return len(self._combinations)

    def add(self, a: int, children: Children, leaves: Flags, split: Flags) -> None:
        """Take the children along an attribute of the parts that are split along it."""
        held = self._before
        ends = np.searchsorted(children.part, np.arange(len(held.parts) + 1))
        for i in np.flatnonzero(split).tolist():
            mine = np.arange(ends[i], ends[i + 1])
            finer, closed = held.levels[i].copy(), held.along[i].copy()
            finer[a] -= 1
            closed[a] = False
            stays = mine[~leaves[mine]]
            # What stays at the coarser level is one piece of its part, before all others.
            rest = self._new(int(children.combinations[stays].sum()), held.levels[i], closed) if len(stays) else -1
            self.goes.append((int(held.parts[i]), a, int(finer[a]), rest))
            for child in mine[leaves[mine]].tolist():
                piece = self._new(int(children.combinations[child]), finer, held.along[i])
                self.pieces.append((int(held.parts[i]), int(children.node[child]), piece))

    def held(self, table: str) -> Held:
        """Return the pieces, now that they stand in a table."""
        width = self._before.levels.shape[1]
        return Held(
            table,
            np.arange(len(self)),
            np.array(self._combinations, dtype=np.int64),
            np.array(self._levels, dtype=np.uint8).reshape(-1, width),
            np.array(self._along, dtype=bool).reshape(-1, width),
        )

    def _new(self, combinations: int, levels: Integers, along: Flags) -> int:
        self._combinations.append(combinations)
        self._levels.append(levels)
        self._along.append(along)
        return len(self) - 1
