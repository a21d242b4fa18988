"""The dossier behind a release: measured anew, "not stated" where nobody said it, and nothing in a publishable edition that undoes it."""

import json
import re
import shutil
import stat
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import PolicyError, SourceError
from anonscope.io.samples import write_hospital
from anonscope.operations.signing.questions import QUESTIONS, parse_answers
from anonscope.report.dossier.parts import TITLES
from anonscope.risk.policy import load
from anonscope.risk.policy.law import laws
from anonscope.transform.release.manifest import manifest_path

ANSWERS = """
schema = "anonscope/answers/1"
custodian = "Registry of an invented hospital"
purpose = "Teaching"
release_model = "agreement"
rules = ["gdpr-recital-26", "edps-v-srb"]
review_date = 2030-01-31
[[recipients]]
name = "University"
status = "not identifiable for this recipient"
reason = "It holds no register."
[[attackers]]
name = "default"
likelihood = 0.5
recipient = "University"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A small hospital with a release whose recipe has a seed and hierarchies."""
    folder = tmp_path_factory.mktemp("signed")
    sample = write_hospital(folder, people=120)
    with an.read(sample.patients, roles=sample.patient_roles, threads=1) as data:
        an.anonymise(data, limits={"k_anonymity": 3}, method="mondrian").write(folder / "release.csv")
    (folder / "answers.toml").write_text(ANSWERS, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def dossier(folder) -> an.SignOff:
    with an.read(folder / "patients.csv", threads=1) as data:
        return an.sign_off(folder / "release.csv", data, answers=folder / "answers.toml", control=folder / "others.csv")


def run(folder: Path, *said: str) -> tuple[int, str]:
    """Return how a command ends, and what it says."""
    done = CliRunner().invoke(app, ["sign-off", str(folder / "release.csv"), *said])
    return (2, str(done.exception)) if isinstance(done.exception, an.AnonscopeError) else (done.exit_code, done.output)


def test_it_has_thirteen_sections_and_says_what_was_measured(dossier, folder):
    """What stands in it is what an audit of the same files says, by the policy and the roles of the manifest."""
    page, document = dossier.render("text"), dossier.to_dict()
    numbers = [int(found) for found in re.findall(r"^(\d+)\. ", page, re.MULTILINE)]
    assert numbers == list(range(1, 14)) == list(TITLES)
    release = an.audit(
        folder / "release.csv", roles=an.Roles(quasi_identifiers=dossier.before.roles.quasi_identifiers), policy=dossier.policy
    )
    assert dossier.after["k_anonymity"].value == release["k_anonymity"].value >= 3
    assert dossier.exit_code == 0 and dossier.released and document["outcome"].startswith("release")
    assert dossier.attacks is not None and dossier.attacks.control is not None
    assert {c.column: c.done for c in dossier.columns}["name"] == "left out of the release"
    assert {c.decided_by for c in dossier.columns} <= {"named by a person", "nobody"}  # as the archive has it
    for form in ("html", "markdown", "json", "fragment"):
        assert "by these rules" in dossier.render(form).lower()


def test_what_nobody_said_is_not_stated(dossier):
    """An answer is shown, a missing one is said to be missing, and none is made up."""
    page = dossier.render("text")
    assert "Registry of an invented hospital" in page and "Teaching" in page and "2030-01-31" in page
    assert page.count("not stated") > 10 and "threshold_reason" in dossier.answers.open_questions
    told = " ".join(page.split())
    assert re.search(r"their largest risk, [a-z ]+ by [a-z ]+, times the stated likelihood is 0\.\d", told)
    assert re.search(
        r"not stated, so their largest risk, [a-z ]+ by [a-z ]+, stands as it is: 0\.\d", told
    )  # of the neighbour, of whom nobody said anything
    empty = parse_answers(an.questions_text())
    assert empty.said == {} and {question.key for question in QUESTIONS} <= set(empty.open_questions)


def test_a_review_that_is_over_is_told(dossier):
    """Nobody signs for a review of yesterday unseen."""
    assert "over when this was made" not in dossier.render("text")
    assert "2030-01-31, which was over when this was made" in replace(dossier, made=date(2031, 1, 1)).render("text")


def test_it_never_says_what_only_a_court_can(dossier):
    """Nor that nobody can be found: the two words are in none of its editions."""
    for form in ("text", "html", "json", "markdown"):
        assert re.findall(r"\b(legal|legally|anonymous)\b", dossier.render(form), re.IGNORECASE) == []


def test_a_publishable_edition_holds_nothing_that_undoes_the_release(folder):
    """Neither hashes of source and recipe, nor seeds, nor hierarchies, in any format; the internal one has them, and is private."""
    kept = json.loads((folder / "release.csv.archive" / "manifest.json").read_text())
    secret = [kept["source"]["sha256"], kept["recipe"]["sha256"], *map(str, kept["seeds"]), "hierarchies/", "patients.csv"]
    secret += [known for name, known in kept["files"].items() if ".archive/" in name]
    options = ("--original", str(folder / "patients.csv"), "--answers", str(folder / "answers.toml"), "--quiet")
    for edition in ("internal", "publishable"):
        for ending in ("html", "json"):
            path = folder / f"{edition}.{ending}"
            assert run(folder, *options, "--edition", edition, "-o", str(path))[0] == 0
            text = path.read_text(encoding="utf-8")
            assert (kept["recipe"]["sha256"] in text and kept["source"]["sha256"] in text) == (edition == "internal")
            assert (stat.S_IMODE(path.stat().st_mode) == 0o600) == (edition == "internal")
            if edition == "publishable":
                assert [one for one in secret if one in text] == []


def test_a_pdf_is_the_page_printed(dossier, tmp_path):
    """With all its sections, private like the page, and nothing fetched."""
    pytest.importorskip("weasyprint")
    made = dossier.save(tmp_path / "dossier.pdf")
    assert made.read_bytes().startswith(b"%PDF") and stat.S_IMODE(made.stat().st_mode) == 0o600
    assert made.stat().st_size > 20_000


def test_a_file_that_was_changed_is_not_signed(folder, tmp_path):
    """It is not what was published, and the dossier says so first: exit 1."""
    shutil.copytree(folder, tmp_path / "copy")
    release = tmp_path / "copy" / "release.csv"
    release.write_text(release.read_text().replace("female", "male", 1))
    with an.read(tmp_path / "copy" / "patients.csv", threads=1) as data:
        found = an.sign_off(release, data)
    assert found.exit_code == 1 and not found.released and "not what was published" in found.render("text").splitlines()[2]


def test_another_original_than_the_release_was_made_of_is_told(dossier, folder, tmp_path):
    """Every figure would be about another table: its dossier says so first, names no hash of it as the source's, and exits 1."""
    assert dossier.made_of is True and dossier.exit_code == 0
    other = tmp_path / "patients.csv"
    head, first, *rest = (folder / "patients.csv").read_text().splitlines(keepends=True)
    other.write_text("".join([head, *rest, first]))  # the same records, so that nothing else could tell
    with an.read(other, threads=1) as data:
        found = an.sign_off(folder / "release.csv", data)
    assert found.made_of is False and found.exit_code == 1 and not found.released
    assert "measured against another table than it was made of: do not sign" in found.render("text").splitlines()[2]
    assert found.to_dict()["outcome"] == "withhold" and found.to_dict()["made_of_the_original"] is False
    assert found.published.made_of(None) is None  # a frame has no hash: not known


def test_the_archive_knows_who_decided(folder, tmp_path):
    """Roles that were proposed and accepted, and those that a person named, are told apart also when they come of the papers."""
    with an.read(folder / "patients.csv", quasi_identifiers=["age"], threads=1) as data:
        data.accept(an.suggest(data))
        an.anonymise(data, limits={"k_anonymity": 3}, method="mondrian").write(tmp_path / "release.csv")
    with an.read(folder / "patients.csv", threads=1) as data:
        by = {column.column: column.decided_by for column in an.sign_off(tmp_path / "release.csv", data).columns}
    assert by["age"] == "named by a person" and by["zip"] == "proposed by anonscope, and accepted"
    shutil.rmtree(tmp_path / "release.csv.archive")
    with an.read(folder / "patients.csv", threads=1) as data:
        found = an.sign_off(tmp_path / "release.csv", data)
    assert {column.decided_by for column in found.columns if column.role != "none"} == {"taken from the manifest"}


def test_questions_are_written_once(folder, tmp_path):
    """With the scenarios of the roles; answers are never written over."""
    asked = tmp_path / "asked.toml"
    assert run(folder, "--questions", str(asked))[0] == 0
    assert 'name = "neighbour"' in asked.read_text() and parse_answers(asked.read_text()).recipients == ()
    assert run(folder, "--questions", str(asked)) == (2, f"'{asked}' exists, and answers are never written over. Give another name.")


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ("", "the first line must be"),
        (ANSWERS + '[[attackers]]\nname = "x"\nlikelihood = 2', "a number from 0 to 1"),
        (ANSWERS + '[[attackers]]\nname = "x"\nrecipient = "Nobody"', "know no recipient 'Nobody'"),
        (ANSWERS.replace('"agreement"', '"perhaps"'), "must be one of open"),
        (ANSWERS.replace("2030-01-31", '"soon"'), "must be a date"),
        (ANSWERS.replace("edps-v-srb", "magna-carta"), "a text that is not known"),
        (ANSWERS.replace("purpose", "porpoise"), "no such question"),
        (ANSWERS + '[[recipients]]\nname = "University"', "stands there twice"),
    ],
)
def test_answers_that_mean_nothing_are_told(folder, tmp_path, answers, says):
    """Exit 2 with file, line and key, before anything is measured."""
    path = tmp_path / "answers.toml"
    path.write_text(answers, encoding="utf-8")
    code, told = run(folder, "--original", str(folder / "patients.csv"), "--answers", str(path))
    assert code == 2 and says in told


