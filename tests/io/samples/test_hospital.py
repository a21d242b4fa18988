"""The bundled sample: the same bytes everywhere, and the traits a demonstration needs."""

import csv
import hashlib
from collections import Counter, defaultdict
from pathlib import Path
from statistics import mean

import pytest

import anonscope as an
from anonscope.columns.roles import load
from anonscope.errors import OptionError, OutputError
from anonscope.io.samples import HospitalSample, write_hospital

FILES = ("patients", "visits", "patient_roles", "visit_roles")
QUASI_IDENTIFIERS = ("sex", "age", "zip", "marital_status", "interpreter_language")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> HospitalSample:
    return write_hospital(tmp_path_factory.mktemp("hospital"))


@pytest.fixture(scope="module")
def patients(sample: HospitalSample) -> list[dict[str, str]]:
    return _rows(sample.patients)


@pytest.fixture(scope="module")
def visits(sample: HospitalSample) -> list[dict[str, str]]:
    return _rows(sample.visits)


def test_a_seed_gives_the_same_bytes_on_every_platform(tmp_path):
    """The digest was taken once; only a wanted change of the generator may change it."""
    small = write_hospital(tmp_path, people=200, seed=7)

    digest = hashlib.sha256(small.patients.read_bytes() + small.visits.read_bytes()).hexdigest()

    assert digest == "67bbe81a1d22cfa08373ad5d144d2b1f35bdfd777f1e68582016b39180e82e92"


def test_another_seed_gives_other_people(tmp_path):
    """Otherwise the seed would be ignored."""
    one, again, other = (write_hospital(tmp_path / name, people=50, seed=seed) for name, seed in (("a", 1), ("b", 1), ("c", 2)))

    assert [getattr(one, f).read_bytes() for f in FILES] == [getattr(again, f).read_bytes() for f in FILES]
    assert one.patients.read_bytes() != other.patients.read_bytes()
    assert one.visits.read_bytes() != other.visits.read_bytes()


def test_more_people_begin_with_the_same_ones(tmp_path):
    """So a smaller sample is a part of a larger one."""
    few, many = write_hospital(tmp_path / "few", people=20), write_hospital(tmp_path / "many", people=40)

    assert _rows(few.patients) == _rows(many.patients)[:20]


def test_files_are_plain_utf8_with_unix_line_ends(sample):
    for name in FILES:
        content = getattr(sample, name).read_bytes()
        assert b"\r" not in content
        assert content.endswith(b"\n")
        content.decode("utf-8")


def test_every_patient_is_one_row(patients):
    assert len(patients) == 5000
    assert len({p["patient_id"] for p in patients}) == 5000


def test_zip_codes_keep_their_leading_zeros(sample, patients):
    """Five digits always, and regions on both sides of the trap: audited as numbers, codes would lose their zeros."""
    codes = [p["zip"] for p in patients if p["zip"]]

    assert all(len(code) == 5 and code.isdigit() for code in codes)
    assert 0.3 < mean(code.startswith("0") for code in codes) < 0.9
    with an.read(sample.patients, quasi_identifiers=["zip"]) as data:
        sizes = an.audit(data).scenarios[0].sizes
    assert sizes.classes == len(set(codes)) + 1  # the missing ones are a class of their own


