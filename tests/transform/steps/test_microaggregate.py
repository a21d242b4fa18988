"""Microaggregated records come in groups of at least k that look alike, with averages that keep the mean."""

from collections import Counter
from time import process_time

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonscope as an
from anonscope.columns.images import Everything, Exactly
from anonscope.errors import ColumnNotFound, RecipeError
from anonscope.transform.recipe import Recipe, parse
from anonscope.transform.steps import Microaggregate
from support.strategies import law, tables
from support.transformed import in_one_form, transformed

PEOPLE = {
    "age": ["30", "31", "35", "60", "61", "65"],
    "sex": ["F", "F", "M", "M", "M", "F"],
    "ill": ["a", "b", "c", "d", "e", "f"],
}


def test_numbers_become_the_mean_of_their_group_and_categories_the_mode():
    """The two halves of the table are three records each; other columns stay."""
    made = transformed(Microaggregate(columns=("age", "sex"), categories=("sex",), k=3), PEOPLE)
    assert made == {"age": ["32"] * 3 + ["62"] * 3, "sex": ["F"] * 3 + ["M"] * 3, "ill": PEOPLE["ill"]}


def test_the_median_resists_one_large_number():
    """Of four, it is the mean of the middle two."""
    columns = {"x": [1.0, 2.0, 3.0, 1000.0]}
    assert transformed(Microaggregate(columns=("x",), k=3, average="median"), columns)["x"] == [2.5] * 4
    assert transformed(Microaggregate(columns=("x",), k=3), columns)["x"] == [251.5] * 4


def test_no_unit_weighs_more_than_another():
    """In metres or in millimetres, the groups are the same."""
    chance = np.random.default_rng(3)
    height, weight = chance.normal(1.7, 0.1, 60), chance.normal(70, 12, 60)
    step = Microaggregate(columns=("h", "w"), k=4)
    in_metres = transformed(step, {"h": list(height), "w": list(weight)})["w"]
    assert transformed(step, {"h": list(height * 1024), "w": list(weight)})["w"] == in_metres


def test_a_tie_of_categories_goes_to_the_first_text():
    """So the result does not depend on the order of the records."""
    step = Microaggregate(columns=("x",), categories=("x",), k=2)
    assert transformed(step, {"x": ["b", "a"]})["x"] == transformed(step, {"x": ["a", "b"]})["x"] == ["a", "a"]


def test_equal_numbers_stay_what_they_are():
    """Three times 0.1 by three is not 0.1 to a machine; here it is."""
    assert transformed(Microaggregate(columns=("x",), k=3), {"x": [0.1] * 3})["x"] == [0.1] * 3


def test_huge_numbers_do_not_become_infinite():
    """Their sum would."""
    made = transformed(Microaggregate(columns=("x",), k=3), {"x": [1.7e308, 1.7e308, 1.6e308, 1.0, 2.0, 3.0]})["x"]
    assert made[0] == pytest.approx(1.7e308 / 3 * 2 + 1.6e308 / 3)
    # Beside such a neighbour the small ones count as equal, but their mean is their own.
    assert made[3:] == [2.0] * 3


class TestMissing:
    def test_by_default_those_that_miss_the_same_values_form_groups(self):
        """A missing value stays missing, and every record still looks like k - 1 others."""
        columns = {"x": [1.0, None, 2.0, None, 3.0], "y": [1.0, 5.0, 2.0, 7.0, 3.0]}
        made = transformed(Microaggregate(columns=("x", "y"), k=2), columns)
        assert made == {"x": [2.0, None, 2.0, None, 2.0], "y": [2.0, 6.0, 2.0, 6.0, 2.0]}

    def test_too_few_that_miss_alike_are_an_error(self):
        """It says how many, and what can be done."""
        with pytest.raises(RecipeError, match=r"1 record miss values that fewer than k = 2 records miss alike.*missing = \"fill\""):
            transformed(Microaggregate(columns=("x",), k=2), {"x": [1, 2, None]})

    def test_they_can_be_filled(self):
        """With the average of those in the group that have a value; where nobody has one, it stays missing."""
        made = transformed(Microaggregate(columns=("x", "y"), k=3, missing="fill"), {"x": [1, 3, None], "y": [1, 1, 1]})
        assert made["x"] == [2.0] * 3
        nobody = pa.table({"x": pa.array([None] * 3, pa.float64()), "c": pa.array([None] * 3, pa.string())})
        step = Microaggregate(columns=("x", "c"), categories=("c",), k=3, missing="fill")
        assert transformed(step, nobody) == {"x": [None] * 3, "c": [None] * 3}


@law
@given(table=tables(), k=st.integers(2, 4), missing=st.sampled_from(["keep", "fill"]), average=st.sampled_from(["mean", "median"]))
def test_every_combination_belongs_to_at_least_k_records(table, k, missing, average):
    """Whatever the types, with any column as a category: or it is an error, and only where k cannot be had."""
    columns = table.quasi_identifiers
    step = Microaggregate(columns=columns, categories=columns, k=k, missing=missing, average=average)
    before = in_one_form(table.arrow())
    alike = Counter(zip(*([v is None or v != v for v in before[c]] for c in columns), strict=True))
    if table.rows < k or (missing == "keep" and min(alike.values()) < k):
        with pytest.raises(RecipeError):
            transformed(step, table.arrow())
        return
    made = transformed(step, table.arrow())
    assert min(Counter(zip(*(map(repr, made[c]) for c in columns), strict=True)).values()) >= k
    for column in columns:
        assert set(made[column]) <= {None if v != v else v for v in before[column]}
    assert all(repr(made[c]) == repr(before[c]) for c in before if c not in columns)


