"""HIPAA Safe Harbor as a policy: 18 checks over all columns, whatever roles they were given."""

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import OptionError
from support import identified_people as people

CLEAN = {
    "state": ["NY", "TX"] * 30,
    "birth_year": [1980, 1990, 2001] * 20,
    "sex": ["F", "M"] * 30,
    "diagnosis": ["flu", "gout", "asthma"] * 20,
}


def checks(columns, *, zip3=None, quasi_identifiers=("sex",), **roles):
    with an.read(pa.table(columns), quasi_identifiers=quasi_identifiers, sensitive=["diagnosis"], **roles) as data:
        return an.audit(data, "hipaa-safe-harbor", zip_populations=zip3)


def status(audit: an.Audit, number: int) -> str:
    return next(check.status for check in audit.verdict.checks if check.number == number)


@pytest.fixture
def zip3(tmp_path):
    path = tmp_path / "zip3.csv"
    path.write_text("zip3,population\n100,1500000\n036,12000\n059,20000\n", encoding="utf-8")
    return path


def test_a_clean_table_passes():
    """18 checks, in the order of the rule."""
    audit = checks(CLEAN)

    assert [check.number for check in audit.verdict.checks] == list(range(1, 19))
    assert {check.status for check in audit.verdict.checks} == {"pass"}
    assert audit.verdict.released
    assert "All 18 rules are met." in audit.render("text")


@pytest.mark.parametrize("column", [name for name, number in people.CLASSES.items() if number])
def test_each_class_alone_fails_its_own_check(column):
    """One column too many, and the table is withheld because of it."""
    audit = checks({"sex": ["F", "M"] * 150, "diagnosis": ["flu", "gout"] * 150, column: people.table()[column]})
    failed = [check.number for check in audit.verdict.checks if check.status != "pass"]

    assert failed == [people.CLASSES[column]]
    assert audit.verdict.outcome == "withhold"


@pytest.mark.parametrize(
    ("ages", "expected"),
    [
        ([30, 89, 50], "pass"),
        ([30, 90, 50], "pass"),  # 90 alone is how "90 and over" is often written
        ([30, 91, 50], "fail"),
        ([30, 104, 50], "fail"),
        (["30", "90+", "50"], "pass"),
    ],
)
def test_ages_over_89_are_pooled(ages, expected):
    """A single age above fails."""
    assert status(checks(CLEAN | {"age": ages * 20}), 3) == expected


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        ("admission_date", ["2020-05-01", "2021-06-30"], "fail"),
        ("admission_month", ["2020-05", "2021-06"], "fail"),
        ("admission_year", ["2020", "2021"], "pass"),
        ("death_month", ["May", "June"], "fail"),
        ("birth_year", [1900, 1990], "fail"),
    ],
)
def test_dates_are_years(column, values, expected):
    """Anything finer fails, and so does a year of birth that tells an age over 89."""
    assert status(checks(CLEAN | {column: values * 30}), 3) == expected


@pytest.mark.parametrize(
    ("codes", "with_table", "expected"),
    [
        (["10013", "10115"], True, "fail"),
        (["100", "000"], True, "pass"),
        (["100", "036"], True, "fail"),
        (["100", "059"], True, "fail"),  # 20,000 is not more than 20,000
        (["100", "999"], True, "not measured"),
        (["100", "100"], False, "not measured"),
        (["000", "000"], False, "pass"),
    ],
)
def test_zip_codes_need_the_populations(zip3, codes, with_table, expected):
    """Three digits, and more than 20,000 people; without the user's table nobody knows."""
    audit = checks(CLEAN | {"zip": codes * 30}, zip3=zip3 if with_table else None)

    assert status(audit, 2) == expected
    assert audit.verdict.released == (expected == "pass")


def test_counties_and_cities_are_areas_smaller_than_a_state():
    """Also if the name speaks of something else first."""
    assert status(checks(CLEAN | {"Hospital County": ["Kings", "Queens"] * 30}), 2) == "fail"
    assert status(checks(CLEAN | {"region": ["North", "South"] * 30}), 2) == "pass"


def test_given_roles_count():
    """What its owner calls a direct identifier or a person is one, whatever it looks like."""
    audit = checks(CLEAN | {"x": ["a", "b"] * 30, "y": ["c", "d"] * 30}, direct_identifiers=["x"], person="y")
    (check,) = [check for check in audit.verdict.checks if check.status == "fail"]

    assert (check.number, check.columns) == (18, ("x", "y"))


def test_checks_are_in_every_report():
    """Text, Markdown, HTML and JSON."""
    audit = checks(CLEAN | {"email": [f"a{i}@example.org" for i in range(60)]})

    assert "6: no e-mail addresses" in audit.render("text")
    assert "no e-mail addresses" in audit.render("html")
    assert "no e\\-mail addresses" in audit.render("markdown") or "no e-mail addresses" in audit.render("markdown")
    (entry,) = [c for c in audit.to_dict()["verdict"]["checks"] if c["status"] == "fail"]
    assert entry == {"number": 6, "title": "e-mail addresses", "status": "fail", "columns": ["email"], "reason": "email: the table has it"}


@pytest.mark.parametrize(
    "content", ["", "zip3,population\n", "zip3,population\n10013,5\n", "zip3,population\n100\n", "zip3,population\n100,many\n"]
)
def test_a_table_of_populations_that_cannot_be_read(tmp_path, content):
    """The file and the line are named."""
    path = tmp_path / "zip3.csv"
    path.write_text(content, encoding="utf-8")

    with pytest.raises(OptionError, match=r"zip3\.csv"):
        checks(CLEAN, zip3=path)
