"""The full-domain search: the least loss that keeps every limit."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from anonscope.columns.hierarchy import Hierarchy
from anonscope.errors import OptionError
from anonscope.transform.search.lattice import exhaust, explore, search, values_at
from anonscope.transform.search.losses import LOSSES as NAMES
from anonscope.transform.search.problem import PopulationClasses, Problem
from anonscope.transform.search.targets import limits_of
from reference.search import LOSSES, Toy, lattice_size, nodes
from support.search_strategies import limits_for, rule_sets, toys

AGES = Hierarchy("age", ("31", "38", "45", "52"), (("[30-39]", "[30-39]", "[40-59]", "[40-59]"), ("*",) * 4))
SEXES = Hierarchy("sex", ("f", "m"), (("*", "*"),))


def people(*rows: tuple[str | None, str | None, str], **also: object) -> Toy:
    """Return a table of age, sex and a hidden number."""
    return Toy((AGES, SEXES), tuple((age, sex) for age, sex, _ in rows), tuple(s for _, _, s in rows), **also)  # type: ignore[arg-type]


PAIRS = people(("31", "f", "1"), ("38", "f", "1"), ("45", "m", "2"), ("52", "m", "2"))


def test_the_coarsening_that_is_needed_and_no_more() -> None:
    """Two women in their thirties and two men beyond forty are pairs once ages are bands; sex can stay."""
    problem = PAIRS.problem()
    found = search(problem, limits_of({"k_anonymity": 2}, problem))

    assert (found.met, found.levels, found.suppressed, found.classes) == (True, (1, 0), 0, 2)
    # A band spans 7 of the 21 years between the youngest and the oldest; sex loses nothing.
    assert found.loss == pytest.approx(7 / 21 / 2)
    assert found.binding == ("k-anonymity ≥ 2",)
    assert found.optimal


def test_k_passes_but_l_fails() -> None:
    """In each band everybody has the same hidden value: only one group for all hides it."""
    problem = PAIRS.problem()
    found = search(problem, limits_of({"k_anonymity": 2, "l_diversity": 2}, problem))

    assert found.levels == (2, 1)
    assert "l-diversity (s) ≥ 2" in found.binding


def test_k_passes_but_t_fails() -> None:
    """Two groups of two keep k = 2, and each is as far from the table as can be."""
    problem = PAIRS.problem()

    assert search(problem, limits_of({"k_anonymity": 2}, problem)).levels == (1, 0)
    assert search(problem, limits_of({"k_anonymity": 2, "t_closeness:equal": 0.4}, problem)).levels == (2, 1)


def test_the_suppressed_records_are_a_class_that_must_pass() -> None:
    """One lonely record can be dropped, but kept as the only one with stars it would stand out just the same."""
    rows = [("31", "f", "1")] * 9 + [("52", "m", "2")]
    lonely = {mode: people(*rows, suppression=0.1, suppressed=mode).problem() for mode in ("drop", "keep", "unchecked")}  # type: ignore[misc]
    found = {mode: search(problem, limits_of({"k_anonymity": 2}, problem)) for mode, problem in lonely.items()}

    assert [(found[mode].levels, found[mode].suppressed) for mode in ("drop", "unchecked")] == [((0, 0), 1)] * 2
    assert (found["keep"].levels, found["keep"].suppressed) == ((2, 1), 0)


def test_dropping_records_changes_what_the_rest_is_compared_with() -> None:
    """Without the five that are too few, the ten beside them differ too much from what is left, and have to go as well."""
    ten, thirty, five = (
        [("31", "f", "1")] * 3 + [("31", "f", "2")] * 7,
        [("52", "m", "1")] * 18 + [("52", "m", "2")] * 12,
        [("45", "m", "2")] * 5,
    )
    asked = {"k_anonymity": 6, "t_closeness:equal": 0.2}
    found = {}
    for mode in ("unchecked", "drop"):
        problem = people(*ten, *thirty, *five, suppression=0.34, suppressed=mode, lowest=(0, 0), highest=(0, 0)).problem()
        found[mode] = search(problem, limits_of(asked, problem))

    # Against all 45 the ten are 21/45 - 3/10 away; against the 40 that are left 21/40 - 3/10, which is more than 0.2.
    assert (found["unchecked"].suppressed, found["drop"].suppressed) == (5, 15)
    assert found["unchecked"].limits[1].value == pytest.approx(21 / 45 - 3 / 10)
    assert found["drop"].limits[1].value == pytest.approx(0)


def test_what_cannot_be_met_is_an_answer() -> None:
    """Ages may not be touched, so two of a kind cannot be had: the search says what is nearest and what stops it."""
    problem = people(("31", "f", "1"), ("38", "f", "1"), ("45", "m", "2"), ("52", "m", "2"), highest=(0, 1)).problem()
    found = search(problem, limits_of({"k_anonymity": 2}, problem))

    assert (found.met, found.loss, found.bound) == (False, None, None)
    assert found.binding == ("k-anonymity ≥ 2",)
    assert found.optimal


def test_levels_stay_within_their_bounds() -> None:
    """Sex is to be given up, and ages stay in bands at the least."""
    problem = people(("31", "f", "1"), ("38", "f", "1"), ("45", "m", "2"), ("52", "m", "2"), lowest=(1, 1), highest=(1, 1)).problem()

    assert search(problem, limits_of({"k_anonymity": 1}, problem)).levels == (1, 1)


def test_a_problem_may_be_asked_again_with_other_bounds() -> None:
    """What was counted for one question is not taken for an answer to another."""
    problem = Toy((LONG,) * 4, tuple((str(i % 8), str(i // 8), str(i % 5), str(i % 3)) for i in range(64)), ("1", "2") * 32).problem()
    search(problem, limits_of({"k_anonymity": 4}, problem))
    bounded = {"lowest": (0, 0, 3, 0), "highest": (9, 1, 9, 9)}
    again, anew = replace(problem, **bounded), Problem(problem.ladders, problem.codes, problem.n, **bounded)  # type: ignore[arg-type]
    found, expected = (search(x, limits_of({"k_anonymity": 4}, x)) for x in (again, anew))

    assert (found.levels, found.loss) == (expected.levels, expected.loss)


def test_one_class_and_all_equal() -> None:
    """A table of equal records needs no change at all."""
    problem = people(*[("31", "f", "1")] * 4).problem()
    found = search(problem, limits_of({"k_anonymity": 4}, problem))

    assert (found.levels, found.loss, found.evaluated <= problem.lattice_size) == ((0, 0), 0, True)


def test_without_attributes_there_is_one_node() -> None:
    """Nothing to recode: the one node is looked at, and its class is everybody."""
    problem = Problem((), (), np.array([3]))

    assert search(problem, limits_of({"k_anonymity": 3}, problem)).met
    assert not search(problem, limits_of({"k_anonymity": 4}, problem)).met


def test_an_empty_table_keeps_everything() -> None:
    """There is nobody to protect."""
    problem = PAIRS.problem()
    nobody = Problem(problem.ladders, tuple(code[:0] for code in problem.codes), problem.n[:0])

    assert search(nobody, limits_of({"k_anonymity": 2}, nobody)).met


def test_k_map_counts_everybody_who_may_be_meant() -> None:
    """The population knows four women of 31 and one man of 52: he must be coarsened or suppressed, and as "*" he may be anybody."""
    problem = people(("31", "f", "1"), ("52", "m", "1"), suppression=0.5).problem()
    population = PopulationClasses((np.array([1, 1, 1, 1, 2]), np.array([1, 1, 1, 1, 2])), np.ones(5, dtype=np.int64))
    problem = replace(problem, population=population)
    found = search(problem, limits_of({"k_map": 4}, problem))

    assert (found.levels, found.suppressed, found.limits[0].value) == ((0, 0), 1, 4)
    assert search(replace(problem, suppression=0.0), limits_of({"k_map": 4}, problem)).levels == (2, 1)


def test_values_at_a_node_are_those_after_suppression() -> None:
    """At the finest node everybody stands alone; at the bands everybody is one of two."""
    problem = PAIRS.problem()
    limits = limits_of({"k_anonymity": 2}, problem)

    assert [(value.value, value.kept) for value in values_at(problem, limits, (1, 0))] == [(2, True)]
    assert [value.kept for value in values_at(problem, limits, (0, 0))] == [False]


def test_weights_choose_what_to_give_up() -> None:
    """Either attribute could go; the one that weighs less does."""
    rows = (("31", "f", "1"), ("31", "m", "1"), ("45", "f", "2"), ("45", "m", "2"))
    for weights, levels in (((10.0, 1.0), (0, 1)), ((1.0, 10.0), (2, 0))):
        problem = people(*rows, weights=weights).problem()
        assert search(problem, limits_of({"k_anonymity": 2}, problem)).levels == levels


def test_an_unknown_loss_is_named() -> None:
    """Whoever asks for a loss that there is not is told which there are."""
    with pytest.raises(OptionError, match="discernibility"):
        search(PAIRS.problem(), (), "regret")


def test_ctrl_c_keeps_the_best_found() -> None:
    """A search that is stopped says so, gives a node that keeps every limit, and a bound that is true."""
    toy = Toy((LONG,) * 4, tuple((str(i % 8), str(i // 8 % 8), str(i % 5), str(i % 3)) for i in range(64)), ("1", "2") * 32)
    problem = toy.problem()
    limits = limits_of({"k_anonymity": 4}, problem)

    def stop(evaluated: int, best: float | None, bound: float) -> None:
        if evaluated > 40:
            raise KeyboardInterrupt

    stopped, complete = search(problem, limits, progress=stop), search(problem, limits)

    assert stopped.proof == "interrupted"
    assert stopped.met
    assert all(value.kept for value in stopped.limits)
    assert stopped.bound is not None and stopped.loss is not None and complete.loss is not None
    assert stopped.bound <= complete.loss + 1e-12 <= stopped.loss + 1e-12


LONG = Hierarchy(
    "long",
    tuple(map(str, range(8))),
    (*(tuple(f"{width}:{i // width}" for i in range(8)) for width in (1, 2, 2, 4, 4, 8, 8, 8)), ("*",) * 8),
)


def test_a_huge_lattice_gives_something_good_in_the_time_allowed() -> None:
    """Nine attributes with ten levels make a milliard of nodes: the best is admissible, the bound is below it, and memory is small."""
    toy = Toy(
        (LONG,) * 9, tuple(tuple(str((i * (3 * a + 1) + i // (a + 2)) % 8) for a in range(9)) for i in range(60)), ("1", "2", "3") * 20
    )
    problem = toy.problem()
    assert problem.lattice_size == 10**9
    found = search(problem, limits_of({"k_anonymity": 3}, problem), time_budget=1.0)

    assert found.proof == "budget spent"
    assert found.met and all(value.kept for value in found.limits)
    assert found.bound is not None and found.loss is not None
    assert 0 <= found.bound <= found.loss <= 1


@seed(2025)
@settings(max_examples=400, deadline=None, database=None)
@given(data=st.data())
def test_the_search_agrees_with_looking_at_every_record_of_every_node(data: st.DataObject) -> None:
    """Whatever the table, the limits, the loss and what becomes of suppressed records: nothing better exists, and it is no better."""
    toy = data.draw(toys())
    rules, asked = data.draw(rule_sets(len(toy.hierarchies)))
    loss = data.draw(st.sampled_from(NAMES))
    problem = toy.problem()
    limits = limits_for(asked, problem)
    slow = {found.levels: found for found in nodes(toy, rules, loss)}
    admissible = [found for found in slow.values() if found.admissible]
    best = min((found.loss for found in admissible), default=None)

    for found in (search(problem, limits, loss), exhaust(problem, limits, loss)):
        assert found.met == bool(admissible)
        assert found.optimal
        if best is not None:
            there = slow[found.levels]
            assert there.admissible
            assert found.loss == pytest.approx(best, rel=1e-9, abs=1e-9)
            assert found.suppressed == there.suppressed
            assert all(value.kept for value in found.limits)
    for place in explore(problem, limits, loss):
        there = slow[place.levels]
        assert place.admissible == there.admissible
        if place.admissible:
            assert (place.suppressed, place.loss) == (there.suppressed, pytest.approx(there.loss, rel=1e-9, abs=1e-9))


@seed(2025)
@settings(max_examples=60, deadline=None, database=None)
@given(toy=toys(), k=st.integers(1, 4), loss=st.sampled_from(NAMES))
def test_the_same_question_has_the_same_answer(toy: Toy, k: int, loss: str) -> None:
    """Searching and looking at all nodes choose the same one even where several lose the same."""
    problem = toy.problem()
    limits = limits_of({"k_anonymity": k}, problem)
    one, other = search(problem, limits, loss), exhaust(problem, limits, loss)

    if one.met:
        assert (one.levels, one.loss, one.suppressed) == (other.levels, other.loss, other.suppressed)
    assert other.evaluated == lattice_size(toy) == problem.lattice_size


@seed(2025)
@settings(max_examples=60, deadline=None, database=None)
@given(toy=toys(), loss=st.sampled_from(sorted(LOSSES)))
def test_coarsening_never_loses_less(toy: Toy, loss: str) -> None:
    """Without suppression every loss grows, or stays, along every step up: this is what the bounds rest on."""
    problem = Toy(toy.hierarchies, toy.known, toy.hidden, weights=toy.weights).problem()
    found = {place.levels: place.loss for place in explore(problem, limits_of({"k_anonymity": 1}, problem), loss)}

    for levels, lost in found.items():
        for a in range(len(levels)):
            coarser = found.get((*levels[:a], levels[a] + 1, *levels[a + 1 :]))
            assert coarser is None or coarser >= lost - 1e-9  # type: ignore[operator]


def test_progress_shows_a_bound_that_rises() -> None:
    """The bound never falls, and the best never rises."""
    toy = Toy((LONG,) * 3, tuple((str(i % 8), str(i // 8 % 8), str(i % 5)) for i in range(64)), ("1", "2") * 32)
    problem = toy.problem()
    seen: list[tuple[int, float | None, float]] = []
    search(problem, limits_of({"k_anonymity": 4}, problem), progress=lambda *now: seen.append(now))

    assert len(seen) > 3
    for (_, best, bound), (_, next_best, next_bound) in pairwise(seen):
        assert next_bound >= bound - 1e-12
        assert best is None or (next_best is not None and next_best <= best)
