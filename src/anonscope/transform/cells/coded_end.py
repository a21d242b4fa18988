"""What top and bottom coding have in common: where the end of a column begins, and what becomes of the numbers in it."""

from abc import abstractmethod
from dataclasses import dataclass, fields, replace
from math import isfinite

from anonscope.columns.images import EVERYTHING, Exactly, Image, Interval, number_in, number_text, read_image
from anonscope.engines.values import FLOATS
from anonscope.errors import RecipeError, shown
from anonscope.risk.rounding import at_least
from anonscope.transform.cells.numbers import NOT_A_NUMBER, is_typed_number
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import ColumnTransformation, check_types, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedEnd(ColumnTransformation):
    """Replace the extreme numbers of a column by where its end begins: said, or found in the data so that enough records are in it."""

    share: float | None = None
    records: int | None = None
    label: bool = False

    @property
    @abstractmethod
    def limit(self) -> float | None:
        """Where the end begins, if the recipe says it."""

    @abstractmethod
    def found(self, counts: str, needed: int) -> str:
        """Return the SQL that finds where the end begins, given the counts of all numbers, so that so many records are in it."""

    @abstractmethod
    def inside(self, number: str, limit: str) -> str:
        """Return the SQL that tells whether a number is in the end, and must be replaced."""

    @abstractmethod
    def interval(self, limit: float, *, closed: bool = False) -> Interval:
        """Return the numbers in the end that begins there; of a `closed` one the limit is a part in any case."""

    def check(self, key: str) -> None:
        """Raise unless one setting, and only one, says where the end begins."""
        check_types(type(self), {f.name: getattr(self, f.name) for f in fields(self)})
        ColumnTransformation.__post_init__(self)
        if sum(given is not None for given in (self.limit, self.share, self.records)) != 1:
            raise self.fail(f"{key}, share or records must say where the end begins: one of them")
        if self.limit is not None and not isfinite(self.limit):
            raise self.fail(f"{key} must be a number")
        if self.share is not None and not 0 < self.share < 1:
            raise self.fail("share must be above 0 and below 1, such as 0.01")
        if self.records is not None:
            whole(self, "records", self.records)

    def mixes(self, column: str) -> bool:
        return column == self.column and self.limit is None

    def expression(self, table: Table) -> Expression:
        limit = self.limit if self.limit is not None else self._from_data(table)
        number, (place, kind) = table.number(self.column), table.at(self.column)
        inside = self.inside(number, f"CAST({number_text(limit)} AS DOUBLE)")
        fails = f"{number} IS NULL"
        if self.label or not is_typed_number(kind):
            written = self.interval(limit).label if self.label else number_text(limit)
            sql = f"CASE WHEN {inside} THEN {table.engine.text(written)} ELSE {table.text(self.column)} END"
            return Expression(sql, "VARCHAR", fails, NOT_A_NUMBER)
        # Numbers outside the end stay as they are, to the last digit, unless the limit does not fit into their type.
        result = kind if (limit == int(limit) or kind in FLOATS) and self._fits(table, limit, kind) else "DOUBLE"
        sql = f"CASE WHEN {inside} THEN CAST({number_text(limit)} AS {result}) ELSE CAST({place} AS {result}) END"
        return Expression(sql, result, fails, NOT_A_NUMBER)

    def _fits(self, table: Table, limit: float, kind: str) -> bool:
        return table.engine.rows(f"SELECT TRY_CAST({number_text(limit)} AS {kind})")[0][0] is not None

    def _from_data(self, table: Table) -> float:
        numbers = f"SELECT {table.number(self.column)} AS x FROM {table.origin}"
        counts = f"SELECT x, COUNT(*) AS n FROM ({numbers}) AS t WHERE x IS NOT NULL GROUP BY x"
        total = int(table.engine.rows(f"SELECT COALESCE(SUM(n), 0) FROM ({counts}) AS t")[0][0])
        needed = self.records if self.records is not None else max(1, at_least(self.share or 0, total))
        found = table.engine.rows(self.found(counts, needed))[0][0]
        if found is None:
            raise RecipeError(
                f"Column {shown(self.column)} has {total:,} numbers, and no end of it that can be told from the rest holds {needed:,} of "
                "them. Ask for fewer, or say where the end begins."
            )
        return float(found)

    def image_of(self, released: str) -> Image:
        if self.label or released == EVERYTHING:
            return read_image(released)
        number = number_in(released)
        # Where the data said where the end begins, any number may be that.
        if number is None or self.limit not in (None, number):
            return Exactly(released)
        return replace(self.interval(number, closed=True), written=released)
