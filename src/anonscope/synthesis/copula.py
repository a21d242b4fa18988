"""`copula`: every column as it is spread by itself, joined by the correlations of their ranks. No guarantee.

N. Patki, R. Wedge and K. Veeramachaneni (2016), "The Synthetic Data Vault", DSAA, for the Gaussian copula over all columns of a table.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonscope.risk.counting.arrays import Floats
from anonscope.synthesis.domain import Categories, Domain
from anonscope.synthesis.method import RecordMethod
from anonscope.synthesis.values import Values


@dataclass(frozen=True, slots=True, kw_only=True)
class Copula(RecordMethod):
    """A Gaussian copula over the ranks of all columns."""

    name: ClassVar[str] = "copula"
    title: ClassVar[str] = "Gaussian copula"
    source: ClassVar[str] = 'N. Patki, R. Wedge and K. Veeramachaneni (2016), "The Synthetic Data Vault", DSAA'

    def make(self, values: Values, domain: Domain, rows: int, chance: np.random.Generator) -> Values:
        from scipy.special import ndtr, ndtri

        scores = np.column_stack([ndtri(_places(_sortable(array), chance)) for array in values])
        # A column of one value goes with nothing.
        correlation = np.nan_to_num(np.corrcoef(scores, rowvar=False)).reshape(len(values), len(values))
        np.fill_diagonal(correlation, 1.0)
        drawn = ndtr(chance.multivariate_normal(np.zeros(len(values)), correlation, rows, method="eigh"))
        found: Values = []
        for array, place, column in zip(values, drawn.T, domain.columns, strict=True):
            ordered = array[np.argsort(_sortable(array), kind="stable")]
            picked = ordered[np.minimum((place * len(array)).astype(np.int64), len(array) - 1)]
            found.append(picked.astype(np.int64) if isinstance(column, Categories) else picked)
        return found


def _sortable(array: Floats) -> Floats:
    """Return values in an order that has the missing ones last."""
    return np.where(np.isnan(array), np.inf, array) if array.dtype.kind == "f" else array.astype(np.float64)


def _places(array: Floats, chance: np.random.Generator) -> Floats:
    """Return the rank of every value as a share above 0 and below 1; those that are alike are put in random order."""
    order = np.lexsort((chance.random(len(array)), array))
    found = np.empty(len(array))
    found[order] = (np.arange(len(array)) + 0.5) / len(array)
    return found
