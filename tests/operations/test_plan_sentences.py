"""What a plan and an anonymisation say is so: no sentence contradicts another, and printed commands do what stands beside them."""

import random
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.cli.again import with_person
from anonscope.errors import OptionError, PolicyError
from anonscope.risk.policy.limits import from_limits
from anonscope.transform.search.steps import Steps


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """400 people of whom three in four are poor."""
    draw = random.Random(23)
    rows = ["age,zip,sex,wealth"]
    rows += [f"{draw.randint(20, 79)},{draw.randint(100, 139)},{draw.choice('mf')},{'low' if i % 4 else 'high'}" for i in range(400)]
    file = tmp_path_factory.mktemp("people") / "people.csv"
    file.write_text("\n".join([*rows, ""]))
    return file


ROLES = {"quasi_identifiers": ["age", "zip", "sex"], "sensitive": ["wealth"]}
EASED = {"correlation:wealth<=0.9": "everybody knows who is poor"}


@pytest.mark.parametrize("form", ["text", "html", "markdown"])
def test_a_plan_that_needs_an_exception_never_says_that_the_policy_can_be_met(people: Path, form: str) -> None:
    """It says what the release meets, and except what."""
    with an.read(people, **ROLES) as data:  # type: ignore[arg-type]
        plan = an.plan(data, "scorr", exceptions=EASED)
    assert plan.best is not None and not plan.best.verdict.met
    said = plan.render(form)
    assert "can be met" not in said
    assert "Each meets the policy" not in said
    assert "meets SCORR except correlation about wealth" in said


def test_no_method_meets_a_policy_that_is_not_met(people: Path) -> None:
    """With an exception it keeps the eased limits, and no more is claimed."""
    with an.read(people, **ROLES) as data:  # type: ignore[arg-type]
        found = an.anonymise(data, "scorr", exceptions=EASED).to_dict()
        plain = an.anonymise(data, limits={"k_anonymity": 3}).to_dict()
    assert found["met"] is False and found["methods"]
    assert not any(one["met"] for one in found["methods"])
    assert any(one["keeps_limits"] for one in found["methods"])
    assert plain["met"] is True and any(one["met"] for one in plain["methods"])


class _Cut(Steps):
    """A search that the clock ends at the first question."""

    @property
    def over(self) -> bool:
        self.late = True
        return True


def test_a_plan_that_was_cut_by_time_says_at_most_and_its_command_searches_further(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is printed has no steps and no method, and loses no more than was said."""
    monkeypatch.setattr("anonscope.operations.planning.solving.Steps", _Cut)
    with an.read(people, **ROLES) as data:  # type: ignore[arg-type]
        plan = an.audit(data, from_limits({"k_anonymity": 3})).plan(methods=("mondrian",))
        found = an.anonymise(data, limits={"k_anonymity": 3})
    best = plan.best
    assert best is not None and best.at_most
    assert "--steps" not in best.command and "--method" not in best.command
    assert "at most" in best.words
    assert "this command searches further" in " ".join(plan.render("text").split())
    assert found.losses["ncp"] <= best.loss + 1e-9


def test_only_what_the_counts_rule_out_stops_a_release(people: Path) -> None:
    """Two values of wealth cannot be nine; groups of two stop nothing."""
    with an.read(people, **ROLES) as data:  # type: ignore[arg-type]
        found = an.anonymise(data, limits={"l_diversity": 9, "k_anonymity": 2})
    assert found.remaining == ("l_diversity (wealth) ≥ 9",)
    assert "What stops it: l_diversity (wealth) ≥ 9." in " ".join(found.render("text").split())


def test_an_option_names_the_person_whatever_the_roles_file_calls_it(tmp_path: Path) -> None:
    """What is printed can be copied: the id is the person, and no longer a direct identifier."""
    draw = random.Random(5)
    visits = tmp_path / "visits.csv"
    rows = [f"P{10000 + i // 3},{draw.randint(20, 60)},{draw.choice('mf')},{draw.choice('abcd')}" for i in range(300)]
    visits.write_text("\n".join(["patient_id,age,sex,ill", *rows, ""]))
    roles = tmp_path / "roles.toml"
    roles.write_text('direct_identifiers = ["patient_id"]\nquasi_identifiers = ["age", "sex"]\nsensitive = ["ill"]\n')
    with an.read(visits, roles=roles) as data:
        plan = an.plan(data, limits={"k_anonymity": 3})
    assert any("patient_id as the person (-p)" in line for line in plan.first), plan.first
    assert plan.best is not None and "-p patient_id" in plan.best.command
    assert "-d patient_id" not in plan.best.command
    parts = shlex.split(plan.best.command)
    parts[parts.index("-o") + 1] = str(tmp_path / "release.csv")
    done = CliRunner().invoke(app, [*parts[1:], "--quiet"])
    assert done.exit_code == 0, done.output
    with an.read(visits, direct_identifiers=["patient_id"], quasi_identifiers=["age", "sex"], sensitive=["ill"]) as data:
        listed = an.plan(data, limits={"k_anonymity": 3})
    assert listed.best is not None and "-p patient_id" in listed.best.command and "-d patient_id" not in listed.best.command
    again = with_person(["anonymise", "visits.csv", "--roles", "roles.toml"], "patient_id")
    assert again.endswith("anonscope anonymise visits.csv --roles roles.toml -p patient_id")


def test_the_word_that_stands_for_a_reason_is_none(people: Path) -> None:
    """What a plan prints has REASON where a person has to say something."""
    with an.read(people, **ROLES) as data, pytest.raises(PolicyError, match="reason is missing"):  # type: ignore[arg-type]
        an.plan(data, "scorr", exceptions={"correlation:wealth<=0.9": "REASON"})


def test_a_limit_has_one_value(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two that contradict are refused, whichever comes last; commands that a plan prints have each once."""
    monkeypatch.setattr("sys.argv", ["anonscope"])
    given = ["anonymise", str(people), "-q", "age", "-i", "wealth", "--limit", "k_anonymity=10", "--limit", "k_anonymity=5", "-o", "x.csv"]
    done = CliRunner().invoke(app, given)
    assert isinstance(done.exception, OptionError) and "'k_anonymity' is given two values, 10 and 5" in str(done.exception)
    with an.read(people, quasi_identifiers=["age", "zip", "sex"], insensitive=["wealth"]) as data:
        limited = an.plan(data, limits={"k_anonymity": 4})
        both = an.plan(data, "arx-default", limits={"k_anonymity": 20})
    assert len(limited.releases) > 1
    for release in limited.releases:
        assert release.command.count("--limit k_anonymity=") == 1
    assert both.best is not None
    for release in both.releases:
        assert "--policy arx-default " in release.command and release.command.count("--limit k_anonymity=") == 1


def test_no_command_where_nothing_has_to_change_and_none_that_overwrites(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release that meets the policy needs none; other commands write to a file that does not exist."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "release.csv").write_text("sex,ill\n" + "".join(f"{'mf'[i % 2]},{'abc'[i % 3]}\n" for i in range(120)))
    with an.read("release.csv", quasi_identifiers=["sex"], sensitive=["ill"]) as data:
        done = an.plan(data, "scorr")
    assert done.met and done.feasible and not done.releases
    assert "anonscope anonymise" not in done.render("text")
    with an.read(people, quasi_identifiers=["age", "zip", "sex"], insensitive=["wealth"]) as data:
        plan = an.plan(data, limits={"k_anonymity": 4})
    assert plan.best is not None and plan.best.command.endswith("-o release-2.csv")
