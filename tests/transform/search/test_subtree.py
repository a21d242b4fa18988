"""Subtree recoding: one label a value, and the least loss of all cuts, found by looking at every one of them."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from anonscope.columns.hierarchy import Hierarchy
from anonscope.transform.search.cuts import level_cuts, through
from anonscope.transform.search.lattice import search
from anonscope.transform.search.methods import alone, recode
from anonscope.transform.search.recoding import Recoding, everywhere
from anonscope.transform.search.steps import Steps
from anonscope.transform.search.subtree import subtree_recoding
from anonscope.transform.search.targets import limits_of
from reference.local import broken, released, rows_of
from reference.real import ACS, OULAD, Real, rows_of_file
from reference.search import Toy
from support.search_strategies import limits_for, rule_sets, toys

AGES = Hierarchy("age", ("31", "38", "45", "52"), (("[30-39]", "[30-39]", "[40-59]", "[40-59]"), ("*",) * 4))
SEXES = Hierarchy("sex", ("f", "m"), (("*", "*"),))


def all_cuts(toy: Toy, a: int) -> Iterator[dict[str | None, int]]:
    """Yield every full-subtree cut of an attribute: a level for each value that occurs, the same for all values under a node used."""
    tree, levels = toy.hierarchies[a], toy.ranges[a]
    values = sorted({row[a] for row in toy.known if row[a] is not None})
    for chosen in product(levels, repeat=len(values)):
        cut: dict[str | None, int] = dict(zip(values, chosen, strict=True))
        alike = all(
            cut[other] == cut[value]
            for value in values
            for other in values
            if tree.label(other, cut[value]) == tree.label(value, cut[value])
        )
        if alike:
            # A missing value is told as such unless the column tells nothing at all.
            cut[None] = tree.height if all(level == tree.height for level in chosen) and chosen else min(tree.height - 1, levels[-1])
            yield cut


def test_values_far_from_others_are_coarser_than_the_rest() -> None:
    """Three of 31 and three of 38 stay as they are; one of 45 and one of 52 share a band: one level for all would cost all of them."""
    toy = Toy((AGES, SEXES), rows_of((("31", "f"), 3), (("38", "f"), 3), (("45", "f"), 1), (("52", "f"), 1)), ("1",) * 8)
    problem = toy.problem()
    limits = limits_of({"k_anonymity": 2}, problem)
    found = subtree_recoding(problem, limits)

    assert found.recoding.levels[:, 0].tolist() == [0, 0, 1, 1]
    assert found.proof == "pruned" and not found.recoding.broken
    assert (
        found.recoding.penalties().sum() < everywhere(problem, search(problem, limits).levels, found.recoding.suppressed).penalties().sum()
    )


@seed(17)
@settings(max_examples=50, deadline=None, database=None)
@given(data=st.data())
def test_no_cut_loses_less(data: st.DataObject) -> None:
    """Every cut of a tiny table, judged record by record by its labels: none that keeps the limits without suppression loses less."""
    toy: Toy = replace(data.draw(toys()), suppression=0.0)
    rules, asked = data.draw(rule_sets(len(toy.hierarchies)))
    problem = toy.problem()
    limits = limits_for(asked, problem)
    found = subtree_recoding(problem, limits)
    weights = np.array(problem.weights)
    values = [ladder.labels[0] for ladder in problem.ladders]
    least = np.inf
    for cuts in product(*(list(all_cuts(toy, a)) for a in range(len(toy.hierarchies)))):
        levels = np.array(
            [
                [cut[values[a][codes[i]]] for a, (cut, codes) in enumerate(zip(cuts, problem.codes, strict=True))]
                for i in range(problem.tuples)
            ]
        )
        recoding = Recoding(problem, levels, np.zeros(problem.tuples, dtype=bool))
        if not broken(toy, rules, recoding):
            least = min(least, float(recoding.penalties() @ weights))

    met = not found.recoding.broken and found.recoding.affordable
    assert not met or not broken(toy, rules, found.recoding)
    # Hierarchies that write a label twice may hide a cut that keeps the limits by chance; those of these tables do not, but for "*".
    lost = float(found.recoding.penalties() @ weights) if met else np.inf
    assert lost <= least + 1e-9 or not np.isfinite(least)
    assert lost >= least - 1e-9


@seed(17)
@settings(max_examples=50, deadline=None, database=None)
@given(data=st.data())
def test_a_value_has_one_label_and_whole_columns_lose_no_less(data: st.DataObject) -> None:
    """Among records that are not suppressed; within the bounds; what is found keeps the limits, and one level a column is never better."""
    toy: Toy = data.draw(toys())
    rules, asked = data.draw(rule_sets(len(toy.hierarchies)))
    problem = toy.problem()
    limits = limits_for(asked, problem)
    share = data.draw(st.sampled_from([0, 2_000_000, 20_000_000]))
    found = alone(problem, limits, "subtree", steps=Steps(share))
    recoding = found.recoding
    assert isinstance(recoding, Recoding)
    stays = ~recoding.suppressed
    for a, codes in enumerate(problem.codes):
        for code in np.unique(codes[stays]):
            assert len(np.unique(np.asarray(recoding.levels)[stays & (codes == code), a])) == 1
    if found.met:
        assert not broken(toy, rules, recoding) and len(released(toy, recoding)) >= problem.records - problem.budget
        assert (np.asarray(recoding.levels)[stays] >= np.array(problem.lowest)).all()
        assert (np.asarray(recoding.levels)[stays] <= np.array(problem.highest)).all()
    whole = search(problem, limits, steps=Steps(0))
    if whole.met and found.steps > 2_000_000:
        assert found.met and found.loss is not None and whole.loss is not None and found.loss <= whole.loss + 1e-9
    again = recode(toy.problem(), limits, "subtree", steps=found.repeat)
    assert (again.at == recoding.at).all()


@seed(17)
@settings(max_examples=80, deadline=None, database=None)
@given(data=st.data())
def test_subtrees_are_never_behind_whole_columns_with_as_many_steps(data: st.DataObject) -> None:
    """However few steps there are: where global recoding meets the limits with so many, subtrees do with as many, and lose no more."""
    toy: Toy = data.draw(toys())
    _, asked = data.draw(rule_sets(len(toy.hierarchies)))
    problem = toy.problem()
    limits = limits_for(asked, problem)
    share = data.draw(st.sampled_from([0, 25_000, 60_000, 120_000, 400_000, 2_000_000]))
    whole = alone(problem, limits, "global", steps=Steps(share))
    found = alone(problem, limits, "subtree", steps=Steps(share))
    beside = alone(problem, limits, "subtree", steps=Steps(share), whole=whole)

    assert found.met >= whole.met
    if whole.met:
        assert found.loss is not None and whole.loss is not None and found.loss <= whole.loss + 1e-9
    assert isinstance(found.recoding, Recoding) and isinstance(beside.recoding, Recoding)
    assert (found.recoding.at == beside.recoding.at).all() and found.steps == beside.steps


@pytest.mark.parametrize(
    ("table", "asked", "share"),
    [
        (ACS, {"k_anonymity": 5, "t_closeness": 0.3}, 50_000_000),
        (ACS, {"k_anonymity": 2, "records_at_risk:10": 0.1}, 5_000_000),
        (OULAD, {"discrimination_rate": 0.3}, 2_000_000),
        (OULAD, {"itpr": 0.66}, 2_000_000),
    ],
)
def test_real_people(data_folder: Path, table: Real, asked: dict[str, float], share: int) -> None:
    """The first 5,000 records; of the survey, whole columns lost 40.69 % for the first of these, and subtrees 47.66 %."""
    problem = rows_of_file(data_folder, table, 5_000)
    limits = limits_of(asked, problem)
    whole = alone(problem, limits, "global", steps=Steps(share))
    found = alone(problem, limits, "subtree", steps=Steps(share))

    assert whole.met and found.met and found.loss is not None and whole.loss is not None and found.loss <= whole.loss + 1e-9


@seed(17)
@settings(max_examples=60, deadline=None, database=None)
@given(toy=toys())
def test_a_problem_seen_through_cuts_is_the_problem_at_their_levels(toy: Toy) -> None:
    """Through cuts at one level for a column, every level above gives the same classes and penalties as without."""
    problem = toy.problem()
    for levels in product(*toy.ranges):
        view = through(problem, level_cuts(problem, levels))
        top = tuple(max(level, low) for level, low in zip(levels, problem.lowest, strict=True))
        seen = view.back(everywhere(view.problem, problem.lowest, np.zeros(view.problem.tuples, dtype=bool)))
        direct = everywhere(problem, top, np.zeros(problem.tuples, dtype=bool))

        assert sorted(seen.class_sizes.tolist()) == sorted(direct.class_sizes.tolist())
        assert np.allclose(seen.penalties(), direct.penalties())
        assert view.problem.records == problem.records
