"""Values that stand for none hide no ids, places need no name to be places, and names that repeat are people with several records."""

import base64
import codecs
import random

import pytest

import anonscope as an
from anonscope.errors import AnonscopeError, DomainError, NotPublished

FIRST = (
    "Anna",
    "Hans",
    "Maria",
    "Peter",
    "Julia",
    "Karl",
    "Lena",
    "Max",
    "Sofia",
    "Paul",
    "Emma",
    "Noah",
    "Mia",
    "Jonas",
    "Clara",
    "Felix",
)
LAST = ("Berg", "Klein", "Vogt", "Lang", "Roth", "Busch", "Schmidt", "Weber", "Fischer", "Becker", "Hoffmann", "Krause", "Lehmann", "Huber")
LAST = (*LAST, "Maier", "Schulz", "Koch", "Bauer", "Richter", "Wolf")
NAMES = random.Random(5).sample([f"{first} {last}" for first in FIRST for last in LAST], 300)
PEOPLE = 300
QUERIES = (
    'epsilon = 1\n[columns.diagnosis]\ncategories = ["flu", "asthma", "gout"]\n'
    '[[queries]]\nname = "by diagnosis"\nkind = "table"\nby = ["diagnosis"]\n'
)


def people(path, **columns):
    """Write invented people with further columns, each made from a number and a name."""
    drawn = random.Random(7)
    lines = [",".join(["age", "zip", "sex", "diagnosis", *columns])]
    for i in range(PEOPLE):
        about = [
            drawn.randint(20, 79),
            drawn.choice(["10115", "10117", "20095"]),
            drawn.choice("MF"),
            drawn.choice(["flu", "asthma", "gout"]),
        ]
        lines.append(",".join(str(value) for value in [*about, *(make(i, NAMES[i], drawn) for make in columns.values())]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "make",
    {
        "zeros": lambda i, name, drawn: drawn.randint(10**9, 10**10 - 1) if i % 4 else 0,
        "base64": lambda i, name, drawn: base64.b64encode(name.encode()).decode() if i % 4 else "none",
        "reversed": lambda i, name, drawn: name[::-1] if i % 4 else "none",
        "shifted": lambda i, name, drawn: codecs.encode(name, "rot13") if i % 5 else "-",
        "scientific": lambda i, name, drawn: f"{drawn.randint(10**9, 10**10 - 1):.9E}",
        "codes": lambda i, name, drawn: f"K{drawn.randrange(10**6):06}" if i % 4 else "none",
    }.values(),
    ids=["zeros", "base64", "reversed", "shifted", "scientific", "codes"],
)
def test_a_filler_hides_no_ids(tmp_path, make):
    """A quarter of the records without one is no reason to take the others for something harmless."""
    source = people(tmp_path / "people.csv", result=make)
    with an.read(source, quasi_identifiers=["age", "zip", "sex"], sensitive=["diagnosis", "result"]) as data:
        with pytest.raises(AnonscopeError) as raised:
            an.anonymise(data, limits={"k_anonymity": 3}).release.save(tmp_path / "release.csv")
        assert "result" in str(raised.value) and not (tmp_path / "release.csv").exists()


def test_places_under_names_that_say_nothing(tmp_path):
    """Exact to a metre and of everybody their own: a person has to say what they are."""
    source = people(
        tmp_path / "people.csv",
        x1=lambda i, name, drawn: f"{52.4 + drawn.random() / 5:.5f}",
        x2=lambda i, name, drawn: f"{13.2 + drawn.random() / 3:.5f}",
        weight_of_parcel=lambda i, name, drawn: f"{drawn.random() * 9:.2f}",
    )
    with an.read(source, quasi_identifiers=["age", "zip", "sex"], sensitive=["diagnosis", "x1", "x2", "weight_of_parcel"]) as data:
        with pytest.raises(AnonscopeError) as raised:
            an.anonymise(data, limits={"k_anonymity": 3}).release.save(tmp_path / "release.csv")
        assert "x1" in str(raised.value) and "weight_of_parcel" not in str(raised.value)
        assert isinstance(raised.value, NotPublished) or not (tmp_path / "release.csv").exists()


@pytest.mark.parametrize("form", ["{}", "{}@example.org"])
def test_no_epsilon_for_a_record_where_names_repeat(tmp_path, form):
    """One person has many records, whatever the column of names is called; nothing is spent."""
    source = people(
        tmp_path / "visits.csv", ref=lambda i, name, drawn: form.format(NAMES[i % 40].replace(" ", "." if "@" in form else " "))
    )
    (tmp_path / "queries.toml").write_text(QUERIES)
    with an.read(source) as data, pytest.raises(DomainError, match="several records"):
        an.answer(data, tmp_path / "queries.toml")


def test_no_names_among_the_categories_that_are_drawn(tmp_path):
    """Every other release refuses a column of names; a person may say that they are of nobody."""
    source = people(tmp_path / "people.csv", name=lambda i, name, drawn: name)
    domain = tmp_path / "domain.toml"
    listed = ", ".join(f'"{name}"' for name in NAMES[:60])
    domain.write_text(
        f'record_is_person = true\n[columns.sex]\ncategories = ["F", "M"]\n[columns.name]\ncategories = [{listed}]\nother = "x"\n'
    )
    with an.read(source) as data, pytest.raises(DomainError, match="every drawn record") as raised:
        an.synthesise(data, domain, epsilon=1)
    assert NAMES[0] not in str(raised.value)
    with an.read(source, insensitive=["name"]) as data:
        assert an.synthesise(data, domain, epsilon=1).records > 0
