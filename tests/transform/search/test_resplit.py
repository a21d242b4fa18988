"""Pairs of classes parted anew: the best cut there is, every limit kept, nothing more lost, and the same when it is done again."""

from itertools import combinations, islice, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

import anonscope as an
from anonscope.transform.search.local import resplit
from anonscope.transform.search.local.checks import Checks
from anonscope.transform.search.local.local import local_recoding
from anonscope.transform.search.local.refine import partition
from anonscope.transform.search.local.resplit import deepened, parted_anew
from anonscope.transform.search.methods import alone, mean_penalty, recode
from anonscope.transform.search.splitting import wide
from anonscope.transform.search.targets import limits_of
from reference.local import broken
from reference.search import Toy
from support.search_strategies import limits_for, rule_sets, toys


@seed(17)
@settings(max_examples=40, deadline=None, database=None)
@given(data=st.data())
def test_two_classes_are_cut_in_the_best_way(data: st.DataObject) -> None:
    """Every other cut of the same tuples into two classes that are large enough loses as much or more."""
    toy: Toy = data.draw(toys())
    problem = toy.problem()
    # Where several records belong to a person, a class of k records need not keep the limit.
    if not 3 <= problem.tuples <= 6 or problem.persons is not None:
        return
    k = data.draw(st.integers(1, 3))
    checks = Checks(problem, limits_of({"k_anonymity": k}, problem))
    number = np.array(data.draw(st.lists(st.integers(0, 1), min_size=problem.tuples, max_size=problem.tuples)))
    start = partition(problem, number)
    if start.count < 2 or (start.n < k).any():
        return
    found = partition(problem, parted_anew(problem, checks, number))
    assert (found.n >= k).all()
    for size in range(1, problem.tuples):
        for side in combinations(range(problem.tuples), size):
            other = partition(problem, np.isin(np.arange(problem.tuples), side).astype(np.int64))
            if (other.n >= k).all() and np.isfinite(start.lost.sum()):
                assert found.lost.sum() <= other.lost.sum() + 1e-3


@seed(17)
@settings(max_examples=40, deadline=None, database=None)
@given(data=st.data())
def test_what_was_kept_stays_kept_where_few_tuples_are_drawn(data: st.DataObject) -> None:
    """Judged record by record by its labels, also where most tuples of a class stay together because only some are drawn."""
    toy: Toy = data.draw(toys())
    rules, asked = data.draw(rule_sets(len(toy.hierarchies)))
    problem = toy.problem()
    limits = limits_for(asked, problem)
    start = local_recoding(problem, limits)
    if start.broken:
        return
    before = resplit._TUPLES
    try:
        resplit._TUPLES = data.draw(st.sampled_from([4, 5, before]))
        found = deepened(start, limits, Checks(problem, limits))
        again = deepened(start, limits, Checks(problem, limits))
    finally:
        resplit._TUPLES = before
    assert not found.broken and not broken(toy, rules, found)
    assert mean_penalty(problem, found) <= mean_penalty(problem, start) + 1e-12
    assert (again.levels == found.levels).all()


@seed(17)
@settings(max_examples=25, deadline=None, database=None)
@given(data=st.data())
def test_more_time_loses_no_more_and_can_be_repeated(data: st.DataObject) -> None:
    """A recipe has the steps that the time was worth; by them the same comes out on every machine."""
    toy: Toy = data.draw(toys())
    _, asked = data.draw(rule_sets(len(toy.hierarchies)))
    problem = toy.problem()
    limits = limits_for(asked, problem)
    found = alone(problem, limits, "local", time_budget=data.draw(st.sampled_from([5.0, 0.004])))
    again = recode(toy.problem(), limits, "local", steps=found.repeat)

    assert found.repeat
    assert (again.levels == found.recoding.levels).all() and (again.suppressed == found.recoding.suppressed).all()
    assert not alone(problem, limits, "local").curve
    lost = [at.loss for at in found.curve]
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(lost))
    assert all(earlier.seconds <= later.seconds for earlier, later in pairwise(found.curve))
    assert not lost or lost[-1] == pytest.approx(found.loss)
    assert lost or any(map(wide, limits)), "only where limits are on the whole table is another search made, which has no curve"


def test_the_report_has_how_the_loss_fell(data_folder: Path, tmp_path: Path) -> None:
    """Of the first 3,000 students, in text and as data; without a time budget there is nothing to tell."""
    with (data_folder / "oulad/studentInfo.csv").open(encoding="utf-8") as source:
        (tmp_path / "students.csv").write_text("".join(islice(source, 3_001)), encoding="utf-8")
    roles = {"quasi_identifiers": ["gender", "region", "highest_education", "age_band"], "sensitive": ["final_result"]}
    with an.read(
        tmp_path / "students.csv", **roles, acknowledge_rest="a test", person="id_student", acknowledge={"id_student": "a test"}
    ) as data:
        limits = {"k_anonymity": 5}
        found = an.anonymise(data, limits=limits, method="local", time_budget=2, suppression=0.0)
        usual = an.anonymise(data, limits=limits, method="local", suppression=0.0)

    curve = found.to_dict()["curve"]
    assert len(curve) >= 2 and curve[0]["loss"] >= curve[-1]["loss"] == pytest.approx(found.loss, abs=1e-6)
    assert curve[0]["loss"] == pytest.approx(usual.loss, abs=1e-6) and usual.to_dict()["curve"] == []
    assert "How the loss fell with time" in found.render("text") and "How the loss fell with time" not in usual.render("text")
