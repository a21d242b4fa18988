"""What the search is about: distinct tuples with counts, how each attribute coarsens, and what is hidden in them.

Nothing here depends on the number of records. NULL has code 0 in every attribute; it is a value of its own at every level but
the last, where everything is one node.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from anonscope.errors import OptionError, shown
from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.risk.counting.grouping import dense, distinct, grouped
from anonscope.risk.counting.ladders import Ladder
from anonscope.risk.rounding import at_most

Distance = Literal["equal", "ordered", "hierarchical"]
_COMBINATIONS = 64
# Suppressed records stay in the release as "*" everywhere, leave it, or (as in ARX) are looked at no more.
Suppressed = Literal["keep", "drop", "unchecked"]


@dataclass(frozen=True, slots=True, eq=False)
class Sensitive:
    """A sensitive attribute as sparse cells: `n` records have a tuple and a value."""

    name: str
    tuples: Integers
    values: Integers
    n: Integers
    size: int  # value codes are below it
    distance: Distance = "equal"  # what t-closeness takes when nobody says otherwise
    ranks: Integers | None = None  # the place of every value code among those that occur, from 0; equal values share one
    tree: tuple[Integers, ...] | None = None  # the node of every value code at every level, from the value itself to the root


@dataclass(frozen=True, slots=True, eq=False)
class Persons:
    """Whose records they are, at event level: `n` records have a tuple and belong to a person."""

    tuples: Integers
    persons: Integers
    n: Integers
    size: int  # person codes are below it


@dataclass(frozen=True, slots=True, eq=False)
class PopulationClasses:
    """The distinct tuples of a population, in the codes of the ladders, and how many people have each."""

    codes: tuple[Integers, ...]
    n: Integers


@dataclass(frozen=True, slots=True, eq=False)
class Elsewhere:
    """Records of the table that are not in the problem at hand: how many, and how many have every value of each sensitive attribute."""

    records: int
    values: tuple[Floats, ...]


@dataclass(frozen=True, eq=False)
class Problem:
    """A table to recode: tuples, what each attribute may become, what is hidden, and how much may be suppressed."""

    ladders: tuple[Ladder, ...]
    codes: tuple[Integers, ...]  # of every attribute in every tuple
    n: Integers  # records of every tuple
    sensitive: tuple[Sensitive, ...] = ()
    persons: Persons | None = None
    population: PopulationClasses | None = None
    weights: tuple[float, ...] = ()  # of the attributes in the loss; none given is 1 each
    suppression: float = 0.0  # largest share of the records that may be suppressed
    lowest: tuple[int, ...] = ()  # finest level an attribute may have; none given is 0
    highest: tuple[int, ...] = ()  # coarsest level an attribute may have; none given is the last
    suppressed: Suppressed = "keep"
    elsewhere: Elsewhere | None = None  # where the tuples are a part of the table only
    _coded: dict[tuple[int, int], Integers] = field(default_factory=dict, init=False, repr=False)
    _together: dict[tuple[int, tuple[int, ...]], tuple[Integers, int]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", self.weights or (1.0,) * len(self.ladders))
        object.__setattr__(self, "lowest", self.lowest or (0,) * len(self.ladders))
        object.__setattr__(self, "highest", self.highest or tuple(ladder.height for ladder in self.ladders))
        if not 0 <= self.suppression <= 1:
            raise OptionError(f"The share of records that may be suppressed is between 0 and 1, not {self.suppression:g}.")
        if any(weight < 0 for weight in self.weights) or (self.weights and not sum(self.weights)):
            raise OptionError("Weights of attributes are 0 or more, and not all of them 0.")
        for ladder, low, high in zip(self.ladders, self.lowest, self.highest, strict=True):
            if not 0 <= low <= high <= ladder.height:
                # What is asked for beyond the last level is nearest to that.
                no = f"there is no level {low}; the nearest is {ladder.height}" if low > ladder.height else f"none is from {low} to {high}"
                raise OptionError(f"Column {shown(ladder.name)} has levels from 0 to {ladder.height}: {no}.")

    @cached_property
    def records(self) -> int:
        return int(self.n.sum())

    @cached_property
    def weight(self) -> Floats:
        """The records of every tuple as doubles, which hold counts exactly up to 2^53."""
        return np.asarray(self.n, dtype=np.float64)

    @cached_property
    def budget(self) -> int:
        """How many records may be suppressed."""
        return at_most(self.suppression, self.records)

    @property
    def tuples(self) -> int:
        return len(self.n)

    @property
    def lattice_size(self) -> int:
        """How many combinations of levels there are."""
        size = 1
        for low, high in zip(self.lowest, self.highest, strict=True):
            size *= high - low + 1
        return size

    def coded(self, attribute: int, level: int) -> Integers:
        """Return the node of every tuple in an attribute at a level."""
        found = self._coded.get((attribute, level))
        if found is None:
            found = self.codes[attribute] if level == 0 else self.ladders[attribute].levels[level][self.codes[attribute]]
            found = self._coded[attribute, level] = np.asarray(found, dtype=np.int32)
        return found

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Attributes in groups that have few combinations of levels, so that codes of a whole group can be kept for each."""
        groups: list[tuple[int, ...]] = []
        combinations = _COMBINATIONS + 1
        for a, (low, high) in enumerate(zip(self.lowest, self.highest, strict=True)):
            if combinations * (high - low + 1) > _COMBINATIONS:
                groups.append(())
                combinations = 1
            groups[-1] += (a,)
            combinations *= high - low + 1
        return tuple(groups)

    def together(self, group: int, levels: tuple[int, ...]) -> tuple[Integers, int]:
        """Return a number for every tuple by the attributes of a group at some levels, without gaps, and how many there are."""
        found = self._together.get((group, levels))
        if found is None:
            used = [(a, level) for a, level in zip(self.groups[group], levels, strict=True) if level < self.ladders[a].height]
            codes = [self.coded(a, level) for a, level in used]
            key, places = grouped(codes, [self.ladders[a].nodes(level) for a, level in used], self.tuples)
            if places > 1 and self.tuples:
                key, places = dense(key, places)
            found = self._together[group, levels] = np.asarray(key, dtype=np.int32), places
        return found

    def counts(self, attribute: int, level: int) -> Floats:
        """Return how many records every node of an attribute has at a level."""
        return np.bincount(self.coded(attribute, level), weights=self.weight, minlength=self.ladders[attribute].nodes(level))


