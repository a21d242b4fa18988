"""`condensation` and `hybrid`: groups of records that lie close together, each replaced by records of the same shape. No guarantee.

C. Aggarwal and P. Yu (2004), "A condensation approach to privacy preserving data mining", EDBT: of a group only the sums and the sums of
products are kept, and records are drawn evenly along the eigenvectors of its covariance. J. Domingo-Ferrer and U. González-Nicolás (2010),
"Hybrid microdata using microaggregation", Information Sciences 180: drawn records have exactly the mean and covariance of their group.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.synthesis.domain import Categories, Domain
from anonscope.synthesis.matrix import as_matrix
from anonscope.synthesis.method import RecordMethod
from anonscope.synthesis.values import Values, finished


@dataclass(frozen=True, slots=True, eq=False)
class Condensed:
    """All that is kept of a group: how many, the sums, and the sums of products."""

    records: int
    sums: Floats
    products: Floats

    @classmethod
    def of(cls, rows: Floats) -> "Condensed":
        """Return what is kept of some records."""
        return cls(len(rows), rows.sum(axis=0), rows.T @ rows)

    @property
    def mean(self) -> Floats:
        """The centre of the group."""
        return self.sums / self.records

    @property
    def covariance(self) -> Floats:
        """How its columns vary together: Sc / n - Fs Fs' / n^2."""
        return self.products / self.records - np.outer(self.sums, self.sums) / self.records**2

    def drawn(self, rows: int, chance: np.random.Generator) -> Floats:
        """Return records that are spread evenly along every eigenvector, as wide as its variance asks for: sqrt(12 lambda)."""
        variances, directions = np.linalg.eigh(self.covariance)
        width = np.sqrt(12 * np.maximum(variances, 0.0))
        return np.asarray(self.mean + ((chance.random((rows, len(width))) - 0.5) * width) @ directions.T)


def near_groups(matrix: Floats, size: int) -> list[Integers]:
    """Return groups of at least so many records, fewer than twice as many: halved at the median of what spreads widest."""
    waiting, found = [np.arange(len(matrix))], []
    while waiting:
        rows = waiting.pop()
        if len(rows) < 2 * size:
            found.append(rows)
            continue
        part = matrix[rows]
        order = rows[np.argsort(part[:, int(part.var(axis=0).argmax())], kind="stable")]
        waiting += [order[: len(rows) // 2], order[len(rows) // 2 :]]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Condensation(RecordMethod):
    """Groups of at least `size` records, drawn anew from their means and covariances."""

    name: ClassVar[str] = "condensation"
    title: ClassVar[str] = "Condensation of groups"
    source: ClassVar[str] = 'C. Aggarwal and P. Yu (2004), "A condensation approach to privacy preserving data mining", EDBT'

    size: int = 20

    def __post_init__(self) -> None:
        if self.size < 2 or self.size != int(self.size):
            raise self.fail(f"size is a whole number of records from 2 on, not {self.size:g}.")

    def make(self, values: Values, domain: Domain, rows: int, chance: np.random.Generator) -> Values:
        groups = near_groups(as_matrix(values, domain), self.size)
        members = np.array([len(group) for group in groups], dtype=np.float64)
        # As many of each group as it has of all, to the nearest record.
        upto = np.floor(np.cumsum(members) / members.sum() * rows + chance.random()).astype(np.int64)
        wanted = np.diff(np.r_[0, np.minimum(upto, rows)])
        wanted[-1] += rows - wanted.sum()
        numbers = [j for j, column in enumerate(domain.columns) if not isinstance(column, Categories)]
        found: list[list[Floats]] = [[] for _ in domain.columns]
        for group, count in zip(groups, wanted, strict=True):
            if count:
                self._group([array[group] for array in values], numbers, int(count), chance, found)
        made = [np.concatenate(parts) for parts in found]
        shuffled = chance.permutation(rows)
        return [
            array[shuffled] if isinstance(column, Categories) else np.where(np.isnan(array), np.nan, finished(array, column))[shuffled]
            for array, column in zip(made, domain.columns, strict=True)
        ]

    def _group(self, group: Values, numbers: list[int], count: int, chance: np.random.Generator, found: list[list[Floats]]) -> None:
        """Add records of a group: numbers by its shape, categories and what is missing each as often as in the group."""
        size = len(group[0])
        filled = [np.where(np.isnan(group[j]), _mean(group[j]), group[j]) for j in numbers]
        drawn = self._shaped(np.column_stack(filled), count, chance) if numbers else np.zeros((count, 0))
        for j, array in enumerate(group):
            picked = array[np.resize(chance.permutation(size), count)]
            if j in numbers:
                picked = np.where(np.isnan(picked), np.nan, drawn[:, numbers.index(j)])
            found[j].append(picked)

    def _shaped(self, rows: Floats, count: int, chance: np.random.Generator) -> Floats:
        return Condensed.of(rows).drawn(count, chance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hybrid(Condensation):
    """Groups of at least `size` records, replaced by others that have exactly their mean and covariance."""

    name: ClassVar[str] = "hybrid"
    title: ClassVar[str] = "Hybrid of microaggregation and drawing"
    source: ClassVar[str] = 'J. Domingo-Ferrer and U. González-Nicolás (2010), "Hybrid microdata using microaggregation"'

    def _shaped(self, rows: Floats, count: int, chance: np.random.Generator) -> Floats:
        kept, width = Condensed.of(rows), rows.shape[1]
        drawn = chance.normal(size=(count, width))
        if count <= width:
            return kept.mean + drawn @ _root(kept.covariance)
        # Made white first, so that what is drawn has the covariance exactly and not only on average.
        drawn -= drawn.mean(axis=0)
        own = np.linalg.eigh(drawn.T @ drawn / count)
        white = drawn @ (own.eigenvectors / np.sqrt(np.maximum(own.eigenvalues, 1e-300)))
        return np.asarray(kept.mean + white @ _root(kept.covariance))


def _root(covariance: Floats) -> Floats:
    variances, directions = np.linalg.eigh(covariance)
    return np.asarray((directions * np.sqrt(np.maximum(variances, 0.0))).T)


def _mean(array: Floats) -> float:
    known = array[~np.isnan(array)]
    return float(known.mean()) if len(known) else 0.0
