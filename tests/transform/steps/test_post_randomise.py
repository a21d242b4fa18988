"""Post-randomised categories stay with the chance that was asked for, and else become what was allowed."""

from collections import Counter
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonscope.columns.images import Everything, Values
from anonscope.errors import RecipeError
from anonscope.transform.recipe import Recipe, parse
from anonscope.transform.steps import PostRandomise
from support.strategies import law, tables
from support.transformed import transformed

MANY = 20_000
YES_OR_NO = {"yes": {"yes": 0.9, "no": 0.1}, "no": {"no": 1.0}}


def within(count: int, total: int, chance: float) -> bool:
    """Return whether a count is within five standard deviations of what a chance makes of a total."""
    return abs(count - total * chance) <= 5 * (total * chance * (1 - chance)) ** 0.5


def test_chances_of_nought_and_one_are_certain():
    """Nothing changes, or everything does."""
    columns = {"x": ["a", "b", None, "a"]}
    assert transformed(PostRandomise(column="x", keep=1, seed=1), columns)["x"] == ["a", "b", None, "a"]
    assert transformed(PostRandomise(column="x", keep=0, seed=1), columns)["x"] == ["b", "a", None, "b"]
    assert transformed(PostRandomise(column="x", keep=0, seed=1), {"x": ["a", "a"]})["x"] == ["a", "a"]


def test_uniform_retention_is_what_was_asked_for():
    """Of three values each stays with 0.7 and becomes either other one with 0.15."""
    made = transformed(PostRandomise(column="x", keep=0.7, seed=2), {"x": ["a", "b", "c"] * MANY})["x"]
    for i, value in enumerate("abc"):
        found = Counter(made[i::3])
        assert within(found[value], MANY, 0.7)
        assert all(within(found[other], MANY, 0.15) for other in "abc" if other != value)


def test_redrawing_by_the_marginal_keeps_frequencies_in_expectation():
    """Invariant PRAM: 8,000 of 'a' and 2,000 of 'b' are left as many as before, up to chance, though thousands of cells changed."""
    made = transformed(PostRandomise(column="x", keep=0.5, rest="marginal", seed=3), {"x": ["a"] * 8000 + ["b"] * 2000})["x"]
    stayed = made[:8000].count("a")
    assert within(stayed, 8000, 0.5 + 0.5 * 0.8)
    # Leaving and arriving are both binomial; five standard deviations of their difference.
    spread = (8000 * 0.1 * 0.9 + 2000 * 0.4 * 0.6) ** 0.5
    assert abs(made.count("a") - 8000) <= 5 * spread
    uniform = transformed(PostRandomise(column="x", keep=0.5, seed=3), {"x": ["a"] * 8000 + ["b"] * 2000})["x"]
    assert abs(uniform.count("a") - 5000) <= 5 * spread


def test_a_matrix_says_what_becomes_what():
    """A chance that is not given is 0: nobody who said no is turned."""
    made = transformed(PostRandomise(column="x", matrix=YES_OR_NO, seed=4), {"x": ["yes", "no"] * MANY})["x"]
    assert made[1::2] == ["no"] * MANY
    assert within(made[::2].count("no"), MANY, 0.1)


def test_a_value_that_is_no_row_follows_otherwise():
    """An error that counts and does not quote, the value itself, or a star."""
    columns = {"x": ["no", "perhaps", None]}
    with pytest.raises(RecipeError, match=r"1 value of column 'x' \(in 1 record\) are no rows of the matrix") as error:
        transformed(PostRandomise(column="x", matrix=YES_OR_NO, seed=1), columns)
    assert "perhaps" not in str(error.value)
    assert transformed(PostRandomise(column="x", matrix=YES_OR_NO, seed=1, otherwise="keep"), columns)["x"] == ["no", "perhaps", None]
    assert transformed(PostRandomise(column="x", matrix=YES_OR_NO, seed=1, otherwise="suppress"), columns)["x"] == ["no", "*", None]


def test_types_stay():
    """Numbers and dates are exchanged as such; a matrix makes text."""
    days = [date(2020, 1, 1), date(2021, 1, 1)]
    assert transformed(PostRandomise(column="x", keep=0, seed=1), {"x": days})["x"] == days[::-1]
    assert transformed(PostRandomise(column="x", keep=0, seed=1), {"x": [1.5, -2.0]})["x"] == [-2.0, 1.5]
    assert transformed(PostRandomise(column="x", matrix={"1": {"one": 1.0}}, seed=1), {"x": [1]})["x"] == ["one"]


@law
@given(table=tables(), keep=st.floats(0, 1), rest=st.sampled_from(["uniform", "marginal"]), seed=st.integers(0, 1000))
def test_no_value_is_invented_and_none_that_is_missing_appears(table, keep, rest, seed):
    """Whatever the type of the column."""
    before = [None if value != value else value for value in table.arrow().column("q0").to_pylist()]
    made = transformed(PostRandomise(column="q0", keep=keep, rest=rest, seed=seed), table.arrow())["q0"]
    assert [value is None for value in made] == [value is None for value in before]
    assert set(made) <= set(before)


def test_an_image_is_the_column_of_the_matrix():
    """Without a matrix anything is possible, and so it is where values that are no rows are let through."""
    step = PostRandomise(column="x", matrix=YES_OR_NO, seed=1)
    assert step.image("x", "no") == Values(frozenset({"yes", "no"}), "no")
    assert step.image("x", "yes") == Values(frozenset({"yes"}), "yes")
    assert PostRandomise(column="x", matrix=YES_OR_NO, seed=1, otherwise="keep").image("x", "no") == Everything()
    assert PostRandomise(column="x", keep=0.9, seed=1).image("x", "no") == Everything()


def test_a_matrix_survives_being_written_and_read():
    """As tables of tables, with any text as a key."""
    recipe = Recipe((PostRandomise(column="x", matrix={"a b": {"a b": 0.5, '"': 0.5}, '"': {'"': 1.0}}, seed=1),))
    assert parse(recipe.to_toml()).steps == recipe.steps
    assert parse(recipe.to_toml()).to_toml() == recipe.to_toml()


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, "give either keep or a matrix"),
        ({"keep": 0.5, "matrix": YES_OR_NO}, "give either keep or a matrix"),
        ({"keep": 1.1}, "keep must be a probability"),
        ({"keep": -0.1}, "keep must be a probability"),
        ({"keep": float("nan")}, "keep must be a probability"),
        ({"keep": 0.5, "rest": "else"}, "rest must be uniform or marginal"),
        ({"matrix": {"a": {"a": 0.5, "b": 0.4}}}, "matrix row 1: the chances must add up to 1"),
        ({"matrix": {"a": {"a": 1.0}, "b": {"a": 1.5, "b": -0.5}}}, "matrix row 2: every chance must be a probability"),
        ({"matrix": {}}, "matrix must be a table"),
        ({"matrix": {"a": 1.0}}, "matrix must be a table"),
        ({"matrix": YES_OR_NO, "rest": "marginal"}, "rest has no meaning beside a matrix"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """Before any table is looked at, and without quoting a category."""
    with pytest.raises(RecipeError, match=says):
        PostRandomise(column="x", seed=1, **settings)
