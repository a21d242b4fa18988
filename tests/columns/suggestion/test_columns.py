"""What a column is: its type, what it is about, whether it tells persons apart."""

import random
from datetime import date, datetime

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.columns.suggestion.meaning import distinguishability
from anonscope.columns.suggestion.profile import Profile
from anonscope.columns.suggestion.terms import LANGUAGES, concepts, read
from anonscope.columns.suggestion.vocabulary import Reader


def suggested(rows: int = 200, **columns) -> an.Suggestion:
    """Suggest roles for columns given as lists, or as what to draw each value from."""
    drawn = random.Random(3)
    table = {}
    for name, values in columns.items():
        table[name] = values if isinstance(values, list) else [drawn.choice(values) for _ in range(rows)]
    return an.suggest(pa.table(table), time_budget=0)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (("12", "7", "103"), "integer"),
        (("12", "7", "103", "N"), "integer"),
        (("1.5", "2.25", "9"), "continuous"),
        (("1,204.50", "99,000.10", "3.20"), "continuous"),
        (("0-35", "35-55", "55<="), "ordinal"),
        (("0 to 17", "18 to 29", "70 or Older"), "ordinal"),
        (("<=50K", ">50K"), "ordinal"),
        (("10-20", "20-30%", "30-40%"), "ordinal"),
        (("Minor", "Moderate", "Major", "Extreme"), "ordinal"),
        (("2020-01-31", "1999-12-01"), "date"),
        (("31.01.2020", "01.12.1999"), "date"),
        (("2011", "2008", "1999"), "date"),
        (("2020-01-31 10:00:01", "1999-12-01 23:59:00"), "date"),
        (("01234", "90210", "10115"), "code"),
        (("E11.9", "I10.0", "J45.1"), "code"),
        (("red", "green", "blue"), "category"),
    ],
)
def test_types_of_text(values, kind):
    """Numbers, steps, dates, codes and categories, as delimited text has them."""
    assert suggested(x=values)["x"].type == kind


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([date(2020, 1, 1), None, date(2021, 5, 4)] * 9, "date"),
        ([datetime(2020, 1, 1, 12, 30), datetime(2021, 1, 1)] * 9, "date"),
        ([1, 2, None] * 9, "integer"),
        ([0.5, float("nan"), 3.25] * 9, "continuous"),
        ([True, False, None] * 9, "category"),
        ([None] * 9, "empty"),
    ],
)
def test_types_of_typed_sources(values, kind):
    """What a Parquet file or a frame says of its columns."""
    assert suggested(x=values)["x"].type == kind


def test_how_fine_dates_are():
    """Safe Harbor asks for years; a day, a month and a time are finer."""
    found = suggested(
        a=("2020-01-31", "1999-12-01"), b=("2020-01", "1999-12"), c=("2011", "1999"), d=("2020-01-31 10:00", "1999-12-01 09:30")
    )

    assert [found[c].evidence.resolution for c in "abcd"] == ["day", "month", "year", "time"]


def test_postal_and_diagnosis_codes_are_codes_even_as_numbers():
    """Their beginnings mean something, their sums do not."""
    assert suggested(zip_code=[10000 + i for i in range(150)] * 2)["zip_code"].type == "code"
    assert suggested(diagnosis_code=[i % 40 for i in range(200)])["diagnosis_code"].type == "code"


