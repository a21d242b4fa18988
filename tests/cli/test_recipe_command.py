"""`anonscope recipe`: prints or writes a ready recipe, and says what to type next."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import AnonscopeError

PEOPLE = "name,age,zip,sex,diagnosis\n" + "".join(
    f"{name} {who},{30 + i},{10480 + i},{'FM'[i % 2]},I21{i % 10}\n"
    for i, (name, who) in enumerate(
        (name, who) for name in ("Ada", "Ben", "Cem", "Dee", "Eve") for who in ("Miller", "Brown", "Tanaka", "Okafor")
    )
)


@pytest.fixture(autouse=True)
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE, encoding="utf-8")


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["recipe", "people.csv", *arguments, "--quiet"])
    if isinstance(result.exception, AnonscopeError):
        return 2, result.stdout, str(result.exception)
    return result.exit_code, result.stdout, result.stderr


def test_a_level_is_printed():
    """As a document that can be read, with nothing else on standard output."""
    code, printed, _ = run("--level", "P2", "-q", "age", "-q", "zip", "-s", "diagnosis", "-d", "name")
    Path("recipe.toml").write_text(printed, encoding="utf-8")

    assert code == 0
    assert [step.name for step in an.load_recipe("recipe.toml").steps] == ["drop_column", "round", "generalise_prefix", "generalise_prefix"]


def test_a_recipe_is_written_and_then_applied_and_audited():
    """The three commands of the documentation, as the first one tells them."""
    code, printed, said = run("--level", "P3", "--accept-suggestions", "-o", "recipe.toml")

    assert (code, printed) == (0, "")
    told = said.partition("then: anonscope ")[2].split()
    assert told == ["apply", "recipe.toml", "people.csv", "-o", "release.csv"]
    assert CliRunner().invoke(app, [*told, "--quiet"]).exit_code == 0
    assert Path("release.csv").read_text(encoding="utf-8").splitlines()[0] == "age,zip,sex,diagnosis"
    assert CliRunner().invoke(app, ["audit", "release.csv", "-q", "age", "-q", "zip", "--quiet"]).exit_code == 1


def test_safe_harbor_needs_no_roles():
    """All columns are looked at; the table of populations decides what stays of a ZIP code."""
    Path("zip3.csv").write_text("zip3,population\n104,500000\n", encoding="utf-8")
    without, with_table = run("--safe-harbor")[1], run("--safe-harbor", "--zip-populations", "zip3.csv")[1]

    assert 'rest = "000"' in without and '104 = "104"' not in without
    assert '104 = "104"' in with_table


def test_a_hierarchy_is_named_as_seen_from_the_recipe():
    """The recipe stands in another folder than the command."""
    Path("kept").mkdir()
    Path("people.csv").write_text("age,diagnosis\n30,flu\n41,asthma\n", encoding="utf-8")
    Path("ill.csv").write_text("flu;infection;*\nasthma;lungs;*\n", encoding="utf-8")
    code, _, _ = run("--level", "P2", "-q", "age", "-s", "diagnosis", "--hierarchy", "diagnosis=ill.csv", "-o", "kept/recipe.toml")

    assert code == 0
    assert 'file = "../ill.csv"' in Path("kept/recipe.toml").read_text(encoding="utf-8")
    assert CliRunner().invoke(app, ["apply", "kept/recipe.toml", "people.csv", "-o", "release.csv", "--quiet"]).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "either --level P1, P2 or P3, or --safe-harbor"),
        (["--level", "P2", "--safe-harbor"], "either --level"),
        (["--level", "P2", "--zip-populations", "zip3.csv"], "about --safe-harbor"),
        (["--safe-harbor", "--like", "age=age"], "about --level"),
        (["--level", "P2"], "No quasi-identifier is given"),
        (["--level", "P2", "-q", "agee"], "Did you mean 'age'?"),
        (["--level", "P2", "-q", "age", "--like", "age"], "COLUMN=KIND"),
        (["--level", "P2", "-q", "sex"], "has nothing to change"),
        (["--level", "P2", "-q", "age", "-o", "nowhere/recipe.toml"], "does not exist"),
        (["--safe-harbor", "--zip-populations", "nope.csv"], "cannot be read"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_written(arguments, says):
    """Exit code 2, and no file."""
    code, printed, said = run(*arguments)

    assert (code, printed) == (2, "")
    assert says in said
    assert [path.name for path in Path().iterdir()] == ["people.csv"]


def test_an_unknown_level_is_refused():
    """By the command line itself."""
    assert run("--level", "P4", "-q", "age")[0] == 2
