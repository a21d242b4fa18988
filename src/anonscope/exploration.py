"""What one looks at around an audit: pre-checks, associations and fragmentations, as public functions and results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from anonscope import association as pairwise
from anonscope import fragments as splitting
from anonscope import prechecks as checks
from anonscope.association import PairwiseFindings
from anonscope.data import Data
from anonscope.errors import OptionError
from anonscope.findings import Progress
from anonscope.fragments import FragmentationFindings
from anonscope.prechecks import PreCheckFindings
from anonscope.rendered import Rendered
from anonscope.report.association import associations_sheet, associations_to_dict, fragmentation_sheet, fragmentation_to_dict
from anonscope.report.precheck import precheck_sheet, precheck_to_dict
from anonscope.report.sheet import Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Associations(PairwiseFindings, Rendered):
    """Mutual information, Pearson's correlation and Cramér's V of every pair of columns."""

    def to_dict(self) -> dict[str, Any]:
        """Return the matrices as plain data."""
        return associations_to_dict(self)

    def _sheet(self) -> Sheet:
        return associations_sheet(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragmentation(FragmentationFindings, Rendered):
    """Columns in fragments, with the score FMRMR or uFMRMR."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fragments and the score as plain data."""
        return fragmentation_to_dict(self)

    def _sheet(self) -> Sheet:
        return fragmentation_sheet(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreCheck(PreCheckFindings, Rendered):
    """How columns are spread, how small classes are, and what pseudonymisation levels would cost."""

    def to_dict(self) -> dict[str, Any]:
        """Return the pre-checks as plain data."""
        return precheck_to_dict(self)

    def _sheet(self) -> Sheet:
        return precheck_sheet(self)


def associations(data: Data, columns: Sequence[str] | None = None, *, progress: Progress | None = None) -> Associations:
    """Return how much every pair of columns says about each other; by default of all columns that are no identifier or weight."""
    return Associations(**_fields(_pairs(data, columns, progress)))


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
    needed = splitting.columns_of(data.columns, fragments, target, common, candidates)
    found = splitting.score(_pairs(data, needed, progress), fragments=fragments, number=number, target=target, common=common)
    return Fragmentation(**_fields(found))


def precheck(data: Data, *, like: Mapping[str, str] | None = None, seed: int = checks.SEED, progress: Progress | None = None) -> PreCheck:
    """Return the pre-checks of a table; `like` says which column is treated like an age, zip, income or diagnosis."""
    _check(data)
    found = checks.run(data.engine, data.relation, data.roles, like=like, seed=seed, rows=data.rows, progress=progress)
    return PreCheck(**_fields(found))


def _pairs(data: Data, columns: Sequence[str] | None, progress: Progress | None) -> PairwiseFindings:
    _check(data)
    return pairwise.measure(data.engine, data.relation, data.roles, columns, data.rows, progress)


def _check(data: Data) -> None:
    if not isinstance(data, Data):
        raise OptionError("This takes what read() returns: an.read(source, ...)")


def _fields(found: Any) -> dict[str, Any]:
    return {f.name: getattr(found, f.name) for f in fields(found)}
