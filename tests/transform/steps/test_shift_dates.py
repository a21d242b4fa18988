"""Dates move by a number of days that belongs to the person: what lies between them stays."""

from collections import Counter
from datetime import date, datetime, timedelta

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonscope.columns.images import Dates, Everything, Exactly
from anonscope.errors import ColumnNotFound, RecipeError
from anonscope.transform.recipe import Recipe
from anonscope.transform.steps import ShiftDates
from support.strategies import law
from support.transformed import transformed

KEY = "SHIFT_TEST_KEY"


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv(KEY, "a key that is long enough")


def shifting(*dates: str, days: int = 30, **settings) -> ShiftDates:
    return ShiftDates(dates=dates or ("d",), person="who", days=days, key_variable=KEY, **settings)


def days_between(before: str, after: str) -> int:
    return (date.fromisoformat(after[:10]) - date.fromisoformat(before[:10])).days


def test_text_keeps_its_time_and_types_stay():
    """Typed and written dates of a person move alike; a missing date stays missing."""
    day, moment = date(2020, 2, 28), datetime(2020, 2, 28, 23, 59, 1)
    table = pa.table(
        {
            "who": ["ada", "ada", "ben"],
            "d": ["2020-02-28", "2020-03-01T10:30:00+01:00", None],
            "typed": pa.array([day, None, day]),
            "moment": pa.array([moment, moment, None], pa.timestamp("us")),
            "zoned": pa.array([moment, moment, None], pa.timestamp("ms", tz="UTC")),
        }
    )
    made = transformed(shifting("d", "typed", "moment", "zoned", zero=False), table)
    shift = days_between("2020-02-28", made["d"][0])

    assert shift != 0
    assert made["d"][1:] == [f"{date(2020, 3, 1) + timedelta(shift)}T10:30:00+01:00", None]
    assert made["typed"][:2] == [day + timedelta(shift), None]
    assert made["moment"] == [moment + timedelta(shift)] * 2 + [None]
    assert [entry and entry.replace(tzinfo=None) for entry in made["zoned"]] == made["moment"]


@law
@given(
    records=st.lists(st.tuples(st.sampled_from("abcde"), st.dates(date(1900, 1, 1), date(2100, 1, 1))), min_size=1, max_size=12),
    days=st.sampled_from([1, 7, 400]),
    zero=st.booleans(),
)
def test_what_lies_between_dates_of_a_person_stays(records, days, zero):
    """One shift a person, within the limits; none of them 0 if told; the same in another table."""
    who, dates = [person for person, _ in records], [str(day) for _, day in records]
    made = transformed(shifting(days=days, zero=zero), {"who": who, "d": dates})["d"]
    shifts = {person: set() for person in who}
    for person, before, after in zip(who, dates, made, strict=True):
        shifts[person].add(days_between(before, after))
        assert shifting(days=days).image("d", after).contains(before)

    assert all(len(found) == 1 for found in shifts.values())
    assert all(abs(shift) <= days and (zero or shift) for (shift,) in shifts.values())
    again = transformed(shifting(days=days, zero=zero), {"who": ["a"], "d": ["2000-01-01"]})["d"]
    assert "a" not in shifts or days_between("2000-01-01", again[0]) in shifts["a"]


@pytest.mark.parametrize(("zero", "expected"), [(True, {-2, -1, 0, 1, 2}), (False, {-2, -1, 1, 2})])
def test_every_shift_is_as_likely(zero, expected):
    """Of 10,000 persons about as many have each number of days; the key is fixed, so the counts are too."""
    made = transformed(shifting(days=2, zero=zero), {"who": list(range(10_000)), "d": ["2000-01-10"] * 10_000})["d"]
    counts = Counter(days_between("2000-01-10", day) for day in made)
    assert set(counts) == expected
    assert max(counts.values()) - min(counts.values()) < 250


def test_domains_shift_differently(monkeypatch):
    """And so do keys."""
    people = {"who": list(range(20)), "d": ["2000-01-10"] * 20}
    made = [transformed(shifting(days=300, domain=domain), people)["d"] for domain in ("", "b")]
    monkeypatch.setenv(KEY, "another key, long enough too")
    made.append(transformed(shifting(days=300), people)["d"])
    assert len({tuple(days) for days in made}) == 3