def test_other_bad_input_is_a_sentence(folder, tmp_path):
    """Answers that are not there, a recipient whom they do not name, no original, a manifest that is broken, an expired text or policy."""
    original = ("--original", str(folder / "patients.csv"))
    assert "No such file" in run(folder, *original, "--answers", str(tmp_path / "none.toml"))[1]
    assert "know no recipient 'Press'" in run(folder, *original, "--answers", str(folder / "answers.toml"), "--recipient", "Press")[1]
    assert "--original SOURCE" in run(folder)[1]
    policy = tmp_path / "old.toml"
    rule = '[[rules]]\nmetric = "k_anonymity"\nminimum = 3\n'
    head = 'schema = "anonscope/policy/1"\nname = "old"\ntitle = "Old"\nversion = "1"\norigin = "a test"\n'
    policy.write_text(f'{head}valid_until = "2020-12-31"\n{rule}', encoding="utf-8")
    assert run(folder, *original, "--policy", str(policy)) == (
        2,
        "The policy 'old' was valid until 2020-12-31. Ask whoever wrote it for the one that holds now.",
    )
    policy.write_text(f"{head}valid_until = 2020-12-31\n{rule}", encoding="utf-8")  # as TOML writes a day
    with pytest.raises(PolicyError, match="was valid until 2020-12-31"):
        load(policy)
    policy.write_text(f'{head}valid_until = "2020-02-31"\n{rule}', encoding="utf-8")
    assert "must be a day" in run(folder, *original, "--policy", str(policy))[1]
    broken = tmp_path / "release.csv"
    broken.write_text("a\n1\n")
    with pytest.raises(SourceError, match=r"no 'release\.csv\.manifest\.json'"), an.read(folder / "patients.csv") as data:
        an.sign_off(broken, data)
    manifest_path(broken).write_text('{"schema": "anonscope/manifest/2"}')
    with pytest.raises(SourceError, match="does not have the fields"), an.read(folder / "patients.csv") as data:
        an.sign_off(broken, data)


