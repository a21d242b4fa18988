"""Columns without a role on the command line: withheld, asked for with a command to copy, recorded."""

import json
import random
import shlex
import subprocess
import sys

import pytest

FIRST = ("Anna", "David", "Maria", "Peter", "Laura", "Thomas", "Emma", "Michael")
LAST = ("Smith", "Miller", "Jones", "Brown", "Taylor", "Wilson", "Evans", "Meyer")
ROLES = ("-q", "age", "-q", "zip", "-q", "sex", "-s", "diagnosis", "--policy", "ema-0070")


def anonscope(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "anonscope", *map(str, arguments)], capture_output=True, text=True, encoding="utf-8", check=False, cwd=cwd
    )


@pytest.fixture
def folder(tmp_path):
    draw = random.Random(1)
    lines = ["name,age,zip,sex,diagnosis,xqz"]
    lines += [
        f"{draw.choice(FIRST)} {draw.choice('ABCDEFGH')}. {draw.choice(LAST)},"
        f"{30 + i % 3},0{1000 + i % 2},{'MF'[i % 2]},{'flu' if i % 5 else 'gout'},{'abc'[i % 3]}"
        for i in range(240)
    ]
    (tmp_path / "patients.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_names_that_nobody_mentioned_are_not_published(folder):
    """This published the names of all patients with "The policy is met", and an audit of them said "may be released"."""
    run = anonscope("anonymise", "patients.csv", *ROLES, "-o", "release.csv", cwd=folder)

    assert run.returncode == 1
    assert [path.name for path in folder.iterdir()] == ["patients.csv"]
    assert "'name' looks like a direct identifier" in run.stderr
    assert not any(last in run.stderr + run.stdout for last in LAST)
    audit = anonscope("audit", "patients.csv", *ROLES, "--full", cwd=folder)
    assert audit.returncode == 1
    assert "VERDICT: do not release" in audit.stdout and "'name' looks like a direct identifier" in audit.stdout


def test_the_message_prints_the_command_to_copy(folder):
    run = anonscope("anonymise", "patients.csv", *ROLES, "-o", "release.csv", cwd=folder)
    command = shlex.split(run.stderr.splitlines()[-1])

    assert command[0] == "anonscope" and command[-4:] == ["-d", "name", "--acknowledge-rest", "REASON"]
    untouched = anonscope(*command[1:], cwd=folder)
    assert (untouched.returncode, "reason is missing" in untouched.stderr) == (2, True)
    done = anonscope(*command[1:-1], "letters of a game", "--report", "report.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    kept = {
        "column": "xqz",
        "looks_like": "unknown",
        "why": "Neither its name nor its values say what it is about.",
        "seen": "words",
        "word": "acknowledged",
        "reason": "letters of a game",
    }
    assert json.loads((folder / "release.csv.manifest.json").read_text())["columns_without_role"] == [kept]
    assert json.loads((folder / "report.json").read_text())["columns_without_role"] == [kept]
    assert "name" not in (folder / "release.csv").read_text().splitlines()[0].split(",")


def test_a_release_is_acknowledged_and_not_free(folder):
    """What was acknowledged when it was made is asked again of whoever audits it, who may say it is insensitive."""
    said = ("-d", "name", "--acknowledge", "xqz=letters of a game")
    assert anonscope("anonymise", "patients.csv", *ROLES, *said, "-o", "release.csv", cwd=folder).returncode == 0
    outcomes = {}
    for extra in ((), ("-i", "xqz")):
        run = anonscope("audit", "release.csv", *ROLES, *extra, "--format", "json", cwd=folder)
        assert run.returncode == (0 if extra else 1)
        outcomes[extra] = json.loads(run.stdout)["verdict"]["outcome"]
    assert outcomes == {(): "release with acknowledgement", ("-i", "xqz"): "release"}


def test_roles_of_a_suggestion_serve_the_release_too(folder):
    """Identifiers that were dropped are no error, but a notice; what is counted must be there."""
    (folder / "roles.toml").write_text(
        'direct_identifiers = ["name"]\nquasi_identifiers = ["age", "zip", "sex"]\nsensitive = ["diagnosis"]\ninsensitive = ["xqz"]\n'
    )
    made = anonscope("anonymise", "patients.csv", "--roles", "roles.toml", "--policy", "ema-0070", "-o", "release.csv", cwd=folder)
    assert made.returncode == 0, made.stderr
    (folder / "release.csv").rename(folder / "alone.csv")
    run = anonscope("audit", "alone.csv", "--roles", "roles.toml", "--policy", "ema-0070", "--full", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert "The roles name 'name', which this table does not have" in run.stdout
    compared = anonscope("compare", "alone.csv", "alone.csv", "--roles", "roles.toml", cwd=folder)
    assert compared.returncode == 1 and compared.stderr == "No release meets the policy scorr.\n"


@pytest.mark.parametrize(
    ("roles", "options"),
    [
        ('direct_identifiers = ["nmae"]\nquasi_identifiers = ["age"]', ()),  # mistyped: the table has a column of nearly this name
        ('quasi_identifiers = ["age", "occupation"]', ()),
        ('quasi_identifiers = ["age"]\nsensitive = ["illness"]', ()),
        ('quasi_identifiers = ["age"]', ("-d", "surname")),
    ],
)
def test_a_mistyped_role_is_still_an_error(folder, roles, options):
    (folder / "roles.toml").write_text(roles + "\n")
    run = anonscope("audit", "patients.csv", "--roles", "roles.toml", *options, cwd=folder)

    assert (run.returncode, "No column is named" in run.stderr) == (2, True)


def test_what_the_manifest_says_was_dropped_is_no_error(folder):
    (folder / "recipe.toml").write_text('schema = "anonscope/recipe/1"\n[[steps]]\napply = "drop_column"\ncolumn = "zip"\n')
    assert anonscope("apply", "recipe.toml", "patients.csv", "-i", "name", "-o", "release.csv", cwd=folder).returncode == 0
    (folder / "roles.toml").write_text('quasi_identifiers = ["age", "zip"]\n')
    run = anonscope("audit", "release.csv", "--roles", "roles.toml", "-i", "name", "--full", cwd=folder)
    assert "The roles name 'zip', which this table does not have" in run.stdout, run.stderr
    (folder / "release.csv").rename(folder / "alone.csv")
    assert anonscope("audit", "alone.csv", "--roles", "roles.toml", cwd=folder).returncode == 2


@pytest.fixture
def visits(tmp_path):
    lines = [f"P{1000 + i // 8},{20 + i // 8},{'MF'[i // 8 % 2]},{('flu', 'gout', 'asthma')[i % 3]}" for i in range(480)]
    (tmp_path / "visits.csv").write_text("\n".join(["patient_id,age,sex,diagnosis", *lines]) + "\n")
    return tmp_path


@pytest.mark.parametrize("said", [(), ("-d", "patient_id"), ("--direct-identifier=patient_id",)])
def test_the_command_to_copy_counts_people(visits, said):
    """It said -d, and what that made met k = 5 with classes of one patient."""
    typed = ("anonymise", "visits.csv", "-q", "age", "-q", "sex", "-s", "diagnosis", "--limit", "k_anonymity=5", *said, "-o", "r.csv")
    run = anonscope(*typed, cwd=visits)
    assert run.returncode == 1 and not (visits / "r.csv").exists()
    command = shlex.split(run.stderr.splitlines()[-1])
    assert command[-2:] == ["-p", "patient_id"] and not set(said[:1]) & set(command)
    assert anonscope(*command[1:], cwd=visits).returncode == 0
    people = {}
    for line in (visits / "r.csv").read_text().splitlines()[1:]:
        person, age, sex, _ = line.split(",")
        people.setdefault((age, sex), set()).add(person)
    assert min(map(len, people.values())) >= 5


ROUND = 'schema = "anonscope/recipe/1"\n[[steps]]\napply = "round"\ncolumn = "age"\nto = 10\n'
PSEUDONYM = '[[steps]]\napply = "pseudonymise"\ncolumn = "patient_id"\n'


def test_a_recipe_that_forgets_an_identifier_is_refused(visits):
    """It published every patient_id without a word, and the manifest had no column without a role."""
    (visits / "recipe.toml").write_text(ROUND)
    run = anonscope("apply", "recipe.toml", "visits.csv", "-o", "r.csv", cwd=visits)
    assert run.returncode == 1 and sorted(path.name for path in visits.iterdir()) == ["recipe.toml", "visits.csv"]
    assert "'patient_id' looks like a direct identifier" in run.stderr
    assert (
        "Add a step to the recipe that leaves nothing of it (drop_column, pseudonymise), name it as a quasi-identifier (-q COLUMN)"
        in run.stderr
    )
    assert "or say that it is none (-i COLUMN" in run.stderr
    assert "-d" not in run.stderr and "-p " not in run.stderr and "To go on" not in run.stderr
    said = anonscope("apply", "recipe.toml", "visits.csv", "-i", "patient_id", "-o", "r.csv", cwd=visits)
    assert said.returncode == 0, said.stderr
    assert "Without a role, not measured, and released as they are: 'sex' looks like a quasi-identifier; 'diagnosis'" in said.stdout
    kept = json.loads((visits / "r.csv.manifest.json").read_text())["columns_without_role"]
    assert [(c["column"], c["word"]) for c in kept] == [("patient_id", "insensitive"), ("sex", None), ("diagnosis", None)]


@pytest.mark.parametrize("roles", [(), ("--roles", "roles.toml", "--acknowledge-rest", "known to nobody")])
def test_a_step_for_an_identifier_is_an_answer(visits, roles):
    (visits / "recipe.toml").write_text(ROUND + PSEUDONYM)
    (visits / "roles.toml").write_text('quasi_identifiers = ["age", "sex"]\n')
    run = anonscope("apply", "recipe.toml", "visits.csv", *roles, "-o", "r.csv", cwd=visits)
    assert run.returncode == 0, run.stderr


def test_the_command_for_a_recipe_runs(visits):
    (visits / "recipe.toml").write_text(ROUND + '[[steps]]\napply = "drop_column"\ncolumn = "patient_id"\n')
    (visits / "roles.toml").write_text('quasi_identifiers = ["age", "sex"]\n')
    run = anonscope("apply", "recipe.toml", "visits.csv", "--roles", "roles.toml", "-o", "r.csv", cwd=visits)
    command = shlex.split(run.stderr.splitlines()[-1])
    assert run.returncode == 1 and command[-2:] == ["--acknowledge-rest", "REASON"]
    assert anonscope(*command[1:-1], "known to nobody", cwd=visits).returncode == 0
