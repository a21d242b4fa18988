"""The smallest numbers become one."""

import pyarrow as pa
import pytest

from anonscope.columns.images import Exactly
from anonscope.errors import RecipeError
from anonscope.transform.steps import BottomCode
from support.transformed import transformed

AGES = [25, 16, 18, 17, None]


def test_a_floor_and_a_label():
    """Below the floor becomes the floor, or <18; the floor itself is not below it."""
    assert transformed(BottomCode(column="age", floor=18), {"age": AGES})["age"] == [25, 18, 18, 18, None]
    assert transformed(BottomCode(column="age", floor=18, label=True), {"age": AGES})["age"] == ["25", "<18", "18", "<18", None]
    assert transformed(BottomCode(column="age", floor=18), {"age": ["025", "1.5"]})["age"] == ["025", "18"]


def test_a_floor_beyond_the_type():
    """Widens the column and loses no number."""
    table = pa.table({"x": pa.array([1, 100, None], pa.int8())})
    assert transformed(BottomCode(column="x", floor=1000), table)["x"] == [1000.0, 1000.0, None]


@pytest.mark.parametrize(
    ("settings", "released"),
    [
        ({"records": 1}, [1, 2, 3, 3, 8]),
        ({"records": 2}, [2, 2, 3, 3, 8]),
        ({"records": 3}, [3, 3, 3, 3, 8]),
        ({"share": 0.4}, [2, 2, 3, 3, 8]),
        ({"records": 1, "label": True}, ["<2", "2", "3", "3", "8"]),
        ({"records": 3, "label": True}, ["<8", "<8", "<8", "<8", "8"]),
    ],
)
def test_where_the_data_say_so(settings, released):
    """The smallest floor that so many records are at or below; with a label, that so many are below."""
    assert transformed(BottomCode(column="x", **settings), {"x": [1, 2, 3, 3, 8, None]})["x"] == [*released, None]


def test_a_label_needs_a_number_above_it():
    """If all numbers are alike, no end can be told from the rest."""
    with pytest.raises(RecipeError, match="no end of it that can be told from the rest holds 1 of them"):
        transformed(BottomCode(column="x", records=1, label=True), {"x": [4, 4]})


def test_what_it_stands_for():
    """The floor for itself and all below, its label for all below."""
    image = BottomCode(column="age", floor=18).image("age", "18")
    assert [image.contains(value) for value in ("18", "3", "19")] == [True, True, False]
    assert image.label == "18"
    assert BottomCode(column="age", floor=18).image("age", "19") == Exactly("19")
    label = BottomCode(column="age", floor=18, label=True).image("age", "<18")
    assert [label.contains(value) for value in ("18", "17.9")] == [False, True]


def test_what_means_nothing_is_said():
    """When the step is made, by the name of its own key."""
    with pytest.raises(RecipeError, match="floor, share or records must say where the end begins"):
        BottomCode(column="age")
    with pytest.raises(RecipeError, match="floor must be a number"):
        BottomCode(column="age", floor=float("nan"))
