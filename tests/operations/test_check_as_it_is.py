"""A gate judges a file as it is: what is to be removed and still stands in it lets nothing pass, unless somebody says it is a source."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import AnonscopeError

ROLES = (
    'schema = "anonscope/roles/1"\ndirect_identifiers = ["patient_id", "name"]\nquasi_identifiers = ["age", "sex"]\nsensitive = ["ill"]\n'
)
RECORDS = [f"{30 + 10 * (i % 2)},{'FM'[i % 2]},{('flu', 'gout')[i // 2 % 2]}" for i in range(40)]
TOLD = "still holds 'patient_id', which is to be removed"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A release, the same with ids pasted back, and one with names that repeat."""
    monkeypatch.chdir(tmp_path)
    Path("roles.toml").write_text(ROLES)
    Path("release.csv").write_text("age,sex,ill\n" + "".join(f"{record}\n" for record in RECORDS))
    Path("leaky.csv").write_text("patient_id,age,sex,ill\n" + "".join(f"P{i:06},{record}\n" for i, record in enumerate(RECORDS)))
    Path("named.csv").write_text("name,age,sex,ill\n" + "".join(f"Mira{i // 2} Jackdaw,{r}\n" for i, r in enumerate(RECORDS)))
    return tmp_path


def run(*arguments: str):
    return CliRunner().invoke(app, ["check", *arguments])


def test_an_identifier_that_is_still_there_fails_the_gate(folder):
    """By the exit code, in JUnit and in SARIF, whatever else the policy says; an audit speaks of what may be, and keeps its code."""
    asked = ("--roles", "roles.toml", "--policy", "ema-0070")
    assert run("release.csv", *asked).exit_code == 0
    done = run("leaky.csv", *asked, "--junit", "out.xml", "--sarif", "out.sarif", "--full")
    assert done.exit_code == 1
    assert "leaky.csv: not met" in done.stdout and TOLD in " ".join(done.stdout.split())
    (failure,) = ElementTree.parse("out.xml").getroot().findall(".//failure")
    assert failure.get("type") == "direct-identifiers" and TOLD in failure.get("message", "")
    (result,) = json.loads(Path("out.sarif").read_text())["runs"][0]["results"]
    assert result["level"] == "error" and TOLD in result["message"]["text"]
    with an.read("leaky.csv", roles="roles.toml") as data:
        assert an.audit(data, "ema-0070").verdict.exit_code == 0


def test_a_source_table_is_gated_before_its_release(folder):
    """Only where somebody says so, by an option or in the reviewed file; the column is named all the same."""
    done = run("leaky.csv", "--roles", "roles.toml", "--policy", "ema-0070", "--before-release", "--format", "json")
    assert done.exit_code == 0
    (found,) = [one for one in json.loads(done.stdout)["tables"][0]["findings"] if one["rule"] == "direct-identifiers"]
    assert found["level"] == "note" and "'patient_id' must be removed before the release" in found["message"]
    table = '[[tables]]\nsource = "leaky.csv"\nroles = "roles.toml"\npolicy = "ema-0070"\n'
    for said, code in (("", 1), ("before_release = false\n", 1), ("before_release = true\n", 0)):
        Path("anonscope.toml").write_text(table + said)
        assert an.check().exit_code == code
    Path("anonscope.toml").write_text(table + 'before_release = "yes"\n')
    with pytest.raises(AnonscopeError, match=r"line 5.*true or false"):
        an.check()
    with pytest.raises(AnonscopeError):
        an.check(before_release=True)


def test_a_stated_exception_excuses_no_identifier(folder):
    """Four says that only stated exceptions stand in the way, and here something else does."""
    Path("many.toml").write_text(
        'schema = "anonscope/policy/1"\nname = "many"\ntitle = "Many"\nversion = "1"\norigin = "a test"\n'
        '[[rules]]\nmetric = "k_anonymity"\nminimum = 30\nlabel = "large groups"\n'
    )
    asked = {"exceptions": {"k_anonymity>=2": "two people agreed"}, "roles": "roles.toml"}
    assert an.check("release.csv", "many.toml", **asked).exit_code == 4
    assert an.check("leaky.csv", "many.toml", **asked).exit_code == 1


def test_an_identifier_that_repeats_is_told_as_what_it_is(folder):
    """The roles do name it as a direct identifier: what nobody named is the person whose records these are."""
    found = an.check("named.csv", "ema-0070", roles="roles.toml", before_release=True)
    (repeated,) = [one for one in found.tables[0].errors if one.columns == ("name",)]
    assert repeated.message == "Column 'name' repeats, so one person has several records, and no column was named as the person (-p)."
    audited = CliRunner().invoke(app, ["audit", "named.csv", "--roles", "roles.toml", "--policy", "ema-0070", "--no-plan"])
    assert audited.exit_code == 1
    assert "  FAIL  'name' repeats, 20 values in 40 records: one person has several records" in audited.stdout
