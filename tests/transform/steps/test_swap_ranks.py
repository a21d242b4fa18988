"""Swapped values keep the marginal, and none travels farther than told."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonscope.columns.images import Everything
from anonscope.errors import RecipeError
from anonscope.transform.randomness.words import Repeatable
from anonscope.transform.steps import SwapRanks
from anonscope.transform.steps.swap_ranks import partners
from support.strategies import law, tables
from support.transformed import in_one_form, transformed


def test_neighbours_change_places():
    """With half of four ranks as the reach, blocks have three ranks, so a value moves by at most two."""
    made = transformed(SwapRanks(column="x", percent=50, seed=4), {"x": ["40", "10", "30", "20"]})["x"]
    assert sorted(made) == ["10", "20", "30", "40"]
    assert made != ["40", "10", "30", "20"]
    assert all(abs(int(new) - int(old)) <= 20 for new, old in zip(made, ["40", "10", "30", "20"], strict=True))


def test_missing_values_stay_where_they_are():
    """Only values that have a rank are swapped."""
    before = [5.0, None, 3.0, None, 1.0, 2.0]
    made = transformed(SwapRanks(column="x", percent=100, seed=1), {"x": before})["x"]
    assert [value is None for value in made] == [value is None for value in before]
    assert sorted(v for v in made if v is not None) == [1.0, 2.0, 3.0, 5.0]


def test_text_is_ranked_when_told():
    """Dates of the ISO form are ordered by their text; as numbers they have no rank."""
    dates = ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"]
    made = transformed(SwapRanks(column="x", percent=50, order="text", seed=2), {"x": dates})["x"]
    assert sorted(made) == dates
    with pytest.raises(RecipeError, match=r"4 values of column 'x' \(in 4 records\) cannot be read as a number"):
        transformed(SwapRanks(column="x", percent=50, seed=2), {"x": dates})


def test_what_is_no_number_can_be_kept_or_suppressed():
    """The others are swapped among themselves."""
    values = ["1", "2", "none", "3", "4"]
    kept = transformed(SwapRanks(column="x", percent=100, seed=2, otherwise="keep"), {"x": values})["x"]
    assert (kept[2], sorted(kept)) == ("none", sorted(values))
    suppressed = transformed(SwapRanks(column="x", percent=100, seed=2, otherwise="suppress"), {"x": values})["x"]
    assert suppressed[2] == "*"


@settings(max_examples=200, deadline=None, database=None)
@given(count=st.integers(1, 300), reach=st.integers(1, 300), seed=st.integers(0, 1000))
def test_pairs_are_pairs_and_near(count, reach, seed):
    """Whoever gets a value gives his own to the same record, and no two are more than the reach apart."""
    partner = partners(count, reach, Repeatable(seed))
    assert (partner[partner] == np.arange(count)).all()
    assert np.abs(partner - np.arange(count)).max() <= reach


def test_hardly_anybody_keeps_his_value():
    """Of 10,000 values all different, a block of 101 leaves at most one over."""
    partner = partners(10_000, 100, Repeatable(1))
    assert np.count_nonzero(partner == np.arange(10_000)) <= 10_000 / 101 + 2
    # The mean distance of two random places among m is (m + 1) / 3.
    assert np.abs(partner - np.arange(10_000)).mean() == pytest.approx(34, abs=2)


@law
@given(table=tables(), seed=st.integers(0, 1000))
def test_the_marginal_is_kept_exactly(table, seed):
    """By text any column can be swapped, and has the same values afterwards, each as often."""
    before = in_one_form(table.arrow())["q0"]
    if sum(value is not None for value in before) == 1:
        return
    made = transformed(SwapRanks(column="q0", percent=100, order="text", seed=seed), table.arrow())["q0"]
    assert sorted(map(repr, made)) == sorted(map(repr, before))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"percent": 0}, "percent must be a number above 0"),
        ({"percent": 101}, "percent must be a number above 0 and at most 100"),
        ({"percent": True}, "percent must be a number"),
        ({"percent": 5, "order": "size"}, "order must be number or text"),
        ({"percent": 5, "otherwise": "guess"}, "otherwise must be one of"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """Before any table is looked at."""
    with pytest.raises(RecipeError, match=says):
        SwapRanks(column="x", seed=1, **settings)


def test_a_reach_below_one_rank_is_an_error():
    """Otherwise a release would look swapped and not be."""
    with pytest.raises(RecipeError, match="10 % of 5 values is less than one rank, so nothing would be swapped"):
        transformed(SwapRanks(column="x", percent=10, seed=1), {"x": [1, 2, 3, 4, 5]})


def test_a_released_value_stands_for_anything():
    """How far ranks reach in values depends on the data."""
    assert SwapRanks(column="x", percent=5, seed=1).image("x", "5") == Everything()
