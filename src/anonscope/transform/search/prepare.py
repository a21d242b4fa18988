"""From a table to the problem of a search: its columns are read once, and become small integers.

The tuple of every record is kept beside the problem, so that what was found for a tuple can be written for its records without
any join. Where the records stay elsewhere, distinct combinations with counts give the same problem; see `combinations`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.roles import Roles
from anonscope.engines.values import CODE, NUMBER
from anonscope.errors import OptionError
from anonscope.risk.counting.arrays import Integers
from anonscope.risk.counting.columns import Cells, CodedColumn, numbered
from anonscope.risk.counting.grouping import distinct
from anonscope.risk.counting.ladders import Ladder, flat_ladder, ladder
from anonscope.transform.search.problem import Distance, Persons, PopulationClasses, Problem, Sensitive, Suppressed

if TYPE_CHECKING:
    from anonscope.transform.search.parted.table import PartedTable

_NUMBER, _CODE = re.compile(NUMBER), re.compile(CODE)
# The largest share of the records that a release may suppress unless somebody says another.
DEFAULT_SUPPRESSION = 0.05


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """What a user may ask of a search beside its limits."""

    weights: Mapping[str, float] | None = None  # of attributes in the loss; the rest has 1
    suppression: float = 0.0
    levels: Mapping[str, tuple[int, int]] | None = None  # lowest and highest level of an attribute
    suppressed: Suppressed = "keep"

    def of(self, ladders: Sequence[Ladder]) -> dict[str, Any]:
        """Return the fields of a problem that are asked for."""
        bounds, weights = self.levels or {}, self.weights or {}
        return {
            "weights": tuple(weights.get(ladder.name, 1.0) for ladder in ladders),
            "suppression": self.suppression,
            "lowest": tuple(bounds[ladder.name][0] if ladder.name in bounds else 0 for ladder in ladders),
            "highest": tuple(min(bounds[x.name][1], x.height) if x.name in bounds else x.height for x in ladders),
            "suppressed": self.suppressed,
        }


def bounds_of(levels: Mapping[str, int | tuple[int, int]], untouched: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return the lowest and the highest level of every column that somebody said a level of, or wants to stay as it is."""
    found: dict[str, tuple[int, int]] = {}
    for column, level in levels.items():
        low, high = (level, level) if isinstance(level, int) else level
        if low < 0 or low > high:
            raise OptionError(f"The levels of column {column!r} must rise from 0 on.")
        found[column] = (low, high)
    for column in untouched:
        if column in found:
            raise OptionError(f"Column {column!r} is to stay untouched and has a level as well.")
        found[column] = (0, 0)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """The problem, and which of its tuples every record has; None where records stay elsewhere, and only combinations are known."""

    problem: Problem
    tuple_of: Integers | None
    parted: "PartedTable | None" = None  # where there are too many combinations to be fetched; the problem then has one tuple for all


def prepare(
    columns: Mapping[str, CodedColumn],
    roles: Roles,
    hierarchies: Mapping[str, Hierarchy],
    settings: SearchSettings | None = None,
    population: Mapping[str, CodedColumn] | None = None,
    counts: Integers | None = None,
) -> Prepared:
    """Return the problem that columns in codes pose; an attribute without a hierarchy has its values and "*".

    With `counts`, the columns have a place for every distinct combination, which so many records share.
    """
    settings = settings or SearchSettings()
    attributes = roles.attributes
    known, people = dict(columns), None
    if population is not None:
        known, people = _with_population(columns, population, attributes)
    ladders = tuple(ladder_of(name, known[name], hierarchies.get(name)) for name in attributes)
    codes = [known[name].codes for name in attributes]
    number, count = numbered(codes, [len(known[name].values) for name in attributes])
    first = np.zeros(count, dtype=np.int64)
    first[number] = np.arange(len(number))
    n = np.ones(len(number)) if counts is None else np.asarray(counts, dtype=np.float64)

    def cells(column: CodedColumn) -> Cells:
        return distinct(number, count, column.codes.astype(np.int64), len(column.values), n)

    problem = Problem(
        ladders=ladders,
        codes=tuple(code[first] for code in codes),
        n=np.bincount(number, weights=counts, minlength=count).astype(np.int64),
        sensitive=tuple(sensitive_of(name, columns[name], cells(columns[name]), roles, hierarchies.get(name)) for name in roles.sensitive),
        persons=Persons(*cells(columns[roles.person]), len(columns[roles.person].values)) if roles.person is not None else None,
        population=people,
        **settings.of(ladders),
    )
    return Prepared(problem, number if counts is None else None)


def ladder_of(name: str, column: CodedColumn, hierarchy: Hierarchy | None) -> Ladder:
    """Return the ladder of a column; without a hierarchy it has its values and "*"."""
    present = np.bincount(column.codes, minlength=len(column.values)) > 0
    present[0] = False
    if hierarchy is None:
        return flat_ladder(name, column.values, present.tolist())
    return ladder(name, hierarchy, column.values, present.tolist())


def sensitive_of(name: str, column: CodedColumn, cells: Cells, roles: Roles, hierarchy: Hierarchy | None) -> Sensitive:
    """Return a sensitive attribute by its column and its cells: tuple, value and records of each."""
    size = len(column.values)
    tuples, values, n = cells
    numeric = size > 1 and all(value is not None and _NUMBER.match(value) and not _CODE.match(value) for value in column.values[1:])
    wanted = roles.distance.get(name, "hierarchical" if hierarchy is not None else "ordered" if numeric else "equal")
    distance: Distance = "ordered" if wanted == "ordered" else "hierarchical" if wanted == "hierarchical" else "equal"
    return Sensitive(
        name=name,
        tuples=tuples,
        values=values,
        n=n,
        size=size,
        distance=distance,
        ranks=_ranks(column, numeric=numeric),
        tree=_tree(name, column, hierarchy) if hierarchy is not None else None,
    )


def _ranks(column: CodedColumn, *, numeric: bool) -> Integers:
    """Return the place of every value among those that occur; a missing one comes first, if there is any, as in an audit."""
    present = np.bincount(column.codes, minlength=len(column.values)) > 0
    keys: Any = np.arange(len(column.values), dtype=np.float64)
    if numeric:
        keys = np.array([-np.inf, *(float(value or 0) for value in column.values[1:])])
    else:
        keys[0] = -np.inf
    ranks = np.zeros(len(column.values), dtype=np.int64)
    ranks[present] = np.unique(keys[present], return_inverse=True)[1]
    return ranks


def _tree(name: str, column: CodedColumn, hierarchy: Hierarchy) -> tuple[Integers, ...]:
    made = ladder(name, hierarchy, column.values)
    return tuple(level.astype(np.int64) for level in made.levels)


def _with_population(
    columns: Mapping[str, CodedColumn], population: Mapping[str, CodedColumn], attributes: Sequence[str]
) -> tuple[dict[str, CodedColumn], PopulationClasses]:
    """Return the columns with the population's values among theirs, and the population in the same codes."""
    known, theirs = dict(columns), []
    for name in attributes:
        own, other = columns[name], population[name]
        values = (*own.values, *(value for value in other.values[1:] if value not in set(own.values)))
        place = {value: code for code, value in enumerate(values)}
        theirs.append(np.array([place[value] for value in other.values], dtype=np.int32)[other.codes])
        known[name] = CodedColumn(values, own.codes)
    number, count = numbered(theirs, [len(known[name].values) for name in attributes])
    first = np.zeros(count, dtype=np.int64)
    first[number] = np.arange(len(number))
    return known, PopulationClasses(tuple(code[first] for code in theirs), np.bincount(number, minlength=count))
