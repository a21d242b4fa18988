"""Codes keep their first characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonscope.columns.images import Exactly, Prefix
from anonscope.errors import RecipeError
from anonscope.transform.steps import GeneralisePrefix
from support.strategies import law
from support.transformed import transformed

CODES = ["12345", "1239", "123", "1", "", "Ä1öß", None]


def test_a_star_for_every_character_or_one():
    """By characters, not bytes; what is not longer stays as it is."""
    assert transformed(GeneralisePrefix(column="zip", characters=3), {"zip": CODES})["zip"] == [
        *("123**", "123*", "123", "1", None, "Ä1ö*", None),
    ]
    assert transformed(GeneralisePrefix(column="zip", characters=3, stars="one"), {"zip": CODES})["zip"] == [
        *("123*", "123*", "123", "1", None, "Ä1ö*", None),
    ]


def test_numbers_are_cut_as_they_are_written():
    """A typed column becomes text."""
    assert transformed(GeneralisePrefix(column="zip", characters=2), {"zip": [12345, 7, None]})["zip"] == ["12***", "7", None]


def test_what_a_prefix_stands_for():
    """With a star for every character the length is known; what was not cut is itself."""
    each, one = (GeneralisePrefix(column="zip", characters=3, stars=stars) for stars in ("each", "one"))
    assert each.image("zip", "123*") == Prefix("123", 4)
    assert one.image("zip", "123*") == Prefix("123")
    assert each.image("zip", "12") == one.image("zip", "12") == Exactly("12")


@law
@given(
    values=st.lists(st.text(max_size=6) | st.none(), min_size=1, max_size=8),
    characters=st.integers(1, 4),
    stars=st.sampled_from(["each", "one"]),
)
def test_it_agrees_with_the_obvious_definition(values, characters, stars):
    """Cut, and filled up with stars; the original is in the image."""
    step = GeneralisePrefix(column="v", characters=characters, stars=stars)

    def cut(value: str) -> str:
        rest = len(value) - characters
        return value if rest <= 0 else value[:characters] + "*" * (rest if stars == "each" else 1)

    made = transformed(step, {"v": [*values, "x"]})["v"]
    assert made == [cut(value) if value else None for value in [*values, "x"]]
    assert all(step.image("v", released).contains(value or None) for released, value in zip(made, [*values, "x"], strict=True))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"characters": 0}, "characters must be a whole number of at least 1"),
        ({"characters": "3"}, "characters must be a whole number"),
        ({"characters": 3, "stars": "some"}, "stars must be one of"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """When the step is made."""
    with pytest.raises(RecipeError, match=says):
        GeneralisePrefix(column="zip", **settings)
