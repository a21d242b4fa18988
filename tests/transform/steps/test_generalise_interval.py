"""Numbers become intervals of one width, or between cuts, closed or half-open."""

import pytest

from anonscope.errors import RecipeError
from anonscope.transform.steps import GeneraliseInterval
from support.transformed import transformed


@pytest.mark.parametrize(
    ("settings", "released"),
    [
        ({"width": 10}, ["[30-39]", "[40-49]", "[-10--1]", "[0-9]", None]),
        ({"width": 10, "start": 5}, ["[35-44]", "[35-44]", "[-5-4]", "[-5-4]", None]),
        ({"width": 1}, ["39", "40", "-1", "0", None]),
        ({"cuts": (0, 40)}, ["[0-39]", "40+", "<0", "[0-39]", None]),
        ({"cuts": (0, 1, 40)}, ["[1-39]", "40+", "<0", "0", None]),
        ({"cuts": (0, 40), "labels": ("low", "middle", "high")}, ["middle", "high", "low", "middle", None]),
        ({"width": 2.5, "whole": False}, ["[37.5, 40)", "[40, 42.5)", "[-2.5, 0)", "[0, 2.5)", None]),
    ],
)
def test_every_kind_of_interval(settings, released):
    """Of whole numbers, typed or as text; the original is in the image of each."""
    step = GeneraliseInterval(column="x", **settings)
    values = [39, 40, -1, 0, None]
    assert transformed(step, {"x": values})["x"] == released
    assert transformed(step, {"x": [None if value is None else str(value) for value in values]})["x"] == released
    assert all(step.image("x", label).contains(None if v is None else str(v)) for label, v in zip(released, values, strict=True))


def test_labels_stand_for_their_intervals():
    """From one cut up to the next."""
    step = GeneraliseInterval(column="x", cuts=(18, 65), labels=("minor", "adult", "old"))
    inside = {label: [step.image("x", label).contains(value) for value in ("17", "18", "64", "65")] for label in ("minor", "adult", "old")}
    assert inside == {"minor": [True, False, False, False], "adult": [False, True, True, False], "old": [False, False, False, True]}
    assert step.image("x", "adult").label == "adult"


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, "give either a width or cuts"),
        ({"width": 10, "cuts": (1,)}, "give either a width or cuts"),
        ({"width": 0}, "width must be a number above 0"),
        ({"cuts": (2, 1)}, "cuts must rise"),
        ({"cuts": (1, 1)}, "cuts must rise"),
        ({"width": 2.5}, "closed intervals need whole numbers"),
        ({"cuts": (float("nan"),)}, "cuts must be made of numbers"),
        ({"cuts": (1,), "labels": ("a",)}, "labels must be one more than cuts"),
        ({"width": 1, "labels": ("a",)}, "labels must be one more than cuts"),
        ({"cuts": (1,), "labels": ("a", "a")}, "labels must be texts that differ"),
        ({"cuts": (1,), "labels": ("a", "")}, "labels must be texts that differ"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """When the step is made; overlapping intervals among it."""
    with pytest.raises(RecipeError, match=says):
        GeneraliseInterval(column="x", **settings)


def test_what_is_no_whole_number():
    """Is an error that says how many, and what to do."""
    with pytest.raises(RecipeError, match=r"2 values of column 'x' \(in 3 records\) cannot be read as whole numbers \(say whole = false"):
        transformed(GeneraliseInterval(column="x", width=10), {"x": ["1", "1.5", "1.5", "many"]})
