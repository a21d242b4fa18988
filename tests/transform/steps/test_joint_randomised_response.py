"""Answers that are drawn together are true together, with the chance that one epsilon allows."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import exp, log

import numpy as np
import pyarrow as pa
import pytest

import anonscope as an
from anonscope.attacks.mechanisms import stated_in
from anonscope.columns.images import Everything, Exactly
from anonscope.errors import OptionError, RecipeError
from anonscope.transform.recipe import Recipe, parse
from anonscope.transform.steps import JointRandomisedResponse, RandomisedResponse
from support.transformed import transformed

MANY = 20_000
VALUES = {"a": ("x", "y", "z"), "b": ("no", "yes")}


def step(**settings) -> JointRandomisedResponse:
    return JointRandomisedResponse(**{"values": VALUES, "epsilon": 1.0, "seed": 1} | settings)


def chance(released: tuple, true: tuple, epsilon: float, combinations: int) -> float:
    """The definition: of all combinations the true one is e^epsilon times as likely as each other."""
    whole = exp(epsilon) + combinations - 1
    return exp(epsilon) / whole if released == true else 1 / whole


def within(count: int, total: int, share: float) -> bool:
    return abs(count - total * share) <= 5 * (total * share * (1 - share)) ** 0.5


def test_every_combination_comes_as_often_as_its_definition_says():
    """The true one e^epsilon times as often as each of the five others."""
    made = transformed(step(), {"a": ["y"] * MANY, "b": ["no"] * MANY})
    seen = Counter(zip(made["a"], made["b"], strict=True))
    for combination in product(*VALUES.values()):
        assert within(seen[combination], MANY, chance(combination, ("y", "no"), 1.0, 6)), combination


def test_a_part_of_the_columns_is_true_as_often_as_the_sum_over_the_others():
    """By hand over all combinations: of one column, of both, and of a column as a step of its own."""
    asked = step(epsilon=1.7, values={**VALUES, "c": ("1", "2", "3", "4")})
    combinations = list(product(*asked.values.values()))
    true = combinations[0]
    for columns in (["a"], ["b", "c"], ["a", "b", "c"]):
        places = [list(asked.values).index(column) for column in columns]
        expected = sum(chance(one, true, 1.7, 24) for one in combinations if all(one[i] == true[i] for i in places))
        assert asked.truthful_in(columns) == pytest.approx(expected)
    assert asked.alone("b").truthful == pytest.approx(asked.truthful_in(["b"])) and asked.alone("b").epsilon < 1.7
    assert step(epsilon=1000).alone("a").truthful == pytest.approx(1) and step(epsilon=1e-12).alone("a").truthful == pytest.approx(1 / 3)


def test_one_epsilon_is_lost_for_all_columns():
    """In the manifest, in the sum, and in words; a chosen seed claims nothing; a star tells something for certain."""
    loss = Recipe((step(seed=None), RandomisedResponse(column="c", values=("0", "1"), epsilon=0.5))).privacy_loss()
    assert loss.per_person == Fraction("1.5") and [m.column for m in loss.mechanisms] == ["a + b", "c"]
    assert Recipe((step(seed=None),)).epsilons == (("a + b", 1.0),)
    assert (Recipe((step(),)).epsilons, step().for_tests, step(seed=None).reproducible) == ((), True, False)
    assert Recipe((step(seed=None, otherwise="suppress"),)).privacy_loss().per_person is None


def test_missing_answers_stay_and_the_others_are_as_true_as_everybodys():
    """Whether an answer is missing is not hidden; unknown answers are an error or a star."""
    made = transformed(step(), {"a": [None] * MANY, "b": ["yes"] * MANY})
    assert set(made["a"]) == {None} and within(made["b"].count("yes"), MANY, step().truthful_in(["b"]))
    odd = {"a": ["x", "?", None], "b": ["no", "no", None]}
    with pytest.raises(RecipeError, match="are not among the values of the step"):
        transformed(step(), odd)
    starred = transformed(step(otherwise="suppress"), odd)
    assert starred["a"][1:] == ["*", None] and starred["b"][2] is None


def test_it_is_written_read_and_known_to_attackers():
    """There and back through TOML; any value may stand behind an answer; each column's own chances are stated."""
    recipe = Recipe((step(),))
    assert parse(recipe.to_toml()).steps == recipe.steps and recipe.perturbed == ("a", "b")
    assert (step().image("a", "x"), step().image("a", None), step().image("c", "1")) == (Everything(), Exactly(None), Exactly("1"))
    assert stated_in(recipe, ["a", "b"]) == {"a": step().alone("a"), "b": step().alone("b")}


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"epsilon": 0}, "epsilon must be a number above 0"),
        ({"values": {"a": ("x", "y")}}, "at least two columns"),
        ({"values": {"a": ("x", "y"), "b": ("no",)}}, "at least two, each once"),
        ({"values": {"a": tuple(map(str, range(1001))), "b": tuple(map(str, range(1000)))}}, "1,001,000 combinations"),
        ({"otherwise": "keep"}, "error or suppress"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """Before any table is looked at."""
    with pytest.raises(RecipeError, match=says):
        step(**settings)


@pytest.fixture(scope="module")
def people() -> pa.Table:
    """Three columns: a and b hang together closely, c with nothing."""
    draws = np.random.default_rng(8)
    a, c = draws.integers(0, 3, 6000), draws.integers(0, 4, 6000)
    b = np.where(draws.random(6000) < 0.9, a == 0, a != 0)
    return pa.table({"a": np.array(VALUES["a"])[a], "b": np.array(VALUES["b"])[b.astype(int)], "c": c.astype(str)})


def test_the_joint_distribution_is_estimated_with_its_error(people):
    """Of the step's columns, of one of them, and across steps, in any order: within five errors, which the inverse matrix gives."""
    recipe = Recipe((step(epsilon=2.0), RandomisedResponse(column="c", values=tuple("0123"), epsilon=2.0, seed=1)))
    with an.read(people, threads=1) as data, an.read(an.apply(recipe, data).table, threads=1) as release:
        for columns in (["a", "b"], ["b"], ["c", "b"], ["b", "c", "a"]):
            found = an.estimated_distribution(release, recipe, columns).to_pylist()
            for line in found:
                held = np.logical_and.reduce([np.asarray(people[column]) == line[column] for column in columns])
                assert abs(line["share"] - held.mean()) < 5 * line["standard_error"]
            assert sum(line["share"] for line in found) == pytest.approx(1) and sum(line["answered"] for line in found) == 6000
        found = an.estimated_distribution(release, recipe, ["a", "b"])
    matrix = np.array([[chance(i, j, 2.0, 6) for j in range(6)] for i in range(6)])
    answered = np.asarray(found["answered"]) / 6000
    inverse = np.linalg.inv(matrix)
    covariance = inverse @ (np.diag(answered) - np.outer(answered, answered)) @ inverse.T / 6000
    assert np.asarray(found["share"]) == pytest.approx(inverse @ answered)
    assert np.asarray(found["standard_error"]) == pytest.approx(np.sqrt(np.diag(covariance)))


def test_columns_that_hang_together_are_answered_together(people):
    """Found from answers that were randomised one by one; V is that of the true values, and no cluster has too many combinations."""
    alone = [RandomisedResponse(column=c, values=v, epsilon=3.0, seed=2) for c, v in {**VALUES, "c": tuple("0123")}.items()]
    with an.read(people, threads=1) as data, an.read(an.apply(alone, data).table, threads=1) as release:
        found = an.response_clusters(release, Recipe(tuple(alone)), ["c", "b", "a"])
        assert found.clusters == (("c",), ("b", "a"))
        assert [type(one) for one in found.steps(0.5)] == [RandomisedResponse, JointRandomisedResponse]
        table = np.array(
            [[np.mean((people["a"].to_numpy() == x) & (people["b"].to_numpy() == y)) for y in VALUES["b"]] for x in VALUES["a"]]
        )
        expected = np.outer(table.sum(axis=1), table.sum(axis=0))
        truth = np.sqrt(((table - expected) ** 2 / expected).sum())
        value = {frozenset((d.one, d.other)): d.value for d in found.dependences}
        assert value[frozenset("ab")] == pytest.approx(truth, abs=0.05) and value[frozenset("bc")] < 0.05
        assert len(an.response_clusters(release, Recipe(tuple(alone)), ["a", "b"], most_combinations=5).clusters) == 2
        for settings, says in (({"most_combinations": 0}, "whole number"), ({"least_dependence": 2}, "from 0 to 1")):
            with pytest.raises(OptionError, match=says):
                an.response_clusters(release, Recipe(tuple(alone)), ["a", "b"], **settings)


def test_warners_coin_of_pairs():
    """Four combinations and an epsilon of ln 9: both answers are true three times out of four."""
    assert step(values={"a": ("0", "1"), "b": ("0", "1")}, epsilon=log(9)).truthful_in(["a", "b"]) == pytest.approx(0.75)
