"""Tuples in classes of their own making: how fine each class can be told, and what it would lose with others in it.

A class is any set of tuples. It is told at the finest levels at which all its tuples agree, so nothing but the set matters.
"""

from dataclasses import dataclass

import numpy as np

from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.transform.search.problem import Persons, Problem, Sensitive


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Classes in the order of their numbers: their levels, a tuple of each, their records, and the mean penalty of their cells.

    The penalty of a class that cannot be told within the highest levels is infinite.
    """

    number: Integers  # of every tuple; -1 in none
    levels: Integers
    first: Integers
    n: Floats
    penalty: Floats

    @property
    def count(self) -> int:
        return len(self.n)

    @property
    def lost(self) -> Floats:
        """Return what the records of every class lose together."""
        return self.n * self.penalty


def partition(problem: Problem, number: Integers) -> Partition:
    """Return the classes that numbers make of the tuples, numbered anew without gaps."""
    inside = np.flatnonzero(number >= 0)
    order = inside[np.argsort(number[inside], kind="stable")]
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = number[order][1:] != number[order][:-1]
    renumbered = np.full(problem.tuples, -1, dtype=np.int64)
    renumbered[order] = np.cumsum(begins) - 1
    levels, first, n, penalty = told(problem, order, np.flatnonzero(begins))
    return Partition(renumbered, levels, first, n, penalty)


def told(problem: Problem, tuples: Integers, starts: Integers) -> tuple[Integers, Integers, Floats, Floats]:
    """Return levels, a tuple, records and penalty of classes, of which `tuples` lists the members and `starts` where each begins."""
    attributes = len(problem.ladders)
    levels = np.zeros((len(starts), attributes), dtype=np.uint8)
    if not len(starts):
        return levels, np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)
    first, within = tuples[starts], np.ones(len(starts), dtype=bool)
    for a, ladder in enumerate(problem.ladders):
        agreed = np.zeros(len(starts), dtype=bool)
        for level in range(problem.lowest[a], problem.highest[a] + 1):
            nodes = problem.coded(a, level)[tuples]
            alike = np.minimum.reduceat(nodes, starts) == np.maximum.reduceat(nodes, starts)
            levels[alike & ~agreed, a] = level
            agreed |= alike
            if agreed.all():
                break
        levels[~agreed, a] = ladder.height
        within &= agreed
    penalty = np.where(within, penalties(problem, first, levels), np.inf)
    return levels, first, np.add.reduceat(problem.weight[tuples], starts), penalty


def penalties(problem: Problem, tuples: Integers, levels: Integers) -> Floats:
    """Return the mean penalty of the cells of tuples at levels of their own, by the weights of the attributes."""
    found = np.zeros(len(tuples))
    for a, ladder in enumerate(problem.ladders):
        for level in np.unique(levels[:, a]).tolist():
            here = np.flatnonzero(levels[:, a] == level)
            found[here] += problem.weights[a] * ladder.penalties[level][problem.coded(a, level)[tuples[here]]]
    return found / (sum(problem.weights) or 1)


def joined(problem: Problem, tuples: Integers, levels: Integers, classes: Partition) -> Floats:
    """Return the penalty that each class would have if it took in each of the tuples, told no finer than at levels of their own.

    A row is a tuple, a column a class; infinite where no level within the highest covers both.
    """
    found = np.zeros((len(tuples), classes.count))
    total = sum(problem.weights) or 1
    for a, ladder in enumerate(problem.ladders):
        rows, row_code, row_level = _different(problem, a, tuples, levels[:, a])
        columns, column_code, column_level = _different(problem, a, classes.first, classes.levels[:, a])
        joint = np.full((len(row_code), len(column_code)), np.inf)
        for level in range(problem.highest[a], problem.lowest[a] - 1, -1):
            below, beside = ladder.levels[level][row_code], ladder.levels[level][column_code]
            alike = (below[:, None] == beside) & (row_level <= level)[:, None] & (column_level <= level)
            np.copyto(joint, (ladder.penalties[level][below] * (problem.weights[a] / total))[:, None], where=alike)
        found += joint[:, columns][rows]
    return found


def joined_pairs(problem: Problem, tuples: Integers, classes: Partition, of: Integers) -> Floats:
    """Return the penalty that the class beside each tuple would have if it took it in."""
    found = np.zeros(len(tuples))
    for a, ladder in enumerate(problem.ladders):
        joint = np.full(len(tuples), np.inf)
        here, there = problem.codes[a][tuples], problem.codes[a][classes.first[of]]
        for level in range(problem.highest[a], problem.lowest[a] - 1, -1):
            below = ladder.levels[level][here]
            alike = (below == ladder.levels[level][there]) & (classes.levels[of, a] <= level)
            joint[alike] = problem.weights[a] * ladder.penalties[level][below[alike]]
        found += joint
    return found / (sum(problem.weights) or 1)


def _different(problem: Problem, a: int, tuples: Integers, levels: Integers) -> tuple[Integers, Integers, Integers]:
    """Return for every tuple the place of its node among the different ones, and code and level of each of those."""
    ladder = problem.ladders[a]
    offsets = np.cumsum([0, *(ladder.nodes(level) for level in range(ladder.height + 1))])
    node = np.zeros(len(tuples), dtype=np.int64)
    for level in np.unique(levels).tolist():
        here = np.flatnonzero(levels == level)
        node[here] = offsets[level] + problem.coded(a, level)[tuples[here]]
    _, first, place = np.unique(node, return_index=True, return_inverse=True)
    return place, problem.codes[a][tuples[first]], levels[first]


def selected(problem: Problem, tuples: Integers, *, counts_only: bool = False) -> Problem:
    """Return the problem with some of its tuples, in this order; with nothing but their counts, if no more is asked for."""
    place = np.full(problem.tuples, -1, dtype=np.int64)
    place[tuples] = np.arange(len(tuples))
    sensitive: list[Sensitive] = []
    persons = None
    if not counts_only:
        for of in problem.sensitive:
            at = place[of.tuples]
            stays = at >= 0
            sensitive.append(Sensitive(of.name, at[stays], of.values[stays], of.n[stays], of.size, of.distance, of.ranks, of.tree))
        if problem.persons is not None:
            at = place[problem.persons.tuples]
            stays = at >= 0
            persons = Persons(at[stays], problem.persons.persons[stays], problem.persons.n[stays], problem.persons.size)
    return Problem(
        ladders=problem.ladders,
        codes=tuple(code[tuples] for code in problem.codes),
        n=problem.n[tuples],
        sensitive=tuple(sensitive),
        persons=persons,
        population=None if counts_only else problem.population,
        weights=problem.weights,
        suppression=problem.suppression,
        lowest=problem.lowest,
        highest=problem.highest,
        suppressed=problem.suppressed,
    )