def test_the_texts_are_data_with_source_and_date(tmp_path):
    """All that are asked for; one whose time is over is refused, and a newer file takes its place."""
    found = {law.name: law for law in laws()}
    assert {"gdpr-recital-26", "wp216", "breyer", "edps-v-srb", "hipaa", "ontario-2025", "ehds", "absolute-and-relative-reading"} <= set(
        found
    )
    assert found["edps-v-srb"].dated == date(2025, 9, 4) and "C-413/23 P" in found["edps-v-srb"].source
    assert all(law.source and law.points and law.read_in and law.confirmed for law in found.values())
    # What is said to stand in a text says where; what was only reported, or not confirmed, is counted as that.
    assert all(point.at for law in found.values() for point in law.points if point.confirmed == "text")
    assert "of 5 points 5 read in the text" in found["gdpr-recital-26"].provenance
    assert "5 read in a report" in found["ontario-2025"].provenance
    with pytest.raises(PolicyError, match="was to be looked at again by 2028-12-31"):
        laws(today=date(2029, 1, 1))
    text = 'schema = "anonscope/law/1"\nname = "wp216"\ntitle = "T"\nkind = "opinion"\nversion = "2"\nsource = "S"\njurisdiction = "EU"\n'
    text += 'summary = "s"\ndated = 2014-04-10\nwritten = 2026-01-01\nconfirmed = 2026-02-01\nvalid_until = {}\n'
    text += '[[points]]\nsays = "x"\nsection = 8\n'
    path = tmp_path / "wp216.toml"
    path.write_text(text.format("2099-01-01"))
    assert next(law for law in laws([path]) if law.name == "wp216").version == "2"
    path.write_text(text.format("2099-01-01").replace("confirmed = 2026-02-01\n", ""))
    assert "held against it by nobody yet" in next(law for law in laws([path]) if law.name == "wp216").provenance
    path.write_text(text.format("2099-01-01").replace("confirmed = 2026-02-01\n", "") + 'confirmed = "text"\n')
    with pytest.raises(PolicyError, match="must say when"):
        laws([path])
    path.write_text(text.format("2020-01-01"))
    with pytest.raises(PolicyError, match="'wp216' was to be looked at again by 2020-01-01"):
        laws([path])
    for right, wrong, says in (
        ("section = 8", "section = 14", "a section of the dossier"),
        ("dated = 2014-04-10", "", "must be a date"),
        ("[[points]]", "[[punkte]]", "no such key|at least one"),
        ("section = 8", 'section = 8\nconfirmed = "surely"', "one of text, report, no"),
        ("section = 8", "section = 8\nat = 3", "the article, paragraph or section"),
        ("confirmed = 2026-02-01", "read_in = 3", "list of texts"),
    ):
        path.write_text(text.format("2099-01-01").replace(right, wrong))
        with pytest.raises(PolicyError, match=says):
            laws([path])


def test_answers_between_the_quotes_that_stand_there(tmp_path):
    """Dates and numbers count as they were meant, and the names of texts stand where they are asked for."""
    asked = an.questions_text(["default"])
    assert all(law.name in asked for law in laws())
    path = tmp_path / "answers.toml"
    path.write_text(asked.replace('review_date = ""', 'review_date = "2030-01-31"').replace('likelihood = ""', 'likelihood = "0.3"', 1))
    said = an.load_answers(path)

    assert said.of("review_date") == date(2030, 1, 31)
    assert said.attacker("default")["likelihood"] == 0.3
