"""One record of each person: what is taken of their records, that one person is one record however many they have, and what is refused."""

from datetime import date

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import ColumnNotFound, DomainError, RoleError
from anonscope.synthesis.domain_file import domain_text, parse_domain
from anonscope.synthesis.queries import parse_queries
from anonscope.synthesis.summary import summarised

DOMAIN = """
person = "id"
[columns.visits]
take = "count"
lower = 0
upper = 50
whole = true
[columns.wards]
take = "distinct"
of = "ward"
lower = 0
upper = 5
whole = true
[columns.ward]
take = "most"
categories = ["east", "west"]
missing = true
[columns.cost]
take = "sum"
lower = 0
upper = 1000
bins = 10
[columns.dearest]
take = "highest"
of = "cost"
lower = 0
upper = 100
bins = 10
[columns.last]
take = "latest"
of = "seen"
first = 2020-01-01
last = 2020-12-31
unit = "month"
[columns.west]
take = "ever"
of = "ward"
value = "west"
categories = ["no", "yes"]
"""
EVENTS = [
    ("a", "east", 10.0, date(2020, 1, 5)),
    ("a", "west", 20.0, date(2020, 3, 1)),
    ("a", "west", 5.0, date(2020, 2, 1)),
    ("b", "east", 7.0, date(2020, 6, 1)),
    ("c", None, 1.0, date(2020, 7, 1)),
    (None, "west", 99.0, date(2020, 8, 1)),
]


def events(more=()):
    rows = [*EVENTS, *more]
    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(("id", "ward", "cost", "seen"))})


def test_what_is_taken_of_the_records_of_a_person():
    """Counted by hand; who has no id is nobody."""
    with an.read(events()) as data:
        found = summarised(data.engine, data.relation, parse_domain(DOMAIN))
        rows = sorted(data.engine.rows(f"SELECT * FROM {found.origin}"))

    assert rows == [
        ("a", 3, 2, "west", 35.0, 20.0, "2020-03-01", "yes"),
        ("b", 1, 1, "east", 7.0, 7.0, "2020-06-01", "no"),
        ("c", 1, 0, None, 1.0, 1.0, "2020-07-01", "no"),
    ]
    assert found.names == ("id", "visits", "wards", "ward", "cost", "dearest", "last", "west")


def test_a_domain_that_sums_up_is_written_and_read_again():
    """With what is taken of what."""
    domain = parse_domain(DOMAIN)
    assert parse_domain(domain_text(domain)) == domain and domain.summarised and domain.records_per_unit == 1


def test_one_person_is_one_record_however_many_they_have():
    """A synthetic table of people, drawn nearly without noise: ten thousand visits of one person move it by one."""
    people = [(f"p{i}", ("east", "west")[i % 2], 10.0, date(2020, 1 + i % 12, 1)) for i in range(300) for _ in range(1 + i % 3)]
    often = [("often", "west", 50.0, date(2020, 12, 31))] * 1000
    table = events([*people, *often])
    with an.read(table, person="id") as data:
        made = an.synthesise(data, parse_domain(DOMAIN), epsilon=1_000_000, hold_out=0)
        answers = an.answer(data, parse_queries("epsilon = 1_000_000\n" + DOMAIN + '[[queries]]\nkind = "histogram"\nby = ["ward"]\n'))

    assert made.records == 304
    assert made.guarantee.sentence.endswith("a person is one id, all of whose records were made one; the domain was declared")
    visits = made.table.column("visits").to_pylist()
    assert visits.count(50) == 1 and abs(visits.count(3) - 101) <= 2
    assert {a.group[0]: a.value for a in answers.answers} == {"east": 151, "west": 152, "(missing)": 1}
    assert "all of whose records were made one" in answers.guarantee
    assert not any("drawn one by one" in note for note in made.notes)


def test_membership_is_attacked_in_people():
    """Those kept aside are kept aside with all of their records, and are records of people too."""
    people = [(f"p{i}", ("east", "west")[i % 2], float(i % 90), date(2020, 1 + i % 12, 1)) for i in range(300) for _ in range(1 + i % 3)]
    with an.read(events(people), person="id") as data:
        made = an.synthesise(data, parse_domain(DOMAIN), method="tree", epsilon=5, hold_out=0.3, seed=1)

    assert made.attacks and all(result.status == "measured" for result in made.attacks)
    assert made.attacks[0].control_targets < 130


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        (('take = "sum"', 'take = "most of all"'), DomainError, "numbers take count, distinct, sum"),
        (('take = "sum"\n', ""), DomainError, "'cost' does not say what it takes"),
        (('value = "west"\n', ""), DomainError, "value goes with take = 'ever'"),
        (('person = "id"\n', ""), DomainError, "say person as well"),
        (('person = "id"\n', 'person = "id"\nrecords_per_person = 3\n'), DomainError, "is 1. Leave it out"),
        (('categories = ["no", "yes"]', 'categories = ["0", "1"]'), DomainError, "the categories yes and no"),
        (('of = "seen"', 'of = "born"'), ColumnNotFound, "born"),
    ],
)
def test_what_is_wrong_is_a_sentence(change, error, said):
    """Before anything is counted."""
    with an.read(events(), person="id") as data, pytest.raises(error, match=said):
        an.synthesise(data, parse_domain(DOMAIN.replace(*change)), epsilon=1)


def test_no_direct_identifier_is_taken():
    """Under whatever name; how many there are may be told."""
    with an.read(events(), person="id", direct_identifiers=["ward"]) as data, pytest.raises(RoleError, match="direct identifiers"):
        an.synthesise(data, parse_domain(DOMAIN), epsilon=1)
