"""`svd` and `pca`: every record rebuilt from a few components only, which blurs what is particular about it. No guarantee.

S. Xu, J. Zhang, D. Han and J. Wang (2006), "Singular value decomposition based data distortion strategy for privacy protection",
Knowledge and Information Systems 10(3), for the sparsified decomposition; X. Jiang and others (2013), "Differential-private data
publication through component analysis", Transactions on Data Privacy 6(1), for the noisy covariance, here without its privacy.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonscope.risk.counting.arrays import Floats
from anonscope.synthesis.domain import Domain
from anonscope.synthesis.matrix import as_matrix, from_matrix
from anonscope.synthesis.method import RecordMethod
from anonscope.synthesis.values import Values


def sparsified(matrix: Floats, rank: int, threshold: float = 0.0) -> Floats:
    """Return a matrix rebuilt from its largest singular values, with small entries of both sets of vectors at 0."""
    left, singular, right = np.linalg.svd(matrix, full_matrices=False)
    left, right = left[:, :rank], right[:rank]
    left, right = (np.where(np.abs(part) < threshold, 0.0, part) for part in (left, right))
    return np.asarray((left * singular[:rank]) @ right)


def _resampled(matrix: Floats, rows: int, chance: np.random.Generator) -> Floats:
    """Return rows in random order: each once, and more of them in turn where more are wanted."""
    order = np.concatenate([chance.permutation(len(matrix)) for _ in range(-(-rows // len(matrix)))])[:rows]
    return np.asarray(matrix[order])


@dataclass(frozen=True, slots=True, kw_only=True)
class Svd(RecordMethod):
    """Records rebuilt from `components` singular vectors, whose entries below a `threshold` are 0."""

    name: ClassVar[str] = "svd"
    title: ClassVar[str] = "Sparsified singular value decomposition"
    source: ClassVar[str] = 'S. Xu, J. Zhang, D. Han and J. Wang (2006), "Singular value decomposition based data distortion"'

    components: int = 8
    threshold: float = 0.001

    def __post_init__(self) -> None:
        if self.components < 1 or self.components != int(self.components):
            raise self.fail(f"components is a whole number from 1 on, not {self.components:g}.")
        if self.threshold < 0:
            raise self.fail(f"threshold is 0 or more, not {self.threshold:g}.")

    def make(self, values: Values, domain: Domain, rows: int, chance: np.random.Generator) -> Values:
        return from_matrix(_resampled(sparsified(as_matrix(values, domain), self.components, self.threshold), rows, chance), domain)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pca(RecordMethod):
    """Records rebuilt from the first `components` of a covariance with `noise`, with noise on each as well."""

    name: ClassVar[str] = "pca"
    title: ClassVar[str] = "Principal components of a noisy covariance"
    source: ClassVar[str] = 'X. Jiang and others (2013), "Differential-private data publication through component analysis"'

    components: int = 8
    noise: float = 0.1  # in deviations of a component

    def __post_init__(self) -> None:
        if self.components < 1 or self.components != int(self.components):
            raise self.fail(f"components is a whole number from 1 on, not {self.components:g}.")
        if self.noise < 0:
            raise self.fail(f"noise is 0 or more, not {self.noise:g}.")

    def make(self, values: Values, domain: Domain, rows: int, chance: np.random.Generator) -> Values:
        matrix = as_matrix(values, domain)
        mean = matrix.mean(axis=0)
        centred = matrix - mean
        covariance = centred.T @ centred / len(matrix)
        drawn = chance.normal(0.0, self.noise * float(np.sqrt((covariance**2).mean())), covariance.shape)
        _, directions = np.linalg.eigh(covariance + (drawn + drawn.T) / 2)
        kept = directions[:, ::-1][:, : self.components]
        scores = _resampled(centred @ kept, rows, chance)
        scores = scores + chance.normal(size=scores.shape) * (self.noise * scores.std(axis=0))
        return from_matrix(mean + scores @ kept.T, domain)
