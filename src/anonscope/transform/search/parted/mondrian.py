"""Mondrian for tables with more combinations than one machine can look at: split where the table lies, finish part by part.

The splits are those of `mondrian`: it decides by how many records (of every sensitive value) each child of a part has, and these
are counted on the engine, for all parts and attributes of a round together. Parts that have become small enough are fetched, some
at a time, and split on here; what becomes of their combinations goes back to the engine before the next ones come.

What keeps its limits in every part keeps them in the table, as long as merging classes does no harm: classes of different parts
that look alike are merged. Other limits are for the audit of the release to judge.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anonscope.errors import EngineError
from anonscope.risk.counting.arrays import Flags, Floats, Integers
from anonscope.risk.counting.columns import numbered
from anonscope.risk.counting.grouping import distinct
from anonscope.transform.search.label_tables import LabelTables
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.local.checks import Checks
from anonscope.transform.search.local.local import recoded
from anonscope.transform.search.mondrian import FREE_BITS, OpenParts, parts_of, split_along
from anonscope.transform.search.parted.pieces import CountedChildren, Held, Needs, Pieces, leaving
from anonscope.transform.search.parted.table import Children, PartedTable
from anonscope.transform.search.problem import Elsewhere, Persons, Problem
from anonscope.transform.search.recoding import Recoding

# Numbers of the table that are sums over classes by sums over classes: what every part keeps, all keep together.
_ADDED_UP = ("average_class_size", "records_at_risk")
# Limits that ask nothing of the table that a class is compared with, which is another one once records leave it elsewhere.
_ALONE = ("k_anonymity", "l_diversity", "entropy_l_diversity")
# So many parts are kept in the memory of one machine, with levels and counts.
_MOST_PARTS = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class PartedRecoding:
    """What came of all parts together, in the terms of a recoding of the whole table."""

    problem: Problem  # one tuple that stands for all
    broken: tuple[Limit, ...]
    records_gone: int
    records_starred: int  # that are "*" in every attribute
    class_sizes: Floats
    lost: Floats
    levels: tuple[Floats, ...]

    @property
    def records_suppressed(self) -> int:
        """The records that say nothing where others say something: those that go, and those that are "*" in every attribute."""
        left = self.problem.records - self.records_gone
        return self.records_gone + (self.records_starred if self.records_starred < left else 0)

    @property
    def affordable(self) -> bool:
        """Whether no more records are suppressed than may be: parts know nothing of each other."""
        return self.records_suppressed <= self.problem.budget

    def penalties(self) -> Floats:
        """Return the mean normalised certainty penalty of every attribute over all records; a suppressed cell loses 1."""
        return self.lost / max(self.problem.records, 1)

    def shares(self, attribute: int) -> Floats:
        """Return the share of the records at every level of an attribute; those that went are at none."""
        return self.levels[attribute] / max(self.problem.records, 1)

    def unproven(self, limits: Sequence[Limit]) -> tuple[Limit, ...]:
        """Return the limits that all parts may keep and the table break, so that only an audit can tell."""
        left = self.records_gone > 0
        return tuple(
            limit
            for limit in limits
            if limit.metric not in _ADDED_UP and not (limit.per == "class" and limit.merging and (limit.metric in _ALONE or not left))
        )


def recode_part_by_part(table: PartedTable, limits: Sequence[Limit], labels: LabelTables) -> PartedRecoding:
    """Return what Mondrian makes of combinations that stand on an engine; `labels` gets what becomes of each.

    No more combinations are fetched at a time than may be, and parts that have no more are not split on the engine.
    """
    work, most = _Work(table, tuple(limits), labels), table.found.most
    held = work.begun()
    while len(held.parts):
        large = held.combinations > most
        for some in held.of(~large).bundles(most):
            work.finish(some)
        held = work.split(held.of(large)) if large.any() else held.of(large)
    return work.result()


class _Work:
    """Parts under way, and sums over those that are done."""

    def __init__(self, table: PartedTable, limits: tuple[Limit, ...], labels: LabelTables) -> None:
        self.table, self.problem, self.limits, self.labels = table, table.problem, limits, labels
        records = replace(self.problem, persons=None)
        other = [limit for limit in limits if limit.metric != "k_anonymity"]
        checks = Checks(records, other)
        self._needs = Needs.of(checks, limits, events=self.problem.persons is not None)
        self._values = bool(checks.of_classes)
        self._broken: dict[Limit, None] = {}
        self._gone = self._starred = 0
        self._sizes: list[Floats] = []
        self._lost = np.zeros(len(self.problem.ladders))
        self._levels = [np.zeros(ladder.height + 1) for ladder in self.problem.ladders]

    def begun(self) -> Held:
        """Return the parts at the highest levels, of which there is one unless these are bounded."""
        heights = np.array([[ladder.height for ladder in self.problem.ladders]], dtype=np.uint8)
        count = np.array([self.table.found.count])
        held = Held(self.table.name, np.zeros(1, dtype=np.int64), count, heights, np.ones(heights.shape, dtype=bool))
        for a, level in enumerate(self.problem.highest):
            while int(held.levels[0, a]) > level:
                children = self.table.children(held.parts, held.levels, [a], values=False)[a]
                every = np.ones(len(children.part), dtype=bool)
                held = self._moved(held, {a: (children, every)}, np.full(len(held.parts), a))
        return held

    def split(self, held: Held) -> Held:
        """Return the pieces of parts, each of which was split along the attribute that spares most; what cannot be split is done with."""
        children = self.table.children(held.parts, held.levels, range(len(self.problem.ladders)), values=self._values)
        best, spared = np.full(len(held.parts), -1, dtype=np.int64), np.zeros(len(held.parts))
        splits: dict[int, tuple[Children, Flags]] = {}
        for a, counted in children.items():
            split = split_along(CountedChildren.along_one(counted, self._needs, held.levels, held.along), a)
            if split is not None:
                chosen = split.possible & ((best < 0) | (split.spared > spared))
                spared[chosen], best[chosen] = split.spared[chosen], a
                splits[a] = counted, leaving(split, counted)
        if (best < 0).any():
            self._close(held, best < 0, children)
        return self._moved(held, splits, best)

    def _moved(self, held: Held, splits: Mapping[int, tuple[Children, Flags]], best: Integers) -> Held:
        """Return the pieces of parts after tuples were moved into them on the engine; parts without a best attribute are left behind."""
        pieces = Pieces(held)
        for a, (children, leaves) in splits.items():
            pieces.add(a, children, leaves, best == a)
        if len(pieces) > _MOST_PARTS:
            raise EngineError(
                f"Columns that must stay fine split the table into more than {_MOST_PARTS:,} parts. Let them become coarser, or leave "
                "some of them out of the quasi-identifiers."
            )
        return pieces.held(self.table.split(pieces.goes, pieces.pieces) if len(pieces) else held.table)

    def _close(self, held: Held, stuck: Flags, children: Mapping[int, Children]) -> None:
        """Store the labels of parts that are classes as they are, although they are too large to be fetched."""
        import pyarrow as pa

        count, chosen = len(held.parts), np.flatnonzero(stuck)
        n = np.bincount(children[0].part, weights=children[0].n, minlength=count)[chosen]
        kept = CountedChildren.along_one(children[0], self._needs, held.levels, held.along).keep(
            np.arange(len(children[0].part)), children[0].part, count, held.levels
        )
        if not kept[chosen].all():
            self._broken |= dict.fromkeys(limit for limit in self.limits if limit.per == "class")
        labels = []
        for a, ladder in enumerate(self.problem.ladders):
            code = np.zeros(count, dtype=np.int64)
            code[children[a].part] = children[a].code
            levels = held.levels[chosen, a].tolist()
            nodes = [int(ladder.levels[level][c]) for level, c in zip(levels, code[chosen].tolist(), strict=True)]
            labels.append(pa.array([ladder.labels[level][node] for level, node in zip(levels, nodes, strict=True)], pa.string()))
            self._lost[a] += sum(ladder.penalties[level][node] * m for level, node, m in zip(levels, nodes, n.tolist(), strict=True))
            self._levels[a] += np.bincount(levels, weights=n, minlength=ladder.height + 1)
        starred = (held.levels[chosen] == np.array([ladder.height for ladder in self.problem.ladders])).all(axis=1)
        self._starred += int(n[starred].sum())
        self._sizes.append(n)
        self.labels.add_select(self.table.labelled(held.parts[chosen], labels))

    def finish(self, some: Held) -> None:
        """Fetch parts, split them as far as they go, and store what became of their combinations."""
        problem, part = self._fetched(some)

        def find(asked: Problem, checks: Checks, least: int) -> Integers:
            levels = np.maximum(some.levels, np.array(asked.lowest, dtype=np.uint8))
            return parts_of(OpenParts(asked, checks, least, np.arange(asked.tuples), part, levels, some.along.copy(), FREE_BITS).kept())

        self._take(recoded(problem, self.limits, find))

    def _take(self, recoding: Recoding) -> None:
        records = recoding.problem.records
        self.labels.add(recoding)
        self._broken |= dict.fromkeys(recoding.broken)
        self._gone += recoding.records_gone
        self._starred += int(recoding.problem.n[recoding.starred].sum())
        self._sizes.append(recoding.class_sizes)
        self._lost += recoding.penalties() * records
        for a in range(len(self._levels)):
            self._levels[a] += recoding.shares(a) * records

    def _fetched(self, some: Held) -> tuple[Problem, Integers]:
        """Return the problem that some parts pose within the table, and the part of every tuple."""
        problem, rows = self.problem, self.table.fetched(some.table, some.parts)
        values = {name: np.asarray(rows.column(name).to_numpy(), dtype=np.int64) for name in rows.column_names if name != "u"}
        part, n = np.searchsorted(some.parts, values["part"]), values["n"].astype(np.float64)
        codes = [values[f"a{a}"] for a in range(len(problem.ladders))]
        number, count = numbered([part, *codes], [len(some.parts), *(ladder.nodes(0) for ladder in problem.ladders)])
        first = np.zeros(count, dtype=np.int64)
        first[number] = np.arange(len(number))
        cells = [distinct(number, count, values[f"s{j}"], of.size, n) for j, of in enumerate(problem.sensitive)]
        persons = None
        if problem.persons is not None:
            whose = rows.column("u").combine_chunks().dictionary_encode()
            owners = whose.indices.to_numpy(zero_copy_only=False).astype(np.int64)
            persons = Persons(*distinct(number, count, owners, len(whose.dictionary), n), len(whose.dictionary))
        whole = [np.bincount(of.values, weights=of.n, minlength=of.size) for of in problem.sensitive]
        here = [np.bincount(cell[1], weights=cell[2], minlength=of.size) for cell, of in zip(cells, problem.sensitive, strict=True)]
        made = replace(
            problem,
            codes=tuple(code[first] for code in codes),
            n=np.bincount(number, weights=n, minlength=count).astype(np.int64),
            sensitive=tuple(
                replace(of, tuples=tuples, values=value, n=m) for of, (tuples, value, m) in zip(problem.sensitive, cells, strict=True)
            ),
            persons=persons,
            elsewhere=Elsewhere(problem.records - int(n.sum()), tuple(a - b for a, b in zip(whole, here, strict=True))),
        )
        return made, part[first]

    def result(self) -> PartedRecoding:
        """Return what came of all parts."""
        sizes = np.concatenate(self._sizes) if self._sizes else np.zeros(0)
        return PartedRecoding(self.problem, tuple(self._broken), self._gone, self._starred, sizes, self._lost, tuple(self._levels))
