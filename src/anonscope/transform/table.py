"""A table under way through a recipe: every step turns one into the next, on the engine, and no record passes through Python.

Columns stand under c0, c1, ... as in a relation. Beside them travels what nobody releases:

    o<i>    the original of a column that was changed, for counting changed cells in one pass at the end
    f<i>    1 where a step could not transform a value, for the same pass
    r       the number of the record, once a step has needed it
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonscope.engines import Engine
from anonscope.errors import ColumnNotFound, RecipeError, shown
from anonscope.sources import Column, Relation
from anonscope.values import canonical, number

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Expression:
    """What becomes of a column: the SQL for a value that is not missing, the type, and which values it cannot be applied to."""

    sql: str
    type: str
    fails: str | None = None
    problem: str = ""  # goes into "... of column 'x' <problem>"


@dataclass(frozen=True, slots=True)
class Fault:
    """Values that a step could not transform: where they are marked, and what to say if there are any."""

    mark: str
    column: str
    original: str | None
    problem: str


@dataclass(frozen=True, slots=True)
class Table:
    """What the steps so far have made of a relation."""

    engine: Engine
    origin: str  # goes behind FROM
    columns: tuple[Column, ...]
    originals: Mapping[str, str] = field(default_factory=dict)  # column -> where its original travels
    faults: tuple[Fault, ...] = ()
    numbered: bool = False
    made: int = 0  # the number of the last name that was given on the engine
    folder: Path | None = None  # where the files stand that steps name

    @classmethod
    def of(cls, engine: Engine, relation: Relation, rows: int | None = None, folder: Path | None = None) -> "Table":
        """Return a relation as the table that the first step gets."""
        origin = relation.origin
        if rows is not None:
            origin = f"(SELECT * FROM {relation.origin} LIMIT {rows}) AS t"
        # Names on an engine are given once: a second recipe must not change what the first one made.
        return cls(engine, origin, relation.columns, made=len(engine.statements), folder=folder)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def file(self, name: str) -> Path:
        """Return a file that a step names, as seen from the folder of the recipe."""
        return (self.folder or Path()) / name

    def at(self, column: str) -> tuple[str, str]:
        """Return where a column stands (c0, c1, ...) and its type."""
        if column not in self.names:
            raise ColumnNotFound(column, self.names)
        position = self.names.index(column)
        return f"c{position}", self.columns[position].type

    def text(self, column: str) -> str:
        """Return the SQL for a column's canonical text."""
        place, kind = self.at(column)
        return canonical(place, kind, column)

    def number(self, column: str) -> str:
        """Return the SQL for a column as a number; NULL where it is none."""
        place, kind = self.at(column)
        return number(place, kind, column)

    def replaced(self, changes: Mapping[str, Expression]) -> "Table":
        """Return the table with some columns replaced; a missing value stays missing."""
        marks: list[str] = []
        faults = list(self.faults)
        made = self.made + 1
        for i, (column, change) in enumerate(changes.items()):
            place, _ = self.at(column)
            if change.fails is not None:
                mark = f"f{made}_{i}"
                marks.append(f"CASE WHEN {place} IS NOT NULL AND ({change.fails}) THEN 1 ELSE 0 END AS {mark}")
                faults.append(Fault(mark, column, self.originals.get(column, f"o{made}_{i}"), change.problem))
        new = {column: f"CASE WHEN {self.at(column)[0]} IS NULL THEN NULL ELSE {change.sql} END" for column, change in changes.items()}
        types = {column: change.type for column, change in changes.items()}
        return self._projected(new, types, marks, tuple(faults))

    def assigned(self, changes: Mapping[str, Expression]) -> "Table":
        """Return the table with some columns replaced, missing values too."""
        return self._projected({c: e.sql for c, e in changes.items()}, {c: e.type for c, e in changes.items()}, [], self.faults)

    def without(self, column: str) -> "Table":
        """Return the table without a column."""
        self.at(column)
        kept = [i for i, c in enumerate(self.columns) if c.name != column]
        if not kept:
            raise RecipeError(f"Column {shown(column)} is the last one; nothing would be left to release.")
        made = self.made + 1
        shown_columns = [f"c{i} AS c{j}" for j, i in enumerate(kept)]
        self.engine.define(f"step_{made}", f"SELECT {', '.join([*shown_columns, *self._hidden()])} FROM {self.origin}")
        return replace(self, origin=f"step_{made}", columns=tuple(self.columns[i] for i in kept), made=made)

    def where(self, condition: str) -> "Table":
        """Return the table with the records that meet a condition."""
        made = self.made + 1
        self.engine.define(f"step_{made}", f"SELECT * FROM {self.origin} WHERE {condition}")
        return replace(self, origin=f"step_{made}", made=made)

    def stored(self) -> "Table":
        """Return the table with numbered records, stored: from here on a step may come back to a record by its number."""
        self.check()
        made = self.made + 1
        if self.numbered:
            self.engine.materialise(f"step_{made}", f"SELECT * FROM {self.origin}")
        else:
            self.engine.materialise(f"step_{made}", f"SELECT *, ROW_NUMBER() OVER () - 1 AS r FROM {self.origin}")
        return replace(self, origin=f"step_{made}", numbered=True, made=made)

    def fetched(self, expressions: Sequence[str]) -> "list[NDArray[Any]]":
        """Return the values of expressions for all records in their order; of a stored table only. NULL must be replaced by then."""
        assert self.numbered, "a step that fetches records stores the table first"
        listed = ", ".join(f"{sql} AS x{i}" for i, sql in enumerate(expressions))
        return self.engine.arrays(f"SELECT {listed} FROM {self.origin} ORDER BY r")

    def attached(self, values: Mapping[str, Any], types: Mapping[str, str]) -> "Table":
        """Return a stored table with columns replaced by Arrow arrays, one value a record in their order; None stays missing."""
        import numpy as np
        import pyarrow as pa

        assert self.numbered, "values are attached by the number of the record"
        made = self.made + 1
        arrays = {f"x{i}": array for i, array in enumerate(values.values())}
        length = len(next(iter(values.values())))
        arrow = f"arrow_source_step_{made}"
        self.engine.register(arrow, pa.table({"r": pa.array(np.arange(length)), **arrays}))
        listed = ", ".join(f"a.{x}" for x in arrays)
        joined = replace(self, origin=f"(SELECT t.*, {listed} FROM {self.origin} AS t JOIN {arrow} AS a ON t.r = a.r) AS j")
        return joined._projected({column: f"x{i}" for i, column in enumerate(values)}, types, [], self.faults)

    def select(self) -> str:
        """Return the statement of the release: the columns that are left, in the order of the records."""
        listed = ", ".join(f"c{i} AS {self.engine.quote(column.name)}" for i, column in enumerate(self.columns))
        order = " ORDER BY r" if self.numbered else ""
        return f"SELECT {listed} FROM {self.origin}{order}"

    def relation(self, name: str) -> Relation:
        """Return the release as a relation that can be audited."""
        return Relation(name, self.columns, f"({self._positional()}) AS t")

    def check(self) -> None:
        """Raise if a step met values that it could not transform."""
        if not self.faults:
            return
        sums = ", ".join(f"COALESCE(SUM({fault.mark}), 0)" for fault in self.faults)
        for fault, count in zip(self.faults, self.engine.rows(f"SELECT {sums} FROM {self.origin}")[0], strict=True):
            if count:
                raise self.failure(fault, int(count))

    def failure(self, fault: Fault, records: int) -> RecipeError:
        """Return the error for values that could not be transformed; it tells how many, never which."""
        select = (
            f"SELECT COUNT(DISTINCT CASE WHEN {fault.mark} = 1 THEN CAST({fault.original} AS VARCHAR) ELSE NULL END) FROM {self.origin}"
        )
        values = self.engine.rows(select)[0][0]
        number = "1 value" if values == 1 else f"{values:,} values"
        where = "1 record" if records == 1 else f"{records:,} records"
        return RecipeError(
            f"{number} of column {shown(fault.column)} (in {where}) {fault.problem}. "
            'Mend the step, or say otherwise = "suppress" or otherwise = "keep" in it.'
        )

    def _positional(self) -> str:
        order = " ORDER BY r" if self.numbered else ""
        return f"SELECT {', '.join(f'c{i}' for i in range(len(self.columns)))} FROM {self.origin}{order}"

    def _hidden(self) -> list[str]:
        return [*self.originals.values(), *(fault.mark for fault in self.faults), *(["r"] if self.numbered else [])]

    def _projected(self, new: Mapping[str, str], types: Mapping[str, str], marks: list[str], faults: tuple[Fault, ...]) -> "Table":
        made = self.made + 1
        listed, originals, hidden = [], dict(self.originals), self._hidden()
        for i, column in enumerate(self.columns):
            listed.append(f"{new[column.name]} AS c{i}" if column.name in new else f"c{i}")
        for i, name in enumerate(new):
            if name not in originals:
                originals[name] = f"o{made}_{i}"
                hidden.append(f"{self.at(name)[0]} AS o{made}_{i}")
        self.engine.define(f"step_{made}", f"SELECT {', '.join([*listed, *hidden, *marks])} FROM {self.origin}")
        columns = tuple(Column(c.name, types.get(c.name, c.type)) for c in self.columns)
        return replace(self, origin=f"step_{made}", columns=columns, originals=originals, faults=faults, made=made)
