"""Inverse images: the notation is read as it is written, and no original value is ever missing from the image of what it became."""

import math
import os
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import anonscope as an
from anonscope.columns.images import Dates, Everything, Exactly, Interval, Prefix, Values, number_text, read_image, set_label
from anonscope.errors import AnonscopeError
from support.drawn_steps import HIERARCHY, KEY_VARIABLE, NUMBERS, STEPS, TEXTS, WHOLE
from support.strategies import law

FINITE = st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.sampled_from(TEXTS) | st.text(max_size=8)


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("34", ["34"], ["34.0", "35", None]),
        ("[30-39]", ["30", "39", "34", "30.0", "[30-39]"], ["29", "40", "x", None]),
        ("[-10--1]", ["-10", "-1"], ["0", "10", "-11"]),
        ("[30, 40)", ["30", "39.99"], ["40", "29.9", None]),
        ("[0.2, 0.3)", ["0.2", "0.29"], ["0.3", "0.1"]),
        ("90+", ["90", "104", "90+"], ["89", "ninety", "inf"]),
        ("<18", ["17.9", "-5", "<18"], ["18"]),
        ("123*", ["123", "12345", "123*"], ["12", "0123"]),
        ("123**", ["12345", "123ab"], ["123", "1234", "123456"]),
        ("**", ["ab", "**"], ["a", "abc", None]),
        ("*", ["", "a", None], []),
        ("{Bachelors, Masters}", ["Bachelors", "Masters"], ["PhD", "Bachelors, Masters", None]),
        ('{"Smith, Ann", Jones}', ["Smith, Ann", "Jones"], ["Smith", "Ann"]),
        ("{}", ["{}"], ["", "a"]),
        ("", [""], ["a", None]),
        (None, [None], ["", "a"]),
    ],
)
def test_the_notation_means_what_the_page_says(text, inside, outside):
    """Values that belong to the image and values that do not."""
    image = read_image(text)

    assert [value for value in inside if not image.contains(value)] == []
    assert [value for value in outside if image.contains(value)] == []


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2019-04", date(2019, 4, 1), date(2019, 4, 30)),
        ("2020-02", date(2020, 2, 1), date(2020, 2, 29)),
        ("2019-Q2", date(2019, 4, 1), date(2019, 6, 30)),
        ("2019-Q4", date(2019, 10, 1), date(2019, 12, 31)),
        ("2019", date(2019, 1, 1), date(2019, 12, 31)),
        ("2010s", date(2010, 1, 1), date(2019, 12, 31)),
        ("9999", date(9999, 1, 1), date(9999, 12, 31)),
        ("9990s", date(9990, 1, 1), date(9999, 12, 31)),
    ],
)
def test_parts_of_dates(text, first, last):
    """The first and the last day are in, their neighbours are out; without being told so, the text is only itself."""
    image = read_image(text, dates=True)

    assert image.label == text
    assert image.contains(str(first)) and image.contains(f"{last} 23:59:59") and image.contains(f"{first}T00:00")
    assert not image.contains(str(first - timedelta(1)))
    assert last == date.max or not image.contains(str(last + timedelta(1)))
    assert not image.contains("tomorrow") and not image.contains(None)
    assert read_image(text) == Exactly(text)


@law
@given(text=TEXT | st.none(), dates=st.booleans())
def test_an_image_has_the_text_it_was_read_from_and_holds_it(text, dates):
    """Whatever the text, nasty ones too: a released text may have been there before and be kept as it was."""
    image = read_image(text, dates=dates)

    assert image.label == (text or "")
    assert image.contains(text)


@law
@given(low=FINITE, high=FINITE, closed=st.booleans(), value=FINITE)
def test_intervals_hold_what_lies_between_their_ends(low, high, closed, value):
    """By definition, and after their label was written and read."""
    low, high = min(low, high), max(low, high)
    image = Interval(low, high, closed=closed)
    inside = low <= value <= high if closed else low <= value < high

    assert image.contains(repr(value)) == inside
    assert read_image(image.label) == image


@law
@given(end=FINITE, value=FINITE)
def test_open_ends(end, value):
    """From a number on, and below a number."""
    assert read_image(Interval(end, math.inf).label).contains(repr(value)) == (value >= end)
    assert read_image(Interval(-math.inf, end).label).contains(repr(value)) == (value < end)


def test_a_closed_interval_without_a_lower_end():
    """Whole numbers up to 17 are those below 18."""
    assert Interval(-math.inf, 17, closed=True).label == "<18"


