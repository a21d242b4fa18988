"""Where no set of de-identified columns meets the policy, the pipeline prints commands, and each of them makes a release."""

import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app

_HEAD = 'schema = "anonscope/policy/1"\nname = "own"\ntitle = "Own"\nversion = "1"\norigin = "us"\n'


def _rule(metric: str, limit: str) -> str:
    return f'[[rules]]\nmetric = "{metric}"\n{limit}\n'


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """120 people: bands of ages, two groups of regions and one of sexes leave 20 in the smallest class at best."""
    monkeypatch.chdir(tmp_path)
    rows = [f"p{i},{20 + i // 2},{'NESW'[i * 7 % 4]},{'fm'[i % 2]},{18 + i * 11 % 17}" for i in range(120)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["name,age,region,sex,bmi", *rows, ""]), encoding="utf-8")
    return path


def _printed(people: Path, *words: str) -> list[list[str]]:
    """Return the commands that a pipeline prints which meets nothing."""
    base = ["pipeline", people.name, "-q", "age", "-q", "region", "-q", "sex", "-s", "bmi", "-d", "name", "--quiet", "-o", "release.csv"]
    told = CliRunner().invoke(app, [*base, "--policy", "own.toml", *words])
    assert told.exit_code == 1, told.output
    assert not list(people.parent.glob("release.csv*")), "what is not met is not written"
    return [shlex.split(line) for line in told.output.splitlines() if line.startswith("  anonscope ")]


@pytest.mark.parametrize(
    ("rules", "least"),
    [
        (_rule("k_anonymity", "minimum = 50"), 50),  # coarser levels do it
        (_rule("k_anonymity", "minimum = 5") + _rule("correlation", "maximum = 0.01"), 5),  # the commonest value alone has more
    ],
    ids=["can be met", "too common a value"],
)
def test_every_printed_command_makes_a_release(people: Path, rules: str, least: int) -> None:
    """Exit 0 where a policy is met, 4 where somebody accepted less; the classes of the release are counted by a new audit."""
    Path("own.toml").write_text(_HEAD + rules, encoding="utf-8")
    commands = _printed(people)
    assert commands
    for command in commands:
        excepted = "--except" in command
        done = CliRunner().invoke(app, [*(part.replace("REASON", "they agreed") for part in command[1:]), "--quiet", "--force"])
        assert done.exit_code == (4 if excepted else 0), (command, done.output)
        with an.read("release.csv", quasi_identifiers=["age", "region", "sex"], sensitive=["bmi"]) as data:
            assert (an.audit(data)["k_anonymity"].value or 0) >= least


def test_the_way_out_goes_by_the_hierarchies_that_were_given(people: Path) -> None:
    """The printed command names the file, and the release has its labels."""
    Path("own.toml").write_text(_HEAD + _rule("k_anonymity", "minimum = 20"), encoding="utf-8")
    Path("sex.csv").write_text("f;f;*\nm;m;*\n", encoding="utf-8")
    Path("region.csv").write_text("N;cold;*\nE;cold;*\nS;warm;*\nW;warm;*\n", encoding="utf-8")
    given = ["--hierarchy", "sex=sex.csv", "--hierarchy", "region=region.csv"]
    first = _printed(people, *given)[0]
    assert [part for part in first if part.endswith(".csv") and "=" in part] == ["sex=sex.csv", "region=region.csv"]
    done = CliRunner().invoke(app, [*first[1:], "--quiet", "--force"])
    assert done.exit_code == 0, done.output
    text = Path("release.csv").read_text(encoding="utf-8")
    assert "{" not in text, "no group was made from the data"
