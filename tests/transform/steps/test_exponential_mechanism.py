"""A choice among given values, each by its score, with chances that epsilon bounds."""

from collections import Counter
from math import exp

import pytest

from anonscope.columns.images import Everything
from anonscope.errors import RecipeError
from anonscope.transform.recipe import Recipe, parse
from anonscope.transform.steps import ExponentialMechanism
from support.transformed import transformed

MANY = 6_000


def agrees(found: Counter, scores: dict[str, float], epsilon: float) -> bool:
    """Return whether counts are within five standard deviations of chances in proportion to exp(epsilon score / 2)."""
    weights = {value: exp(epsilon * score / 2) for value, score in scores.items()}
    total, count = sum(weights.values()), sum(found.values())
    shares = {value: weight / total for value, weight in weights.items()}
    return all(abs(found[value] - count * share) <= 5 * (count * share * (1 - share)) ** 0.5 for value, share in shares.items())


def test_near_numbers_are_more_likely():
    """Scores fall with the distance, as a share of the width between the first candidate and the last."""
    step = ExponentialMechanism(column="x", epsilon=4, values=(0, 10, 20))
    made = transformed(step, {"x": ["5", "20"] * MANY})["x"]
    assert agrees(Counter(made[::2]), {"0": -0.25, "10": -0.25, "20": -0.75}, 4)
    assert agrees(Counter(made[1::2]), {"0": -1, "10": -0.5, "20": 0}, 4)


def test_an_equal_text_is_more_likely():
    """It scores 1, and all others 0."""
    made = transformed(ExponentialMechanism(column="x", epsilon=2, values=("a", "b", "c")), {"x": ["b"] * MANY})["x"]
    assert agrees(Counter(made), {"a": 0, "b": 1, "c": 0}, 2)


def test_numbers_beyond_the_candidates_count_as_the_nearest_bound():
    """Missing values stay missing, and what is released is one of the candidates."""
    step = ExponentialMechanism(column="x", epsilon=1000, values=(0, 2.5))
    assert transformed(step, {"x": [-100, None, 100]})["x"] == ["0", None, "2.5"]


def test_unknown_values_are_an_error_or_suppressed():
    """Texts that are no candidates, and texts where numbers are asked for."""
    with pytest.raises(RecipeError, match="are not among the values of the step"):
        transformed(ExponentialMechanism(column="x", epsilon=1, values=("a", "b")), {"x": ["a", "z"]})
    with pytest.raises(RecipeError, match="cannot be read as a number"):
        transformed(ExponentialMechanism(column="x", epsilon=1, values=(1, 2)), {"x": ["1", "z"]})
    made = transformed(ExponentialMechanism(column="x", epsilon=1, values=(1, 2), otherwise="suppress"), {"x": ["1", "z"]})["x"]
    assert made[1] == "*"


def test_the_choice_cannot_be_repeated():
    """So the recipe says that it is not reproducible, and records epsilon instead of a seed."""
    step = ExponentialMechanism(column="x", epsilon=0.5, values=(1, 2))
    recipe = Recipe((step,))
    assert (recipe.reproducible, recipe.seeds, recipe.epsilons) == (False, (), (("x", 0.5),))
    assert parse(recipe.to_toml()).steps == recipe.steps
    assert step.image("x", "1") == Everything()


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"epsilon": -1}, "epsilon must be a number above 0"),
        ({"values": ()}, "values must be at least two"),
        ({"values": (1, 1)}, "values must be at least two, each once"),
        ({"values": (1, "a")}, "values must be texts only, or numbers only"),
        ({"values": (1, float("nan"))}, "values must be texts only, or numbers only"),
        ({"otherwise": "keep"}, "otherwise cannot be keep"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """Before any table is looked at, and before OpenDP is loaded."""
    with pytest.raises(RecipeError, match=says):
        ExponentialMechanism(**{"column": "x", "epsilon": 1, "values": (1, 2)} | settings)