def test_towns_differ_much_in_size(patients):
    """Half of the people live in few towns; somebody from the smallest stands out."""
    sizes = sorted(Counter(p["zip"] for p in patients if p["zip"]).values(), reverse=True)

    assert len(sizes) > 60
    assert sum(sizes[: len(sizes) // 5]) > 0.5 * sum(sizes)
    assert sizes[-1] < 20


def test_a_few_values_are_missing(patients, visits):
    for column in ("zip", "marital_status", "insurance", "charges"):
        assert 0 < _missing(patients, column) < 0.08, column
    assert 0 < _missing(visits, "diagnosis") < 0.08
    for column in ("patient_id", "name", "sex", "age", "diagnosis", "length_of_stay"):
        assert _missing(patients, column) == 0, column


def test_one_column_is_nearly_empty(patients):
    assert 0.85 < _missing(patients, "interpreter_language") < 0.99


def test_age_goes_with_marital_status(patients):
    ages = _ages_by(patients, "marital_status")

    assert min(ages["widowed"]) > 24
    assert mean(ages["widowed"]) > 70 > mean(ages["married"]) > 45 > mean(ages["single"])


def test_regions_differ_in_who_lives_there(patients):
    """One people lives mostly on one coast, so more of those there ask for its language."""

    def share(prefix: str, value: str) -> float:
        return mean(p["interpreter_language"] == value for p in patients if p["zip"].startswith(prefix))

    assert share("003", "Vintu") > 3 * share("000", "Vintu")


def test_diagnoses_go_with_age_and_sex(patients):
    by_diagnosis = defaultdict(list)
    for p in patients:
        by_diagnosis[p["diagnosis"]].append((p["sex"], int(p["age"])))

    assert 35 <= len(by_diagnosis) <= 45
    births = by_diagnosis["O60-O80 Childbirth"]
    assert len(births) > 100
    assert {sex for sex, _ in births} == {"female"}
    assert all(18 <= age <= 49 for _, age in births)
    assert {age for _, age in by_diagnosis["P00-P96 Conditions of the newborn"]} == {0}
    assert mean(age for _, age in by_diagnosis["I50 Heart failure"]) > 65
    assert mean(age for _, age in by_diagnosis["J45 Asthma"]) < 35
    assert mean(sex == "female" for sex, _ in by_diagnosis["C50 Cancer of the breast"]) > 0.9


def test_longer_stays_cost_more(patients):
    short = [int(p["charges"]) for p in patients if p["charges"] and int(p["length_of_stay"]) <= 2]
    long = [int(p["charges"]) for p in patients if p["charges"] and int(p["length_of_stay"]) >= 10]

    assert mean(long) > 3 * mean(short)


def test_some_people_are_rare_in_one_column_alone(patients):
    assert sum(1 for count in Counter(p["zip"] for p in patients).values() if count < 10) >= 3
    assert max(int(p["age"]) for p in patients) > 97


def test_visits_per_person_are_skewed_and_bounded(patients, visits):
    counts = Counter(v["patient_id"] for v in visits)

    assert set(counts) == {p["patient_id"] for p in patients}
    assert max(counts.values()) == 20
    assert 0.3 < mean(n == 1 for n in counts.values()) < 0.6
    assert mean(counts.values()) > 2


def test_visits_agree_with_the_patients(patients, visits):
    """Sex never changes, nobody is older at a visit than at the end, and few move house."""
    by_id = {p["patient_id"]: p for p in patients}

    assert all(v["sex"] == by_id[v["patient_id"]]["sex"] for v in visits)
    assert all(0 <= int(by_id[v["patient_id"]]["age"]) - int(v["age"]) <= 3 for v in visits)
    assert all(v["visit_date"].startswith(v["visit_month"]) for v in visits)
    assert 0 < mean(v["zip"] != by_id[v["patient_id"]]["zip"] for v in visits) < 0.1


def test_the_roles_load_and_fit_the_tables(sample):
    patient_roles, visit_roles = load(sample.patient_roles), load(sample.visit_roles)

    patient_roles.check(_header(sample.patients))
    visit_roles.check(_header(sample.visits))
    assert patient_roles.direct_identifiers == ("patient_id", "name")
    assert patient_roles.quasi_identifiers == QUASI_IDENTIFIERS
    assert patient_roles.sensitive == ("diagnosis", "charges")
    assert [s.name for s in patient_roles.attackers] == ["default", "neighbour"]
    assert visit_roles.person == "patient_id"


def test_the_audit_of_the_patients_withholds_and_counts_who_is_alone(sample, patients):
    """The number of unique people is counted here again, by hand."""
    with an.read(sample.patients, roles=sample.patient_roles) as data:
        audit = an.audit(data)

    alone = sum(n == 1 for n in Counter(tuple(p[c] for c in QUASI_IDENTIFIERS) for p in patients).values())
    assert audit.rows == 5000
    assert audit.scenarios[0].sizes.below(2) == alone > 3000
    assert 1000 < audit.scenarios[1].sizes.below(2) < alone
    assert audit["k_anonymity"].value == 1
    assert audit.verdict.outcome == "withhold"
    assert audit.verdict.must_be_removed == ("patient_id", "name")
    assert {s.name: s.numeric for s in audit.sensitive} == {"diagnosis": False, "charges": True}
    assert any("interpreter_language" in warning for warning in audit.warnings)


def test_the_audit_of_the_visits_counts_persons(sample, visits):
    with an.read(sample.visits, roles=sample.visit_roles) as data:
        audit = an.audit(data)

    assert audit.rows == len(visits)
    assert audit.persons == 5000
    assert audit.verdict.outcome == "withhold"
    by_person = audit.select("k_anonymity", level="person", scenario="default")
    assert by_person[0].value == 1


def test_a_single_column_is_far_less_risky_than_all(sample):
    """Sex alone hides everybody but a few; a sample where nothing is safe would teach nothing."""
    with an.read(sample.patients, quasi_identifiers=["sex"], sensitive=["diagnosis"]) as data:
        audit = an.audit(data)

    assert audit["k_anonymity"].value > 10
    assert audit.verdict.rules[0].status == "pass"


@pytest.mark.parametrize("people", [0, -1])
def test_nobody_is_not_a_sample(tmp_path, people):
    with pytest.raises(OptionError, match="at least 1"):
        write_hospital(tmp_path, people=people)


def test_a_folder_that_cannot_be_made_is_said_in_a_sentence(tmp_path):
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(OutputError, match="cannot be written"):
        write_hospital(tmp_path / "file", people=1)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _header(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n", 1)[0].split(",")


def _missing(rows: list[dict[str, str]], column: str) -> float:
    return mean(row[column] == "" for row in rows)


def _ages_by(rows: list[dict[str, str]], column: str) -> dict[str, list[int]]:
    ages = defaultdict(list)
    for row in rows:
        ages[row[column]].append(int(row["age"]))
    return ages


def test_the_sample_can_meet_the_default_policy_with_the_roles_that_are_proposed(sample):
    """Whoever tries it for the first time gets from no to yes."""
    with an.read(sample.patients) as data:
        data.accept(an.suggest(data))
        plan = an.plan(data)

    assert not plan.met
    assert plan.feasible is True
    assert plan.best is not None and plan.best.verdict.met
