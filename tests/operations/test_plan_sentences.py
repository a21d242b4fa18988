"""What a plan and an anonymisation say is so: no sentence contradicts another, and printed commands do what stands beside them."""

import json
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
from anonscope.transform.search.methods import Method
from anonscope.transform.search.steps import IN_A_PLAN, Steps


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


def test_what_needs_an_exception_is_not_called_met_while_another_column_waits_for_a_word(people: Path, tmp_path: Path) -> None:
    """A weight that finds people withholds the table until somebody says why it may stay; that hides no exception."""
    header, *rows = people.read_text().splitlines()
    weighted = tmp_path / "weighted.csv"
    weighted.write_text("\n".join([f"{header},weight", *(f"{row},{1000 + 7 * i}" for i, row in enumerate(rows)), ""]))
    with an.read(weighted, **ROLES, weight="weight") as data:  # type: ignore[arg-type]
        plan = an.plan(data, "scorr")
    assert plan.first and "weight" in plan.first[0]
    eased = [way for way in plan.relaxations if way.kind in ("another limit", "not judged")]
    assert eased
    for way in eased:
        assert way.release.says is not None
        assert way.release.says.startswith("meets SCORR except correlation about wealth (")
    assert "what is asked  meets scorr" not in plan.render("text")


def test_secrets_that_stand_in_each_others_way_are_no_dead_end(tmp_path: Path) -> None:
    """Giving up the one that no recoding can protect helps nothing, because another hides everything; giving up both does."""
    draw = random.Random(5)
    rows = [f"{draw.randint(20, 79)},{draw.choice('mf')},x{i},{'yes' if i == 7 else 'no'}" for i in range(200)]
    table = tmp_path / "secrets.csv"
    table.write_text("\n".join(["age,sex,account,ill", *rows, ""]))
    with an.read(table, quasi_identifiers=["age", "sex"], sensitive=["account", "ill"]) as data:
        plan = an.plan(data, limits={"k_anonymity": 5, "t_closeness": 0.2, "correlation": 0.66})
    assert plan.feasible is False and plan.relaxations
    assert all(way.release.loss < 0.95 for way in plan.relaxations), "what hides nearly everything is no way out where there is another"
    (way,) = [way for way in plan.relaxations if way.kind == "not judged"]
    assert way.change == "do not judge what can be concluded about account and ill"
    assert way.release.says is not None and "except" in way.release.says
    assert way.command.count("--except") == 2


def test_no_method_meets_a_policy_that_is_not_met(people: Path) -> None:
    """With an exception it keeps the eased limits, and no more is claimed."""
    with an.read(people, **ROLES) as data:  # type: ignore[arg-type]
        found = an.anonymise(data, "scorr", exceptions=EASED).to_dict()
        plain = an.anonymise(data, limits={"k_anonymity": 3}).to_dict()
    assert found["met"] is False and found["methods"]
    assert not any(one["met"] for one in found["methods"])
    assert any(one["keeps_limits"] for one in found["methods"])
    assert plain["met"] is True and any(one["met"] for one in plain["methods"])


def cut_after(questions: int) -> type[Steps]:
    """Return a budget that the clock ends when a search has asked so often whether it should."""

    class Cut(Steps):
        asked = 0

        @property
        def over(self) -> bool:
            self.asked += 1
            if not self.late and self.asked > questions:
                self.late, self.until = True, self.spent
            return super().over

    return Cut


