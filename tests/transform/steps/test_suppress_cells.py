"""Single cells are withheld by rule."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonscope.columns.images import Everything, Exactly
from anonscope.errors import ColumnNotFound, RecipeError
from anonscope.transform.steps import SuppressCells
from support.strategies import law
from support.transformed import transformed

TABLE = {"ill": ["flu", "flu", "hiv", "lupus", None], "age": [39, 52, 44, 61, 70], "ward": ["A", "B", "A", None, "B"]}


@pytest.mark.parametrize(
    ("settings", "released"),
    [
        ({"column": "ill", "values": ("hiv", "x")}, ["flu", "flu", "*", "lupus", None]),
        ({"column": "ill", "below": 2}, ["flu", "flu", "*", "*", None]),
        ({"column": "ill", "below": 9}, ["*", "*", "*", "*", None]),
        ({"column": "ill", "below": 2, "values": ("flu",)}, ["*", "*", "*", "*", None]),
        ({"column": "ill", "where": "ward", "where_values": ("A",)}, ["*", "flu", "*", "lupus", None]),
        ({"column": "ill", "below": 2, "where": "ward", "where_values": ("A",)}, ["flu", "flu", "*", "lupus", None]),
        ({"column": "ill", "values": ("hiv",), "missing": True}, ["flu", "flu", None, "lupus", None]),
        ({"column": "age", "values": ("39",)}, ["*", "52", "44", "61", "70"]),
        ({"column": "age", "values": ("39",), "missing": True}, [None, 52, 44, 61, 70]),
        ({"column": "age", "values": ("39",), "statistic": "mean"}, [53.2, 52, 44, 61, 70]),
        ({"column": "age", "where": "ward", "where_values": ("A",), "statistic": "median"}, [52, 52, 52, 61, 70]),
        ({"column": "age", "where": "ward", "where_values": ("B",), "statistic": "maximum"}, [39, 70, 44, 61, 70]),
        ({"column": "ill", "values": ("hiv",), "statistic": "mode"}, ["flu", "flu", "flu", "lupus", None]),
    ],
)
def test_every_rule(settings, released):
    """Listed values, rare ones, some records only; as * or as a missing value, which keeps the type."""
    assert transformed(SuppressCells(**settings), TABLE)[settings["column"]] == released


@law
@given(values=st.lists(st.sampled_from(["a", "b", " ", "é", "*", None]), min_size=1, max_size=15), below=st.integers(2, 5))
def test_every_value_that_is_left_is_frequent(values, below):
    """By the obvious count."""
    counts = Counter(values)
    made = transformed(SuppressCells(column="x", below=below), {"x": [*values, "end"]})["x"]
    assert made == [v if v is None or counts[v] >= below else "*" for v in values] + ["*"]


def test_what_a_cell_stands_for():
    """A suppressed one for anything, also where it is missing; others for themselves."""
    star, gone = (SuppressCells(column="x", values=("a",), missing=missing) for missing in (False, True))
    assert (star.image("x", "*"), star.image("x", None), star.image("x", "b")) == (Everything(), Exactly(None), Exactly("b"))
    assert (gone.image("x", None), gone.image("y", None)) == (Everything(), Exactly(None))


def test_a_statistic_instead_of_a_star_is_a_number_that_was_made_up():
    """Nobody can tell it from one that was there, so every released number may stand for anything, and groups of it are not measured."""
    step = SuppressCells(column="age", values=("39",), statistic="mean")
    assert step.perturbative and step.image("age", "52") == Everything() and step.image("ward", "A") == Exactly("A")
    assert not SuppressCells(column="age", values=("39",)).perturbative
    with pytest.raises(RecipeError, match="not both"):
        SuppressCells(column="age", values=("39",), statistic="mean", missing=True)
    with pytest.raises(RecipeError, match="statistic must be"):
        SuppressCells(column="age", values=("39",), statistic="middle")
    with pytest.raises(RecipeError, match="no value that a mean could be taken of"):
        transformed(SuppressCells(column="ill", values=("hiv",), statistic="mean"), TABLE)


def test_columns_that_are_not_there():
    """Are named."""
    for settings in ({"column": "x", "below": 2}, {"column": "ill", "where": "x", "where_values": ("A",)}):
        with pytest.raises(ColumnNotFound):
            transformed(SuppressCells(**settings), TABLE)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, "values, below or where must say"),
        ({"below": 1}, "below must be a whole number of at least 2"),
        ({"where": "ward"}, "where names a column, and where_values lists"),
        ({"where_values": ("A",), "below": 2}, "where names a column, and where_values lists"),
        ({"values": (1,)}, "values must be a list, each entry text"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """When the step is made."""
    with pytest.raises(RecipeError, match=says):
        SuppressCells(column="ill", **settings)
