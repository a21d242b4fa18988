"""A table under way through a recipe: every step turns one into the next, on the engine, and no record passes through Python.

Columns stand under c0, c1, ... as in a relation. Beside them travels what nobody releases:

    o<i>    the original of a column that was changed, for counting changed cells in one pass at the end
    f<i>    1 where a step could not transform a value, for the same pass

An engine that is not remote keeps the order of the records, so that a step may fetch a column, work on it as a whole, and attach the
result by position. On a remote one nothing is fetched record by record, and a step that needs it says so (`Transformation.in_order`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from sys import float_info
from typing import Any

from anonscope.columns.images import EVERYTHING
from anonscope.engines import Engine
from anonscope.engines.values import FLOATS, canonical, number, offered, written
from anonscope.errors import ColumnNotFound, RecipeError, shown
from anonscope.io.sources import Column, Relation


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
class PrivateFile:
    """Rows that are written when the release is, but kept apart from it, for its owner only."""

    path: Path
    select: str


@dataclass(frozen=True, slots=True)
class Table:
    """What the steps so far have made of a relation."""

    engine: Engine
    origin: str  # goes behind FROM
    columns: tuple[Column, ...]
    originals: Mapping[str, str] = field(default_factory=dict)  # column -> where its original travels
    faults: tuple[Fault, ...] = ()
    made: int = 0  # the number of the last name that was given on the engine
    folder: Path | None = None  # where the files stand that steps name
    shortened: bool = False  # records may have been left out
    files: tuple[PrivateFile, ...] = ()

    @classmethod
    def of(cls, engine: Engine, relation: Relation, rows: int | None = None, folder: Path | None = None) -> "Table":
        """Return a relation as the table that the first step gets."""
        # Names on an engine are given once: a second recipe must not change what the first one made.
        made = len(engine.statements)
        if rows is None:
            return cls(engine, relation.origin, relation.columns, made=made, folder=folder)
        # Stored, because which records are the first ones is certain only while the order of a file is kept.
        listed = ", ".join(f"c{i}" for i in range(len(relation.columns)))
        engine.stage(f"step_{made + 1}", f"SELECT {listed} FROM {relation.origin} LIMIT {rows}", large=relation.large, ordered=True)
        return cls(engine, f"step_{made + 1}", relation.columns, made=made + 1, folder=folder)

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
        if kind in FLOATS and self.engine.remote:
            # Not by way of its text, as engines have it that cannot ask what is finite.
            return f"CASE WHEN ABS({place}) <= CAST({float_info.max!r} AS DOUBLE) THEN CAST({place} AS DOUBLE) ELSE NULL END"
        return number(place, kind, column)

    def missing(self, column: str) -> str:
        """Return the SQL that tells whether a value is missing; NaN is one that is."""
        place, kind = self.at(column)
        return f"({place} IS NULL OR ISNAN({place}))" if kind in FLOATS else f"{place} IS NULL"

    def replaced(self, changes: Mapping[str, Expression]) -> "Table":
        """Return the table with some columns replaced; a missing value stays missing."""
        marks: list[str] = []
        faults = list(self.faults)
        made = self.made + 1
        for i, (column, change) in enumerate(changes.items()):
            if change.fails is not None:
                mark = f"f{made}_{i}"
                marks.append(f"CASE WHEN NOT {self.missing(column)} AND ({change.fails}) THEN 1 ELSE 0 END AS {mark}")
                faults.append(Fault(mark, column, self.originals.get(column, f"o{made}_{i}"), change.problem))
        new = {column: f"CASE WHEN {self.missing(column)} THEN NULL ELSE {change.sql} END" for column, change in changes.items()}
        types = {column: change.type for column, change in changes.items()}
        return self._projected(new, types, marks, tuple(faults))

    def assigned(self, changes: Mapping[str, Expression]) -> "Table":
        """Return the table with some columns replaced, missing values too."""
        return self._projected({c: e.sql for c, e in changes.items()}, {c: e.type for c, e in changes.items()}, [], self.faults)

    def computed(self, name: str, sql: str) -> "Table":
        """Return the table with an expression under a name, for the next step only: it is computed once, however often it is used."""
        return replace(self, origin=f"(SELECT *, {sql} AS {name} FROM {self.origin}) AS t")

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

    def stored(self) -> "Table":
        """Return the table computed once, for a step that looks at it several times; what is wrong so far is said now."""
        self.check()
        made = self.made + 1
        self.engine.stage(f"step_{made}", f"SELECT * FROM {self.origin}", large=False, ordered=True)
        return replace(self, origin=f"step_{made}", made=made)

    def fetched(self, expressions: Sequence[str]) -> Any:
        """Return expressions over all records, in their order, as an Arrow table with the columns x0, x1, ..."""
        listed = ", ".join(f"{sql} AS x{i}" for i, sql in enumerate(expressions))
        return self.engine.batches(f"SELECT {listed} FROM {self.origin}").read_all()

    def attached(self, values: Mapping[str, Any], types: Mapping[str, str], *, kept: Any = None) -> "Table":
        """Return the table with columns replaced by Arrow arrays, one value a record in their order; None is a missing value.

        With `kept`, an array of truth values, only the records that it is true for.
        """
        import pyarrow as pa

        made = self.made + 1
        arrow = f"arrow_source_step_{made}"
        arrays = {f"x{i}": array for i, array in enumerate(values.values())}
        if kept is not None:
            arrays["kept"] = kept
        self.engine.register(arrow, pa.table(arrays))
        beside = self.engine.beside(self.origin, arrow)
        kept_only = f"(SELECT * FROM {beside} WHERE kept) AS j"
        joined = replace(self, origin=beside) if kept is None else replace(self, origin=kept_only, shortened=True)
        return joined._projected({column: f"CAST(x{i} AS {types[column]})" for i, column in enumerate(values)}, types, [], self.faults)

    def select(self, *, text: bool = False, cell: Callable[[str], str] | None = None) -> str:
        """Return the statement of the release: the columns that are left, in the order of the records; for `text`, as delimited text.

        `cell` makes of a value of text what stands in the file for it.
        """
        places = [written(f"c{i}", c.type, c.name) if text else f"c{i}" for i, c in enumerate(self.columns)]
        if text and cell is not None:
            places = [cell(place) if c.type == "VARCHAR" else place for place, c in zip(places, self.columns, strict=True)]
        if text and len(places) == 1:
            # A line of a single missing value would be an empty line, which readers skip. An empty text is written in quotes.
            places = [f"COALESCE({places[0]}, '')"]
        listed = ", ".join(f"{place} AS {self.engine.quote(column.name)}" for place, column in zip(places, self.columns, strict=True))
        return f"SELECT {listed} FROM {self.origin}"

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
        return f"SELECT {', '.join(f'c{i}' for i in range(len(self.columns)))} FROM {self.origin}"

    def _hidden(self) -> list[str]:
        return [*self.originals.values(), *(fault.mark for fault in self.faults)]

    def _projected(self, new: Mapping[str, str], types: Mapping[str, str], marks: list[str], faults: tuple[Fault, ...]) -> "Table":
        """Return the table with columns replaced. A step may make up NaN, minus zero or empty text, which have no place in one."""
        made = self.made + 1
        listed, originals, hidden = [], dict(self.originals), self._hidden()
        for i, column in enumerate(self.columns):
            listed.append(f"{new[column.name]} AS c{i}" if column.name in new else f"c{i}")
        for i, name in enumerate(new):
            if name not in originals:
                originals[name] = f"o{made}_{i}"
                hidden.append(f"{self.at(name)[0]} AS o{made}_{i}")
        forms = {name: _made(self.at(name)[0], types[name]) for name in new}
        select = f"SELECT {', '.join([*listed, *hidden, *marks])} FROM {self.origin}"
        if any(sql != self.at(name)[0] for name, (sql, _) in forms.items()):
            # Around the step's own expressions, which may be long and would stand there several times.
            places = [f"{forms[c.name][0]} AS c{i}" if c.name in forms else f"c{i}" for i, c in enumerate(self.columns)]
            aside = [*originals.values(), *(fault.mark for fault in faults)]
            select = f"SELECT {', '.join([*places, *aside])} FROM ({select}) AS t"
        self.engine.define(f"step_{made}", select)
        columns = tuple(Column(c.name, forms[c.name][1] if c.name in forms else c.type) for c in self.columns)
        return replace(self, origin=f"step_{made}", columns=columns, originals=originals, faults=faults, made=made)


def _made(column: str, kind: str) -> tuple[str, str]:
    """Return the SQL and the type of a column that a step made, with every value in its one form."""
    if kind == "VARCHAR":
        # Nothing was left of a value. It is not missing, or one would take it for one that had been missing before.
        return f"CASE WHEN {column} = '' THEN '{EVERYTHING}' ELSE {column} END", kind
    return offered(column, kind)
