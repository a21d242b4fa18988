"""Microaggregation: records in groups of at least k similar ones, each released with the average of its group.

J. Domingo-Ferrer and J. M. Mateo-Sanz (2002), IEEE TKDE 14(1). J. Domingo-Ferrer and V. Torra (2005), Data Mining and Knowledge
Discovery 11(2), show that quasi-identifiers that are microaggregated together are k-anonymous: every combination of released values
belongs to at least k records. So, other than with noise, classes mean what they say, and an audit measures them.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from anonscope.columns.images import Everything, Exactly, Image
from anonscope.engines.values import number_as_text
from anonscope.errors import RecipeError, shown
from anonscope.transform.cells.numbers import NOT_A_NUMBER, is_typed_number
from anonscope.transform.randomness.draws import as_before, beside, coded, numbers, records, texts
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import Effect, Transformation, listed, whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Beyond this, squares of numbers would leave the range of the machine; a power of two scales without rounding.
_HUGE, _SMALLER = 1e150, 2.0**-600


@dataclass(frozen=True, slots=True, kw_only=True)
class Microaggregate(Transformation):
    """Replace values of several columns by the average of groups of at least `k` records that are close together in them."""

    name: ClassVar[str] = "microaggregate"
    title: ClassVar[str] = "Microaggregate"
    standard: ClassVar[str] = "microaggregation"
    effect: ClassVar[Effect] = "recoding"
    in_order: ClassVar[bool] = True

    columns: tuple[str, ...] = field()
    k: int
    categories: tuple[str, ...] = ()  # those of the columns that hold no numbers
    average: Literal["mean", "median"] = "mean"
    missing: Literal["keep", "fill"] = "keep"
    block: int = 50_000

    def __post_init__(self) -> None:
        for key, names in (("columns", self.columns), ("categories", self.categories)):
            if not isinstance(names, tuple) or not all(isinstance(name, str) and name for name in names):
                raise self.fail(f"{key} must be names of columns")
            if len(set(names)) < len(names):
                raise self.fail(f"{key} must name every column once")
        if not self.columns:
            raise self.fail("columns must name at least one column")
        if not set(self.categories) <= set(self.columns):
            raise self.fail("categories must be among the columns")
        whole(self, "k", self.k, least=2)
        whole(self, "block", self.block, least=2)
        if self.average not in ("mean", "median"):
            raise self.fail("average must be mean or median")
        if self.missing not in ("keep", "fill"):
            raise self.fail("missing must be keep or fill")
        if self.block < 2 * self.k:
            raise self.fail("block must be at least twice k, or a part of it could be too small for a group")

    @property
    def words(self) -> str:
        return f"microaggregate {listed(self.columns)} in groups of {self.k}"

    @property
    def _numeric(self) -> tuple[str, ...]:
        return tuple(column for column in self.columns if column not in self.categories)

    def mixes(self, column: str) -> bool:
        return column in self.columns

    def apply(self, table: Table) -> Table:
        for column in self.columns:
            table.at(column)
        stored = table.stored()
        if (count := records(stored)) < self.k:
            raise self.fail(f"k is {self.k:,}, but the table has {count:,} records; a group needs that many")
        numeric = {column: self._numbers(stored, column) for column in self._numeric}
        coding = {column: coded(stored, column) for column in self.categories}
        label = self._labels(numeric, {column: codes for column, (_, codes) in coding.items()})
        averages: dict[str, Any] = {}
        changes: dict[str, Expression] = {}
        for i, column in enumerate(self.columns):
            drawn = f"x{i}"
            if column in numeric:
                averages[drawn] = _averages(numeric[column], label, self.average)
                typed = is_typed_number(stored.at(column)[1])
                changes[column] = Expression(drawn, "DOUBLE") if typed else Expression(number_as_text(drawn), "VARCHAR")
            else:
                values, codes = coding[column]
                averages[drawn] = texts(values, _modes(codes, label, len(values)))
                changes[column] = Expression(*as_before(stored, column, drawn))
        return beside(stored, averages).assigned(changes)

    def image(self, column: str, released: str | None) -> Image:
        # A group keeps a missing value only where nobody in it has another one.
        return Everything() if column in self.columns and released is not None else Exactly(released)

    def _numbers(self, table: Table, column: str) -> "NDArray[np.float64]":
        """Return the numbers of a column; NaN is a missing value."""
        x = table.number(column)
        select = f"SELECT COUNT(*) FROM {table.origin} WHERE {x} IS NULL AND NOT {table.missing(column)}"
        if faulty := int(table.engine.rows(select)[0][0]):
            raise RecipeError(
                f"{self.name}: the values of column {shown(column)} in {faulty:,} record{'' if faulty == 1 else 's'} {NOT_A_NUMBER}. "
                "Name the column among the categories, or mend these values in a step before this one."
            )
        return numbers(table, column)

    def _labels(self, numeric: "dict[str, NDArray[np.float64]]", codes: "dict[str, NDArray[np.int64]]") -> "NDArray[np.int64]":
        """Return the group of every record. Unless missing values are filled, only records that miss the same values share one."""
        import numpy as np

        from anonscope.transform.microaggregation import Points, groups

        count = len(next(iter((*numeric.values(), *codes.values()))))
        points = Points(
            np.array([_scaled(row) for row in numeric.values()]).reshape(-1, count),
            # A missing category is a category of its own, behind the others.
            np.array([np.where(row < 0, row.max() + 1, row) for row in codes.values()], dtype=np.int64).reshape(-1, count),
        )
        if self.missing == "fill":
            return groups(points, self.k, self.block)
        pattern = np.zeros(count, dtype=np.int64)
        for gaps in (*(np.isnan(row) for row in numeric.values()), *(row < 0 for row in codes.values())):
            pattern = np.unique(pattern * 2 + gaps, return_inverse=True)[1]
        sizes = np.bincount(pattern)
        if sizes.min() < self.k:
            few = int(sizes[sizes < self.k].sum())
            raise RecipeError(
                f"{self.name}: {few:,} record{'' if few == 1 else 's'} miss values that fewer than k = {self.k:,} records miss alike, "
                'and a missing value stays missing. Say missing = "fill" to give them the average of their group, or suppress them first.'
            )
        label = np.zeros(count, dtype=np.int64)
        made = 0
        for alike in np.split(np.argsort(pattern, kind="stable"), np.cumsum(sizes)[:-1]):
            label[alike] = groups(points.at(alike), self.k, self.block) + made
            made = int(label[alike].max()) + 1
        return label


def _scaled(row: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return numbers in standard deviations, so that no unit weighs more than another."""
    import numpy as np

    known = row[~np.isnan(row)]
    if not len(known):
        return row
    if np.abs(known).max() > _HUGE:
        row, known = row * _SMALLER, known * _SMALLER
    spread = float(known.std())
    return (row - known.mean()) / spread if spread > 0 else np.where(np.isnan(row), np.nan, 0.0)


