"""Randomised answers are true with the chance that epsilon allows."""

from collections import Counter
from fractions import Fraction
from math import ceil, exp, log

import pytest

from anonscope.columns.images import Everything
from anonscope.errors import RecipeError
from anonscope.transform.recipe import Recipe
from anonscope.transform.steps import RandomisedResponse
from support.transformed import transformed

MANY = 20_000


def within(count: int, total: int, chance: float) -> bool:
    """Return whether a count is within five standard deviations of what a chance makes of a total."""
    return abs(count - total * chance) <= 5 * (total * chance * (1 - chance)) ** 0.5


def test_warners_coin():
    """S. L. Warner (1965): with an epsilon of ln 3 the true answer of two comes with a chance of three quarters."""
    step = RandomisedResponse(column="x", epsilon=log(3), values=("no", "yes"), seed=1)
    assert step.truthful == pytest.approx(0.75)
    made = transformed(step, {"x": ["yes"] * MANY})["x"]
    assert within(made.count("yes"), MANY, 0.75)


def test_the_ratio_of_chances_is_bounded_by_epsilon():
    """Four answers: the true one is e^epsilon times as likely as any other, and all others are as likely."""
    values = ("a", "b", "c", "d")
    made = Counter(transformed(RandomisedResponse(column="x", epsilon=1.0, values=values, seed=2), {"x": ["b"] * MANY})["x"])
    true = exp(1) / (exp(1) + 3)
    assert within(made["b"], MANY, true)
    assert all(within(made[value], MANY, (1 - true) / 3) for value in "acd")
    assert true / ((1 - true) / 3) == pytest.approx(exp(1))


def test_answers_that_nobody_gave_come_up_too():
    """They must, or an answer that occurs would be known to be somebody's."""
    step = RandomisedResponse(column="x", epsilon=0.1, values=("a", "b", "c"), seed=3)
    assert set(transformed(step, {"x": ["a"] * 200})["x"]) == {"a", "b", "c"}


def test_missing_answers_stay_missing_and_numbers_become_text():
    """What is hidden is the answer, not whether there is one."""
    made = transformed(RandomisedResponse(column="x", epsilon=50, values=("0", "1"), seed=1), {"x": [0, None, 1]})["x"]
    assert made == ["0", None, "1"]


def test_an_unknown_answer_is_an_error_or_suppressed():
    """Never kept: it would be released without any privacy."""
    columns = {"x": ["a", "?"]}
    with pytest.raises(RecipeError, match="are not among the values of the step"):
        transformed(RandomisedResponse(column="x", epsilon=1, values=("a", "b"), seed=1), columns)
    made = transformed(RandomisedResponse(column="x", epsilon=1, values=("a", "b"), seed=1, otherwise="suppress"), columns)["x"]
    assert made[1] == "*"


def test_epsilon_is_recorded_unless_a_seed_was_chosen():
    """With its column, for the manifest; what can be drawn again is not private, whatever its chances are."""
    step = RandomisedResponse(column="x", epsilon=0.5, values=("a", "b"))
    assert (Recipe((step,)).epsilons, step.reproducible, Recipe((step,)).seeded().seeds) == ((("x", 0.5),), False, ())
    assert step.image("x", "a") == Everything()
    chosen = RandomisedResponse(column="x", epsilon=0.5, values=("a", "b"), seed=1)
    assert (Recipe((chosen,)).epsilons, chosen.reproducible, chosen.for_tests) == ((), True, True)
    assert chosen.told == "answer 'x' at random (epsilon 0.5) (chosen seed, for tests)"


@pytest.mark.parametrize("epsilon", [1e-12, 1e-6, 0.1, 1, 1.1, 3.3, 20, 44, 50, 1000])
@pytest.mark.parametrize("answers", [2, 3, 100, 10_000])
def test_the_chances_keep_epsilon_to_the_last_bit(epsilon, answers):
    """Both ratios, in fractions, against e^epsilon bounded from below by another road: the series of its fraction, or a power of it."""
    step = RandomisedResponse(column="x", epsilon=epsilon, values=tuple(map(str, range(answers))))
    true, other = Fraction(step.threshold, 2**64), Fraction(2**64 - step.threshold, 2**64 * (answers - 1))
    assert other > 0 and true + other * (answers - 1) == 1
    # e^x >= (1 + x / n + (x / n)^2 / 2 + ...)^n; with 40 terms and x / n at most 1 that is exact to far more than 64 bits.
    parts = max(1, ceil(epsilon))
    x, term, series = Fraction(repr(epsilon)) / parts, Fraction(1), Fraction(1)
    for i in range(1, 40):
        term = term * x / i
        series += term
    least = series.limit_denominator(2**200) ** parts if epsilon < 100 else Fraction(2**64 * answers)
    assert true / other <= least * (1 + Fraction(1, 2**150)) and other / true <= least
    # And hardly less is said than epsilon allows, where a word can tell.
    if 1e-6 <= epsilon <= 20 and answers <= 100:
        assert true / other >= least * (1 - Fraction(1, 2**30))


def test_nobody_can_draw_the_answers_again():
    """Two releases of one table differ, although the recipe is the same."""
    step = RandomisedResponse(column="x", epsilon=0.1, values=("a", "b"))
    assert transformed(step, {"x": ["a"] * 200}) != transformed(step, {"x": ["a"] * 200})


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"epsilon": 0}, "epsilon must be a number above 0"),
        ({"epsilon": -1}, "epsilon must be a number above 0"),
        ({"epsilon": 1e-13}, "epsilon must be at least 1e-12"),
        ({"values": ("a",)}, "values must be at least two"),
        ({"values": ("a", "b", "a")}, "values must be at least two, each once"),
        ({"values": (1, 2)}, "values must be the texts"),
        ({"otherwise": "keep"}, "otherwise cannot be keep"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """Before any table is looked at."""
    with pytest.raises(RecipeError, match=says):
        RandomisedResponse(**{"column": "x", "epsilon": 1, "values": ("a", "b"), "seed": 1} | settings)
