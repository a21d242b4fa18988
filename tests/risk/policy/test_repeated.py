"""A direct identifier that repeats: one person has several records, so records are not counted as people."""

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import ColumnsWithoutRole, PersonNotNamed
from anonscope.risk.policy import from_limits

FIRST = ("Anna", "David", "Maria", "Peter", "Laura", "Thomas", "Emma", "Michael")
LAST = ("Smith", "Miller", "Jones", "Brown", "Taylor", "Wilson", "Evans", "Meyer")


def visits(persons: int = 60, each: int = 8, **columns: object) -> pa.Table:
    """Eight visits of every patient, whose values are the same in all of them: classes of eight records that are one person."""
    number = [i // each for i in range(persons * each)]
    table = {
        "patient_id": [f"P{1000 + p}" for p in number],
        "age": [20 + p for p in number],
        "sex": ["MF"[p % 2] for p in number],
        "diagnosis": [("flu", "gout", "asthma")[i % 3] for i in range(len(number))],
    }
    return pa.table(table | columns)


def opened(table: pa.Table, **more: object) -> an.Data:
    return an.read(table, **({"quasi_identifiers": ["age", "sex"], "sensitive": ["diagnosis"]} | more))


def outcome(data: an.Data) -> str:
    return an.audit(data, from_limits({"k_anonymity": 5})).verdict.outcome


def test_records_of_one_person_are_not_a_crowd():
    """Every class holds eight records of one patient; this said "release" because each record passed for a person."""
    with opened(visits(), direct_identifiers=["patient_id"]) as data:
        found = an.audit(data, from_limits({"k_anonymity": 5}))
        assert all(rule.status == "pass" for rule in found.verdict.rules) and found.verdict.outcome == "withhold"
        told = "'patient_id' repeats, 60 values in 480 records: one person has several records. Name it with -p (person)"
        assert any(warning.startswith(told) for warning in found.warnings)
        assert found.to_dict()["verdict"]["repeated_identifiers"] == [
            {"column": "patient_id", "values": 60, "records": 480, "reason": None}
        ]
        with pytest.raises(PersonNotNamed, match="60 values in 480 records"):
            an.anonymise(data, limits={"k_anonymity": 5})
        with pytest.raises(PersonNotNamed, match="60 values in 480 records"):
            an.fragment(data, limits={"k_anonymity": 5}, fragments=[["age"], ["sex"]])
    with opened(visits(), person="patient_id") as data:
        assert an.audit(data, from_limits({"k_anonymity": 5})).verdict.rules[0].value == 1


def test_a_reason_is_believed_but_not_a_word_about_the_rest():
    with opened(visits(), direct_identifiers=["patient_id"], acknowledge={"patient_id": "ids are of beds"}) as data:
        assert outcome(data) == "release with acknowledgement"
        assert an.anonymise(data, limits={"k_anonymity": 5}).met
    with opened(visits(), direct_identifiers=["patient_id"], acknowledge_rest="known to nobody") as data:
        assert outcome(data) == "withhold"


@pytest.mark.parametrize("column", ["name", "patient_name", "last_name", "ward_id", "visit_id"])
def test_namesakes_and_ids_of_others_are_no_repeated_persons(column):
    """Two people may be called the same, and many are on one ward."""
    names = [f"{FIRST[i % 8]} {'ABCDEFGH'[i // 64 % 5]}. {LAST[i // 8 % 8]}" for i in range(480)]
    values = names if "name" in column else [f"W{i % 7}" for i in range(480)] if column == "ward_id" else [f"V{i}" for i in range(480)]
    table = visits().drop_columns(["patient_id"]).append_column(column, pa.array(values))
    with opened(table, direct_identifiers=[column]) as data:
        assert outcome(data) == "release"


def test_an_id_for_every_record_is_no_repeated_person():
    with opened(visits(480, 1, age=[i % 4 for i in range(480)]), direct_identifiers=["patient_id"]) as data:
        assert outcome(data) == "release"


def test_the_whole_column_is_counted_where_a_sample_shows_no_repetition():
    """Twenty thousand patients twice, the second visits after all first ones: no sample of a thousand tells."""
    number = [i % 20_000 for i in range(40_000)]
    columns = {"patient_id": [f"P{100_000 + p * 7919 % 20_000}" for p in number], "age": [p % 3 for p in number], "sex": ["M"] * 40_000}
    with an.read(pa.table(columns), quasi_identifiers=["age", "sex"], direct_identifiers=["patient_id"]) as data:
        assert outcome(data) == "withhold"


def test_what_looks_like_a_person_who_repeats_is_offered_as_the_person():
    with opened(visits()) as data, pytest.raises(ColumnsWithoutRole) as raised:
        an.anonymise(data, limits={"k_anonymity": 5})
    assert (raised.value.person, raised.value.identifiers) == ("patient_id", ("patient_id",))
    assert "people are to be counted by 'patient_id' (-p COLUMN, person)" in str(raised.value)
    assert "-d COLUMN" not in str(raised.value)


def test_one_id_in_two_records_is_enough():
    """Of ids with more than 95 values in 100 records nothing was said."""
    ids = [f"P{1000 + i}" for i in range(479)] + ["P1000"]
    with opened(visits(480, 1, age=[i % 4 for i in range(480)], patient_id=ids), direct_identifiers=["patient_id"]) as data:
        assert outcome(data) == "withhold"


def few(persons: int, column: str) -> pa.Table:
    """Visits of a handful of patients who are called 1, 2, ...; everybody is in every group."""
    table = {"age": [30 + 10 * (i % 2) for i in range(12 * persons)], "sex": ["M", "F"][0:1] * (12 * persons)}
    return pa.table(
        table | {column: [i % persons + 1 for i in range(12 * persons)], "diagnosis": ["flu", "gout", "asthma"] * (4 * persons)}
    )


@pytest.mark.parametrize("persons", [4, 9])
@pytest.mark.parametrize("column", ["patient_id", "id", "PatientenNr", "numero_paciente", "patient", "subject"])
def test_a_handful_of_patients_with_small_numbers_are_people(persons, column):
    """Such ids passed for a quasi-identifier by their rate, and records were counted."""
    table = few(persons, column)
    assert an.suggest(table).of("person") == (column,)
    with opened(table) as data:
        assert [c.column for c in an.audit(data, from_limits({"k_anonymity": 5})).verdict.unassigned if c.person] == [column]
        with pytest.raises(ColumnsWithoutRole, match="counted by"):
            an.anonymise(data, limits={"k_anonymity": 5})
        found = an.pipeline(data)
        assert {c.column: c.role for c in found.columns}[column] == "person"
        assert found.dimensions[0].k <= persons
    for role in ("direct_identifiers", "quasi_identifiers"):
        given = [column] if role == "direct_identifiers" else ["age", "sex", column]
        if role == "quasi_identifiers" and column in ("id", "patient", "subject"):
            continue  # these may also be called so and be something else: whoever names them has said what
        with opened(table, **{role: given}) as data, pytest.raises(PersonNotNamed):
            an.anonymise(data, limits={"k_anonymity": 2})


@pytest.mark.parametrize("column", ["person_id", "member_no", "PERNUM"])
def test_members_of_a_household_are_counted_within_it(column):
    table = pa.table(
        {
            "household_id": [f"H{i // 4}" for i in range(200)],
            column: [i % 4 + 1 for i in range(200)],
            "age": [20 + i % 50 for i in range(200)],
        }
    )
    assert an.suggest(table).of("person") == ()


SHAPES = {
    "six digits": (482913, 771204, 905527, 338190),
    "small": (1, 2, 3, 4),
    "letters": ("A", "B", "C", "D"),
    "hex": ("a3f9c1", "bb12e0", "07dd3a", "c0ffee"),
    "dates": ("1980-01-02", "1975-03-04", "1990-11-30", "1964-07-21"),
    "given names": ("Anna", "David", "Maria", "Peter"),
}


def four_people(column: str, values: tuple[object, ...]) -> pa.Table:
    """Twenty records of each of four people, each alone in a class."""
    table = {"age": [30 + 10 * (i // 20) for i in range(80)], "sex": ["M"] * 80, "diagnosis": ["flu", "gout", "asthma", "cold"] * 20}
    return pa.table(table | {column: [values[i // 20] for i in range(80)]})


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("column", ["patient", "student", "who", "name"])
def test_whoever_names_an_identifier_that_repeats_has_said_that_people_have_several_records(column, shape):
    """Only small numbers of patients were taken for people; of all others eighty records passed for eighty people."""
    with opened(four_people(column, SHAPES[shape]), direct_identifiers=[column]) as data:
        verdict = an.audit(data, from_limits({"k_anonymity": 5})).verdict
        assert [(c.column, c.values, c.records) for c in verdict.repeated] == [(column, 4, 80)] and verdict.outcome == "withhold"


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "given names"])
@pytest.mark.parametrize("column", ["patient", "user", "member"])
def test_a_column_called_after_a_person_tells_people_apart_whatever_its_values_look_like(column, shape):
    with opened(four_people(column, SHAPES[shape])) as data:
        verdict = an.audit(data, from_limits({"k_anonymity": 5})).verdict
        assert [c.column for c in verdict.unassigned if c.person] == [column] and verdict.outcome == "withhold"


@pytest.mark.parametrize(("column", "values"), [("student", ("Yes", "No")), ("student", (0, 1)), ("workers", (1, 2, 3, 4))])
def test_whether_somebody_is_a_student_and_how_many_workers_there_are_is_no_person(column, values):
    table = four_people(column, (*values, *values)[:4])
    with opened(table) as data:
        assert not any(c.person for c in an.audit(data, from_limits({"k_anonymity": 5})).verdict.unassigned)


def test_full_names_that_stand_in_two_records_on_average_are_people():
    """Namesakes are few; sixty-four names in 480 records are people with several records."""
    names = [f"{FIRST[i % 8]} {LAST[i // 8 % 8]}" for i in range(480)]
    table = visits().drop_columns(["patient_id"])
    with opened(table.append_column("name", pa.array(names)), direct_identifiers=["name"]) as data:
        assert outcome(data) == "withhold"
    with opened(table.append_column("last_name", pa.array(names)), direct_identifiers=["last_name"]) as data:
        assert outcome(data) == "release"


def test_beside_an_id_that_nobody_shares_those_of_one_name_are_namesakes():
    """A register of 480 patients with a number each has few names."""
    names = [f"{FIRST[i % 8]} {LAST[i // 8 % 8]}" for i in range(480)]
    table = visits().drop_columns(["patient_id"]).append_column("name", pa.array(names))
    numbers = pa.array([f"P{i:05}" for i in range(480)])
    with opened(table.append_column("patient_id", numbers), direct_identifiers=["name", "patient_id"]) as data:
        assert outcome(data) == "release"


CODES = [f"k{37 * (i % 60) % 977:03d}" for i in range(480)]
ILLNESSES = [f"{letter}{number}.{i}" for letter in "ABCDEJKLM" for number in (10, 24, 31) for i in (0, 1, 2)]


@pytest.mark.parametrize("role", ["quasi_identifiers", "sensitive"])
@pytest.mark.parametrize("column", ["patient", "ref", "code"])
def test_what_without_a_role_is_the_person_is_no_crowd_with_another_role(column, role):
    """Without a role `-p` was asked for; as a quasi-identifier or sensitive it was released, records counted as people."""
    table = visits(**{column: CODES}).drop_columns(["patient_id", "sex"])
    roles = {"quasi_identifiers": ["age"], "sensitive": ["diagnosis"]}
    with opened(table, **roles) as data:
        assert [look.column for look in an.audit(data, from_limits({"k_anonymity": 5})).verdict.unassigned] == [column]
    with opened(table, **(roles | {role: [*roles[role], column]})) as data:
        found = an.audit(data, from_limits({"k_anonymity": 5})).verdict
        assert [repeated.column for repeated in found.repeated] == [column] and found.outcome == "withhold"
        with pytest.raises(PersonNotNamed, match="60 values in 480 records"):
            an.anonymise(data, limits={"k_anonymity": 5})


def test_kinds_of_people_and_codes_of_illnesses_are_no_persons_with_another_role():
    """A few kinds of patients, codes of illnesses, and what repeats beside an id that nobody shares tell no person with several records."""
    kinds = visits(patient=[("in", "out", "day", "private")[i % 4] for i in range(480)]).drop_columns(["patient_id", "sex"])
    illnesses = visits(code=[ILLNESSES[i % len(ILLNESSES)] for i in range(480)]).drop_columns(["patient_id", "sex"])
    own = visits(ref=CODES, patient_id=[f"P{1000 + i}" for i in range(480)]).drop_columns(["sex"])
    for table, columns, more in ((kinds, "patient", {}), (illnesses, "code", {}), (own, "ref", {"direct_identifiers": ["patient_id"]})):
        for roles in ({"quasi_identifiers": ["age", columns]}, {"quasi_identifiers": ["age"], "sensitive": ["diagnosis", columns]}):
            with opened(table, **roles, **more) as data:
                assert not an.audit(data, from_limits({"k_anonymity": 5})).verdict.repeated