def _averages(row: "NDArray[np.float64]", label: "NDArray[np.int64]", average: str) -> Any:
    """Return for every record the average of what its group has, as an Arrow array; missing where nobody in it has a value."""
    import numpy as np
    import pyarrow as pa

    known = np.flatnonzero(~np.isnan(row))
    if not len(known):
        return pa.nulls(len(row), pa.float64())
    order = known[np.lexsort((row[known], label[known]))]
    has, first, size = np.unique(label[order], return_index=True, return_counts=True)
    value = row[order]
    low, high = value[first], value[first + size - 1]
    if average == "median":
        below, above = value[first + (size - 1) // 2], value[first + size // 2]
        # Halves first, because the sum of two numbers may be too large.
        made = np.where(below == above, below, below / 2 + above / 2)
    else:
        factor = _SMALLER if np.abs(value).max() > _HUGE else 1.0
        # Between the least and the largest: the mean of equal numbers is that number, whatever the sum was rounded to.
        made = np.clip(np.add.reduceat(value * factor, first) / size / factor, low, high)
    found = np.full(int(label.max()) + 1, np.nan)
    found[has] = made
    return pa.array(found[label], mask=np.isnan(found[label]))


def _modes(codes: "NDArray[np.int64]", label: "NDArray[np.int64]", count: int) -> "NDArray[np.int64]":
    """Return for every record the category that most of its group have, the first by its text where several do; -1 where none has any."""
    import numpy as np

    known = codes >= 0
    pairs, tally = np.unique(label[known] * max(count, 1) + codes[known], return_counts=True)
    group, code = np.divmod(pairs, max(count, 1))
    best = np.lexsort((code, -tally, group))
    has, first = np.unique(group[best], return_index=True)
    found = np.full(int(label.max()) + 1, -1, dtype=np.int64)
    found[has] = code[best][first]
    return found[label]
