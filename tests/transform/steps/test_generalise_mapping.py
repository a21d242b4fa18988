"""Listed values become labels or sets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonscope.columns.images import Everything, Values
from anonscope.errors import ColumnNotFound, RecipeError
from anonscope.transform.recipe import Recipe, parse
from anonscope.transform.steps import GeneraliseMapping
from support.strategies import law
from support.transformed import transformed

SCHOOL = {"education": ["Bachelors", "HS-grad", "11th", "Masters", None]}


def mapped(**settings) -> list[str | None]:
    return transformed(GeneraliseMapping(column="education", **settings), SCHOOL)["education"]


def test_labels_sets_and_the_rest():
    """A label, a set in the order in which it is listed, one label for all others; a missing value stays missing."""
    assert mapped(mapping={"11th": "school"}, groups=(("Masters", "Bachelors"),), rest="other") == [
        *("{Masters, Bachelors}", "other", "school", "{Masters, Bachelors}", None)
    ]


def test_values_that_are_not_listed():
    """An error that counts them, unless the step says what becomes of them."""
    with pytest.raises(RecipeError, match=r"2 values of column 'education' \(in 2 records\) are not listed in the step"):
        mapped(groups=(("Bachelors", "Masters"),))
    assert mapped(groups=(("Bachelors", "Masters"),), otherwise="suppress")[1:3] == ["*", "*"]
    assert mapped(groups=(("Bachelors", "Masters"),), otherwise="keep")[1:3] == ["HS-grad", "11th"]


def test_numbers_are_compared_by_their_text():
    """As everywhere: 1.0 in a typed column is 1."""
    assert transformed(GeneraliseMapping(column="x", mapping={"1": "one"}, rest="*"), {"x": [1.0, 10.0, None]})["x"] == ["one", "*", None]


def test_what_labels_stand_for():
    """All values under the label; the rest is every value that is not listed, and never a missing one."""
    step = GeneraliseMapping(column="x", mapping={"a": "A", "b": "A"}, groups=(("c", "d"),), rest="other")
    assert step.image("x", "A") == Values(frozenset("ab"), "A")
    assert step.image("x", "{c, d}") == Values(frozenset("cd"), "{c, d}")
    assert [step.image("x", "other").contains(value) for value in ("e", "a", None)] == [True, False, False]
    kept = GeneraliseMapping(column="x", mapping={"a": "b"}, otherwise="keep")
    assert [kept.image("x", "b").contains(value) for value in ("a", "b", "c")] == [True, True, False]
    assert GeneraliseMapping(column="x", mapping={"a": "b"}, otherwise="suppress").image("x", "*") == Everything()


@law
@given(
    values=st.lists(st.text(max_size=3) | st.none(), min_size=1, max_size=12),
    mapping=st.dictionaries(st.text(max_size=3), st.text(min_size=1, max_size=3), min_size=1, max_size=40),
)
def test_any_text_is_looked_up_exactly(values, mapping):
    """Quotes, line breaks and other alphabets too, among few pairs and among many."""
    listed = [*values, *mapping]
    step = GeneraliseMapping(column="x", mapping=mapping, rest="rest")
    made = transformed(step, {"x": listed})["x"]
    assert made == [mapping.get(value, "rest") if value else None for value in listed]
    assert all(step.image("x", released).contains(value or None) for released, value in zip(made, listed, strict=True))


def test_values_do_not_enter_statements_and_the_document_is_exact():
    """The table of a mapping is written below the other settings, and read back."""
    recipe = Recipe((GeneraliseMapping(column="x", mapping={'say "hi"': "a b", "2": "c"}, groups=(("d",),), rest="e"),))
    assert parse(recipe.to_toml()).steps == recipe.steps


def test_a_column_that_is_not_there():
    """Is named."""
    with pytest.raises(ColumnNotFound, match="Did you mean 'education'"):
        transformed(GeneraliseMapping(column="educatio", mapping={"a": "b"}), SCHOOL)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, "mapping or groups must list at least one value"),
        ({"mapping": {}}, "mapping or groups must list at least one value"),
        ({"groups": ((),)}, "groups must not be empty"),
        ({"groups": (("a", "b"), ())}, "groups must not be empty"),
        ({"groups": (("a", "b"), ("b", "c"))}, "list 1 of their values more than once"),
        ({"mapping": {"a": "x"}, "groups": (("a",),)}, "list 1 of their values more than once"),
        ({"mapping": {"a": 1}}, "mapping must be a table, each entry text"),
        ({"mapping": {"a": ""}}, "a label must not be empty"),
        (
            {
                "mapping": {"a": "x"},
                "rest": "",
            },
            "a label must not be empty",
        ),
        ({"mapping": {"a": "x"}, "rest": "y", "otherwise": "keep"}, "rest is what all other values become"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """When the step is made; overlapping and empty sets among it."""
    with pytest.raises(RecipeError, match=says):
        GeneraliseMapping(column="x", **settings)
