"""A whole column says one thing: `*`, or a statistic of what was in it.

R. Aufschläger et al. (2023), section 4.3: to suppress a numerical attribute, * is a statistical function of the column such as mean, sum,
variance, standard deviation, median, mode, min and max. Variance and standard deviation are those of the column as a whole
population (divided by n, not by n - 1), so they exist for a single record too.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction
from math import inf, isfinite, sqrt
from typing import ClassVar, Literal

from anonscope.columns.images import EVERYTHING, Everything, Image, number_text
from anonscope.engines import Engine
from anonscope.engines.values import canonical
from anonscope.errors import RecipeError, shown
from anonscope.transform.cells.numbers import NOT_A_NUMBER, is_typed_number, is_typed_whole
from anonscope.transform.randomness.exact_sum import exact_sum
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import ColumnTransformation, Effect, check_types

# The square of a larger number is none.
_LARGEST_ROOT = 1e154

Statistic = Literal["", "mean", "sum", "variance", "standard_deviation", "median", "mode", "minimum", "maximum"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressColumn(ColumnTransformation):
    """Replace every value of a column by `*`, or by a `statistic` of the column."""

    name: ClassVar[str] = "suppress_column"
    title: ClassVar[str] = "Suppress a column"
    standard: ClassVar[str] = "suppression"
    effect: ClassVar[Effect] = "suppression"

    statistic: Statistic = ""
    missing: bool = False  # replace missing values too

    def __post_init__(self) -> None:
        check_types(type(self), {f.name: getattr(self, f.name) for f in fields(self)})
        ColumnTransformation.__post_init__(self)
        if self.statistic and self.statistic not in (*_STATISTICS, "mode"):
            raise self.fail(f"statistic must be one of {', '.join((*_STATISTICS, 'mode'))}, or left out for {EVERYTHING}")

    @property
    def words(self) -> str:
        instead = f"its {self.statistic.replace('_', ' ')}" if self.statistic else EVERYTHING
        return f"replace {shown(self.column)} by {instead}"

    def mixes(self, column: str) -> bool:
        return column == self.column and bool(self.statistic)

    def expression(self, table: Table) -> Expression:
        if not self.statistic:
            return Expression(f"'{EVERYTHING}'", "VARCHAR")
        if self.statistic == "mode":
            return self._mode(table)
        number, (_, kind) = table.number(self.column), table.at(self.column)
        numbers = _Numbers.of(table, number)
        if numbers is None:
            raise self._nothing()
        found = _STATISTICS[self.statistic](numbers)
        if not isfinite(found):
            raise RecipeError(f"The {self.statistic.replace('_', ' ')} of column {shown(self.column)} is too large for a number.")
        fails = f"{number} IS NULL"
        if not is_typed_number(kind):
            return Expression(table.engine.text(number_text(found)), "VARCHAR", fails, NOT_A_NUMBER)
        # Only these two are values of the column, and so of its type for certain.
        kept = kind if is_typed_whole(kind) and self.statistic in ("minimum", "maximum") else "DOUBLE"
        return Expression(f"CAST({number_text(found)} AS {kept})", kept, fails, NOT_A_NUMBER)

    def _mode(self, table: Table) -> Expression:
        """Return the value that most records have; of several the smallest, as a number if it is one."""
        import pyarrow as pa

        text, number, (_, kind) = table.text(self.column), table.number(self.column), table.at(self.column)
        counts = f"SELECT {text} AS v, MIN({number}) AS x, COUNT(*) AS n FROM {table.origin} GROUP BY {text}"
        rows = table.engine.rows(f"SELECT v FROM ({counts}) AS t WHERE v IS NOT NULL ORDER BY n DESC, x NULLS LAST, v LIMIT 1")
        if not rows:
            raise self._nothing()
        # The value itself stays out of the statement, which is shown to people.
        name = f"arrow_source_mode_{table.made + 1}"
        table.engine.register(name, pa.table({"v": [rows[0][0]]}))
        return Expression(f"CAST((SELECT v FROM {name}) AS {kind})", kind)

    def apply(self, table: Table) -> Table:
        if not self.missing:
            return ColumnTransformation.apply(self, table)
        change = self.expression(table)
        done = ColumnTransformation.apply(self, table)
        place, kind = done.at(self.column)
        filler = change.sql if kind == change.type else canonical(f"({change.sql})", change.type, self.column)
        return done.assigned({self.column: Expression(f"COALESCE({place}, {filler})", kind)})

    def _nothing(self) -> RecipeError:
        return RecipeError(f"Column {shown(self.column)} has no value that a {self.statistic.replace('_', ' ')} could be taken of.")

    def image(self, column: str, released: str | None) -> Image:
        if column == self.column and released is not None:
            return Everything()
        return ColumnTransformation.image(self, column, released)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The numbers of a column, counted on the engine under a name, and what is known of them."""

    engine: Engine
    name: str
    total: int
    low: float
    high: float

    @classmethod
    def of(cls, table: Table, number: str) -> "_Numbers | None":
        """Return the numbers of a table's column; None if there are none."""
        name = f"numbers_{table.made + 1}"
        select = f"SELECT x, COUNT(*) AS n FROM (SELECT {number} AS x FROM {table.origin}) AS t WHERE x IS NOT NULL GROUP BY x"
        table.engine.materialise(name, select)
        total, low, high = table.engine.rows(f"SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT), MIN(x), MAX(x) FROM {name}")[0]
        return cls(table.engine, name, int(total), low, high) if total else None

    @property
    def sum(self) -> float:
        return _rounded(exact_sum(self.engine, self.name, "x"))

    @property
    def mean(self) -> float:
        return _rounded(exact_sum(self.engine, self.name, "x") / self.total)

    @property
    def variance(self) -> float:
        mean = self.mean
        if max(self.high - mean, mean - self.low) > _LARGEST_ROOT:
            return inf
        away = f"(x - CAST({self.engine.text(repr(mean))} AS DOUBLE))"
        return _rounded(exact_sum(self.engine, self.name, f"{away} * {away}") / self.total)

    @property
    def median(self) -> float:
        upto = f"SELECT x, SUM(n) OVER (ORDER BY x) AS m FROM {self.name}"
        places = ((self.total - 1) // 2, self.total // 2)
        wanted = ", ".join(f"MIN(CASE WHEN m > {place} THEN x ELSE NULL END)" for place in places)
        low, high = self.engine.rows(f"SELECT {wanted} FROM ({upto}) AS t")[0]
        return float(low) / 2 + float(high) / 2


def _rounded(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return inf


_STATISTICS: dict[str, Callable[[_Numbers], float]] = {
    "mean": lambda numbers: numbers.mean,
    "sum": lambda numbers: numbers.sum,
    "variance": lambda numbers: numbers.variance,
    "standard_deviation": lambda numbers: sqrt(numbers.variance),
    "median": lambda numbers: numbers.median,
    "minimum": lambda numbers: numbers.low,
    "maximum": lambda numbers: numbers.high,
}