def test_free_text_is_flagged():
    """Nobody can generalise a sentence; it may name anybody."""
    words = ("patient", "reports", "pain", "since", "Tuesday", "mother", "Anna", "called", "again", "left", "knee")
    drawn = random.Random(1)
    found = suggested(notes=[" ".join(drawn.choices(words, k=9)) for _ in range(200)])["notes"]

    assert (found.type, found.role) == ("free text", "direct identifier")
    assert "Free text" in found.reasons[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_concepts_are_known_in_five_languages(language):
    """Every term of every concept, written as a column name, is read as a concept of the same role."""
    reader = Reader(())
    wrong = []
    for name, entry in read("concepts").items():
        for term in entry.get(language, ()):
            match = reader.match(term.removeprefix("=").replace(" ", "_"))
            if match is None or match.concept.role != entry["role"]:
                wrong.append((name, term, match and match.concept.name))
    assert wrong == []


@pytest.mark.parametrize(
    ("column", "role"),
    [
        *(("Geburtsdatum", "quasi-identifier"), ("Beruf", "quasi-identifier"), ("Einkommen", "sensitive"), ("Konfession", "sensitive")),
        *(("code_postal", "quasi-identifier"), ("niveau d'études", "quasi-identifier"), ("maladie", "sensitive"), ("salaire", "sensitive")),
        *(
            ("estado civil", "quasi-identifier"),
            ("nacionalidad", "quasi-identifier"),
            ("enfermedad", "sensitive"),
            ("sindicato", "sensitive"),
        ),
        *(("woonplaats", "quasi-identifier"), ("opleiding", "quasi-identifier"), ("ziekte", "sensitive"), ("geloof", "sensitive")),
        *(("AGEP", "quasi-identifier"), ("PINCP", "sensitive"), ("RB090", "quasi-identifier"), ("PB190", "quasi-identifier")),
    ],
)
def test_what_outsiders_know_and_what_they_should_not(column, role):
    """Read from the name alone."""
    match = Reader(()).match(column)

    assert match is not None
    assert match.concept.role == role


def test_a_prefix_that_all_columns_share_is_no_part_of_a_name():
    """iage, isex, irace, ...: what is left are words."""
    reader = Reader(("iage", "isex", "irace", "ideathmon"))

    assert reader.match("iage").concept.name == "age"
    assert reader.match("ideathmon").concept.name == "event_date"
    assert Reader(("iage", "other", "third", "fourth")).match("iage") is None


@pytest.mark.parametrize(
    ("values", "concept"),
    [
        (("M", "F"), "sex"),
        (("weiblich", "männlich", "divers"), "sex"),
        (("Married", "Divorced", "Widowed", "Single"), "marital_status"),
        (("Texas", "Ohio", "Guam", "Utah"), "large_area"),
        (("Januar", "Februar", "März"), "event_date"),
        (("bronchitis", "gastritis", "heart failure"), "diagnosis"),
        (("Catholic", "Muslim", "No religion"), "belief"),
        (("White", "Black", "Asian", "Other"), "race"),
    ],
)
def test_values_tell_what_a_column_is_about(values, concept):
    """Even if it is called c7."""
    assert suggested(c7=values)["c7"].evidence.concept == concept


@pytest.mark.parametrize("values", [("a", "b"), ("yes", "no"), ("other", "unknown"), ("1", "2"), ("x1", "y2", "z3")])
def test_values_that_tell_nothing(values):
    """One common word is no proof."""
    assert suggested(c7=values)["c7"].evidence.concept is None


def test_special_categories_are_marked():
    """GDPR article 9: what is secret is sensitive; what can be seen stays a quasi-identifier, and the reader is told."""
    found = suggested(
        religion=("a", "b"), diagnosis=("c", "d"), sexual_orientation=("e", "f"), ethnicity=("g", "h"), union_member=("i", "j")
    )

    assert all(column.evidence.article_9 for column in found.columns)
    assert found.of("sensitive") == ("religion", "diagnosis", "sexual_orientation", "union_member")
    assert any("article 9" in reason for reason in found["ethnicity"].reasons)


def test_the_lexicon_is_well_formed():
    """Degrees, roles and domains are among those that are known, and codebooks name concepts that exist."""
    for concept in concepts().values():
        assert {concept.replicability, concept.availability, concept.distinguishability} <= {"low", "medium", "high"}
        assert concept.terms or concept.exact
    for book in read("codebooks").values():
        assert set(book["concepts"]) <= set(concepts())
    assert set(read("values")) - set(concepts()) == {"severity"}


def test_how_well_a_column_tells_people_apart():
    """By the share of pairs of records that differ in it."""
    profile = Profile("x", 0, "VARCHAR", 100, 0, ((1, 100),), 1, ())

    assert distinguishability(profile) == "high"
    assert distinguishability(Profile("x", 0, "VARCHAR", 100, 0, ((25, 4),), 1, ())) == "medium"
    assert distinguishability(Profile("x", 0, "VARCHAR", 100, 0, ((1, 1), (99, 1)), 1, ())) == "low"


def test_an_id_that_repeats_makes_a_table_of_events():
    """Patients with several visits; the visit's own number is unique and must go."""
    found = suggested(
        patient_id=[f"P{i // 3:04}" for i in range(300)], visit_id=[f"V{i:05}" for i in range(300)], sex=["F", "M", "M"] * 100
    )

    assert found.event_level
    assert found.roles.person == "patient_id"
    assert found["visit_id"].role == "direct identifier"


def test_a_column_called_after_a_person_holds_ids():
    """Codes under "patient" are ids of patients: unique ones must go, repeated ones tell persons apart."""
    assert suggested(patient=[f"P{i}" for i in range(8)], sex=["F", "M"] * 4).of("direct identifier") == ("patient",)
    assert suggested(student=[f"S{i // 2}" for i in range(60)], sex=["F", "M"] * 30).roles.person == "student"


def test_an_id_is_recognised_without_a_name():
    """Many values, each in a few records, all of one length."""
    drawn = random.Random(5)
    ids = [drawn.randrange(10**6, 10**7) for _ in range(2000)]
    found = suggested(c1=[ids[i // 3] for i in range(6000)])["c1"]

    assert (found.role, found.confidence) == ("person", "low")


def test_one_column_is_the_person_and_one_the_weight():
    """The best candidate keeps the role, the others are told why not."""
    found = suggested(
        student_id=[f"S{i // 2:04}" for i in range(300)],
        person_id=[f"P{i // 9:04}" for i in range(300)],
        person_weight=[i % 90 for i in range(300)],
        household_weight=[i % 40 for i in range(300)],
    )

    assert found.roles.person == "student_id"
    assert found["person_id"].role == "direct identifier"
    assert found.roles.weight == "person_weight"
    assert "'person_weight' is the better weight" in " ".join(found["household_weight"].reasons)


def test_body_weight_is_no_survey_weight():
    """It is measured, and a matter of health."""
    found = suggested(birth_weight=[2500 + i for i in range(200)], weight_kg=[50 + i % 60 for i in range(200)])

    assert found.of("weight") == ()
    assert found.of("sensitive") == ("birth_weight", "weight_kg")
