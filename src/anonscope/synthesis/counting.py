"""True counts and sums for queries, on the engine, with what one person can change bounded before anything is counted.

A person has at most `records_per_unit` records among the cells (`cells.py` sees to that), and in a query at most `cells_per_person`
groups: which ones depends on their own records alone, by a digest, so that another person's records never move them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, prod
from typing import TYPE_CHECKING, Any

from anonscope.engines import Engine
from anonscope.synthesis import inside
from anonscope.synthesis.domain import Domain, Numbers
from anonscope.synthesis.mechanisms import Noise, Ranks, largest
from anonscope.synthesis.queries import Query
from anonscope.synthesis.workers import scores_of_bins

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STEPS = 10**6  # a range without stated decimals is counted in so many steps
_MOST_DECIMALS = 9
# What is finer is counted coarser: noise hides so small a part of what one record can be, and billions of records still fit a sum.
_MOST_STEPS = 10**9


@dataclass(frozen=True, slots=True)
class Units:
    """A numeric column in whole numbers: value = middle + whole / steps, and no whole number is beyond `bound` either way."""

    middle: Fraction
    steps: Fraction
    bound: int

    @classmethod
    def of(cls, column: Numbers, *, centred: bool, noisy: bool = True) -> "Units":
        """Return the units of a column; `centred` around the middle of its bounds, which halves what one person changes.

        Without noise to come they are as fine as the numbers.
        """
        lower, upper = Fraction(repr(column.lower)), Fraction(repr(column.upper))
        decimals = column.decimals
        if decimals is None:
            decimals = next((d for d in range(_MOST_DECIMALS) if (upper - lower) * 10**d >= _STEPS), _MOST_DECIMALS)
        steps = Fraction(10) ** decimals
        while noisy and max(abs(lower), abs(upper), upper - lower) * steps > _MOST_STEPS:
            steps /= 10
        middle = (lower + upper) / 2 if centred else Fraction()
        middle = round(middle * steps) / steps
        return cls(middle, steps, ceil(max(abs(lower - middle), abs(upper - middle)) * steps))

    def sql(self, value: str) -> str:
        """Return the SQL for the whole number of a value."""
        scale = f"* {self.steps}" if self.steps >= 1 else f"/ {float(1 / self.steps)!r}"
        whole = f"CAST(ROUND(({value} - {float(self.middle)!r}) {scale}) AS BIGINT)"
        return f"LEAST(GREATEST({whole}, {-self.bound}), {self.bound})"

    def value(self, whole: int, count: int = 0) -> float:
        """Return the sum that a whole number stands for, of so many values."""
        return float(int(whole) / self.steps + self.middle * count)


@dataclass(frozen=True, slots=True)
class Counted:
    """Counts the cells of one table, for queries over its declared domain."""

    engine: Engine
    cells: str
    domain: Domain
    values: tuple[str, ...]
    inside: bool = False  # whether noise is added where the data is, on Spark

    def shape(self, query: Query) -> tuple[int, ...]:
        """Return how many groups there are along each column that a query is grouped by."""
        return tuple(self.domain.column(name).size for name in query.by)

    def counts(self, query: Query, *, present: str | None = None) -> "NDArray[np.int64]":
        """Return the number of people or records in every group; only records that have a number in `present`."""
        return self._dense(*self._of_counts(query, present))

    def noisy_counts(
        self, query: Query, noise: Noise, *, possible: "NDArray[np.bool_] | None" = None, present: str | None = None
    ) -> "NDArray[np.int64]":
        """Return the same with noise, where a group is possible; 0 where it is not."""
        return self._noisy(*self._of_counts(query, present), noise, possible)

    def noisy_sums(self, query: Query, units: Units, noise: Noise) -> "NDArray[np.int64]":
        """Return the sum of a column in every group, in its units, with noise."""
        return self._noisy(*self._of_sums(query, units), noise)

    def sums(self, query: Query, units: Units) -> "NDArray[np.int64]":
        """Return the sum of a column in every group, in its units."""
        return self._dense(*self._of_sums(query, units))

    def ranks(self, query: Query, ranks: "Sequence[Ranks]") -> "NDArray[np.int64]":
        """Return the bins that ranks of a column fall into, chosen privately, by group, quantile and target; no missing numbers."""
        assert query.column is not None, "a quantile is of a column"
        place, column = self.domain.names.index(query.column), self.domain.column(query.column)
        select, shape = self._statement(query, "COUNT(*)", "", further=(f"k{place}", column.size))
        ends = (*self.shape(query), sum(len(one.targets) for one in ranks))
        if self.inside:
            return inside.ranks(self.engine, select, shape, ranks, column.present).reshape(ends)
        import numpy as np

        bins = self._dense(select, shape).reshape(-1, column.size)[:, : column.present]
        scores = scores_of_bins()
        return np.array(
            [
                largest(scores(group, one.at.numerator, one.at.denominator, target), one.loss, one.change)
                for group in bins
                for one in ranks
                for target in one.targets
            ],
            dtype=np.int64,
        ).reshape(ends)

    def largest(self, query: Query, most: int) -> "NDArray[np.float64]":
        """Return the sums of the `most` largest contributors in every group, the largest first."""
        import numpy as np

        assert query.column is not None, "only sums have contributors"
        keys, value = self._keys(query), self._value(query.column)
        # Without people every record contributes by itself.
        one = f"SELECT {keys}, SUM({value}) AS x FROM {self.cells} WHERE NOT {value} IS NULL GROUP BY {keys}, u"
        if self.domain.unit is None:
            one = f"SELECT {keys}, {value} AS x FROM {self.cells} WHERE NOT {value} IS NULL"
        ranked = f"SELECT {keys}, x, ROW_NUMBER() OVER (PARTITION BY {keys} ORDER BY x DESC) AS r FROM ({one}) AS o"
        found = np.zeros((*self.shape(query), most))
        for *place, rank, x in self.engine.rows(f"SELECT {keys}, r, x FROM ({ranked}) AS q WHERE r <= {most}"):
            found[(*map(int, place), int(rank) - 1)] = float(x)
        return found

    def _value(self, column: str) -> str:
        return f"v{self.values.index(column)}"

    def _keys(self, query: Query) -> str:
        return ", ".join(f"k{self.domain.names.index(name)}" for name in query.by)

    def _of_counts(self, query: Query, present: str | None) -> "tuple[str, tuple[int, ...]]":
        counted = "COUNT(DISTINCT u)" if query.of == "people" else "COUNT(*)"
        where = f" WHERE NOT {self._value(present)} IS NULL" if present is not None else ""
        return self._statement(query, counted, where)

    def _of_sums(self, query: Query, units: Units) -> "tuple[str, tuple[int, ...]]":
        assert query.column is not None, "a sum is of a column"
        value = self._value(query.column)
        return self._statement(query, f"SUM({units.sql(value)})", f" WHERE NOT {value} IS NULL")

    def _statement(self, query: Query, aggregate: str, where: str, further: tuple[str, int] | None = None) -> "tuple[str, tuple[int, ...]]":
        """Return the SELECT of an aggregate by group, as the number of its cell and n, and how many groups there are along each column."""
        shape = (*self.shape(query), *((further[1],) if further is not None else ()))
        keys = [part for part in (self._keys(query), further[0] if further is not None else "") if part]
        keys = [key.strip() for part in keys for key in part.split(",")]
        grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
        cell = "0"
        for key, size in zip(keys, shape, strict=True):
            cell = f"({cell}) * {size} + {key}" if cell != "0" else key
        inner = f"SELECT {', '.join([*keys, f'COALESCE({aggregate}, 0) AS n'])} FROM {self._bounded(query)}{where}{grouped}"
        return f"SELECT 0 AS s, CAST({cell} AS BIGINT) AS cell, CAST(n AS BIGINT) AS n FROM ({inner}) AS g", shape

    def _dense(self, select: str, shape: tuple[int, ...]) -> "NDArray[np.int64]":
        """Return an aggregate by group as an array with every group of the domain, also those that nobody is in."""
        import numpy as np

        found = np.zeros(prod(shape), dtype=np.int64)
        for _, cell, n in self.engine.rows(select):
            found[int(cell)] = int(n)
        return found.reshape(shape)

    def _noisy(self, select: str, shape: tuple[int, ...], noise: Noise, possible: "NDArray[np.bool_] | None" = None) -> "NDArray[np.int64]":
        import numpy as np

        wanted = possible if possible is not None else np.ones(shape, dtype=bool)
        found = np.zeros(shape, dtype=np.int64)
        found[wanted] = inside.noisy(self.engine, select, wanted, noise) if self.inside else noise.added(self._dense(select, shape)[wanted])
        return found

    def _bounded(self, query: Query) -> str:
        """Return what goes behind FROM: the cells, with no more groups of a person than the query allows."""
        # The contributors to an exact sum are all judged, so none of what they contribute is left out.
        if self.domain.unit is None or not query.by or (query.column is not None and not query.noisy):
            return f"{self.cells} AS b"
        told = " || '|' || ".join(["u", *(f"CAST(k{self.domain.names.index(name)} AS VARCHAR)" for name in query.by)])
        ranked = f"SELECT *, DENSE_RANK() OVER (PARTITION BY u ORDER BY MD5({told})) AS g FROM {self.cells}"
        return f"(SELECT * FROM ({ranked}) AS d WHERE g <= {query.cells_per_person}) AS b"


def labels_of(domain: Domain, by: Sequence[str]) -> list[list[str]]:
    """Return what the groups of every column are called; a missing value has a name too."""
    return [["(missing)" if label is None else label for label in domain.column(name).labels] for name in by]


def plain_number(value: Any) -> int | float:
    """Return a number as Python has it, whole ones as whole numbers."""
    found = float(value)
    return int(found) if found.is_integer() else found