def test_without_a_key_a_seed_is_drawn():
    """For this release; the recipe that was carried out has it, and shifts alike again."""
    people = {"who": list(range(30)), "d": ["2000-01-10"] * 30}
    step = ShiftDates(dates=("d",), person="who", days=300)
    carried_out = Recipe((step,)).seeded().steps[0]
    assert len(carried_out.seed) == 64 and carried_out.reproducible and not step.reproducible and not carried_out.for_tests
    assert transformed(carried_out, people) == transformed(carried_out, people) != transformed(step, people)
    assert ShiftDates(dates=("d",), person="who", days=300, seed=1).for_tests
    assert shifting().seeded() == shifting()


def test_what_cannot_be_shifted():
    """Text that is no date, and a date that is nobody's: never released as it is."""
    table = {"who": ["ada", "ada", None], "d": ["2020-01-01", "unknown", "2020-05-05"]}
    with pytest.raises(RecipeError, match=r"2 values of column 'd' \(in 2 records\) cannot be read as a date, or belong to records"):
        transformed(shifting(), table)
    assert transformed(shifting(otherwise="suppress"), table)["d"][1:] == ["*", "*"]
    with pytest.raises(RecipeError, match=r"1 value of column 'd' \(in 1 record\) belong"):
        transformed(shifting(otherwise="keep"), table)
    kept = transformed(shifting(otherwise="keep"), {"who": ["ada", "ada"], "d": ["2020-01-01", "unknown"]})["d"]
    assert kept[1] == "unknown" and kept[0] != "unknown"


def test_the_calendar_ends():
    """A date that would leave the years that our notation has is not shifted, and not kept."""
    table = {"who": list(range(9)), "d": ["9999-12-31"] * 9}
    for otherwise in ("error", "keep"):
        with pytest.raises(RecipeError, match="would leave the years 1 to 9999"):
            transformed(shifting(otherwise=otherwise), table)
    made = transformed(shifting(otherwise="suppress", zero=False), table)["d"]
    assert "*" in made and all(day == "*" or day < "9999-12-31" for day in made)


@pytest.mark.parametrize("text", ["2020-02-30", "2020-1-1", "20200101", "2020-01-01x", "01.02.2020", " "])
def test_only_iso_dates_are_dates(text):
    """A guess would move a date wrongly."""
    with pytest.raises(RecipeError, match="cannot be read as a date"):
        transformed(shifting(), {"who": ["ada"], "d": [text]})


def test_images():
    """The time around a date; anything for *; what was kept is itself."""
    step = shifting(days=2)
    assert step.image("d", "2020-01-01") == Dates(date(2019, 12, 30), date(2020, 1, 3), "2020-01-01")
    assert step.image("d", "9999-12-31").contains("9999-12-30")
    assert step.image("d", "*") == Everything()
    assert (step.image("d", "unknown"), step.image("d", None), step.image("who", "a")) == (Exactly("unknown"), Exactly(None), Exactly("a"))


def test_shifted_dates_count_as_perturbed():
    """No class over them means what it says."""
    assert shifting().perturbative
    assert shifting("d", "e").columns == ("d", "e")


def test_columns_that_are_not_there():
    """Are named."""
    for step in (shifting("x"), ShiftDates(dates=("d",), person="x", days=1, key_variable=KEY)):
        with pytest.raises(ColumnNotFound):
            transformed(step, {"who": ["a"], "d": ["2020-01-01"]})


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"dates": ()}, "dates must name at least one column"),
        ({"dates": ("d", "d")}, "each once"),
        ({"person": ""}, "person must name a column"),
        ({"person": "d"}, "person must name a column that is not shifted"),
        ({"days": 0}, "days must be a whole number of at least 1"),
        ({"days": 1.5}, "days must be a whole number"),
        ({"days": 36_526}, "days must be at most 36,525"),
        ({"seed": 1}, "key_file, key_variable or seed must say where the key is: one of them"),
        ({"key_file": "a.key"}, "key_file, key_variable or seed"),
        ({"key_variable": "", "seed": -1}, "seed must be left out"),
        ({"otherwise": "guess"}, "otherwise must be one of"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """When the step is made."""
    with pytest.raises(RecipeError, match=says):
        ShiftDates(**({"dates": ("d",), "person": "who", "days": 3, "key_variable": KEY} | settings))
