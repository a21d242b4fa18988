"""A motivated intruder test: values only in the sealed file, an exact interval, and a place in the dossier."""

import csv
import json
import stat
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import IntruderError, OptionError, OutputError
from anonscope.io.samples import write_hospital
from anonscope.operations.signing.intruding import exact_interval, form_text


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A release, and a test of it."""
    folder = tmp_path_factory.mktemp("intruder")
    sample = write_hospital(folder, people=80)
    with an.read(sample.patients, roles=sample.patient_roles, threads=1) as data:
        an.anonymise(data, limits={"k_anonymity": 2}, method="mondrian").write(folder / "release.csv")
        an.intruder_test(folder / "release.csv", data, folder / "test", questions=5, seed=7)
    return folder


def filled(folder: Path, to: Path, **outcome: str) -> Path:
    """Return a copy of the test whose form says so; other questions were not tried."""
    to.mkdir()
    (to / "sealed.json").write_bytes((folder / "test" / "sealed.json").read_bytes())
    text = (folder / "test" / "outcome.toml").read_text()
    for kind in "RP":
        for i in range(1, 6):
            text = text.replace(f'{kind}{i} = ""', f'{kind}{i} = "{outcome.get(f"{kind}{i}", "not tried")}"')
    (to / "outcome.toml").write_text(text.replace('hours = ""', 'hours = "8"'))
    return to


def test_values_are_in_the_sealed_file_only(folder):
    """The sheet has numbers and questions; the sealed answers are right, record by record; nobody else may open the folder."""
    test = folder / "test"
    sealed = json.loads((test / "sealed.json").read_text())
    assert stat.S_IMODE(test.stat().st_mode) == 0o700 and {stat.S_IMODE(f.stat().st_mode) for f in test.iterdir()} == {0o600}
    with open(folder / "patients.csv", newline="") as file:
        people = list(csv.DictReader(file))
    assert len({question["original_record"] for question in sealed["questions"]}) == 10 == len(sealed["questions"])
    handed_on = "".join((test / name).read_text() for name in ("sheet.csv", "protocol.md", "outcome.toml"))
    for question in sealed["questions"]:
        person = people[question["original_record"] - 1]
        assert question["values"]["name"] == person["name"] and person["name"] not in handed_on
        assert question["values"]["patient_id"] == person["patient_id"] and person["patient_id"] not in handed_on
    assert sealed["seed"] == "7" and "seed 7" not in handed_on
    rows = list(csv.reader((test / "sheet.csv").read_text().splitlines()))
    assert [row[1] for row in rows[6:]] == [""] * 5 and all(row[1].isdigit() for row in rows[1:6])


def test_a_form_takes_hours_as_a_number_and_the_day_as_a_date(folder, tmp_path):
    """As people write them; a name of a release with quotes does not break the form."""
    judged = filled(folder, tmp_path / "test", R1="wrong")
    form = judged / "outcome.toml"
    form.write_text(form.read_text().replace('hours = "8"', "hours = 8.5").replace('done = ""', "done = 2026-11-02"))
    result = an.judge_intruder_test(judged).result
    assert result.told["hours"] == "8.5" and result.told["done"] == "2026-11-02"
    form.write_text(form.read_text().replace("hours = 8.5", "hours = true"))
    with pytest.raises(IntruderError, match="must be text, a number or a day"):
        an.judge_intruder_test(judged)
    assert tomllib.loads(form_text('a "b" \\c.csv', "00", ["R1"]))["release"] == 'a "b" \\c.csv'


def test_answers_are_of_the_table_that_the_release_was_made_of(folder, tmp_path):
    """Another one, be it as long and in the same order, would seal the names of other people."""
    head, first, *rest = (folder / "patients.csv").read_text().splitlines(keepends=True)
    (tmp_path / "other.csv").write_text("".join([head, *rest, first]))
    with an.read(tmp_path / "other.csv", threads=1) as data, pytest.raises(IntruderError, match="made of another table"):
        an.intruder_test(folder / "release.csv", data, tmp_path / "test", questions=5)
    assert not (tmp_path / "test").exists()


def test_what_came_of_it_has_an_exact_interval(folder, tmp_path):
    """Clopper and Pearson: none of ten is up to 30.8 %, and two of eight are 3.2 to 65.1 %."""
    found = an.judge_intruder_test(filled(folder, tmp_path / "a", R1="right", R2="wrong", R3="no claim", P1="right", P2="wrong")).result
    assert (found.tried, found.claimed, found.right) == (5, 4, 2) and "2 of 5 questions" in found.sentence
    assert exact_interval(0, 10).high == pytest.approx(0.30850, abs=1e-5) and exact_interval(0, 10).low == 0
    assert (exact_interval(2, 8).low, exact_interval(2, 8).high) == pytest.approx((0.03185, 0.65086), abs=1e-5)
    none = an.judge_intruder_test(filled(folder, tmp_path / "b"))
    assert none.result.interval is None and "Not measured" in none.render("text")


def test_it_has_a_place_in_the_dossier(folder, tmp_path):
    """And only in that of the file that was tested."""
    judged = filled(folder, tmp_path / "judged", R1="wrong", R2="no claim")
    with an.read(folder / "patients.csv", threads=1) as data:
        page = an.sign_off(folder / "release.csv", data, intruder_test=judged).render("text")
    assert "7b. Motivated intruder test" in page and "0 of 2 questions that were tried" in page
    with an.read(folder / "patients.csv", threads=1) as data, pytest.raises(OptionError, match="another file"):
        (tmp_path / "release.csv").write_text("a\n1\n")
        an.sign_off(tmp_path / "release.csv", data, intruder_test=judged)


def test_bad_input_is_a_sentence(folder, tmp_path):
    """A form that is not filled in, one with a word of its own, no sealed answers, a folder that is there, too few people."""
    with pytest.raises(IntruderError, match="is not filled in"):
        an.judge_intruder_test(folder / "test")
    with pytest.raises(IntruderError, match="must be one of right, wrong"):
        an.judge_intruder_test(filled(folder, tmp_path / "a", R1="perhaps"))
    with pytest.raises(IntruderError, match=r"sealed\.json is missing"):
        an.judge_intruder_test(tmp_path)
    said = [
        "intruder-test",
        str(folder / "release.csv"),
        "--original",
        str(folder / "patients.csv"),
        "--roles",
        str(folder / "patients.roles.toml"),
    ]
    assert "exists, and is never replaced" in str(CliRunner().invoke(app, [*said, "--folder", str(folder / "test")]).exception)
    many = CliRunner().invoke(app, [*said, "--folder", str(tmp_path / "many"), "--questions", "50"])
    assert "need 100 people, and 80 have a record" in str(many.exception) and not (tmp_path / "many").exists()
    assert "Say the release, its original" in str(CliRunner().invoke(app, said[:2]).exception)
    assert "Hand on the release" in CliRunner().invoke(app, [*said, "--folder", str(tmp_path / "new"), "--questions", "3"]).output


def test_half_a_test_is_none(folder, tmp_path, monkeypatch):
    """Where not all of it can be written there is no folder, and the next test finds nothing in its way."""
    written = []

    def full(path, content):
        written.append(path)
        if len(written) == 3:
            raise OSError(28, "No space left on device")
        path.write_bytes(content)

    sample = write_hospital(tmp_path, people=80)
    with an.read(sample.patients, roles=sample.patient_roles, threads=1) as data:
        before = set(tmp_path.iterdir())
        with monkeypatch.context() as patched:
            patched.setattr("anonscope.operations.intruder_test.write_private_bytes", full)
            with pytest.raises(OutputError, match="No space left"):
                an.intruder_test(folder / "release.csv", data, tmp_path / "test", questions=5)
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("number", [{}, [], 5, None, ""])
def test_sealed_answers_whose_questions_have_no_numbers_are_refused(folder, tmp_path, number):
    """In a sentence."""
    made = filled(folder, tmp_path / "filled")
    sealed = json.loads((made / "sealed.json").read_text())
    sealed["questions"][0]["number"] = number
    (made / "sealed.json").write_text(json.dumps(sealed))
    with pytest.raises(IntruderError, match="cannot be read"):
        an.judge_intruder_test(made)
