"""Dates become the part of the calendar they are in, whether typed or written."""

from datetime import date, datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonscope.errors import RecipeError
from anonscope.transform.steps import GeneraliseDate
from support.strategies import law
from support.transformed import transformed

PARTS = {"day": "2019-12-30", "week": "2020-W01", "month": "2019-12", "quarter": "2019-Q4", "year": "2019", "decade": "2010s"}


def label(day: date, part: str) -> str:
    """Return what a day becomes, slowly and obviously."""
    year, week, _ = day.isocalendar()
    return {
        "day": str(day),
        "week": f"{year:04}-W{week:02}",
        "month": f"{day.year:04}-{day.month:02}",
        "quarter": f"{day.year:04}-Q{(day.month + 2) // 3}",
        "year": f"{day.year:04}",
        "decade": f"{day.year // 10:03}0s",
    }[part]


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_every_kind_of_column(part):
    """ISO text with and without a time, dates and points in time; the last days of a year may be in the next one's first week."""
    moment = datetime(2019, 12, 30, 23, 59)
    table = pa.table(
        {
            "text": ["2019-12-30", "2019-12-30T23:59:00Z", "2019-12-30 23:59", None],
            "date": pa.array([moment.date()] * 3 + [None]),
            "moment": pa.array([moment] * 3 + [None], pa.timestamp("ns")),
            "zoned": pa.array([moment] * 3 + [None], pa.timestamp("us", tz="UTC")),
        }
    )
    for column in table.column_names:
        assert transformed(GeneraliseDate(column=column, part=part), table)[column] == [PARTS[part]] * 3 + [None]


@pytest.mark.parametrize(
    ("form", "values"),
    [
        ("%d.%m.%Y", ["30.12.2019", "1.2.0987"]),
        ("%m/%d/%y", ["12/30/19", "02/01/69"]),
        ("%b %d, %Y %H:%M", ["Dec 30, 2019 23:59", "Feb 01, 1969 00:00"]),
        ("%Y%m%d", [20191230, 19690201]),
    ],
)
def test_other_ways_to_write_a_date(form, values):
    """As the format says; a number is read as it is written."""
    made = transformed(GeneraliseDate(column="d", part="month", format=form), {"d": values})["d"]
    assert made[0] == "2019-12"
    assert made[1].endswith("-02")


@law
@given(days=st.lists(st.dates() | st.none(), min_size=1, max_size=10), part=st.sampled_from(sorted(PARTS)))
def test_labels_are_those_of_the_calendar_and_hold_their_days(days, part):
    """From year 1 to year 9999, typed and as text."""
    step = GeneraliseDate(column="d", part=part)
    expected = [None if day is None else label(day, part) for day in days]
    assert transformed(step, pa.table({"d": pa.array(days, pa.date32())}))["d"] == expected
    assert transformed(step, {"d": [None if day is None else str(day) for day in days]})["d"] == expected
    for day, released in zip(days, expected, strict=True):
        assert step.image("d", released).contains(None if day is None else str(day))


@pytest.mark.parametrize("values", [["2019-13-01"], ["2019-02-29"], ["30.12.2019"], ["2019-1-1"], ["x"], [" "], [39], [True]])
def test_what_is_no_date_is_an_error_unless_told(values):
    """Counted, never shown."""
    with pytest.raises(RecipeError, match=r"1 value of column 'd' \(in 1 record\) cannot be read as a date"):
        transformed(GeneraliseDate(column="d", part="year"), {"d": values})
    assert transformed(GeneraliseDate(column="d", part="year", otherwise="suppress"), {"d": values})["d"] == ["*"]
    assert transformed(GeneraliseDate(column="d", part="year", otherwise="keep"), {"d": values})["d"] == [
        "true" if values == [True] else str(values[0])
    ]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"part": "century"}, "part must be one of day, week, month, quarter, year, decade"),
        ({"part": "year", "format": "%d.%m."}, "format must have the year"),
        ({"part": "year", "format": "%Q %Y"}, "format has a directive that is not known"),
        ({"part": "year", "format": "%Y-%"}, "format has a directive that is not known"),
        ({"part": "year", "otherwise": "guess"}, "otherwise must be one of"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """When the step is made."""
    with pytest.raises(RecipeError, match=says):
        GeneraliseDate(column="d", **settings)