@law
@given(values=st.lists(TEXT, min_size=1, max_size=5, unique=True), other=TEXT)
def test_a_set_is_read_as_it_was_written(values, other):
    """Commas, quotes, braces, blanks and line breaks in its values do not matter."""
    label = set_label(values)

    assert read_image(label) == Values(frozenset(values), label)
    assert read_image(label).contains(other) == (other in (*values, label))


@law
@given(start=TEXT, rest=st.text(max_size=5))
def test_a_prefix_is_read_so_that_it_holds_what_it_stands_for(start, rest):
    """Also where the text has stars of its own, unless nothing but one star is left, which stands for everything."""
    for image in (Prefix(start), Prefix(start, len(start + rest))):
        assert image.contains(start + rest)
    assert read_image(Prefix(start, len(start) + 2).label).contains(start + "ab")


@law
@given(number=FINITE)
def test_numbers_are_written_so_that_they_are_read_back(number):
    """Exactly, and without a useless fraction."""
    assert float(number_text(number)) == number
    assert not number_text(number).endswith(".0")


def test_the_other_images():
    """What they are called, and that a day is read with or without a time."""
    assert (Everything().label, Exactly(None).label, Exactly("a").label) == ("*", "", "a")
    assert Dates(date(2020, 1, 1), date(2020, 1, 31), "x").contains("2020-01")
    assert not Dates(date(2020, 1, 1), date(2020, 1, 31), "x").contains("2020-13-01")


# The key law. Tables have one column of values, one of dates and the number of the row.
COLUMNS = {
    "texts": st.sampled_from(TEXTS) | st.none(),
    "numbers as text": st.sampled_from([str(number) for number in NUMBERS]) | st.none(),
    "numbers": st.sampled_from([*NUMBERS, math.nan]) | st.none(),
    "whole numbers": st.sampled_from(WHOLE) | st.none(),
}
DAYS = st.dates(date(1899, 1, 1), date(2030, 1, 1)) | st.none()
UNDRAWN = ("laplace_mechanism", "exponential_mechanism", "recode")


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A folder with a hierarchy, and a key in the environment."""
    made = tmp_path_factory.mktemp("images")
    (made / HIERARCHY).write_text("a;A;*\nb;A;*\n10;ten;*\n39;[30-39];*\n", encoding="utf-8")
    os.environ[KEY_VARIABLE] = "a key that is long enough"
    yield made
    del os.environ[KEY_VARIABLE]


def canonical(value: Any) -> str | None:
    """Return the text that a value has in a table, slowly and obviously."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, float):
        return _float_text(value)
    return str(value)


@lru_cache
def _float_text(value: float) -> str:
    return duckdb.execute("SELECT CAST(CAST(? AS DOUBLE) + 0 AS VARCHAR)", [value]).fetchall()[0][0].removesuffix(".0")


def check_images(folder: Any, columns: dict[str, list[Any]], steps: list[Any]) -> None:
    recipe = an.Recipe(tuple(steps), folder=folder)
    try:
        with an.read(pa.table(columns), threads=1) as data:
            release = an.apply(recipe, data).table.to_pydict()
    except AnonscopeError:
        reject()
    for column in ("x", "d"):
        for row, released in zip(release["n"], release.get(column, []), strict=column in release):
            text, original = canonical(released), canonical(columns[column][row])
            assert recipe.image(column, text).contains(original), (column, text, original, steps)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[Any]]:
    rows = draw(st.integers(1, 8))
    kind = COLUMNS[draw(st.sampled_from(sorted(COLUMNS)))]
    values = draw(st.lists(kind, min_size=rows, max_size=rows))
    dates: list[Any] = draw(st.lists(DAYS, min_size=rows, max_size=rows))
    if draw(st.booleans()):
        dates = [None if day is None else str(day) for day in dates]
    return {"n": list(range(rows)), "x": values, "d": dates}


def test_every_transformation_is_held_to_the_law():
    """A new one must be added to those that are drawn."""
    assert set(an.TRANSFORMATIONS) - set(UNDRAWN) <= set(STEPS)


@pytest.mark.parametrize("name", [name for name in STEPS if name not in UNDRAWN])
def test_an_inverse_image_is_never_too_small(name, folder):
    """Whatever a step makes of a value, the value is in the image of what it became."""

    @law
    @given(columns=tables(), step=STEPS[name])
    def holds(columns: dict[str, list[Any]], step: Any) -> None:
        check_images(folder, columns, [step])

    holds()


@law
@given(columns=tables(), steps=st.lists(st.one_of([STEPS[name] for name in STEPS if name not in UNDRAWN]), min_size=2, max_size=3))
def test_nor_is_it_after_several_steps(folder, columns, steps):
    """Steps on the same column, in any order."""
    check_images(folder, columns, steps)
