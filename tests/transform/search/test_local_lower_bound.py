"""The bound below which no local recoding can be: never above the best of all partitions, never below the simple one."""

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from anonscope.columns.hierarchy import Hierarchy
from anonscope.transform.search.local.refine import partition
from benchmarks.lower_bound import excess, prices
from reference.local import rows_of
from reference.partitions import partitions
from reference.search import Toy
from support.search_strategies import toys


@seed(17)
@settings(max_examples=60, deadline=None, database=None)
@given(toy=toys(), k=st.integers(1, 4))
def test_no_partition_loses_less_than_the_bound(toy: Toy, k: int) -> None:
    """All partitions into classes of k records are looked at; every round's bound is below all of them, and no lower than the last."""
    problem = toy.problem()
    if not 1 <= problem.tuples <= 6 or problem.records < k:
        return
    made = (partition(problem, np.array(numbers)) for numbers in partitions(problem.tuples))
    least = min((float(classes.lost.sum()) for classes in made if (classes.n >= k).all()), default=np.inf)
    bounds = [float(price @ problem.weight) for price in prices(problem, k, cap=1.0)]
    assert bounds == sorted(bounds)
    assert bounds[-1] <= least + 1e-6


def test_a_lonely_record_pays_for_those_it_needs() -> None:
    """One of 52 among many of 31 takes four others with it, so its price is five times the penalty; the simple bound knows one of it."""
    ages = Hierarchy("age", ("31", "38", "45", "52"), (("[30-39]", "[30-39]", "[40-59]", "[40-59]"), ("*",) * 4))
    problem = Toy((ages,), rows_of((("31",), 40), (("52",), 1)), ("1",) * 41).problem()
    simple, *_, last = [float(price @ problem.weight) for price in prices(problem, 5, cap=5.0)]
    assert simple == pytest.approx(1)
    assert last == pytest.approx(5, abs=1e-3)
    assert excess(problem, 5, np.array([0.0, 5.1]), cap=5.0) > 0.09
