"""`anonscope suggest`, and what `anonscope audit` does when nobody said which column is what."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PEOPLE = "name,age,zip,sex,diagnosis\n" + "".join(
    f"Anna Test{i},{30 + i % 40},0{1000 + i % 9},{'MF'[i % 2]},{'flu' if i % 5 else 'gout'}\n" for i in range(120)
)


def anonscope(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "anonscope", *map(str, arguments)], capture_output=True, text=True, encoding="utf-8", check=False
    )


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


def test_a_table_in_the_terminal(people):
    """Role, confidence, type, risk rate and reasons of every column."""
    run = anonscope("suggest", people)

    assert (run.returncode, run.stderr) == (0, "")
    for column, role in (("name", "direct identifier"), ("age", "quasi-identifier"), ("diagnosis", "sensitive")):
        assert any(line.split()[:1] == [column] and role in line for line in run.stdout.splitlines())
    assert "Anna" not in run.stdout


def test_json(people):
    """One object, and the options are in it."""
    document = json.loads(anonscope("suggest", people, "--format", "json", "--alpha", 30, "--beta", 2).stdout)

    assert (document["schema"], document["alpha"], document["beta"]) == ("anonscope/suggestion/1", 30, 2)
    assert document["roles"]["quasi_identifiers"] == ["age", "zip", "sex"]


def test_saved_roles_are_what_an_audit_reads(people, tmp_path):
    """Suggest, read the reasons, audit."""
    roles = tmp_path / "roles.toml"
    saved = anonscope("suggest", people, "--save-roles", roles, "--force", "zip=sensitive", "--forbid", "sex")
    audited = anonscope("audit", people, "--roles", roles, "--format", "json")

    assert f"--roles {roles}" in saved.stderr
    assert json.loads(audited.stdout)["roles"] == {
        "direct_identifiers": ["name"],
        "quasi_identifiers": ["age"],
        "sensitive": ["zip", "diagnosis"],
        "insensitive": ["sex"],
    }


def test_an_audit_without_roles_shows_the_suggestion_and_measures_nothing(people):
    """Exit 2, and three ways to go on."""
    run = anonscope("audit", people)

    assert run.returncode == 2
    assert "VERDICT" not in run.stdout
    assert "quasi-identifier" in run.stdout
    assert "--accept-suggestions" in run.stderr


def test_an_audit_that_accepts_the_suggestion(people):
    """The report says so."""
    run = anonscope("audit", people, "--accept-suggestions")

    assert run.returncode == 1
    assert "VERDICT" in run.stdout
    assert "Roles were proposed by anonscope and accepted" in run.stdout


def test_options_go_before_the_suggestion(people):
    """A column that was given a role keeps it."""
    document = json.loads(anonscope("audit", people, "--accept-suggestions", "-s", "age", "--format", "json").stdout)

    assert document["roles"]["sensitive"] == ["age", "diagnosis"]
    assert document["roles"]["quasi_identifiers"] == ["zip", "sex"]


@pytest.mark.parametrize("options", [("--force", "age"), ("--force", "age=secret"), ("--forbid", "agee"), ("--beta", "50")])
def test_options_that_mean_nothing(people, options):
    """Exit 2 and one line."""
    run = anonscope("suggest", people, *options)

    assert run.returncode == 2
    assert run.stderr.startswith("Error: ")
    assert run.stderr.count("\n") == 1


def test_safe_harbor_on_the_command_line(people, tmp_path):
    """The table of populations decides about three digits."""
    people.write_text(people.read_text().replace("0100", "100").replace("name,", "state,").replace("Anna Test", "S"))
    table = tmp_path / "short.csv"
    table.write_text("zip,sex,diagnosis\n" + "".join(f"100,{'MF'[i % 2]},{'flu' if i % 3 else 'gout'}\n" for i in range(60)))
    populations = tmp_path / "zip3.csv"
    populations.write_text("zip3,population\n100,1500000\n")
    given = ("audit", table, "--accept-suggestions", "--policy", "hipaa-safe-harbor")

    assert anonscope(*given).returncode == 1
    assert anonscope(*given, "--zip-populations", populations).returncode == 0


def test_names_with_blanks_can_be_copied_as_printed(people, tmp_path):
    """What is printed is typed again."""
    named, roles = tmp_path / "my people.csv", tmp_path / "my roles.toml"
    named.write_text(Path(people).read_text())

    printed = anonscope("suggest", named, "--save-roles", roles).stderr

    assert f"anonscope audit '{named}' --roles '{roles}'" in printed
