"""`condensation` and `hybrid`: groups of records that lie close together, each replaced by records of the same shape. No guarantee.

C. Aggarwal and P. Yu (2004), "A condensation approach to privacy preserving data mining", EDBT: of a group only the sums and the sums of
products are kept, and records are drawn evenly along the eigenvectors of its covariance; in the dynamic form records come one after the
other, and a group that has twice as many as it needs is split without any of its records. J. Domingo-Ferrer and U. González-Nicolás (2010),
"Hybrid microdata using microaggregation", Information Sciences 180: drawn records have exactly the mean and covariance of their group.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.synthesis.domain import Categories, Domain
from anonscope.synthesis.matrix import as_matrix, from_matrix
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

    def joined(self, record: Floats) -> "Condensed":
        """Return the same with one record more."""
        return Condensed(self.records + 1, self.sums + record, self.products + np.outer(record, record))

    def split(self) -> tuple["Condensed", "Condensed"]:
        """Return two halves, as if its records lay evenly along the first eigenvector: what both keep adds up to what it kept."""
        variances, directions = np.linalg.eigh(self.covariance)
        widest, first = max(float(variances[-1]), 0.0), directions[:, -1]
        # Either half of an even spread is half as wide, a quarter of the whole away from the middle, and has a quarter of the variance.
        narrowed = self.covariance - 0.75 * widest * np.outer(first, first)
        halves = []
        for count, sign in ((self.records // 2, -1), (self.records - self.records // 2, 1)):
            mean = self.mean + sign * first * np.sqrt(12 * widest) / 4
            halves.append(Condensed(count, count * mean, count * (narrowed + np.outer(mean, mean))))
        return halves[0], halves[1]

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
class OfGroups(RecordMethod):
    """A method that replaces groups of at least `size` records, each by others of its shape."""

    size: int = 20

    def __post_init__(self) -> None:
        if self.size < 2 or self.size != int(self.size):
            raise self.fail(f"size is a whole number of records from 2 on, not {self.size:g}.")

    @abstractmethod
    def _shaped(self, rows: Floats, count: int, chance: np.random.Generator) -> Floats:
        """Return so many records of the shape of some."""

    def make(self, values: Values, domain: Domain, rows: int, chance: np.random.Generator) -> Values:
        groups = near_groups(as_matrix(values, domain), self.size)
        wanted = _shared_out(rows, [len(group) for group in groups], chance)
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


def _shared_out(rows: int, members: list[int], chance: np.random.Generator) -> Integers:
    """Return how many records each group gives: as many as it has of all, to the nearest one."""
    upto = np.floor(np.cumsum(members) / sum(members) * rows + chance.random()).astype(np.int64)
    wanted = np.diff(np.r_[0, np.minimum(upto, rows)])
    wanted[-1] += rows - wanted.sum()
    return np.asarray(wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Condensation(OfGroups):
    """Groups of at least `size` records, drawn anew from their means and covariances; `stream`: the share that comes record by record."""

    name: ClassVar[str] = "condensation"
    title: ClassVar[str] = "Condensation of groups"
    source: ClassVar[str] = 'C. Aggarwal and P. Yu (2004), "A condensation approach to privacy preserving data mining", EDBT'

    stream: float = 0.0

    def __post_init__(self) -> None:
        OfGroups.__post_init__(self)
        if not 0 <= self.stream <= 1:
            raise self.fail(f"stream is a share of the records from 0 to 1, not {self.stream:g}.")

    def make(self, values: Values, domain: Domain, rows: int, chance: np.random.Generator) -> Values:
        if self.stream:
            return self._streamed(as_matrix(values, domain), domain, rows, chance)
        return OfGroups.make(self, values, domain, rows, chance)

    def _streamed(self, matrix: Floats, domain: Domain, rows: int, chance: np.random.Generator) -> Values:
        """Return records drawn of groups that were made of the first records, and kept while the others came; no record is kept."""
        first = max(len(matrix) - round(self.stream * len(matrix)), min(self.size, len(matrix)))
        kept = [Condensed.of(matrix[group]) for group in near_groups(matrix[:first], self.size)]
        centres = np.array([one.mean for one in kept])
        for record in matrix[first:]:
            nearest = int(((centres - record) ** 2).sum(axis=1).argmin())
            joined = kept[nearest].joined(record)
            if joined.records < 2 * self.size:
                kept[nearest], centres[nearest] = joined, joined.mean
                continue
            one, other = joined.split()
            kept[nearest], centres[nearest] = one, one.mean
            kept.append(other)
            centres = np.vstack([centres, other.mean])
        wanted = _shared_out(rows, [one.records for one in kept], chance)
        drawn = np.concatenate([one.drawn(int(count), chance) for one, count in zip(kept, wanted, strict=True)])
        return from_matrix(drawn[chance.permutation(rows)], domain)

    def _shaped(self, rows: Floats, count: int, chance: np.random.Generator) -> Floats:
        return Condensed.of(rows).drawn(count, chance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hybrid(OfGroups):
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
