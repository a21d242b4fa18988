"""A few names and telephone numbers among other texts, and ids in whatever way a program wrote them, are seen in any role."""

from itertools import product
from random import Random

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.columns.suggestion.by_values import names_beside
from anonscope.columns.suggestion.formats import phones_within

_ILLNESSES = [
    f"{how} {what}" for how, what in product(("mild", "late", "severe", "known", "early"), ("asthma", "gout", "flu, type a", "eczema"))
]
_NAMES = [
    f"{first} {last}"
    for first, last in zip(
        ("Anna", "Peter", "Maria", "Thomas", "Julia", "Paul", "Laura", "Hans"),
        ("Schmidt", "Meyer", "Weber", "Garcia", "Dubois", "Smith", "Miller", "Jones"),
        strict=True,
    )
]
_ROWS = 240


def _outcome(values: list[str], **roles: list[str]) -> str:
    table = pa.table({"age": [20 + i % 4 for i in range(len(values))], "sex": ["mf"[i % 2] for i in range(len(values))], "result": values})
    with an.read(table, quasi_identifiers=["age"], insensitive=["sex"], acknowledge_rest="a word for all the rest", **roles) as data:
        return an.audit(data, "trusted-internal").verdict.outcome


def _among(few: list[str]) -> list[str]:
    drawn = Random(3)
    values = [drawn.choice(_ILLNESSES) for _ in range(_ROWS)]
    for i, value in enumerate(few):
        values[7 + i * 29] = value
    return values


@pytest.mark.parametrize("roles", [{}, {"sensitive": ["result"]}], ids=["no role", "sensitive"])
@pytest.mark.parametrize(
    "few",
    [
        _NAMES,
        [name.lower() for name in _NAMES],
        [", ".join(reversed(name.split())) for name in _NAMES],
        [f"was seen with {name} on Monday" for name in _NAMES],
        ["call 0171 2345678 at night", "or 089/12345678"],
        ["reach at (617) 555-0123", "or 617-555-0199"],
        ["tel 06 12 34 56 78", "06 98 76 54 32 instead"],
        ["mob 07700 900123", "07700 900456"],
    ],
    ids=["names", "small letters", "family first", "within", "German", "American", "French", "British"],
)
def test_a_few_among_many_withhold(few: list[str], roles: dict[str, list[str]]) -> None:
    """Eight names or two numbers among 240 illnesses are not published, in a column that was called sensitive or nothing."""
    assert _outcome(_among(few), **roles) == "withhold"


@pytest.mark.parametrize(
    "texts",
    [
        "Virginia Beach|Charlotte Amalie|Alice Springs|Victoria Falls|Jackson Hole|Lake Charles",
        "Victoria Road|Albert Road|Charlotte Street|Alexander Platz|Martin Luther King Blvd",
        "Peter Pan syndrome|Albert Schonberg disease|Robert Wartenberg sign|Marie Unna|Ann Arbor stage II",
        "Thomas Jefferson High School|George Washington University|James Madison University|Mary Washington College",
    ],
    ids=["places", "streets", "illnesses", "schools"],
)
def test_what_is_called_after_people_is_nobody(texts: str) -> None:
    """A first name with a word beside it is no name of a person where these words do not read as names."""
    assert names_beside(texts.split("|")) is None


@pytest.mark.parametrize(
    "text", ["0378-1805-01", "on 05-10-2021 12 at home", "since 03/04/2019", "call 911", "0.25 - 0.75 mg", "2021-05-03 10", "01-02-2023"]
)
def test_days_drugs_and_doses_are_no_telephone_numbers(text: str) -> None:
    """What has digits and dashes for another reason reaches nobody."""
    assert not phones_within(text)


@pytest.mark.parametrize("form", ["{}.0", "{},0", "{:.6E}"], ids=["point", "comma", "exponent"])
@pytest.mark.parametrize("name", ["patient_id", "pid"])
def test_ids_are_ids_however_a_program_wrote_them(name: str, form: str) -> None:
    """Ids that repeat, written as decimals, were taken for measurements, and given as sensitive they were released."""
    drawn = Random(5)
    people = [(n, drawn.choice("mf")) for n in drawn.sample(range(1_000_000, 9_999_999), 60)] * 3
    table = pa.table(
        {"age": [20 + i % 2 for i in range(180)], "sex": [sex for _, sex in people], name: [form.format(n) for n, _ in people]}
    )
    for roles in ({}, {"sensitive": [name]}):
        with an.read(table, quasi_identifiers=["age", "sex"], acknowledge_rest="a word for all the rest", **roles) as data:
            assert an.audit(data, "trusted-internal").verdict.outcome == "withhold"


def test_many_columns_are_asked_about_a_few_at_a_time():
    """One statement of all is planned in the square of their number: 90 columns took 13 seconds whatever the records. The last is seen."""
    table = {f"q{i}": [f"v{j % 3}" for j in range(60)] for i in range(60)}
    table["last"] = [f"text {j % 5}" for j in range(59)] + ["write to a.b@example.org"]
    with an.read(pa.table(table), quasi_identifiers=["q0"], threads=1) as data:
        found = an.audit(data, "trusted-internal").verdict.unassigned
        possible, asked = ([s.sql.count(of) for s in data.engine.statements] for of in ("BOOL_OR", "MIN(DISTINCT"))
    assert max(possible) <= 48 < sum(possible) and max(asked) <= 48
    assert 0 < sum(asked) < 10, "the forms themselves are asked of the columns alone that may have them"
    assert next(column for column in found if column.column == "last").looks_like == "direct identifier"
