"""Additive noise is unbiased, stays within its interval, and what it hides is told by the inverse image."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonscope.columns.images import Everything
from anonscope.errors import RecipeError
from anonscope.transform.steps import AddNoise
from support.strategies import law
from support.transformed import transformed

MANY = 20_000


def test_numbers_move_by_less_than_the_scale():
    """Text stays text, whole numbers stay whole when told, and what is missing stays missing."""
    step = AddNoise(column="age", scale=3, whole=True, seed=7)
    made = transformed(step, {"age": ["39", None, "50"], "name": ["a", "b", "c"]})
    assert made["age"][1] is None
    assert all(abs(int(new) - old) <= 3 for new, old in zip(made["age"][::2], (39, 50), strict=True))
    assert made["name"] == ["a", "b", "c"]


def test_a_typed_column_keeps_room_for_what_noise_makes_of_it():
    """An unsigned byte of 0 may become -1, and one of 255 may become 256."""
    import pyarrow as pa

    table = pa.table({"x": pa.array([0, 255] * 50, pa.uint8())})
    made = transformed(AddNoise(column="x", scale=5, whole=True, seed=1), table)["x"]
    assert (min(made), max(made)) == (-5, 260)
    assert all(isinstance(value, int) for value in made)
    assert isinstance(transformed(AddNoise(column="x", scale=5, seed=1), table)["x"][0], float)


@pytest.mark.parametrize(("distribution", "deviation"), [("uniform", 2 / 3**0.5), ("normal", 2.0)])
def test_the_noise_is_unbiased_and_as_wide_as_told(distribution, deviation):
    """Its mean is within five standard errors of 0, and so is its variance of what the distribution has."""
    made = np.array(transformed(AddNoise(column="x", scale=2, distribution=distribution, seed=11), {"x": [100.0] * MANY})["x"])
    noise = made - 100
    assert abs(noise.mean()) < 5 * deviation / MANY**0.5
    kurtosis = 1.8 if distribution == "uniform" else 3.0
    assert abs((noise**2).mean() - deviation**2) < 5 * deviation**2 * ((kurtosis - 1) / MANY) ** 0.5
    if distribution == "uniform":
        assert np.abs(noise).max() <= 2


def test_relative_noise_counts_in_standard_deviations():
    """Twice as wide a column gets twice the noise."""
    narrow = np.array(transformed(AddNoise(column="x", scale=0.1, relative=True, seed=3), {"x": [0.0, 1.0] * 500})["x"])
    wide = np.array(transformed(AddNoise(column="x", scale=0.1, relative=True, seed=3), {"x": [0.0, 2.0] * 500})["x"])
    assert np.allclose(wide, 2 * narrow)
    assert np.abs(narrow - np.array([0.0, 1.0] * 500)).max() <= 0.1 * np.std([0.0, 1.0] * 500, ddof=1)


def test_bounds_clip():
    """Nobody is younger than 0 or older than 120, at the price of a bias near the bounds."""
    made = transformed(AddNoise(column="x", scale=50, minimum=0, maximum=120, seed=1), {"x": [1, 119] * 100})["x"]
    assert (min(made), max(made)) == (0, 120)


@law
@given(
    numbers=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20),
    scale=st.floats(1e-3, 1e3),
    whole=st.booleans(),
    bounded=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_the_original_is_always_in_the_image_of_what_was_released(numbers, scale, whole, bounded, seed):
    """Also at a bound, where whatever lies beyond may have been."""
    bounds = {"minimum": -100, "maximum": 100} if bounded else {}
    step = AddNoise(column="x", scale=scale, whole=whole, seed=seed, **bounds)
    texts = [repr(number) for number in numbers]
    for text, released in zip(texts, transformed(step, {"x": texts})["x"], strict=True):
        assert step.image("x", released).contains(text)


def test_without_bounds_on_the_noise_anything_is_possible():
    """Normal noise has none, and relative noise is known only with the data."""
    assert AddNoise(column="x", scale=1, distribution="normal", seed=1).image("x", "5") == Everything()
    assert AddNoise(column="x", scale=1, relative=True, seed=1).image("x", "5") == Everything()


def test_what_is_no_number_can_be_kept_or_suppressed():
    """By default it is an error, and none of the values is quoted."""
    with pytest.raises(RecipeError, match=r"1 value of column 'x' \(in 2 records\) cannot be read as a number") as error:
        transformed(AddNoise(column="x", scale=1, seed=1), {"x": ["1", "secret", "secret"]})
    assert "secret" not in str(error.value)
    assert transformed(AddNoise(column="x", scale=1, seed=1, otherwise="keep"), {"x": ["1", "old"]})["x"][1] == "old"
    assert transformed(AddNoise(column="x", scale=1, seed=1, otherwise="suppress"), {"x": ["1", "old"]})["x"][1] == "*"


def test_a_sum_beyond_the_largest_number_is_an_error():
    """No infinity is released."""
    with pytest.raises(RecipeError, match="would be too large"):
        transformed(AddNoise(column="x", scale=1e308, seed=1), {"x": [1.7e308] * 20})


def test_a_column_without_spread_has_no_relative_noise():
    """Otherwise it would be released as it is."""
    with pytest.raises(RecipeError, match="do not differ"):
        transformed(AddNoise(column="x", scale=0.1, relative=True, seed=1), {"x": [4, 4, 4]})


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"scale": 0}, "scale must be a number above 0"),
        ({"scale": float("inf")}, "scale must be a number above 0"),
        ({"scale": 1, "distribution": "laplace"}, "distribution must be one of uniform, normal"),
        ({"scale": 1, "minimum": 3, "maximum": 3}, "minimum must be below maximum"),
        ({"scale": 1, "minimum": float("nan")}, "minimum must be a number"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """Before any table is looked at."""
    with pytest.raises(RecipeError, match=says):
        AddNoise(column="x", seed=1, **settings)