def merged(problem: Problem, number: Integers, count: int, levels: Sequence[int]) -> Problem:
    """Return the problem with tuples that have the same number made one; they must agree at `levels`, below which nothing is asked.

    A tuple of the new problem carries the codes of one of those it stands for. From `levels` upwards they are as good as any.
    """
    first = np.zeros(count, dtype=np.int64)
    first[number] = np.arange(len(number))
    sensitive = []
    for attribute in problem.sensitive:
        tuples, values, n = distinct(number[attribute.tuples], count, attribute.values, attribute.size, attribute.n)
        sensitive.append(Sensitive(attribute.name, tuples, values, n, attribute.size, attribute.distance, attribute.ranks, attribute.tree))
    persons = None
    if problem.persons is not None:
        whose = problem.persons
        tuples, who, n = distinct(number[whose.tuples], count, whose.persons, whose.size, whose.n)
        persons = Persons(tuples, who, n, whose.size)
    return Problem(
        ladders=problem.ladders,
        codes=tuple(code[first] for code in problem.codes),
        n=np.bincount(number, weights=problem.weight, minlength=count).astype(np.int64),
        sensitive=tuple(sensitive),
        persons=persons,
        population=problem.population,
        weights=problem.weights,
        suppression=problem.suppression,
        lowest=tuple(max(a, b) for a, b in zip(problem.lowest, levels, strict=True)),
        highest=problem.highest,
        suppressed=problem.suppressed,
    )
