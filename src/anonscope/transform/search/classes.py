"""The classes that a recoding makes of the tuples, and what each of them holds; counted when somebody asks."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.risk.counting.grouping import dense, distinct, few, grouped
from anonscope.transform.search.problem import Problem


class Parts(NamedTuple):
    """What classes are made of (sensitive values or persons): one entry a class and part, in the order of the classes."""

    classes: Integers
    parts: Integers
    n: Floats
    starts: Integers  # where each class begins; every class has a part

    def largest(self) -> Floats:
        """Return the records of the largest part of every class."""
        return np.maximum.reduceat(self.n, self.starts) if len(self.n) else np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """The table that classes are compared with."""

    records: int
    persons: int  # records, where each is a person of its own
    values: tuple[Floats, ...]  # for each sensitive attribute, the records with every value code
    owners: Floats | None  # at event level, the records of every person

    def share(self, sensitive: int) -> Floats:
        """Return the share of the records that has each value."""
        return self.values[sensitive] / max(self.records, 1)

    def entropy(self, sensitive: int | None) -> float:
        """Return how many bits one lacks to know the sensitive value or, without one, the record (at event level the person)."""
        counts = self.owners if sensitive is None else self.values[sensitive]
        if counts is None:
            return float(np.log2(max(self.records, 1)))
        counts = counts[counts > 0]
        return float((counts * np.log(self.records / counts)).sum() / max(self.records, 1) / np.log(2))


def whole(problem: Problem, inside: Integers | None = None) -> Whole:
    """Return what is true of the table, or of those of its tuples for which `inside` is true; what is elsewhere belongs to it."""
    rest = problem.elsewhere
    records = (problem.records if inside is None else int(problem.n[inside].sum())) + (rest.records if rest is not None else 0)

    def counted(tuples: Integers, parts: Integers, n: Integers, size: int) -> Floats:
        if inside is not None:
            taken = inside[tuples]
            parts, n = parts[taken], n[taken]
        return np.bincount(parts, weights=n, minlength=size)

    owners = None
    if problem.persons is not None:
        owners = counted(problem.persons.tuples, problem.persons.persons, problem.persons.n, problem.persons.size)
    return Whole(
        records=records,
        persons=records if owners is None else int((owners > 0).sum()),
        values=tuple(
            counted(s.tuples, s.values, s.n, s.size) + (rest.values[j] if rest is not None else 0) for j, s in enumerate(problem.sensitive)
        ),
        owners=owners,
    )


class Classes:
    """Tuples in classes: `n` records are in each. Tuples with the number -1 are in none."""

    def __init__(self, problem: Problem, number: Integers, count: int, table: Whole, levels: Integers | None = None) -> None:
        """Take classes as they are numbered, without gaps; `levels` (of all tuples, or a row a tuple) serves the population only."""
        self.problem, self.table, self.count = problem, table, count
        self._key, self._places = number, count
        self._levels = levels
        self._taken: Integers | None = None

    @classmethod
    def at(cls, problem: Problem, levels: Sequence[int], table: Whole, attributes: Sequence[int] | None = None) -> "Classes":
        """Return the classes at a node of the lattice, by all attributes or by some."""
        made = cls.__new__(cls)
        made.problem, made.table = problem, table
        if attributes is not None:
            # What an attacker does not know is as good as "*".
            levels = [level if a in attributes else problem.ladders[a].height for a, level in enumerate(levels)]
        made._levels = np.array(levels, dtype=np.int64)
        made._key, made._places = _keys(problem, levels)
        counts = np.bincount(made._key, weights=problem.weight, minlength=made._places)
        # Twice as fast as looking for what is not zero among doubles.
        made._taken = np.flatnonzero(counts > 0)
        made.count = len(made._taken)
        made.__dict__["n"] = counts[made._taken]
        return made

    @cached_property
    def number(self) -> Integers:
        """The class of every tuple."""
        if self._taken is None:
            return self._key
        renumbered = np.empty(self._places, dtype=np.int64)
        renumbered[self._taken] = np.arange(self.count)
        return renumbered[self._key]

    @cached_property
    def n(self) -> Floats:
        """The records of every class."""
        inside = self._inside
        if inside is None:
            return np.bincount(self.number, weights=self.problem.weight, minlength=self.count)
        return np.bincount(self.number[inside], weights=self.problem.weight[inside], minlength=self.count)

    @cached_property
    def first(self) -> Integers:
        """A tuple of every class."""
        if self._taken is not None:
            by_key = np.empty(self._places, dtype=np.int64)
            by_key[self._key] = np.arange(self.problem.tuples)
            return by_key[self._taken]
        found = np.zeros(self.count, dtype=np.int64)
        inside = self._inside
        tuples = np.arange(self.problem.tuples) if inside is None else np.flatnonzero(inside)
        found[self.number[tuples]] = tuples
        return found

    @cached_property
    def persons(self) -> Floats:
        """How many people are in every class: its records, where each is a person of its own."""
        return self.n if self.problem.persons is None else np.bincount(self.owners.classes, minlength=self.count).astype(np.float64)

    @cached_property
    def owners(self) -> Parts:
        """Every person of every class; event level only."""
        whose = self.problem.persons
        assert whose is not None, "asked for persons at event level only"
        return self._parts(whose.tuples, whose.persons, whose.n, whose.size)

    def cells(self, sensitive: int) -> Parts:
        """Return every value of a sensitive attribute in every class."""
        known: dict[int, Parts] = self.__dict__.setdefault("_cells", {})
        if sensitive not in known:
            attribute = self.problem.sensitive[sensitive]
            known[sensitive] = self._parts(attribute.tuples, attribute.values, attribute.n, attribute.size)
        return known[sensitive]

    @cached_property
    def population(self) -> Floats:
        """How many people of the population may be meant by every class."""
        people = self.problem.population
        assert people is not None and self._levels is not None, "asked for with a population and known levels only"
        first = self.first
        chosen = np.broadcast_to(self._levels, (self.problem.tuples, len(self.problem.ladders)))[first]
        found = np.zeros(self.count)
        for levels in np.unique(chosen, axis=0):
            here = np.flatnonzero((chosen == levels).all(axis=1))
            codes, radices = [], []
            for a, level in enumerate(levels.tolist()):
                ladder = self.problem.ladders[a]
                ours = self.problem.codes[a][first[here]]
                codes.append(ladder.levels[level][np.concatenate([ours, people.codes[a]])])
                radices.append(ladder.nodes(level))
            key, places = grouped(codes, radices, len(here) + len(people.n))
            key, places = dense(key, places)
            found[here] = np.bincount(key[len(here) :], weights=people.n, minlength=places)[key[: len(here)]]
        return found

    @cached_property
    def _inside(self) -> Integers | None:
        """Which tuples are in a class, if not all."""
        if self._taken is not None or not len(self._key) or int(self._key.min()) >= 0:
            return None
        return np.asarray(self._key >= 0)

    def _parts(self, tuples: Integers, parts: Integers, n: Integers, size: int) -> Parts:
        classes = self.number[tuples]
        if self._inside is not None:
            taken = classes >= 0
            classes, parts, n = classes[taken], parts[taken], n[taken]
        if not len(classes):
            return Parts(classes, parts, np.zeros(0), np.zeros(0, dtype=np.int64))
        places = self.count * size
        if few(places, len(classes)):
            key = classes * size + parts
            counts = np.bincount(key, weights=n, minlength=places)
            occur = np.flatnonzero(counts > 0)
            of = occur // size
            found, counted = (of, occur - of * size), counts[occur]
        else:
            of, what, counted = distinct(classes, self.count, parts, size, n)
            found = (of, what)
        starts = np.flatnonzero(np.concatenate([[True], found[0][1:] != found[0][:-1]]))
        return Parts(found[0], found[1], counted.astype(np.float64), starts)


def _keys(problem: Problem, levels: Sequence[int]) -> tuple[Integers, int]:
    """Return a number for every tuple, the same for those that agree at some levels, and a number all of them lie below."""
    found = [problem.together(g, tuple(levels[a] for a in group)) for g, group in enumerate(problem.groups)]
    parts = [(code, radix) for code, radix in found if radix > 1]
    places = 1
    for _, radix in parts:
        places *= radix
    if not parts:
        return np.zeros(problem.tuples, dtype=np.int64), 1
    if not few(places, problem.tuples):
        return grouped([code for code, _ in parts], [radix for _, radix in parts], problem.tuples)
    key = parts[0][0]
    for code, radix in parts[1:]:
        # In 32 bits there is room for as many places as are few.
        key = key * np.int32(radix) + code
    return key, places
