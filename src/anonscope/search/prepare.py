"""From a table to the problem of a search: its columns are read once, and become small integers.

The tuple of every record is kept beside the problem, so that what was found for a tuple can be written for its records without
any join.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonscope.count.grouping import dense, distinct
from anonscope.engines import Engine
from anonscope.errors import ColumnNotFound
from anonscope.hierarchy import Hierarchy
from anonscope.roles import Roles
from anonscope.search.ladders import flat_ladder, ladder
from anonscope.search.problem import Distance, Integers, Ladder, Persons, Population, Problem, Sensitive, Suppressed
from anonscope.sources import Relation
from anonscope.values import CODE, NUMBER, canonical

_NUMBER, _CODE = re.compile(NUMBER), re.compile(CODE)
_WORD = 2**62


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user may ask of a search beside its limits."""

    weights: Mapping[str, float] | None = None  # of attributes in the loss; the rest has 1
    suppression: float = 0.0
    levels: Mapping[str, tuple[int, int]] | None = None  # lowest and highest level of an attribute
    suppressed: Suppressed = "keep"


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A column in codes: `values[code]` is what a code stands for, and code 0 is a missing value."""

    values: tuple[str | None, ...]
    codes: Integers


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """The problem, and which of its tuples every record has."""

    problem: Problem
    tuple_of: Integers


def read_columns(engine: Engine, relation: Relation, columns: Sequence[str], rows: int | None = None) -> dict[str, Column]:
    """Return columns in codes, in the order of the records; codes follow the order of the texts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name in columns:
        if name not in relation.names:
            raise ColumnNotFound(name, relation.names)
    places = [relation.position(name) for name in columns]
    texts = ", ".join(f"{canonical(f'c{i}', relation.columns[i].type, relation.columns[i].name)} AS x{j}" for j, i in enumerate(places))
    limit = f" LIMIT {rows}" if rows is not None else ""
    table = engine.batches(f"SELECT {texts} FROM {relation.origin}{limit}").read_all()
    found: dict[str, Column] = {}
    for name, column in zip(columns, table.columns, strict=True):
        encoded = pc.dictionary_encode(column.combine_chunks())
        encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
        values = encoded.dictionary.to_pylist()
        order = sorted(range(len(values)), key=values.__getitem__)
        place = np.zeros(len(values) + 1, dtype=np.int32)
        place[np.array(order, dtype=np.int64)] = np.arange(1, len(values) + 1)
        # A missing value has no place in the dictionary; it takes the one behind the last, whose code is 0.
        indices = pc.fill_null(encoded.indices, len(values)).to_numpy(zero_copy_only=False)
        found[name] = Column((None, *(values[i] for i in order)), place[indices])
    return found


def prepare(
    columns: Mapping[str, Column],
    roles: Roles,
    hierarchies: Mapping[str, Hierarchy],
    settings: Settings | None = None,
    population: Mapping[str, Column] | None = None,
) -> Prepared:
    """Return the problem that columns in codes pose; an attribute without a hierarchy has its values and "*"."""
    settings = settings or Settings()
    attributes = roles.attributes
    known, people = dict(columns), None
    if population is not None:
        known, people = _with_population(columns, population, attributes)
    ladders = tuple(_ladder(name, known[name], hierarchies.get(name)) for name in attributes)
    codes = [known[name].codes for name in attributes]
    number, count = numbered(codes, [len(known[name].values) for name in attributes])
    first = np.zeros(count, dtype=np.int64)
    first[number] = np.arange(len(number))
    bounds = settings.levels or {}
    problem = Problem(
        ladders=ladders,
        codes=tuple(code[first] for code in codes),
        n=np.bincount(number, minlength=count),
        sensitive=tuple(_sensitive(name, columns[name], number, count, roles, hierarchies.get(name)) for name in roles.sensitive),
        persons=_persons(columns[roles.person], number, count) if roles.person is not None else None,
        population=people,
        weights=tuple((settings.weights or {}).get(name, 1.0) for name in attributes),
        suppression=settings.suppression,
        lowest=tuple(bounds[name][0] if name in bounds else 0 for name in attributes),
        highest=tuple(min(bounds[x.name][1], x.height) if x.name in bounds else x.height for x in ladders),
        suppressed=settings.suppressed,
    )
    return Prepared(problem, number)


def numbered(codes: Sequence[Integers], sizes: Sequence[int]) -> tuple[Integers, int]:
    """Return a number for every record, the same for records with the same codes, without gaps; and how many there are."""
    number, count = np.zeros(len(codes[0]) if len(codes) else 0, dtype=np.int64), 1
    for code, size in zip(codes, sizes, strict=True):
        if count * size > _WORD:
            number, count = dense(number, count)
        number, count = number * size + code, count * size
    return dense(number, count)


def _ladder(name: str, column: Column, hierarchy: Hierarchy | None) -> Ladder:
    present = np.bincount(column.codes, minlength=len(column.values)) > 0
    present[0] = False
    if hierarchy is None:
        return flat_ladder(name, column.values, present.tolist())
    return ladder(name, hierarchy, column.values, present.tolist())


def _sensitive(name: str, column: Column, number: Integers, count: int, roles: Roles, hierarchy: Hierarchy | None) -> Sensitive:
    size = len(column.values)
    tuples, values, n = distinct(number, count, column.codes.astype(np.int64), size, np.ones(len(number)))
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


def _ranks(column: Column, *, numeric: bool) -> Integers:
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


def _tree(name: str, column: Column, hierarchy: Hierarchy) -> tuple[Integers, ...]:
    made = ladder(name, hierarchy, column.values)
    return tuple(level.astype(np.int64) for level in made.levels)


def _persons(column: Column, number: Integers, count: int) -> Persons:
    size = len(column.values)
    tuples, persons, n = distinct(number, count, column.codes.astype(np.int64), size, np.ones(len(number)))
    return Persons(tuples, persons, n, size)


def _with_population(
    columns: Mapping[str, Column], population: Mapping[str, Column], attributes: Sequence[str]
) -> tuple[dict[str, Column], Population]:
    """Return the columns with the population's values among theirs, and the population in the same codes."""
    known, theirs = dict(columns), []
    for name in attributes:
        own, other = columns[name], population[name]
        values = (*own.values, *(value for value in other.values[1:] if value not in set(own.values)))
        place = {value: code for code, value in enumerate(values)}
        theirs.append(np.array([place[value] for value in other.values], dtype=np.int32)[other.codes])
        known[name] = Column(values, own.codes)
    number, count = numbered(theirs, [len(known[name].values) for name in attributes])
    first = np.zeros(count, dtype=np.int64)
    first[number] = np.arange(len(number))
    return known, Population(tuple(code[first] for code in theirs), np.bincount(number, minlength=count))
