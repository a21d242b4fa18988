"""The ready recipe for Safe Harbor: what it makes of every column, and that its release passes the policy's own checks."""

from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import OptionError, RecipeError
from anonscope.io.samples import write_hospital
from support import identified_people as people

FIRST = date.today().year - 89
FILLER: dict[str, list[Any]] = {"sex": ["F", "M"] * 20, "diagnosis": ["flu", "gout"] * 20}


@pytest.fixture
def zip3(tmp_path: Path) -> Path:
    path = tmp_path / "zip3.csv"
    path.write_text("zip3,population\n100,1500000\n021,900000\n036,12000\n059,20000\n", encoding="utf-8")
    return path


def released(columns: dict[str, list[Any]], zip_populations: Path | None = None, **roles: Any) -> tuple[dict[str, list[Any]], an.Audit]:
    """Return the release of a table by its own recipe, written and read back, and the audit of it."""
    with an.read(pa.table(columns), quasi_identifiers=["sex"], threads=1, **roles) as data:
        recipe = an.safe_harbor_recipe(data, zip_populations=zip_populations)
        release = an.apply(recipe, data)
        with release.read() as left:
            audit = an.audit(left, "hipaa-safe-harbor", zip_populations=zip_populations)
        return release.table.to_pydict(), audit


def failing(audit: an.Audit) -> list[int]:
    return [check.number for check in audit.verdict.checks if check.status != "pass"]


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        ("age", [30, 89, 90, 104], ["30", "89", "90+", "90+"]),
        ("age", ["30", "91", "unknown age", "5"] + ["40"] * 36, None),
        ("admission_date", ["2020-05-01", "2021-06-30", "2021-06-30 10:15", None], ["2020", "2021", "2021", None]),
        ("admission_date", ["05/13/2020", "12/30/2021", "01/02/1999", "11/11/2011"], ["2020", "2021", "1999", "2011"]),
        ("admission_date", [date(2020, 5, 1), date(2021, 6, 30), date(2021, 6, 30), None], ["2020", "2021", "2021", None]),
        ("admission_month", ["2020-05", "2021-06", "2021-07", "1999-01"], ["2020", "2021", "2021", "1999"]),
        ("date_of_birth", ["1920-05-01", "1980-06-30", "1990-01-01", "2001-01-01"], [f"<{FIRST}", "1980", "1990", "2001"]),
        ("birth_year", [1900, 1980, 1990, 2001], [f"<{FIRST}", "1980", "1990", "2001"]),
        ("zip", ["10013", "02138", "03601", "99999"], ["000"] * 4),
    ],
)
def test_what_becomes_of_a_column(column, values, expected):
    """Years of dates, one category for the oldest, and 000 for every ZIP code as long as nobody knows who lives there."""
    repeat = 40 // len(values)
    release, audit = released(FILLER | {column: values * repeat})

    if expected is not None:
        assert release[column] == expected * repeat
    assert failing(audit) == []


def test_three_digits_of_a_zip_code_stay_where_enough_people_live(zip3):
    """More than 20,000; areas that the table does not have and codes of another form become 000, a missing code stays missing."""
    codes = ["10013", "10013-4567", "021381234", "03601", "05901", "77777", "2138", None]
    release, audit = released(FILLER | {"zip": codes * 5}, zip3)

    assert release["zip"] == ["100", "100", "021", "000", "000", "000", "000", None] * 5
    assert failing(audit) == []


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        (["100", "036", "021**", "999"], ["100", "000", "021", "000"]),
        # 2138 was 02138 once, so 100 may have been 00100: among longer codes three digits are no area.
        ([10013, 2138, 100, 3601], ["100", "000", "000", "000"]),
    ],
)
def test_short_codes(zip3, codes, expected):
    """Three digits count as an area only where the whole column has them."""
    assert released(FILLER | {"zip": codes * 10}, zip3)[0]["zip"] == expected * 10


def test_months_without_a_year_are_dropped():
    """May is finer than a year, and no year can be read from it."""
    release, audit = released(FILLER | {"death_month": ["May", "June"] * 20})

    assert "death_month" not in release
    assert failing(audit) == []