@pytest.mark.parametrize("questions", [0, 2, 6, 25])
@pytest.mark.parametrize("methods", [("mondrian",), ("local",), ("subtree",), ("mondrian", "local"), ("global", "local")])
def test_what_a_plan_says_that_was_cut_by_time_comes_true(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, methods: tuple[Method, ...], questions: int
) -> None:
    """The command ends its search at the same step, so it makes the very release; and whoever wants more is told how."""
    monkeypatch.setattr("anonscope.operations.planning.solving.Steps", cut_after(questions))
    with an.read(people, **ROLES) as data:  # type: ignore[arg-type]
        plan = an.audit(data, from_limits({"k_anonymity": 3})).plan(methods=methods)
    for foretold in plan.releases[:2]:
        parts = shlex.split(foretold.command)
        parts[parts.index("-o") + 1] = str(tmp_path / "release.csv")
        done = CliRunner().invoke(app, [*parts[1:], "--quiet", "--force", "--format", "json"])
        assert done.exit_code == 0, (foretold.command, done.output)
        found = json.loads(done.stdout)
        assert found["losses"]["ncp"] == pytest.approx(foretold.loss, abs=1e-6)
        assert found["suppressed"] == foretold.suppressed
        # A search that was through with all steps of a plan before its time was up is repeated by a word instead of a number.
        words = [word for word in ("--steps", "--as-planned") if word in parts]
        assert len(words) == foretold.cut or foretold.method == "global"
    if plan.best is not None and plan.best.cut:
        word = "--as-planned" if "--as-planned" in plan.best.command else "--steps"
        assert f"a command that is not held to it ({word}) searches on" in " ".join(plan.render("text").split())
        assert not plan.complete


@pytest.mark.parametrize("methods", [("local",), ("mondrian", "local")])
def test_a_plan_of_a_small_table_looks_at_no_clock_and_comes_true_by_one_word(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, methods: tuple[Method, ...]
) -> None:
    """However slow the machine, the plan is the same; its command needs no number, and nothing at all where the search was at its end."""
    monkeypatch.setattr("anonscope.transform.search.steps.monotonic", lambda: pytest.fail("a clock was looked at"))
    for budget in (2_000, 6_000_000):
        for method in methods:
            monkeypatch.setitem(IN_A_PLAN, method, budget)
        with an.read(people, **ROLES) as data:  # type: ignore[arg-type]
            plan = an.audit(data, from_limits({"k_anonymity": 3})).plan(methods=methods)
        assert plan.best is not None and plan.best.cut == (budget == 2_000)
        assert ("--as-planned" in plan.best.command) == plan.best.cut and "--steps" not in plan.best.command
        parts = shlex.split(plan.best.command)
        parts[parts.index("-o") + 1] = str(tmp_path / "release.csv")
        done = CliRunner().invoke(app, [*parts[1:], "--quiet", "--force", "--format", "json"])
        assert done.exit_code == 0, (plan.best.command, done.output)
        assert json.loads(done.stdout)["losses"]["ncp"] == pytest.approx(plan.best.loss, abs=1e-6)


def test_a_start_and_steps_belong_to_one_method(people: Path) -> None:
    """What a plan prints is refused where it means nothing."""
    with an.read(people, **ROLES) as data:  # type: ignore[arg-type]
        for wrong, said in (
            ({"steps": {"local": 5}}, "belong to one method"),
            ({"method": "subtree", "start": "global"}, "a start goes with the method local"),
            ({"method": "local", "steps": {"mondrian": 5}}, "only local recoding is asked for"),
            ({"method": "local", "start": "local"}, "not with"),
            ({"method": "local", "steps": {"local": 5}, "time_budget": 3}, "no time budget"),
        ):
            with pytest.raises(OptionError, match=said):
                an.anonymise(data, limits={"k_anonymity": 3}, **wrong)  # type: ignore[arg-type]


def test_records_may_go_instead_of_being_starred(people: Path, tmp_path: Path) -> None:
    """As in `anonymise`: what is planned has fewer records, and its command says so."""
    with an.read(people, **ROLES) as data:  # type: ignore[arg-type]
        plan = an.plan(data, limits={"k_anonymity": 3}, suppressed="drop")
        with pytest.raises(OptionError, match="keep or drop"):
            an.plan(data, limits={"k_anonymity": 3}, suppressed="hide")  # type: ignore[arg-type]
    best = plan.best
    assert best is not None and "--suppressed drop" in best.command
    parts = shlex.split(best.command)
    parts[parts.index("-o") + 1] = str(tmp_path / "release.csv")
    assert CliRunner().invoke(app, [*parts[1:], "--quiet"]).exit_code == 0
    assert len((tmp_path / "release.csv").read_text().splitlines()) == 1 + 400 - best.suppressed


