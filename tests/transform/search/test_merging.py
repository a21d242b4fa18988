"""Classes merged as limits on the whole table ask: every limit is kept, nothing is claimed that a bound rules out, and more is kept."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from anonscope.transform.search.classes import Classes, whole
from anonscope.transform.search.local.merging import merged_again, merged_from_the_bottom
from anonscope.transform.search.methods import alone, mean_penalty
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.steps import SHARE, Steps
from anonscope.transform.search.targets import limits_of
from reference.local import broken
from reference.real import OULAD, rows_of_file
from reference.search import Toy
from support.search_strategies import limits_for, rule_sets, toys


@seed(17)
@settings(max_examples=60, deadline=None, database=None)
@given(data=st.data())
def test_what_is_merged_keeps_all_limits(data: st.DataObject) -> None:
    """Judged record by record by its labels; merging again loses no more, and does the same each time."""
    toy: Toy = data.draw(toys())
    rules, asked = data.draw(rule_sets(len(toy.hierarchies)))
    problem = toy.problem()
    limits = limits_for(asked, problem)
    found = merged_from_the_bottom(problem, limits, Steps())
    if found is None:
        return
    assert not broken(toy, rules, found) and not found.broken and found.affordable
    again = merged_again(found, limits, Steps())
    assert not broken(toy, rules, again) and not again.broken
    assert mean_penalty(problem, again) <= mean_penalty(problem, found) + 1e-12
    assert (merged_again(found, limits, Steps()).levels == again.levels).all()


def least_loss(problem: Problem, open_bits: float) -> float:
    """Return a loss that no recoding goes below whose classes leave so many bits open about a record, on average.

    Whatever the classes are, a record in a class told by some labels loses what these lose, and leaves open no more than the
    logarithm of all records that the labels cover. For any price of a bit, each record may take the labels that are best for it.
    """
    share = problem.weight / problem.records
    penalties, bits = [], []
    for node in product(*(range(ladder.height + 1) for ladder in problem.ladders)):
        classes = Classes.at(problem, node, whole(problem))
        bits.append(np.log2(classes.n[classes.number]))
        told = [
            ladder.penalties[level][problem.coded(a, level)] for a, (ladder, level) in enumerate(zip(problem.ladders, node, strict=True))
        ]
        penalties.append(np.mean(told, axis=0))
    prices = np.linspace(0, 0.3, 121)
    return max(float(share @ (np.array(penalties) - price * np.array(bits)).min(axis=0)) + price * open_bits for price in prices)


def test_students_under_a_discrimination_rate(data_folder: Path) -> None:
    """What is lost lies between the least that any local recoding can lose and what was measured when it was written."""
    problem = rows_of_file(data_folder, OULAD, 5_000)
    limits = limits_of({"discrimination_rate": 0.3}, problem)
    found = merged_from_the_bottom(problem, limits, Steps(SHARE))
    bound = least_loss(problem, 0.7 * np.log2(problem.records))

    assert found is not None and not found.broken
    assert bound == pytest.approx(0.1585, abs=1e-3)
    assert bound <= mean_penalty(problem, found) <= 0.1935


def test_students_in_even_classes(data_folder: Path) -> None:
    """The information-theoretic risk asks for many classes none of which is small: 24.7 % were lost, and at most 19.2 % are now."""
    problem = rows_of_file(data_folder, OULAD, 5_000)
    limits = limits_of({"itpr": 0.66}, problem)
    found = merged_from_the_bottom(problem, limits, Steps(SHARE))

    assert found is not None and not found.broken and mean_penalty(problem, found) <= 0.192
    local = alone(problem, limits, "local", steps=Steps(SHARE))
    assert local.met and local.loss is not None and local.loss <= 0.18
