"""What one looks at around an audit: pre-checks, associations and fragmentations, as public functions and results."""

from collections.abc import Sequence
from dataclasses import dataclass

from anonscope.errors import OptionError
from anonscope.io.progress import Progress, shown_in_notebooks
from anonscope.operations.read import Data
from anonscope.operations.result import Result
from anonscope.risk import associations as pairwise
from anonscope.risk.associations import PairwiseFindings


@dataclass(frozen=True, slots=True, kw_only=True)
class Associations(PairwiseFindings, Result):
    """Mutual information, Pearson's correlation and Cramér's V of every pair of columns."""


@shown_in_notebooks
def associations(data: Data, columns: Sequence[str] | None = None, *, progress: Progress | None = None) -> Associations:
    """Return how much every pair of columns says about each other; by default of all columns that are no identifier or weight."""
    return Associations.of(_pairs(data, columns, progress))


def _pairs(data: Data, columns: Sequence[str] | None, progress: Progress | None) -> PairwiseFindings:
    _check(data)
    return pairwise.measure(data.engine, data.relation, data.roles, columns, data.rows, progress)


def _check(data: Data) -> None:
    if not isinstance(data, Data):
        raise OptionError("This takes what read() returns: an.read(source, ...)")
