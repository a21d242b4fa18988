"""The 18 classes of Safe Harbor are found by name and by form, and quantities are not taken for them."""

import random

import pyarrow as pa
import pytest
from stdnum.de import idnr
from stdnum.nl import bsn

import anonscope as an
from anonscope.columns.suggestion.terms import LANGUAGES, concepts, read
from anonscope.columns.suggestion.vocabulary import Reader
from support import identified_people as people


@pytest.fixture(scope="module")
def found() -> an.Suggestion:
    return an.suggest(pa.table(people.table()))


@pytest.mark.parametrize("column", people.CLASSES)
def test_every_class_is_found(found, column):
    """None of the 18 classes is missed, and sex, diagnosis and a nine-digit charge are none of them."""
    assert found[column].evidence.safe_harbor == people.CLASSES[column]


@pytest.mark.parametrize("column", people.CLASSES)
def test_roles_follow_from_classes(found, column):
    """What says outright who somebody is must be removed; areas and dates are what outsiders know."""
    if column in people.QUASI_IDENTIFIERS:
        assert found[column].role == "quasi-identifier"
    elif people.CLASSES[column] is None:
        assert found[column].role == "sensitive"
    else:
        assert found[column].role == "direct identifier"


def test_no_identifier_is_missed_without_names():
    """Columns called c1, c2, ...: forms tell most classes, and what is unique and looks like a code is proposed for removal."""
    columns = people.table()
    renamed = {f"c{i}": values for i, values in enumerate(columns.values())}
    names = dict(zip(renamed, columns, strict=True))
    proposed = an.suggest(pa.table(renamed))
    direct = {names[column] for column in proposed.of("direct identifier")}
    wanted = {name for name, number in people.CLASSES.items() if number and name not in people.QUASI_IDENTIFIERS}

    assert wanted <= direct
    by_form = {names[c.name]: c.evidence.safe_harbor for c in proposed.columns}
    for name in ("patient_name", "home_address", "email", "ssn", "account_number", "vehicle_id", "website", "ip_address", "photo"):
        assert by_form[name] == people.CLASSES[name]
    assert by_form["date_of_birth"] == 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_are_known_in_five_languages(language):
    """Every term of every identifier, written as a column name, is read as that identifier or as one that it is part of."""
    reader = Reader(())
    for name, entry in read("identifiers").items():
        for term in entry[language]:
            match = reader.match(term.removeprefix("=").replace(" ", "_"))
            assert match is not None, term
            assert match.concept.domain == "identifier", (term, match.concept.name, name)


@pytest.mark.parametrize(
    ("column", "number"),
    [
        *(("Nachname", 1), ("Straße", 2), ("Telefonnummer", 4), ("Krankenversicherungsnummer", 9), ("Kontonummer", 10)),
        *(("prénom", 1), ("numéro_sécurité_sociale", 7), ("courriel", 6), ("Plaque d'immatriculation", 12)),
        *(("apellidos", 1), ("correo electrónico", 6), ("DNI", 7), ("huella dactilar", 16)),
        *(("achternaam", 1), ("burgerservicenummer", 7), ("rekeningnummer", 10), ("kenteken", 12)),
        *(("PatientName", 1), ("EMAIL_ADDR", 6), ("custAcctNr", 10), ("MRN", 8)),
    ],
)
def test_spellings_of_names(column, number):
    """Accents, capitals, camel case and abbreviations do not matter."""
    match = Reader(()).match(column)

    assert match is not None
    assert match.concept.safe_harbor == number


@pytest.mark.parametrize("column", ["course_name", "product_name", "drug name", "facility_name", "filename_length", "weekday"])
def test_other_names_are_not_names_of_people(column):
    """Only a person's name is one."""
    match = Reader(()).match(column)

    assert match is None or match.concept.name != "names"


def suggestion(rows: int = 400, **columns) -> an.Suggestion:
    drawn = random.Random(7)
    return an.suggest(pa.table({name: [make(drawn, i) for i in range(rows)] for name, make in columns.items()}))


def test_nine_digits_need_a_name_or_a_check_digit():
    """A nine-digit amount is no social security number; the same digits under the name are, and so are numbers that all pass a check."""

    def citizen(drawn, i):
        while True:
            number = f"{drawn.randrange(10**8, 10**9)}"
            if bsn.is_valid(number):
                return number

    found = suggestion(
        total_charges=lambda drawn, i: drawn.randrange(10**8, 10**9),
        ssn=lambda drawn, i: drawn.randrange(10**8, 10**9),
        c3=citizen,
    )

    assert found["total_charges"].role == "sensitive"
    assert found["ssn"].evidence.safe_harbor == 7
    assert found["c3"].evidence.safe_harbor == 7
    assert "check digit" in found["c3"].reasons[0]


def test_a_check_digit_that_one_number_in_ten_has_is_no_proof():
    """Eleven random digits pass some country's check often, but never all of them the same country's."""
    found = suggestion(measure=lambda drawn, i: drawn.randrange(10**10, 10**11))

    assert found["measure"].evidence.safe_harbor != 7
    assert not idnr.is_valid("12345678901")


def test_the_number_of_a_group_is_not_that_of_a_person():
    """A certificate number that many records share belongs to whoever treats them."""
    found = suggestion(operating_certificate_number=lambda drawn, i: 7_000_000 + drawn.randrange(40), licence=lambda drawn, i: i % 3)

    assert found["operating_certificate_number"].role == "quasi-identifier"
    assert found["licence"].role != "direct identifier"


def test_amounts_are_no_ids_even_if_unique():
    """Decimals, or amounts spread unevenly, are measured and not given out."""
    found = suggestion(
        x=lambda drawn, i: round(drawn.lognormvariate(8, 1) + i / 1000, 3),
        y=lambda drawn, i: int(drawn.lognormvariate(12, 2)) + i,
    )

    assert found.of("direct identifier") == ()


def test_every_identifier_has_a_class_of_its_own():
    """Numbers 1 to 18, with areas and dates among the quasi-identifiers."""
    numbers = {c.safe_harbor for c in concepts().values() if c.safe_harbor}

    assert numbers == set(range(1, 19))


def test_codes_of_areas_are_no_telephone_numbers():
    """They have the digits and dashes, but hundreds of people in each; a telephone that a handful share is one, whatever it is called."""
    draw = random.Random(5)
    areas = [f"0{1 + i % 6}-0{1300 + i}" for i in range(6)]
    shared = an.suggest(pa.table({"PUMA": [draw.choice(areas) for _ in range(600)], "AGEP": [draw.randint(18, 90) for _ in range(600)]}))
    telephones = [f"030-{draw.randint(1_000_000, 9_999_999)}" for _ in range(300)]
    own = an.suggest(pa.table({"PUMA": [draw.choice(telephones) for _ in range(600)], "AGEP": [draw.randint(18, 90) for _ in range(600)]}))

    assert shared["PUMA"].role == "quasi-identifier"
    assert own["PUMA"].role == "direct identifier"


def test_the_code_of_a_procedure_that_others_have_had_too_is_no_id():
    """Of a list of a hundred, beside its description; the id of a procedure of which everybody has their own is one."""
    draw = random.Random(6)
    codes = [draw.randint(1, 120) for _ in range(600)]
    others = {"age": [draw.randint(18, 90) for _ in range(600)], "CCS Procedure Description": [f"operation on {c} bones" for c in codes]}

    assert an.suggest(pa.table({"CCS Procedure Code": codes, **others}))["CCS Procedure Code"].role == "sensitive"
    assert an.suggest(pa.table({"procedure_id": list(range(70_000, 70_600)), **others}))["procedure_id"].role == "direct identifier"
