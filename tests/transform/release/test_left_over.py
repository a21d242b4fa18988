"""A direct identifier is dealt with when nothing of it is left in the release, not when a step names it."""

import json

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import ColumnsWithoutRole, NotPublished
from anonscope.operations.apply import apply
from anonscope.transform.release.manifest import manifest_path
from anonscope.transform.steps.add_noise import AddNoise
from anonscope.transform.steps.drop_column import DropColumn
from anonscope.transform.steps.generalise_interval import GeneraliseInterval
from anonscope.transform.steps.generalise_prefix import GeneralisePrefix
from anonscope.transform.steps.mask import Mask
from anonscope.transform.steps.permute_column import PermuteColumn
from anonscope.transform.steps.pseudonymise import Pseudonymise
from anonscope.transform.steps.round import Round
from anonscope.transform.steps.suppress_cells import SuppressCells
from anonscope.transform.steps.suppress_column import SuppressColumn
from anonscope.transform.steps.swap_ranks import SwapRanks

FIRST = ("Anna", "David", "Maria", "Peter", "Laura", "Thomas", "Emma", "Michael")
LAST = ("Smith", "Miller", "Jones", "Brown", "Taylor", "Wilson", "Evans", "Meyer")
NAMES = [f"{FIRST[i % 8]} {LAST[i // 8]}" for i in range(64)]
TABLE = pa.table({"name": NAMES, "age": [20 + i % 3 for i in range(64)]})
PATIENTS = pa.table(
    {
        "patient_no": [200_000 + 7_919 * i % 100_000 for i in range(64)],
        "email": [f"{name.lower().replace(' ', '.')}@example.org" for name in NAMES],
        "age": [20 + i % 3 for i in range(64)],
    }
)
A_PERSON = "it is changed, but (a single person|only [0-9]+ people) may stand behind a value of it, and 11 are a group"
LEAVING = {
    "one cell": (SuppressCells(column="name", values=("Anna Smith",)), "63 values are as they were"),
    "moved to others": (PermuteColumn(column="name", seed=1), "values? (is|are)"),
    "swapped": (SwapRanks(column="name", percent=100, order="text", seed=1), "values? (is|are)"),
    "but the last letter": (Mask(column="name", pattern=".$", replacement=""), A_PERSON),
    "vowels covered": (Mask(column="name", pattern="[aeiou]", replacement="#"), A_PERSON),
    "a dot after each letter": (Mask(column="name", pattern="([A-Za-z])", replacement=r"\1."), A_PERSON),
    "the end": (Mask(column="name", last=6), A_PERSON),
    "the beginning": (Mask(column="name", first=4), A_PERSON),
    "a seed for tests": (Pseudonymise(column="name", seed=1), "a seed for tests"),
    "a mask over pseudonyms": ([Pseudonymise(column="name"), Mask(column="name", pattern="^", replacement="9")], A_PERSON),
    "a pseudonym masked to the end": (
        [Mask(column="name", pattern="^", replacement="9"), SuppressCells(column="name", values=("x",))],
        A_PERSON,
    ),
}
DISGUISES = {
    "a digit before": Mask(column="patient_no", pattern="^", replacement="9"),
    "halves swapped": Mask(column="patient_no", pattern="^(...)(...)$", replacement=r"\2\1"),
    "width 2": GeneraliseInterval(column="patient_no", width=2),
    "width 10": GeneraliseInterval(column="patient_no", width=10),
    "five digits of six": GeneralisePrefix(column="patient_no", characters=5),
    "noise": AddNoise(column="patient_no", scale=1, seed=1),
    "rounded": Round(column="patient_no", to=10),
    "email": Mask(column="email", pattern="@.*", replacement="@x"),
}
GONE = {
    "pseudonyms": Pseudonymise(column="name"),
    "masked before": [Mask(column="name", first=1), Pseudonymise(column="name")],
    "some pseudonyms only": [Pseudonymise(column="name"), SuppressCells(column="name", values=("x",))],
    "all the same": Mask(column="name", length=4),
    "nothing": SuppressColumn(column="name"),
}


def released(steps, tmp_path, table=TABLE, policy=None, **roles):
    with an.read(table, **roles) as data:
        return apply(steps, data).save(tmp_path / "release.csv", policy=policy)


@pytest.mark.parametrize("case", LEAVING)
def test_what_is_left_of_a_direct_identifier_is_not_released(case, tmp_path):
    step, told = LEAVING[case]
    with pytest.raises(NotPublished, match=told):
        released(step, tmp_path, direct_identifiers=["name"])
    for roles in ({}, {"quasi_identifiers": ["age"]}):
        with pytest.raises(ColumnsWithoutRole):
            released(step, tmp_path, **roles)
    assert not (tmp_path / "release.csv").exists()


@pytest.mark.parametrize("case", DISGUISES)
def test_a_disguise_is_no_protection(case, tmp_path):
    """9208177 for 208177 was released as meeting a policy: it had neither the value nor the form of the identifier."""
    step = DISGUISES[case]
    (other,) = {"patient_no", "email"} - {step.column}
    steps = [DropColumn(column=other), step, GeneraliseInterval(column="age", width=100)]
    known = {"quasi_identifiers": ["age"]}
    for policy in (None, "ema-0070"):
        with pytest.raises(NotPublished, match=r"Drop each \(drop_column\), replace it by a pseudonym"):
            released(steps, tmp_path, PATIENTS, policy, **known, direct_identifiers=["patient_no", "email"])
        with pytest.raises(ColumnsWithoutRole, match=r"name it as a quasi-identifier \(-q COLUMN\)"):
            released(steps, tmp_path, PATIENTS, policy, **known)
    assert not (tmp_path / "release.csv").exists()


