"""A dossier agrees with itself and with the verbs beside it: every figure is of the attack that is named, the largest of the largest."""

import re
from pathlib import Path

import pytest

import anonscope as an
from anonscope.io.samples import write_hospital
from anonscope.operations.signing.questions import SignOffAnswers, parse_answers, questions_text


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A small hospital with a release."""
    folder = tmp_path_factory.mktemp("agreeing")
    sample = write_hospital(folder, people=120)
    with an.read(sample.patients, roles=sample.patient_roles, threads=1) as data:
        an.anonymise(data, limits={"k_anonymity": 3}, method="mondrian").write(folder / "release.csv")
    return folder


@pytest.fixture(scope="module")
def dossier(folder) -> an.SignOff:
    with an.read(folder / "patients.csv", threads=1) as data:
        return an.sign_off(folder / "release.csv", data, control=folder / "others.csv")


def test_the_largest_risk_is_the_largest_and_named(dossier):
    """Of every attacker the largest of theirs, with its attack; who knows everything is one of them."""
    page = " ".join(dossier.render("text").split())
    assert dossier.attacks is not None
    known = [r for r in dossier.attacks.results if r.risk is not None and not r.smoke_test]
    told = re.findall(r"their largest risk, ([a-z ]+) by ([a-z ]+), stands as it is: ([0-9.]+)\.", page)
    assert len(told) == len({r.attacker for r in known}) > len(dossier.attacks.attackers)
    worst = max(known, key=lambda r: r.risk or 0.0)
    assert max(float(risk) for _, _, risk in told) == pytest.approx(worst.risk, abs=5e-5)
    assert any(attack == "membership" for attack, _, _ in told)


def test_a_question_is_answered_by_attacks_on_it(dossier):
    """Whether somebody is in the table is another question than what is wrong with them: its figure stands beside, and says so."""
    page = " ".join(dossier.render("text").split())
    assert dossier.attacks is not None
    own = max((r for r in dossier.attacks.results if r.attack == "inference" and r.risk is not None), key=lambda r: r.risk or 0.0)
    found = re.search(r"inference[^(]*\(the attack on it that got furthest, inference by ([a-z ]+): risk (-?[0-9.]+)", page)
    assert found is not None and float(found[2]) == pytest.approx(own.risk, abs=5e-5)
    assert re.search(r"beside it, membership by [a-z ]+: risk [^;]*, which asks: was this person in the table", page)


def test_an_attack_concludes_from_the_size_that_the_manifest_tells(dossier, folder, tmp_path):
    """So that the same release, original and control have the same figure in the dossier; without a manifest a reader is told."""
    (there,) = [r for r in dossier.attacks.results if r.attack == "downcoding" and r.attacker == "default"]
    with an.read(folder / "patients.csv", threads=1, roles=folder / "patients.roles.toml") as data:
        asked = {"control": folder / "others.csv", "attacks": ["downcoding"]}
        here = an.attack(folder / "release.csv", data, **asked).results[0]
        (tmp_path / "bare.csv").write_bytes((folder / "release.csv").read_bytes())
        bare = an.attack(tmp_path / "bare.csv", data, **asked).results[0]
    assert here.figures["class_size"] == there.figures["class_size"] == 3
    assert (here.risk, here.success) == (there.risk, there.success) and not here.notes
    assert bare.notes == () if bare.status != "measured" else "groups of one are taken to be allowed" in bare.notes[0]


def test_an_empty_file_of_answers_says_no_more_than_none():
    """The names of attackers stand in it already, and say nothing of them."""
    unfilled = parse_answers(questions_text(("default", "neighbour")))
    assert unfilled.open_questions == SignOffAnswers().open_questions
    some = parse_answers(questions_text(("default", "neighbour")).replace('who = ""', 'who = "a neighbour"', 1))
    assert len(some.open_questions) > len(unfilled.open_questions) and "attackers" not in some.open_questions