def test_what_a_plan_measures_is_said_in_words(people: Path) -> None:
    """Nobody but the authors of a paper knows what R_co is."""
    with an.read(people, **ROLES) as data:  # type: ignore[arg-type]
        plan = an.plan(data, limits={"k_anonymity": 3, "correlation": 0.95, "t_closeness": 0.6})
    assert plan.best is not None
    assert "R_" not in plan.best.words
    assert "k = " in plan.best.words and "t = " in plan.best.words and "correlation 0." in plan.best.words


def test_at_most_five_releases_of_which_nothing_beats_another(people: Path) -> None:
    """The first loses least, the last protects most, and one of those between is balanced."""
    with an.read(people, **ROLES) as data:  # type: ignore[arg-type]
        releases = an.plan(data, limits={"k_anonymity": 3}).releases
    assert 3 <= len(releases) <= 5
    assert releases[0].name == "most useful" and releases[-1].name == "most protective"
    assert [r.name for r in releases].count("balanced") == 1
    for one in releases:
        assert not any(other.loss <= one.loss and other.risk <= one.risk for other in releases if other is not one)


def test_a_slow_machine_leaves_nobody_without_a_way_out(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the time is up before anything began, what would work instead is looked for all the same."""
    monkeypatch.setattr("anonscope.operations.plan.COUNTED", 0)
    monkeypatch.setattr("anonscope.operations.plan.SECONDS", 0.0)
    monkeypatch.setattr("anonscope.operations.plan._INSTEAD", 0.0)
    with an.read(people, **ROLES) as data:
        found = an.plan(data, limits={"k_anonymity": 3, "l_diversity": 5})
    assert found.best is None and found.relaxations and "anonscope anonymise" in found.relaxations[0].command


def test_a_release_that_hides_nearly_everything_is_called_that(people: Path) -> None:
    """Whom it tells next to nothing is offered what would work instead, and nothing else that hides as much."""
    with an.read(people, **ROLES) as data:
        found = an.plan(data, limits={"k_anonymity": 399})
    assert found.best is not None and found.best.loss > 0.95
    assert "That hides nearly everything; below is what would work instead." in found.render("text")
    assert found.relaxations and all(way.release.loss < 0.95 for way in found.relaxations)


def test_a_column_that_is_dropped_by_name_is_not_taken_for_the_id_of_a_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sensitive column whose values repeat stops nobody who follows the advice to drop it."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + i % 3},{'mf'[i % 2]},{'' if i % 4 else f'payer {i % 7}'},{'abc'[i % 3]}" for i in range(120)]
    Path("stays.csv").write_text("\n".join(["age,sex,Payment Typology 3,ward", *rows, ""]))
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["Payment Typology 3", "ward"]}
    with an.read("stays.csv", **roles) as data:
        found = an.plan(data, limits={"correlation": 0.66})
    command = next(way.command for way in found.relaxations if way.kind == "column dropped")
    assert "--acknowledge 'Payment Typology 3=REASON'" in command
    done = CliRunner().invoke(app, [part.replace("REASON", "no id") for part in shlex.split(command)[1:]] + ["--quiet"])
    assert done.exit_code == 0, done.output


def test_only_what_the_counts_rule_out_stops_a_release(people: Path) -> None:
    """Two values of wealth cannot be nine; groups of two stop nothing."""
    with an.read(people, **ROLES) as data:  # type: ignore[arg-type]
        found = an.anonymise(data, limits={"l_diversity": 9, "k_anonymity": 2})
    assert found.remaining == ("l-diversity (wealth) ≥ 9",)
    assert "What stops it: l-diversity (wealth) ≥ 9." in " ".join(found.render("text").split())


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


def test_as_planned_alone_says_which_method_to_copy(people: Path) -> None:
    """It spoke of steps and a start, which nobody had said."""
    with (
        an.read(people, **ROLES) as data,
        pytest.raises(an.AnonscopeError, match=r"--as-planned .* belongs to one method: copy the --method"),
    ):  # type: ignore[arg-type]
        an.anonymise(data, limits={"k_anonymity": 3}, as_planned=True)
