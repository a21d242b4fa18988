"""`cart`: column after column, each drawn from the leaves of a decision tree that predicts it from those before it. No guarantee.

J. Reiter (2005), "Using CART to generate partially synthetic public use microdata", Journal of Official Statistics 21(3); as synthpop does
it (B. Nowok, G. Raab and C. Dibben, 2016, Journal of Statistical Software 74(11)). The first column is drawn from its own values; every
further one from the values that real records have in the leaf that a drawn record falls into. Values are taken in even steps through
those of a leaf, from a random start, and dealt out at random: the chance of single draws, which blurs a table without hiding anybody,
is left out, so that leaves can be larger for the same likeness.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from anonscope.errors import MissingExtra
from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.synthesis.domain import Categories, Domain, Numbers
from anonscope.synthesis.method import RecordMethod
from anonscope.synthesis.values import Values, finished

_FEW_LEAVES = 10  # in a tree that has no more, hardly anything is told apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Cart(RecordMethod):
    """Sequential decision trees; `leaf` is the least number of records in a leaf, `smoothing` spreads numbers a little."""

    name: ClassVar[str] = "cart"
    title: ClassVar[str] = "Sequential decision trees"
    source: ClassVar[str] = 'J. Reiter (2005), Journal of Official Statistics 21(3); B. Nowok, G. Raab and C. Dibben (2016), "synthpop"'
    extra: ClassVar[str | None] = "ml"

    leaf: int = 200
    smoothing: float = 0.0  # of the width of a bin, by which numbers are moved

    def __post_init__(self) -> None:
        if self.leaf < 1 or self.leaf != int(self.leaf):
            raise self.fail(f"leaf is a whole number of records from 1 on, not {self.leaf:g}.")
        if not 0 <= self.smoothing <= 1:
            raise self.fail(f"smoothing is a share from 0 to 1, not {self.smoothing:g}.")

    def doubt(self, records: int) -> str | None:
        if records >= _FEW_LEAVES * self.leaf:
            return None
        leaves, smaller = records // int(self.leaf), max(1, records // (10 * _FEW_LEAVES))
        return (
            f"{records:,} records make {leaves} leaves of {self.leaf:,} records, so that columns hardly hang together: smaller leaves "
            f"(--parameter leaf={smaller}) keep more of it and give more away"
        )

    def make(self, values: Values, domain: Domain, rows: int, chance: np.random.Generator) -> Values:
        try:
            from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
        except ImportError:
            raise MissingExtra("Synthesis by decision trees (cart)", "scikit-learn") from None
        order = sorted(range(len(values)), key=lambda j: domain.columns[j].size)
        found: dict[int, Any] = {}
        for place, j in enumerate(order):
            target, column = values[j], domain.columns[j]
            if not place:
                found[j] = _from_leaves(np.zeros(len(target), dtype=np.int64), np.zeros(rows, dtype=np.int64), target, chance)
                continue
            before = order[:place]
            real = np.column_stack([_feature(values[i], domain, i) for i in before])
            made = np.column_stack([_feature(found[i], domain, i) for i in before])
            options = {"min_samples_leaf": int(self.leaf), "random_state": int(chance.integers(2**31))}
            if isinstance(column, Categories):
                model = DecisionTreeClassifier(**options).fit(real, target)
            else:
                # What is missing is far from everything that is not.
                low, high = float(np.nanmin(target, initial=0.0)), float(np.nanmax(target, initial=1.0))
                model = DecisionTreeRegressor(**options).fit(real, np.where(np.isnan(target), 2 * low - high - 1, target))
            found[j] = _from_leaves(model.apply(real), model.apply(made), target, chance)
            if isinstance(column, Numbers) and self.smoothing:
                found[j] = _smoothed(found[j], column, self.smoothing, chance)
        return [found[j] for j in range(len(values))]


def _feature(values: Any, domain: Domain, j: int) -> Floats:
    column = domain.columns[j]
    if isinstance(column, Categories):
        return np.asarray(values, dtype=np.float32)
    # Before all others, so that a split can tell the missing value apart.
    return np.where(np.isnan(values), -1.0 + np.float64(_lowest(domain, j)), values).astype(np.float32)


def _lowest(domain: Domain, j: int) -> float:
    column = domain.columns[j]
    return column.lower if isinstance(column, Numbers) else float(column.first.toordinal())  # type: ignore[attr-defined]


def _from_leaves(real: Integers, made: Integers, target: Any, chance: np.random.Generator) -> Any:
    """Return for every drawn record a value of a real one in the same leaf, each as often as the leaf has it, to the nearest record."""
    # By leaf, and by value within it, so that even steps meet every value in its turn.
    order = np.lexsort((chance.random(len(real)), target, real))
    leaves, start, size = np.unique(real[order], return_index=True, return_counts=True)
    place = np.searchsorted(leaves, made)
    wanted = np.bincount(place, minlength=len(leaves))
    dealt = chance.permutation(len(made))
    dealt = dealt[np.argsort(place[dealt], kind="stable")]
    leaf = place[dealt]
    step = np.arange(len(made)) - np.repeat(np.cumsum(wanted) - wanted, wanted) + chance.random(len(leaves))[leaf]
    picked = start[leaf] + np.minimum(np.floor(step / wanted[leaf] * size[leaf]).astype(np.int64), size[leaf] - 1)
    found = np.empty(len(made), dtype=target.dtype)
    found[dealt] = target[order[picked]]
    return found


def _smoothed(values: Floats, column: Numbers, share: float, chance: np.random.Generator) -> Floats:
    """Return numbers moved by a part of the width of their bin, so that no value of anybody is there as it was."""
    width = (column.upper - column.lower) / len(column.starts)
    return np.where(np.isnan(values), np.nan, finished(values + share * width * (chance.random(len(values)) - 0.5), column))
