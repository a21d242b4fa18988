"""Masking covers what tells, and never shows a short value whole."""

import pytest

from anonscope.columns.images import Everything
from anonscope.errors import RecipeError
from anonscope.transform.steps import Mask
from support.transformed import transformed

NAMES = ["Emma", "Bob", "Zoë-Marie", "J", "", None]


@pytest.mark.parametrize(
    ("settings", "released"),
    [
        ({}, ["xxxx", "xxx", "xxxxxxxxx", "x", None, None]),
        ({"length": 4}, ["xxxx", "xxxx", "xxxx", "xxxx", None, None]),
        ({"first": 1}, ["Exxx", "Bxx", "Zxxxxxxxx", "x", None, None]),
        ({"first": 1, "last": 2, "character": "•"}, ["E•ma", "•••", "Z••••••ie", "•", None, None]),
        ({"last": 2, "length": 1}, ["xma", "xob", "xie", "x", None, None]),
        ({"pattern": "[aeiouë]"}, ["Emmx", "Bxb", "Zxx-Mxrxx", "J", None, None]),
        ({"pattern": "(.)-(.)", "replacement": "\\2+\\1"}, ["Emma", "Bob", "ZoM+ëarie", "J", None, None]),
        ({"pattern": "[aeiou]", "replacement": ""}, ["Emm", "Bb", "Zë-Mr", "J", None, None]),
        ({"pattern": "J", "replacement": ""}, ["Emma", "Bob", "Zoë-Marie", "*", None, None]),
        ({"pattern": "m", "character": "\\"}, ["E\\\\a", "Bob", "Zoë-Marie", "J", None, None]),
    ],
)
def test_what_is_covered(settings, released):
    """By characters, not bytes; a value that is not longer than what may stay is covered wholly; where nothing is left there is a star."""
    assert transformed(Mask(column="name", **settings), {"name": NAMES})["name"] == released


def test_numbers_are_masked_as_they_are_written():
    """A typed column becomes text."""
    assert transformed(Mask(column="card", last=2), {"card": [123456, None, 7]})["card"] == ["xxxx56", None, "x"]


def test_what_a_masked_value_stands_for():
    """Length, beginning and end are all that is left; a fixed length does not even tell the length."""
    image = Mask(column="name", first=1, last=2).image("name", "Exma")
    assert image.label == "Exma"
    assert [image.contains(value) for value in ("Emma", "Elma", "Emmma", "Anna", None)] == [True, True, False, False, False]
    short = Mask(column="name", first=1, last=2).image("name", "xxx")
    assert [short.contains(value) for value in ("Bob", "Emma")] == [True, False]
    fixed = Mask(column="name", first=1, length=4).image("name", "Exxxx")
    assert [fixed.contains(value) for value in ("Emma", "Elisabeth", "E", "Anna")] == [True, True, False, False]
    for step in (Mask(column="name", length=4), Mask(column="name", first=1, length=4), Mask(column="name", pattern="x")):
        assert step.image("name", "xxxx") == Everything()


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"first": -1}, "first must be a whole number of at least 0"),
        ({"last": 1.5}, "last must be a whole number"),
        ({"length": 0}, "length must be a whole number of at least 1"),
        ({"character": "xx"}, "character must be one character"),
        ({"character": ""}, "character must be one character"),
        ({"pattern": "[a-"}, "pattern is no regular expression"),
        ({"pattern": "(?=a)b"}, "pattern is no regular expression"),
        ({"pattern": "a", "replacement": "\\1"}, "replacement names a group"),
        ({"pattern": "a", "first": 1}, "pattern says what is covered"),
        ({"replacement": "a"}, "replacement stands for what fits a pattern"),
        ({"pattern": 3}, "pattern must be text"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """When the step is made, before any table is opened."""
    with pytest.raises(RecipeError, match=says):
        Mask(column="name", **settings)
