"""Multiplicative noise is off by a share of the number itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonscope.columns.images import Everything, Exactly
from anonscope.errors import RecipeError
from anonscope.transform.steps import MultiplyNoise
from support.strategies import law
from support.transformed import transformed

MANY = 20_000


def test_large_numbers_move_more():
    """At most a tenth of themselves; 0 stays 0, and what is missing stays missing."""
    made = transformed(MultiplyNoise(column="x", scale=0.1, seed=1), {"x": [10.0, 1000.0, 0.0, None]})["x"]
    assert made[0] != 10
    assert abs(made[0] - 10) <= 1
    assert abs(made[1] - 1000) <= 100
    assert made[2:] == [0, None]


@pytest.mark.parametrize(("distribution", "deviation"), [("uniform", 0.2 / 3**0.5), ("normal", 0.2)])
def test_the_factor_has_mean_one(distribution, deviation):
    """Within five standard errors."""
    made = np.array(transformed(MultiplyNoise(column="x", scale=0.2, distribution=distribution, seed=5), {"x": [1.0] * MANY})["x"])
    assert abs(made.mean() - 1) < 5 * deviation / MANY**0.5
    assert made.std() == pytest.approx(deviation, rel=0.05)


def test_the_sign_is_kept_when_told():
    """Normal noise as wide as the number itself turns about one in six around, unless told."""
    columns = {"x": [-5.0] * 500}
    assert any(value > 0 for value in transformed(MultiplyNoise(column="x", scale=1, distribution="normal", seed=1), columns)["x"])
    kept = MultiplyNoise(column="x", scale=1, distribution="normal", keep_sign=True, seed=1)
    assert all(value <= 0 for value in transformed(kept, columns)["x"])


@law
@given(
    numbers=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20),
    scale=st.floats(1e-3, 0.99),
    whole=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_the_original_is_always_in_the_image_of_what_was_released(numbers, scale, whole, seed):
    """Uniform noise below 1 can be bounded by what was released."""
    step = MultiplyNoise(column="x", scale=scale, whole=whole, seed=seed)
    texts = [repr(number) for number in numbers]
    for text, released in zip(texts, transformed(step, {"x": texts})["x"], strict=True):
        assert step.image("x", released).contains(text)


def test_without_bounds_on_the_factor_anything_is_possible():
    """A factor may be near 0, or of any size."""
    assert MultiplyNoise(column="x", scale=1, seed=1).image("x", "5") == Everything()
    assert MultiplyNoise(column="x", scale=0.1, distribution="normal", seed=1).image("x", "5") == Everything()
    assert MultiplyNoise(column="x", scale=0.1, seed=1).image("x", "none") == Exactly("none")


@pytest.mark.parametrize(
    ("settings", "says"),
    [({"scale": -1}, "scale must be a number above 0"), ({"scale": 1, "distribution": "beta"}, "distribution must be")],
)
def test_what_means_nothing_is_said(settings, says):
    """Before any table is looked at."""
    with pytest.raises(RecipeError, match=says):
        MultiplyNoise(column="x", seed=1, **settings)


def test_what_is_no_number_is_an_error():
    """Counted, not quoted."""
    with pytest.raises(RecipeError, match="cannot be read as a number"):
        transformed(MultiplyNoise(column="x", scale=0.1, seed=1), {"x": ["1", "two"]})
