"""`private_pca`: means and covariances with noise, and records drawn along the components of what is left.

C. Dwork, K. Talwar, A. Thakurta and L. Zhang (2014), "Analyze Gauss: optimal bounds for privacy-preserving principal component analysis",
STOC: noise on the sums of products hides every record whose features are bounded, and whatever is done with them afterwards is free.
Jiang and others (2013), whom the method `pca` follows, state no sensitivity; here it is that of the declared domain: a record has one
feature for every column that is not 0, or the constant, each at most 1, so the sum of squares of its products is at most (columns + 1)
squared. Features are whole numbers of thousandths, and the noise is OpenDP's discrete Gaussian.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonscope.errors import DomainError
from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.synthesis.curator import Curator
from anonscope.synthesis.domain import Categories, DeclaredColumn, Domain
from anonscope.synthesis.ledger import Ledger, Loss
from anonscope.synthesis.method import Model, PrivateMethod

_WHOLE = 1000  # what a feature of 1 is counted as
_MOST_FEATURES = 2000


def features_of(column: DeclaredColumn) -> Integers:
    """Return the features of every cell: one of its own for a category and for what is missing, its place among the bins for a number."""
    if isinstance(column, Categories):
        return _WHOLE * np.eye(column.size, dtype=np.int64)
    place = np.rint(np.linspace(0, _WHOLE, column.present)).astype(np.int64)[:, None]
    if not column.missing:
        return place
    return np.vstack([np.hstack([place, np.zeros_like(place)]), [[0, _WHOLE]]])


@dataclass(frozen=True, slots=True, eq=False)
class NormalModel(Model):
    """A normal distribution of features: its mean, and its covariance as a root."""

    domain: Domain
    records: float
    mean: Floats
    root: Floats

    @property
    def total(self) -> float:
        return self.records

    @property
    def structure(self) -> tuple[tuple[int, ...], ...]:
        return (tuple(range(len(self.domain.columns))),)

    def draw(self, rows: int, chance: np.random.Generator) -> list[Integers]:
        drawn = self.mean + chance.normal(size=(rows, self.root.shape[1])) @ self.root.T
        found, place = [], 0
        for column in self.domain.columns:
            if isinstance(column, Categories):
                found.append(drawn[:, place : place + column.size].argmax(axis=1).astype(np.int64))
                place += column.size
                continue
            last = column.present - 1
            cells = np.clip(np.rint(drawn[:, place] * last), 0, last).astype(np.int64)
            place += 1
            if column.missing:
                cells = np.where(drawn[:, place] > 0.5, column.present, cells)
                place += 1
            found.append(cells)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivatePca(PrivateMethod):
    """Records drawn along the first `components` of a covariance with noise."""

    name: ClassVar[str] = "private_pca"
    title: ClassVar[str] = "Principal components of a private covariance"
    source: ClassVar[str] = 'C. Dwork, K. Talwar, A. Thakurta and L. Zhang (2014), "Analyze Gauss", STOC'

    components: int = 8

    def __post_init__(self) -> None:
        if self.components < 1 or self.components != int(self.components):
            raise self.fail(f"components is a whole number from 1 on, not {self.components:g}.")

    def check(self, domain: Domain) -> None:
        width = sum(features_of(column).shape[1] for column in domain.columns)
        if width > _MOST_FEATURES:
            raise DomainError(
                f"The columns have {width:,} features together, a category each, and {_MOST_FEATURES:,} can be multiplied. Declare fewer "
                "categories. Nothing was spent."
            )

    def fit(self, curator: Curator, domain: Domain, ledger: Ledger) -> NormalModel:
        rho = ledger.left.rho
        ledger.charge("sums of products", Loss(rho=rho))
        features = [features_of(column) for column in domain.columns]
        noisy = curator.moments(features, _WHOLE, rho, domain.records_per_unit) / _WHOLE**2
        records = max(1.0, float(noisy[0, 0]))
        mean = noisy[0, 1:] / records
        covariance = noisy[1:, 1:] / records - np.outer(mean, mean)
        variances, directions = np.linalg.eigh(covariance)
        kept = slice(-min(self.components, len(variances)), None)
        return NormalModel(domain, records, mean, directions[:, kept] * np.sqrt(np.maximum(variances[kept], 0.0)))