@pytest.mark.parametrize("case", GONE)
def test_what_is_gone_is_released(case, tmp_path):
    for i, roles in enumerate(({"direct_identifiers": ["name"]}, {}, {"quasi_identifiers": ["age"]})):
        (tmp_path / str(i)).mkdir()
        assert released(GONE[case], tmp_path / str(i), **roles).exists()


def test_groups_of_people_may_stay_and_how_large_they_are_is_the_policys_word(tmp_path):
    table = pa.table({"patient_no": [200_000 + 100 * (i // 12) + i % 12 for i in range(60)], "age": [20] * 60})
    steps, roles = GeneraliseInterval(column="patient_no", width=100), {"direct_identifiers": ["patient_no"], "quasi_identifiers": ["age"]}
    with pytest.raises(NotPublished, match="only 12 people may stand behind a value of it, and 20 are a group"):
        released(steps, tmp_path, table, "public-strict", **roles)
    # One rule with and without a policy: what may stay is counted, because whoever knows the number knows its group.
    assert released(steps, tmp_path, table, "ema-0070", **roles).exists()
    verdict = json.loads(manifest_path(tmp_path / "release.csv").read_text(encoding="utf-8"))["verdicts"][0]
    assert verdict["roles"]["quasi_identifiers"] == ["age", "patient_no"]
    # With another quasi-identifier the groups are smaller than the policy asks for.
    mixed = table.set_column(1, "age", pa.array([20 + i % 2 for i in range(60)]))
    (tmp_path / "mixed").mkdir()
    with pytest.raises(NotPublished, match="does not meet the policy ema-0070"):
        released(steps, tmp_path / "mixed", mixed, "ema-0070", **roles)


OWN = pa.table(
    {
        "pid": [f"P-{1_000 + i // 2}" for i in range(60)],
        "home": [f"H-{100 + i // 4}" for i in range(60)],
        "age": [20 + i % 3 for i in range(60)],
    }
)


@pytest.mark.parametrize("role", ["person", "household"])
def test_the_id_of_a_person_or_a_household_is_an_identifier_too(role, tmp_path):
    """It was written as it is, or with its prefix stripped, where it was given as the person: only direct identifiers were looked at."""
    column = {"person": "pid", "household": "home"}[role]
    other = DropColumn(column="home" if column == "pid" else "pid")
    for steps in (
        [other],
        [other, Mask(column=column, pattern="^.-", replacement="")],
        [other, GeneralisePrefix(column=column, characters=4 if role == "household" else 5)],
    ):
        with pytest.raises(NotPublished, match=f"'{column}' \\({role}: it is"):
            released(steps, tmp_path, OWN, quasi_identifiers=["age"], **{role: column})
    assert not (tmp_path / "release.csv").exists()
    assert released([other, Pseudonymise(column=column)], tmp_path, OWN, quasi_identifiers=["age"], **{role: column}).exists()


@pytest.mark.parametrize("step", [DropColumn(column="pid"), GeneralisePrefix(column="pid", characters=3)], ids=["dropped", "grouped"])
def test_a_policy_about_people_is_not_judged_where_nobody_can_count_them(step, tmp_path):
    """With the id dropped, twelve visits of one patient were twelve people to the policy."""
    steps = [DropColumn(column="home"), step, GeneraliseInterval(column="age", width=100)]
    roles = {"quasi_identifiers": ["age"], "person": "pid"}
    with pytest.raises(NotPublished, match=r"one person has several records \(30 values in 60 records\)"):
        released(steps, tmp_path, OWN, "ema-0070", **roles)
    assert released(steps, tmp_path, OWN, **roles).exists()


def test_many_records_of_one_person_are_no_group(tmp_path):
    """All records of a person share what is left of the identifier, however many they are."""
    table = pa.table({"patient_no": [200_000 + i // 20 for i in range(200)], "who": [f"p{i // 20}" for i in range(200)], "age": [20] * 200})
    disguise, known = Mask(column="patient_no", pattern="^", replacement="9"), {"direct_identifiers": ["patient_no"]}
    with pytest.raises(NotPublished, match="a single person"):
        released([DropColumn(column="who"), disguise], tmp_path, table, **known)
    # One person with as many numbers as records is one person.
    numbered = table.set_column(0, "patient_no", pa.array([200_000 + i for i in range(200)]))
    tens = GeneraliseInterval(column="patient_no", width=20)
    with pytest.raises(NotPublished, match="a single person"):
        released([Pseudonymise(column="who"), tens], tmp_path, numbered, **known, person="who")
    with pytest.raises(NotPublished, match="cannot be counted in people"):
        released([DropColumn(column="who"), tens], tmp_path, numbered, **known, person="who")


def test_a_value_that_one_record_alone_has_is_not_the_same_for_all(tmp_path):
    """All others starred leaves one value, which is still somebody's."""
    steps = [
        Mask(column="name", pattern="^(.)", replacement=r"9\1"),
        SuppressCells(column="name", values=tuple(f"9{n}" for n in NAMES[1:])),
    ]
    with pytest.raises(NotPublished, match="a single person"):
        released(steps, tmp_path, direct_identifiers=["name"])
    with pytest.raises(NotPublished, match="a single person"):
        released(steps[0], tmp_path, TABLE.slice(0, 1), direct_identifiers=["name"])
