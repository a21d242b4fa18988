"""Vertical fragmentation: columns in groups that are anonymised apart, and how good such a grouping is.

R. Aufschläger et al. (2023), "Anonymization Procedures for Tabular Data", Information 14, 487, section 5.5. With a target, FMRMR
(equation 27) rewards fragments that tell much about the target and little that is redundant:

    FMRMR = sum over fragments of (V - W)
    V = mean over the fragment of I(target, attribute)                  equation 28
    W = sum over all ordered pairs of the fragment of I(a, b) / size^2  equation 29; a with itself is its entropy

I is the corrected mutual information: as printed, a column of many values would seem to tell much of everything.
Without a target, uFMRMR (equation 32) is minus the sum of W over the fragments, each with the common attributes added.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from anonscope.errors import ColumnNotFound, OptionError, shown
from anonscope.risk.associations import Matrix, PairwiseFindings
from anonscope.risk.rounding import exceeds

# So many ways of grouping are looked at one by one; where there are more, the search is greedy.
EXHAUSTIVE = 20_000
_ROUNDS = 100
Method = Literal["given", "exhaustive", "greedy"]
Grouping = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Fragment:
    """Columns that stay together; relevance is V (None without a target), redundancy is W, both in bits."""

    columns: tuple[str, ...]
    relevance: float | None
    redundancy: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FragmentationFindings:
    """A fragmentation with its score, and how it came about: `examined` groupings were scored."""

    source: str
    rows: int
    score: float
    target: str | None
    common: tuple[str, ...]
    fragments: tuple[Fragment, ...]
    method: Method
    examined: int

    @property
    def name(self) -> str:
        """FMRMR with a target, uFMRMR without."""
        return "FMRMR" if self.target is not None else "uFMRMR"


def columns_of(
    names: Sequence[str],
    fragments: Sequence[Sequence[str]] | None,
    target: str | None,
    common: Sequence[str],
    candidates: Sequence[str],
    number: int,
) -> tuple[str, ...]:
    """Return every column that has to be compared, or say what does not fit."""
    if isinstance(common, str) or (fragments is not None and any(isinstance(f, str) for f in fragments)):
        raise OptionError('fragments is a list of lists of column names, such as [["age", "sex"], ["zip"]]; common is a list of them.')
    if target is not None and common:
        raise OptionError("Common attributes tie fragments together when there is no target; give a target or common attributes, not both.")
    grouped = [name for f in fragments for name in f] if fragments is not None else [c for c in candidates if c not in (target, *common)]
    for name in (*grouped, *common, *([target] if target is not None else [])):
        if name not in names:
            raise ColumnNotFound(name, names)
    if fragments is None and not 1 <= number <= len(grouped):
        raise OptionError(f"{len(grouped)} columns can be put into 1 to {len(grouped)} fragments, not {number}.")
    if fragments is not None and (not fragments or not all(fragments)):
        raise OptionError("Every fragment needs at least one column.")
    for name in grouped:
        if grouped.count(name) > 1:
            raise OptionError(f"Column {shown(name)} is in two fragments. Fragments have no column in common.")
        if name == target or name in common:
            raise OptionError(f"Column {shown(name)} cannot be in a fragment: it is the target or a common attribute.")
    return tuple(dict.fromkeys([*grouped, *common, *([target] if target is not None else [])]))


def score(
    pairs: PairwiseFindings,
    *,
    fragments: Sequence[Sequence[str]] | None = None,
    number: int = 2,
    target: str | None = None,
    common: Sequence[str] = (),
) -> FragmentationFindings:
    """Return the score of a fragmentation, or the best found fragmentation into a number of fragments with its score."""
    place = {name: i for i, name in enumerate(pairs.columns)}
    ends = _Ends(pairs.corrected_information, place.get(target) if target is not None else None, tuple(place[name] for name in common))
    if fragments is not None:
        method: Method = "given"
        best, examined = tuple(tuple(place[name] for name in fragment) for fragment in fragments), 1
    else:
        free = tuple(i for i, name in enumerate(pairs.columns) if name != target and name not in common)
        method = "exhaustive" if _ways(len(free), number) <= EXHAUSTIVE else "greedy"
        best, examined = (_search_all if method == "exhaustive" else _search_greedily)(ends, free, number)
    return FragmentationFindings(
        source=pairs.source,
        rows=pairs.rows,
        score=ends.score(best),
        target=target,
        common=tuple(common),
        fragments=tuple(Fragment(tuple(pairs.columns[i] for i in f), ends.relevance(f), ends.redundancy(f)) for f in best),
        method=method,
        examined=examined,
    )


@dataclass(frozen=True, slots=True)
class _Ends:
    """What a fragmentation is for."""

    information: Matrix
    target: int | None
    common: tuple[int, ...]

    def relevance(self, fragment: tuple[int, ...]) -> float | None:
        if self.target is None:
            return None
        return sum(self._bits(self.target, i) for i in fragment) / len(fragment)

    def redundancy(self, fragment: tuple[int, ...]) -> float:
        whole = (*fragment, *self.common)
        return sum(self._bits(i, j) for i in whole for j in whole) / len(whole) ** 2

    def of(self, fragment: tuple[int, ...]) -> float:
        return (self.relevance(fragment) or 0.0) - self.redundancy(fragment)

    def score(self, grouping: Grouping) -> float:
        return sum(map(self.of, grouping))

    def _bits(self, i: int, j: int) -> float:
        return self.information[i][j] or 0.0


def _ways(columns: int, fragments: int) -> int:
    """Return in how many ways columns can be put into fragments, none of them empty (Stirling's number of the second kind)."""
    ways = [1] + [0] * fragments
    for _ in range(columns):
        ways = [0] + [k * ways[k] + ways[k - 1] for k in range(1, fragments + 1)]
    return ways[fragments]


def _search_all(ends: _Ends, columns: tuple[int, ...], number: int) -> tuple[Grouping, int]:
    groupings = list(_groupings(columns, number))
    return max(groupings, key=ends.score), len(groupings)


def _groupings(columns: tuple[int, ...], number: int) -> Iterator[Grouping]:
    """Yield every way of putting columns into so many fragments: a column joins a fragment that is there, or opens the next."""
    if number == 0 or len(columns) < number:
        if not columns and number == 0:
            yield ()
        return
    *rest, last = columns
    for grouping in _groupings(tuple(rest), number - 1):
        yield (*grouping, (last,))
    for grouping in _groupings(tuple(rest), number):
        for k, fragment in enumerate(grouping):
            yield (*grouping[:k], (*fragment, last), *grouping[k + 1 :])


def _search_greedily(ends: _Ends, columns: tuple[int, ...], number: int) -> tuple[Grouping, int]:
    """Deal the columns out in turn, then move one at a time while that helps; ends in a local optimum."""
    grouping: Grouping = tuple(columns[k::number] for k in range(number))
    examined = 1
    for _ in range(_ROUNDS):
        moved = list(_moves(grouping))
        examined += len(moved)
        best = max(moved, key=ends.score, default=grouping)
        if not exceeds(ends.score(best), ends.score(grouping)):
            break
        grouping = best
    return grouping, examined


def _moves(grouping: Grouping) -> Iterator[Grouping]:
    for here, fragment in enumerate(grouping):
        if len(fragment) == 1:
            continue
        for column in fragment:
            left = tuple(c for c in fragment if c != column)
            for there in range(len(grouping)):
                if there != here:
                    yield tuple(left if k == here else (*f, column) if k == there else f for k, f in enumerate(grouping))