@law
@given(
    numbers=st.lists(st.tuples(st.floats(-1e6, 1e6), st.integers(-5, 5)), min_size=4, max_size=30),
    k=st.integers(2, 4),
    typed=st.booleans(),
)
def test_the_mean_of_a_column_is_kept(numbers, k, typed):
    """Up to rounding, and the spread never grows."""
    xs, ys = ([float(n) for n in column] for column in zip(*numbers, strict=True))
    columns = {"x": xs, "y": ys} if typed else {"x": list(map(repr, xs)), "y": list(map(repr, ys))}
    made = transformed(Microaggregate(columns=("x", "y"), k=k), columns)
    for before, after in ((xs, made["x"]), (ys, made["y"])):
        released = [float(value) for value in after]
        assert np.mean(released) == pytest.approx(np.mean(before), rel=1e-9, abs=1e-9 * max(map(abs, before), default=0) + 1e-12)
        assert np.std(released) <= np.std(before) * (1 + 1e-9) + 1e-9
    assert min(Counter(zip(made["x"], made["y"], strict=True)).values()) >= k


def test_an_audit_of_the_release_measures_at_least_k():
    """Microaggregated quasi-identifiers form classes, so this is no perturbation to an audit."""
    chance = np.random.default_rng(1)
    table = pa.table({"a": chance.normal(size=300), "b": chance.integers(0, 90, 300), "s": chance.integers(0, 3, 300).astype(str)})
    with an.read(table, quasi_identifiers=["a", "b"], sensitive=["s"]) as data:
        release = an.apply(Microaggregate(columns=("a", "b"), k=7), data)
        with release.read() as left:
            assert an.audit(left)["k_anonymity"].value >= 7


def test_the_same_table_gives_the_same_groups_with_any_number_of_threads():
    """Nothing is random in it."""
    chance = np.random.default_rng(2)
    table = pa.table({"a": chance.integers(0, 9, 3000), "c": chance.integers(0, 4, 3000).astype(str)})
    step = Microaggregate(columns=("a", "c"), categories=("c",), k=5)
    assert transformed(step, table) == transformed(step, table, threads=2)
    assert Recipe((step,)).seeds == ()


def test_thirty_thousand_records_of_four_numbers_are_grouped_quickly():
    """The target is 10 seconds; it takes about one and a half on one core."""
    chance = np.random.default_rng(4)
    table = pa.table({name: chance.normal(size=30_000) for name in "abcd"})
    begun = process_time()
    made = transformed(Microaggregate(columns=tuple("abcd"), k=3), table)
    assert process_time() - begun < 10
    assert min(Counter(zip(*made.values(), strict=True)).values()) >= 3


def test_a_released_value_stands_for_anything_but_nothing():
    """A mean does not tell how wide its group was; a missing value was missing."""
    step = Microaggregate(columns=("x",), k=3)
    assert (step.image("x", "5"), step.image("x", None), step.image("y", "5")) == (Everything(), Exactly(None), Exactly("5"))


def test_a_recipe_with_it_survives_being_written_and_read():
    """All settings included."""
    recipe = Recipe((Microaggregate(columns=("x", "y"), categories=("y",), k=3, average="median", missing="fill", block=100),))
    assert parse(recipe.to_toml()).steps == recipe.steps


def test_a_table_smaller_than_k_is_an_error():
    """A group needs k records."""
    with pytest.raises(RecipeError, match="k is 4, but the table has 3 records"):
        transformed(Microaggregate(columns=("x",), k=4), {"x": [1, 2, 3]})


def test_what_is_no_number_must_be_named_a_category():
    """Counted, not quoted."""
    with pytest.raises(
        RecipeError, match=r"column 'x' in 2 records cannot be read as a number. Name the column among the categories"
    ) as error:
        transformed(Microaggregate(columns=("x",), k=2), {"x": ["1", "secret", "secret"]})
    assert "secret" not in str(error.value)


def test_an_unknown_column_is_named():
    """With what it may have been meant to be."""
    with pytest.raises(ColumnNotFound, match="Did you mean 'age'"):
        transformed(Microaggregate(columns=("agee",), k=2), PEOPLE)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"columns": ()}, "columns must name at least one"),
        ({"columns": ("x", "x")}, "columns must name every column once"),
        ({"columns": "x"}, "columns must be names of columns"),
        ({"categories": ("y",)}, "categories must be among the columns"),
        ({"k": 1}, "k must be a whole number of at least 2"),
        ({"k": 2.5}, "k must be a whole number"),
        ({"average": "mode"}, "average must be mean or median"),
        ({"missing": "drop"}, "missing must be keep or fill"),
        ({"block": 5}, "block must be at least twice k"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """Before any table is looked at."""
    with pytest.raises(RecipeError, match=says):
        Microaggregate(**{"columns": ("x",), "k": 3} | settings)
