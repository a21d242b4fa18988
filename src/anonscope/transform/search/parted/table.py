"""Combinations in codes on an engine, in parts: what the parts hold, and how they are split.

parted_value(attribute, v, w)               what a code w stands for; sensitive attributes are numbered after the others
parted_ladder(attribute, level, code, node) below the last level
parted_0, parted_1, ...(part, a0, a1, ..., s0, ..., u, n)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anonscope.columns.hierarchy import Hierarchy
from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.risk.counting.columns import CodedColumn
from anonscope.risk.counting.combinations import Combinations, read_values
from anonscope.transform.search.label_tables import key
from anonscope.transform.search.prepare import SearchSettings, ladder_of, sensitive_of
from anonscope.transform.search.problem import Persons, Problem


def summary(found: Combinations, hierarchies: Mapping[str, Hierarchy], settings: SearchSettings) -> Problem:
    """Return the problem of a table with one tuple for all of it: its ladders, its sensitive values, its persons."""
    roles = found.roles
    columns = {name: read_values(found, name) for name in (*roles.attributes, *roles.sensitive)}
    ladders = tuple(ladder_of(name, columns[name][0], hierarchies.get(name)) for name in roles.attributes)
    _store_values(found, [columns[name][0] for name in (*roles.attributes, *roles.sensitive)])
    one = np.zeros(1, dtype=np.int64)
    sensitive = []
    for name in roles.sensitive:
        column, n = columns[name]
        sensitive.append(sensitive_of(name, column, (np.zeros(len(n), np.int64), column.codes, n), roles, hierarchies.get(name)))
    return Problem(
        ladders=ladders,
        codes=tuple(one for _ in ladders),
        n=one + found.records,
        sensitive=tuple(sensitive),
        persons=_persons(found) if roles.person is not None else None,
        **settings.of(ladders),
    )


def _persons(found: Combinations) -> Persons:
    """Return how many records persons have; who is who does not matter."""
    assert found.roles.person is not None, "asked for persons at event level only"
    u = found.place(found.roles.person)
    each = f"SELECT {u}, SUM(n) AS n FROM combination GROUP BY {u}"
    many = found.engine.rows(f"SELECT CAST(n AS BIGINT) AS n, COUNT(*) AS m FROM ({each}) AS t GROUP BY n ORDER BY n")
    n = np.repeat(np.array([records for records, _ in many], dtype=np.int64), [persons for _, persons in many])
    return Persons(np.zeros(len(n), dtype=np.int64), np.arange(len(n)), n, len(n))


def _store_values(found: Combinations, columns: Sequence[CodedColumn]) -> None:
    import pyarrow as pa

    numbers = np.concatenate([np.full(len(column.values) - 1, i) for i, column in enumerate(columns)])
    values = pa.array([value for column in columns for value in column.values[1:]], pa.string())
    codes = np.concatenate([np.arange(1, len(column.values)) for column in columns])
    found.engine.register("arrow_source_value", pa.table({"attribute": pa.array(numbers), "v": values, "w": pa.array(codes)}))
    found.engine.materialise("parted_value", "SELECT attribute, v, w FROM arrow_source_value")


@dataclass(frozen=True, slots=True, eq=False)
class Children:
    """What parts hold along one attribute: a place for every part and node, in this order."""

    part: Integers  # the place of the part among those that were asked about
    node: Integers
    code: Integers  # one of the codes below the node
    combinations: Integers
    persons: Integers  # 0 where each record is one
    problem: Problem  # with these as its tuples

    @property
    def n(self) -> Floats:
        return self.problem.weight


class PartedTable:
    """The parts of a table, round by round: a round holds what became of parts of the one before."""

    def __init__(self, found: Combinations, problem: Problem) -> None:
        self.found, self.problem, self.engine = found, problem, found.engine
        self.attributes, self.sensitive = range(len(problem.ladders)), range(len(problem.sensitive))
        self.name, self._rounds = "parted_0", 0
        self._store_ladders()
        self._store_combinations()

    def children(self, parts: Integers, levels: Integers, along: Sequence[int], *, values: bool) -> dict[int, Children]:
        """Return what some parts hold a level below their own, along some attributes; of sensitive values only if asked."""
        below = np.maximum(levels.astype(np.int64) - 1, 0)
        self._register(
            "parted_level",
            part=np.repeat(parts, len(along)),
            attribute=np.tile(np.array(along), len(parts)),
            level=below[:, list(along)].ravel(),
        )
        whole = self._counted("")
        cells = [self._counted(f"c.s{j}") for j in self.sensitive] if values else []
        persons = self._counted_persons() if self.problem.persons is not None else None
        return {a: self._of(a, parts, whole, cells, persons) for a in along}

    def split(self, goes: Sequence[tuple[int, int, int, int]], pieces: Sequence[tuple[int, int, int]]) -> str:
        """Move tuples into the pieces of their parts, and return where these stand.

        A part goes along an attribute at a level, and its tuples into a piece by their node there, else into that of the rest.
        """
        self._register("parted_going", **_columns(goes, "part", "attribute", "level", "rest"))
        self._register("parted_piece", **_columns(pieces, "part", "node", "piece"))
        kept = ", ".join(f"c.{name}" for name in self._carried)
        select = (
            f"SELECT COALESCE(s.piece, p.rest) AS part, {kept} FROM {self._nodes('parted_going')} "
            "LEFT JOIN arrow_source_parted_piece AS s ON s.part = c.part AND s.node = l.node"
        )
        self._rounds += 1
        self.engine.materialise(f"parted_{self._rounds}", select)
        self.name = f"parted_{self._rounds}"
        return self.name

    def fetched(self, table: str, parts: Integers) -> Any:
        """Return the combinations of some parts as an Arrow table; persons under keys."""
        self._register("parted_wanted", part=parts)
        person = f", {key('c.u')} AS u" if self.problem.persons is not None else ""
        listed = ", ".join(f"c.{name}" for name in self._carried if name != "u")
        wanted = f"{table} AS c JOIN arrow_source_parted_wanted AS w ON w.part = c.part"
        return self.engine.batches(f"SELECT c.part, {listed}{person} FROM {wanted}").read_all()

    def labelled(self, parts: Integers, labels: Sequence[Any]) -> str:
        """Return the SELECT of all tuples of some parts, each of which has one label in every attribute."""
        self._register("parted_closed", part=parts, **{f"l{a}": texts for a, texts in enumerate(labels)})
        tuples = f"SELECT DISTINCT part, {', '.join(f'a{a}' for a in self.attributes)} FROM {self.name}"
        values = "".join(f" LEFT JOIN parted_value AS d{a} ON d{a}.attribute = {a} AND d{a}.w = c.a{a}" for a in self.attributes)
        keys = ", ".join(f"{key(f'd{a}.v')} AS k{a}" for a in self.attributes)
        listed = ", ".join(f"p.l{a}" for a in self.attributes)
        return f"SELECT {keys}, {listed}, 1 AS kept FROM ({tuples}) AS c JOIN arrow_source_parted_closed AS p ON p.part = c.part{values}"

    @property
    def _carried(self) -> list[str]:
        person = ["u"] if self.problem.persons is not None else []
        return [*(f"a{a}" for a in self.attributes), *(f"s{j}" for j in self.sensitive), *person, "n"]

    def _store_ladders(self) -> None:
        found: list[Integers] = []
        for a, ladder in enumerate(self.problem.ladders):
            codes = np.arange(ladder.nodes(0))
            found += [np.stack([np.full(len(codes), a), np.full(len(codes), j), codes, ladder.levels[j]]) for j in range(ladder.height)]
        attribute, level, code, node = np.concatenate(found, axis=1)
        self._register("parted_ladder", attribute=attribute, level=level, code=code, node=node)
        self.engine.materialise("parted_ladder", "SELECT attribute, level, code, node FROM arrow_source_parted_ladder")

    def _store_combinations(self) -> None:
        roles = self.found.roles
        names = {f"a{a}": name for a, name in enumerate(roles.attributes)} | {f"s{j}": name for j, name in enumerate(roles.sensitive)}
        sums = {code: [(number, self.found.place(name))] for number, (code, name) in enumerate(names.items())}
        person = [self.found.place(roles.person)] if roles.person is not None else []
        coded = self.engine.coded("combination", "parted_value", sums, [*person, "n"])
        listed = [*names, *(f"{u} AS u" for u in person), "n"]
        self.engine.materialise("parted_0", f"SELECT CAST(0 AS BIGINT) AS part, {', '.join(listed)} FROM {coded}")

    def _nodes(self, going: str) -> str:
        """Return what goes behind FROM for tuples with their nodes along the attributes, and at the levels, of their parts."""
        code = " ".join(f"WHEN {a} THEN c.a{a}" for a in self.attributes)
        return (
            f"{self.name} AS c JOIN arrow_source_{going} AS p ON p.part = c.part JOIN parted_ladder AS l "
            f"ON l.attribute = p.attribute AND l.level = p.level AND l.code = CASE p.attribute {code} ELSE 0 END"
        )

    def _counted(self, value: str) -> "list[Integers]":
        """Return part, attribute, node (and value), a code, combinations and records of everything that occurs."""
        keys = ["c.part", "p.attribute", "l.node", *([value] if value else [])]
        listed = [*keys[:3], *([f"{value} AS value"] if value else [])]
        select = (
            f"SELECT {', '.join(listed)}, MIN(l.code) AS code, COUNT(*) AS m, CAST(SUM(c.n) AS BIGINT) AS n "
            f"FROM {self._nodes('parted_level')} GROUP BY {', '.join(keys)}"
        )
        return [np.asarray(column, dtype=np.int64) for column in self.engine.arrays(select)]

    def _counted_persons(self) -> "list[Integers]":
        select = (
            f"SELECT c.part, p.attribute, l.node, COUNT(DISTINCT {key('c.u')}) AS m "
            f"FROM {self._nodes('parted_level')} GROUP BY c.part, p.attribute, l.node"
        )
        return [np.asarray(column, dtype=np.int64) for column in self.engine.arrays(select)]

    def _of(
        self, a: int, parts: Integers, whole: "list[Integers]", cells: "list[list[Integers]]", persons: "list[Integers] | None"
    ) -> Children:
        """Return the counts of one attribute as children, and as the tuples of a problem."""
        size = max(self.problem.ladders[a].nodes(level) for level in range(self.problem.ladders[a].height + 1))

        def places(part: Integers, node: Integers) -> Integers:
            return np.searchsorted(parts, part) * size + node

        rows = np.flatnonzero(whole[1] == a)
        part, _, node, code, combinations, n = (column[rows] for column in whole)
        order = np.argsort(places(part, node))
        known = places(part, node)[order]
        sensitive = []
        for of, cell in zip(self.problem.sensitive, cells, strict=False):
            mine = np.flatnonzero(cell[1] == a)
            at = np.searchsorted(known, places(cell[0][mine], cell[2][mine]))
            sorted_by = np.lexsort((cell[3][mine], at))
            sensitive.append(replace(of, tuples=at[sorted_by], values=cell[3][mine][sorted_by], n=cell[6][mine][sorted_by]))
        people = np.zeros(len(order), dtype=np.int64)
        if persons is not None:
            mine = np.flatnonzero(persons[1] == a)
            people[np.searchsorted(known, places(persons[0][mine], persons[2][mine]))] = persons[3][mine]
        zeros = np.zeros(len(order), dtype=np.int64)
        problem = replace(
            self.problem,
            codes=tuple(code[order] if b == a else zeros for b in self.attributes),
            n=n[order],
            sensitive=tuple(sensitive),
            persons=None,
        )
        return Children(np.searchsorted(parts, part[order]), node[order], code[order], combinations[order], people, problem)

    def _register(self, name: str, **columns: Any) -> None:
        import pyarrow as pa

        arrays = {column: values if isinstance(values, pa.Array) else pa.array(values) for column, values in columns.items()}
        self.engine.register(f"arrow_source_{name}", pa.table(arrays))


def _columns(rows: Sequence[tuple[int, ...]], *names: str) -> dict[str, Integers]:
    values = np.array(rows, dtype=np.int64).reshape(-1, len(names))
    return {name: values[:, i] for i, name in enumerate(names)}