@pytest.mark.parametrize("with_table", [True, False])
def test_a_table_with_every_class_passes(with_table, zip3):
    """Of the generated table with all 18 classes only what may stay is left, and all checks pass."""
    release, audit = released(people.table(), zip3 if with_table else None)

    assert set(release) == {"zip_code", "date_of_birth", "admission_date", "sex", "diagnosis", "charge"}
    assert failing(audit) == []
    assert audit.verdict.released


def test_a_nasty_table_passes(zip3):
    """Odd column names, mixed dates, free text, person ids, coordinates and a city."""
    rows = range(60)
    columns = {
        'zip "code"': [["10013", "3601", "n/a"][i % 3] for i in rows],
        "Date Of\nBirth": [f"{1900 + i}0{1 + i % 9}15" for i in rows],
        "visit, date": [["01.02.2020", "31.12.2021", "?"][i % 3] if i < 6 else "15.06.2020" for i in rows],
        "AGE": [[33, 97, None][i % 3] for i in rows],
        "note": [f"The patient number {i} said that the neighbour Mrs Smith had called at {i} o'clock again." for i in rows],
        "City": [["Springfield", "Shelbyville"][i % 2] for i in rows],
        "latitude": [40.5 + i / 1000 for i in rows],
        "e-mail": [f"a{i}@example.org" for i in rows],
        "pid": [i // 2 for i in rows],
        "sex": [["F", "M"][i % 2] for i in rows],
        "weight_kg": [60 + i % 30 for i in rows],
    }
    release, audit = released(columns, zip3, person="pid")

    assert set(release) == {'zip "code"', "Date Of\nBirth", "visit, date", "AGE", "sex", "weight_kg"}
    assert set(release["AGE"]) == {"33", "90+", None}
    assert set(release["visit, date"]) == {"2020", "2021", "*"}
    assert failing(audit) == []


@pytest.mark.parametrize("table", ["patients", "visits"])
def test_the_bundled_sample_passes(tmp_path, table):
    """The recipe, written and read back, makes a release of the sample that may be released under the policy."""
    with an.read(getattr(write_hospital(tmp_path, people=500), table)) as data:
        (tmp_path / "recipe.toml").write_text(an.safe_harbor_recipe(data).to_toml(), encoding="utf-8")
        target = an.apply(tmp_path / "recipe.toml", data).save(tmp_path / "release.csv")
    with an.read(target, quasi_identifiers=["sex"]) as data:
        audit = an.audit(data, "hipaa-safe-harbor")

    assert failing(audit) == []
    assert audit.verdict.released


def test_the_recipe_holds_on_new_data(zip3):
    """A recipe made when nobody was old and no area small pools ages and hides areas of a later table all the same."""
    with an.read(pa.table(FILLER | {"age": [30, 40] * 20, "zip": ["10013", "10014"] * 20}), quasi_identifiers=["sex"]) as data:
        recipe = an.safe_harbor_recipe(data, zip_populations=zip3)
    with an.read(pa.table({"sex": ["F", "M"], "diagnosis": ["flu", "flu"], "age": [97, 40], "zip": ["03601", "88888"]})) as later:
        release = an.apply(recipe, later).table.to_pydict()

    assert (release["age"], release["zip"]) == (["90+", "40"], ["000", "000"])


def test_every_step_says_why():
    """With the number of its class, and without a value of the data."""
    with an.read(pa.table(people.table())) as data:
        recipe = an.safe_harbor_recipe(data)

    assert all(comment.startswith("Class ") for comment in recipe.comments)
    text = recipe.to_toml()
    assert not [value for column in ("patient_name", "ssn", "email", "zip_code") for value in people.table()[column] if value in text]


def test_nothing_to_do_is_said():
    """A table that falls under no class needs no recipe."""
    with an.read(pa.table(FILLER)) as data, pytest.raises(RecipeError, match="nothing to change"):
        an.safe_harbor_recipe(data)


def test_a_table_of_populations_that_cannot_be_read(tmp_path):
    """It is named before the table is looked at."""
    with an.read(pa.table(FILLER)) as data, pytest.raises(OptionError, match="cannot be read"):
        an.safe_harbor_recipe(data, zip_populations=tmp_path / "nope.csv")
