"""Every number is made differentially private by itself, with noise that OpenDP draws."""

import sys

import numpy as np
import pytest

from anonscope.columns.images import Everything
from anonscope.errors import MissingExtra, RecipeError
from anonscope.transform.recipe import Recipe, parse
from anonscope.transform.steps import LaplaceMechanism
from support.transformed import transformed

MANY = 20_000


def test_the_noise_has_the_scale_that_epsilon_asks_for():
    """Bounds of 0 and 10 and an epsilon of 2 make a scale of 5: unbiased, and 5 away on average, within five standard errors."""
    made = np.array(transformed(LaplaceMechanism(column="x", epsilon=2, lower=0, upper=10), {"x": [4.0] * MANY})["x"])
    noise = made - 4
    assert abs(noise.mean()) < 5 * 5 * 2**0.5 / MANY**0.5
    assert abs(np.abs(noise).mean() - 5) < 5 * 5 / MANY**0.5


def test_numbers_are_moved_into_the_bounds_first():
    """The bounds are the user's: a value beyond them would tell more than epsilon allows. Missing values stay missing."""
    made = transformed(LaplaceMechanism(column="x", epsilon=1e6, lower=0, upper=10), {"x": ["-500", None, "5", "500"]})["x"]
    assert made[1] is None
    assert [round(float(value), 2) for value in (made[0], made[2], made[3])] == [0, 5, 10]


def test_what_is_released_can_be_clipped():
    """At the price of a bias; it costs no privacy."""
    made = transformed(LaplaceMechanism(column="x", epsilon=0.1, lower=0, upper=10, clip=True), {"x": [5] * 200})["x"]
    assert (min(made), max(made)) == (0, 10)


def test_the_noise_cannot_be_repeated():
    """So the recipe says that it is not reproducible, and records epsilon instead of a seed."""
    step = LaplaceMechanism(column="x", epsilon=1, lower=0, upper=10)
    assert transformed(step, {"x": [5.0] * 5}) != transformed(step, {"x": [5.0] * 5})
    recipe = Recipe((step,))
    assert (recipe.reproducible, recipe.seeds, recipe.epsilons, recipe.perturbed) == (False, (), (("x", 1),), ("x",))
    assert parse(recipe.to_toml()).steps == recipe.steps
    assert step.image("x", "5") == Everything()


def test_what_is_no_number_is_an_error_or_suppressed():
    """Never kept as it is."""
    with pytest.raises(RecipeError, match="cannot be read as a number"):
        transformed(LaplaceMechanism(column="x", epsilon=1, lower=0, upper=1), {"x": ["1", "one"]})
    made = transformed(LaplaceMechanism(column="x", epsilon=1, lower=0, upper=1, otherwise="suppress"), {"x": ["1", "one"]})["x"]
    assert made[1] == "*"


def test_without_the_package_the_line_to_install_it_is_said(monkeypatch):
    """And nothing is released."""
    monkeypatch.setitem(sys.modules, "opendp", None)
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(MissingExtra, match=r"Laplace mechanism .* Install it with: pip install opendp"):
        transformed(LaplaceMechanism(column="x", epsilon=1, lower=0, upper=1), {"x": [1]})


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"epsilon": 0}, "epsilon must be a number above 0"),
        ({"lower": 1, "upper": 1}, "lower must be below upper"),
        ({"lower": 2, "upper": 1}, "lower must be below upper"),
        ({"upper": float("inf")}, "upper must be a number"),
        ({"otherwise": "keep"}, "otherwise cannot be keep"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """Before any table is looked at, and before OpenDP is loaded."""
    with pytest.raises(RecipeError, match=says):
        LaplaceMechanism(**{"column": "x", "epsilon": 1, "lower": 0, "upper": 1} | settings)
