"""The largest numbers become one."""

from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonscope.columns.images import Exactly, Interval
from anonscope.errors import RecipeError
from anonscope.transform.steps import TopCode
from support.strategies import law
from support.transformed import transformed

AGES = [25, 93, 90, 89, None]


def test_a_ceiling_and_a_label():
    """Above the ceiling becomes the ceiling and the type stays; or everything from it on becomes 90+."""
    assert transformed(TopCode(column="age", ceiling=90), {"age": AGES})["age"] == [25, 90, 90, 89, None]
    assert transformed(TopCode(column="age", ceiling=90, label=True), {"age": AGES})["age"] == ["25", "90+", "90+", "89", None]


def test_text_is_kept_as_written():
    """Only what is coded changes."""
    ages = {"age": ["025", " 7", "89.50", "9e1", "90.0", "120", None]}
    assert transformed(TopCode(column="age", ceiling=90), ages)["age"] == ["025", " 7", "89.50", "90", "90", "90", None]


@pytest.mark.parametrize(
    ("values", "kind", "ceiling", "released", "becomes"),
    [
        ([1, 100], pa.int8(), 50, [1, 50], pa.int8()),
        ([1, 100], pa.int8(), 50.5, [1.0, 50.5], pa.float64()),
        ([1, 100], pa.int8(), 1000, [1, 100], pa.float64()),
        ([2**60 + 1, 2**62], pa.int64(), 2**61, [2**60 + 1, 2**61], pa.int64()),
        ([0.1, 7.5], pa.float32(), 0.5, [pytest.approx(0.1), 0.5], pa.float32()),
        ([Decimal("1.10"), Decimal("9.90")], pa.decimal128(4, 2), 5, [Decimal("1.10"), Decimal("5.00")], pa.decimal128(4, 2)),
        ([1.5, float("nan")], pa.float64(), 1, [1.0, None], pa.float64()),
    ],
)
def test_types_stay_where_the_ceiling_fits(values, kind, ceiling, released, becomes):
    """And numbers below it keep their last digit; NaN is a missing value."""
    import anonscope as an

    with an.read(pa.table({"x": pa.array(values, kind)})) as data:
        made = an.apply(TopCode(column="x", ceiling=ceiling), data).table.column("x")
    assert made.to_pylist() == released
    assert made.type == becomes


@pytest.mark.parametrize(
    ("settings", "released"),
    [
        ({"records": 1}, [1, 2, 3, 3, 8, 9]),
        ({"records": 2}, [1, 2, 3, 3, 8, 8]),
        ({"records": 3}, [1, 2, 3, 3, 3, 3]),
        ({"records": 4}, [1, 2, 3, 3, 3, 3]),
        ({"share": 0.5}, [1, 2, 3, 3, 3, 3]),
        ({"share": 0.2}, [1, 2, 3, 3, 8, 8]),
        ({"records": 2, "label": True}, ["1", "2", "3", "3", "8+", "8+"]),
    ],
)
def test_where_the_data_say_so(settings, released):
    """The largest ceiling that so many records are at or above; a missing value does not count."""
    assert transformed(TopCode(column="x", **settings), {"x": [1, 2, 3, 3, 8, 9, None]})["x"] == [*released, None]


@law
@given(
    values=st.lists(st.sampled_from([-2.5, 0.0, 1.0, 3.0, 40.0, 1e6]), min_size=1, max_size=12),
    share=st.sampled_from([0.01, 0.07, 0.5, 0.9]),
    label=st.booleans(),
)
def test_at_least_the_share_is_coded_and_nothing_less_would_do(values, share, label):
    """The records at the ceiling are enough; without the ceiling's own records they would not be."""
    made = transformed(TopCode(column="x", share=share, label=label), {"x": values})["x"]
    top = [value for value, released in zip(values, made, strict=True) if (str(released).endswith("+") if label else released == max(made))]
    needed = max(1, -(-round(share * 100) * len(values) // 100))
    assert len(top) >= needed
    assert sum(value > min(top) for value in top) < needed


def test_what_it_stands_for():
    """The ceiling and its label for every number from there on; if the data said where, any number may be the ceiling."""
    step = TopCode(column="age", ceiling=90)
    assert step.image("age", "90") == Interval(90, float("inf"))
    assert step.image("age", "90").label == "90"
    assert (step.image("age", "89"), step.image("age", "old")) == (Exactly("89"), Exactly("old"))
    assert TopCode(column="age", ceiling=90, label=True).image("age", "90+").contains("104")
    assert TopCode(column="age", share=0.1).image("age", "70").contains("99")


def test_what_is_no_number():
    """Is an error that counts it, suppressed or kept."""
    ages = {"age": ["91", "old", None]}
    with pytest.raises(RecipeError, match=r"1 value of column 'age' \(in 1 record\) cannot be read as a number"):
        transformed(TopCode(column="age", ceiling=90), ages)
    assert transformed(TopCode(column="age", ceiling=90, otherwise="suppress"), ages)["age"] == ["90", "*", None]
    assert transformed(TopCode(column="age", ceiling=90, label=True, otherwise="keep"), ages)["age"] == ["90+", "old", None]


def test_more_records_than_there_are():
    """Cannot be put together."""
    with pytest.raises(RecipeError, match="Column 'age' has 4 numbers, and no end of it that can be told from the rest holds 5 of them"):
        transformed(TopCode(column="age", records=5), {"age": AGES})


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, "ceiling, share or records must say where the end begins: one of them"),
        ({"ceiling": 90, "share": 0.1}, "one of them"),
        ({"ceiling": float("inf")}, "ceiling must be a number"),
        ({"ceiling": "90"}, "ceiling must be a number"),
        ({"share": 1}, "share must be above 0 and below 1"),
        ({"share": 0}, "share must be above 0 and below 1"),
        ({"records": 0}, "records must be a whole number of at least 1"),
        ({"ceiling": 90, "label": "90+"}, "label must be true or false"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """When the step is made."""
    with pytest.raises(RecipeError, match=says):
        TopCode(column="age", **settings)
