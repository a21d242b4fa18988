"""A column becomes one value: * or one of its statistics."""

import statistics
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonscope.columns.images import Everything, Exactly
from anonscope.errors import RecipeError
from anonscope.transform.steps import SuppressColumn
from support.strategies import law
from support.transformed import transformed

# The standard library's, of which the variance is that of a whole population.
STATISTICS = {
    "mean": statistics.fmean,
    "sum": sum,
    "variance": statistics.pvariance,
    "standard_deviation": statistics.pstdev,
    "median": statistics.median,
    "mode": lambda values: min(statistics.multimode(values)),
    "minimum": min,
    "maximum": max,
}


def test_a_column_is_starred():
    """A missing value stays missing unless told; any type becomes text."""
    assert transformed(SuppressColumn(column="x"), {"x": [1, None, 3]})["x"] == ["*", None, "*"]
    assert transformed(SuppressColumn(column="x", missing=True), {"x": [1, None, 3]})["x"] == ["*", "*", "*"]


@pytest.mark.parametrize(
    ("statistic", "released"),
    [
        ("mean", 4.0),
        ("sum", 16.0),
        ("variance", 7.5),
        ("standard_deviation", 7.5**0.5),
        ("median", 3.5),
        ("mode", 1),
        ("minimum", 1),
        ("maximum", 8),
    ],
)
def test_every_statistic_of_whole_numbers(statistic, released):
    """1, 2, 5, 8: divided by n for the variance; of several modes the smallest; a value of the column keeps its type."""
    made = transformed(SuppressColumn(column="x", statistic=statistic), {"x": [8, 1, None, 5, 2]})["x"]
    assert made == [released, released, None, released, released]
    assert type(made[0]) is type(released)


def test_text_and_other_types():
    """Numbers written as text stay text; the mode of words is a word, and with missing values filled in."""
    assert transformed(SuppressColumn(column="x", statistic="mean"), {"x": ["1", "2.0", None]})["x"] == ["1.5", "1.5", None]
    assert transformed(SuppressColumn(column="x", statistic="sum"), {"x": ["1", "2.0"]})["x"] == ["3", "3"]
    assert transformed(SuppressColumn(column="x", statistic="mode", missing=True), {"x": ["b", "a", None, "b"]})["x"] == ["b"] * 4
    assert transformed(SuppressColumn(column="x", statistic="mode"), {"x": ["10", "9", "10", "9"]})["x"] == ["9"] * 4
    table = pa.table({"x": pa.array([Decimal("1.25"), Decimal("3.75")], pa.decimal128(5, 2))})
    assert transformed(SuppressColumn(column="x", statistic="maximum"), table)["x"] == [3.75, 3.75]
    assert transformed(SuppressColumn(column="x", statistic="mean", missing=True), {"x": [1.0, float("nan"), 2.0]})["x"] == [1.5] * 3


@law
@given(
    values=st.lists(st.sampled_from([-3.25, 0.1, 0.2, 1.0, 7.0, 1e6]), min_size=1, max_size=12),
    statistic=st.sampled_from(sorted(STATISTICS)),
)
def test_it_agrees_with_the_standard_library(values, statistic):
    """Whatever the numbers."""
    made = transformed(SuppressColumn(column="x", statistic=statistic), {"x": values})["x"]
    assert made == pytest.approx([STATISTICS[statistic](values)] * len(values), rel=1e-12, abs=1e-12)


def test_what_is_no_number_has_no_mean():
    """An error that counts it, or suppressed, or kept beside the mean of the others."""
    table = {"x": ["1", "3", "many", None]}
    with pytest.raises(RecipeError, match=r"1 value of column 'x' \(in 1 record\) cannot be read as a number"):
        transformed(SuppressColumn(column="x", statistic="mean"), table)
    assert transformed(SuppressColumn(column="x", statistic="mean", otherwise="suppress"), table)["x"] == ["2", "2", "*", None]
    assert transformed(SuppressColumn(column="x", statistic="mean", otherwise="keep", missing=True), table)["x"] == ["2", "2", "many", "2"]
    typed = transformed(SuppressColumn(column="x", statistic="mean", otherwise="keep", missing=True), {"x": [1.0, None, 3.0]})["x"]
    assert typed == ["2", "2", "2"]


@pytest.mark.parametrize(
    ("statistic", "values", "says"),
    [
        ("mean", [None, None], "has no value that a mean"),
        ("mode", [None], "has no value that a mode"),
        ("sum", [1e308, 1e308], "is too large"),
    ],
)
def test_what_cannot_be_computed(statistic, values, says):
    """No NaN and no infinity is ever released."""
    with pytest.raises(RecipeError, match=says):
        transformed(SuppressColumn(column="x", statistic=statistic), pa.table({"x": pa.array(values, pa.float64())}))


def test_images_and_meaningless_statistics():
    """Anything for what was replaced; a missing value that stayed is one."""
    step = SuppressColumn(column="x", statistic="mean")
    assert (step.image("x", "2"), step.image("x", None), step.image("y", "2")) == (Everything(), Exactly(None), Exactly("2"))
    with pytest.raises(RecipeError, match="statistic must be one of mean, sum, variance"):
        SuppressColumn(column="x", statistic="average")


def test_no_value_of_the_data_is_in_a_statement():
    """The mode is somebody's value."""
    import anonscope as an

    with an.read(pa.table({"x": ["somebody", "somebody"]})) as data:
        an.apply(SuppressColumn(column="x", statistic="mode"), data)
        assert all("somebody" not in statement.sql for statement in data.engine.statements)
