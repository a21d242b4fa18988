"""How columns fall into groups: the public function and its result."""

from collections.abc import Sequence
from dataclasses import dataclass

from anonscope.io.progress import Progress, shown_in_notebooks
from anonscope.operations.associations import _check, _pairs
from anonscope.operations.read import Data
from anonscope.operations.result import Result
from anonscope.risk import associations as pairwise
from anonscope.transform import fragmentation as splitting
from anonscope.transform.fragmentation import FragmentationFindings


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragmentation(FragmentationFindings, Result):
    """Columns in fragments, with the score FMRMR or uFMRMR."""


@shown_in_notebooks
def fragmentation(
    data: Data,
    fragments: Sequence[Sequence[str]] | None = None,
    *,
    number: int = 2,
    target: str | None = None,
    common: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Fragmentation:
    """Return the score of a vertical fragmentation, or the best one found with so many fragments of the columns.

    With a `target` the score is FMRMR; without, it is uFMRMR, and `common` attributes are added to every fragment.
    """
    _check(data)
    candidates = pairwise.choose(data.columns, data.roles, columns)
    needed = splitting.columns_of(data.columns, fragments, target, common, candidates, number)
    found = splitting.score(_pairs(data, needed, progress), fragments=fragments, number=number, target=target, common=common)
    return Fragmentation.of(found)
