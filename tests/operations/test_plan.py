"""A plan: what it foretells comes true when its command is carried out, and no table is left without a way out."""

import random
import shlex
import sys
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import ColumnNotFound, OptionError


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 400 people whose illness hangs on nothing much, with a name that must go."""
    draw = random.Random(17)
    rows = ["name,age,zip,sex,illness,wealth"]
    for i in range(400):
        illness = draw.choice(["flu", "asthma", "cough", "gout", "rash"])
        rows.append(f"n{i},{draw.randint(20, 79)},{draw.randint(100, 139)},{draw.choice('mf')},{illness},{'low' if i % 4 else 'high'}")
    file = tmp_path_factory.mktemp("people") / "people.csv"
    file.write_text("\n".join([*rows, ""]))
    return file


def carried_out(command: str, folder: Path) -> tuple[int, list[dict[str, str]]]:
    """Run a printed command with a reason in the place of REASON, and return its status and the records that it wrote."""
    release = folder / "release.csv"
    parts = [part.replace("REASON", "they agreed") for part in shlex.split(command)]
    assert parts[0] == "anonscope"
    parts[parts.index("-o") + 1] = str(release)
    done = CliRunner().invoke(app, [*parts[1:], "--quiet", "--force"])
    assert done.exit_code in (0, 4), (command, done.output)
    header, *lines = release.read_text().splitlines()
    return done.exit_code, [dict(zip(header.split(","), _cells(line), strict=True)) for line in lines]


def _cells(line: str) -> list[str]:
    import csv

    return next(csv.reader([line]))


def smallest_group(records: list[dict[str, str]], columns: list[str]) -> int:
    """Return k the obvious way: the fewest records that agree in some columns."""
    return min(Counter(tuple(record[column] for column in columns) for record in records).values())


def worst_share(records: list[dict[str, str]], column: str, sensitive: str) -> float:
    """Return the largest share of one sensitive value among the records that agree in a column, the obvious way."""
    groups: dict[str, Counter[str]] = {}
    for record in records:
        groups.setdefault(record[column], Counter())[record[sensitive]] += 1
    return max(max(group.values()) / sum(group.values()) for group in groups.values())


def test_what_is_foretold_comes_true(people: Path, tmp_path: Path) -> None:
    """Every release of a plan is made by its command, and is what the plan said, counted by other code."""
    with an.read(
        people, quasi_identifiers=["age", "zip", "sex"], sensitive=["illness"], direct_identifiers=["name"], insensitive=["wealth"]
    ) as data:
        plan = an.plan(data, "scorr")

    assert plan.feasible is True
    assert plan.best is not None
    assert [r.loss for r in plan.releases] == sorted(r.loss for r in plan.releases)
    assert [r.smallest_class for r in plan.releases] == sorted({r.smallest_class for r in plan.releases})
    for foretold in plan.releases:
        status, records = carried_out(foretold.command, tmp_path)
        assert status == 0
        assert len(records) == 400
        assert "name" not in records[0]
        assert smallest_group(records, ["age", "zip", "sex"]) == foretold.smallest_class >= 11
        correlation = next(r.value for r in foretold.verdict.rules if r.rule.metric == "correlation")
        assert max(worst_share(records, column, "illness") for column in ("age", "zip", "sex")) == pytest.approx(correlation)
        assert sum(all(r[c] == "*" for c in ("age", "zip", "sex")) for r in records) in (foretold.suppressed, 400)
        assert {c.column: c.becomes for c in foretold.columns}["name"] == "dropped"


def test_impossible_is_known_at_once_and_has_ways_out(people: Path, tmp_path: Path) -> None:
    """Three of four people are poor: each way out works as foretold, and none that breaks the policy is called met."""
    with an.read(people, quasi_identifiers=["age", "zip", "sex"], sensitive=["illness", "wealth"], direct_identifiers=["name"]) as data:
        plan = an.plan(data, "scorr")

    assert plan.feasible is False
    assert plan.best is None
    assert "75.0 % of all records share the commonest sensitive value" in " ".join(plan.reasons)
    kinds = [way.kind for way in plan.relaxations]
    assert {"column dropped", "another limit", "not judged", "another policy"} <= set(kinds)
    assert [way.changes_data for way in plan.relaxations] == sorted((way.changes_data for way in plan.relaxations), reverse=True)
    for way in plan.relaxations:
        status, records = carried_out(way.command, tmp_path)
        assert smallest_group(records, ["age", "zip", "sex"]) == way.release.smallest_class
        assert status == (4 if way.kind in ("another limit", "not judged") else 0)
        if status == 4:
            assert way.release.says is not None
            assert way.release.says.startswith("meets SCORR except correlation about wealth (")
        assert ("wealth" in records[0]) == (way.kind != "column dropped")
        assert way.drops == (("wealth",) if way.kind == "column dropped" else ())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"limits": {"k_anonymity": 500}}, "k-anonymity ≥ 500 cannot be met by changing quasi-identifiers, because"),
        (
            {"limits": {"k_anonymity": 5}, "untouched": ["age", "zip", "sex"]},
            "k-anonymity ≥ 5 contradicts that age, zip and sex are to stay as they are",
        ),
        ({"limits": {"l_diversity": 6}}, "l-diversity (illness) ≥ 6 cannot be met by changing quasi-identifiers, because"),
    ],
)
def test_wishes_that_contradict_are_named_with_a_way_out(people: Path, asked: dict[str, object], said: str) -> None:
    """One sentence names the two things that contradict, and a plan that does not follows."""
    with an.read(
        people, quasi_identifiers=["age", "zip", "sex"], sensitive=["illness"], direct_identifiers=["name"], insensitive=["wealth"]
    ) as data:
        plan = an.plan(data, **asked)  # type: ignore[arg-type]

    assert plan.feasible is False
    assert any(reason.startswith(said) for reason in plan.reasons), plan.reasons
    assert plan.relaxations
    assert all(way.release.loss < 0.95 for way in plan.relaxations), "what hides everything is no way that a person would take"
    assert not any("≥ 1," in f"{way.change}," for way in plan.relaxations), "nor is giving up all that was asked"


def test_a_plan_that_ended_early_says_how_to_look_further(people: Path) -> None:
    """Nothing found in no time proves nothing, and the option that gives it more is named."""
    with an.read(people, quasi_identifiers=["age", "zip", "sex"], sensitive=["illness"], direct_identifiers=["name", "wealth"]) as data:
        plan = an.plan(data, limits={"k_anonymity": 5}, seconds=1e-6)
        with pytest.raises(ColumnNotFound, match="Did you mean 'age'"):
            an.plan(data, limits={"k_anonymity": 5}, levels={"agee": 1})

    assert plan.best is None and plan.feasible is None
    assert "--seconds 30" in " ".join(plan.reasons)


def test_a_plan_is_worked_out_from_the_counts(people: Path) -> None:
    """An audit alone loads no search; a plan reads the table no more, and is worked out once.

    The clock has no say in it: both have more time than any machine needs.
    """
    with an.read(
        people, quasi_identifiers=["age", "zip", "sex"], sensitive=["illness"], direct_identifiers=["name"], insensitive=["wealth"]
    ) as data:
        audit = an.audit(data)
        assert audit.plan() is audit.plan()
        plan = audit.plan(seconds=600)
        # Something else on the same engine does not disturb it.
        an.anonymise(data, limits={"k_anonymity": 2})
        again = audit.plan(suppression=0.05, seconds=600)
        cut = audit.plan(seconds=0.05)
    assert plan.complete and again.complete
    assert [r.words for r in again.releases] == [r.words for r in plan.releases]
    assert again.tuples == plan.tuples
    assert not cut.complete, "a plan whose time was up says so"
    assert any("The time was up" in note for note in cut.notes)
    assert "The time was up" in cut.render("text")


def test_a_column_named_like_a_formula_does_not_stop_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text with such a header is refused, so the release goes to Parquet, and the plan says why; a column that is dropped stops nothing."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + i % 20},{'mf'[i % 2]},n{i}" for i in range(60)]
    Path("odd.csv").write_text("\n".join(["-x,sex,=name", *rows, ""]), encoding="utf-8")
    with an.read("odd.csv", quasi_identifiers=["-x", "sex"], direct_identifiers=["=name"]) as data:
        plan = an.plan(data, limits={"k_anonymity": 5})
    assert plan.best is not None and any("'-x'" in line and ".parquet" in line and "=name" not in line for line in plan.first), plan.first
    words = shlex.split(plan.best.command)
    assert words[-2:] == ["-o", "release.parquet"]
    done = CliRunner().invoke(app, [*words[1:], "--quiet"])
    assert done.exit_code == 0 and Path("release.parquet").exists(), (done.output, done.exception)


def test_an_audit_loads_nothing_that_searches() -> None:
    """What only measures stays light."""
    import subprocess

    code = "import anonscope as an, sys; an.audit; print([m for m in sys.modules if 'transform.search' in m or 'planning' in m])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_a_table_that_meets_the_policy_needs_no_change(tmp_path: Path) -> None:
    """Nothing is lost, and nothing has to be done."""
    file = tmp_path / "even.csv"
    file.write_text("sex,ill\n" + "".join(f"{'mf'[i % 2]},{'abc'[i % 3]}\n" for i in range(120)))
    with an.read(file, quasi_identifiers=["sex"], sensitive=["ill"]) as data:
        plan = an.plan(data, "scorr")
    assert plan.met
    assert plan.render("text").splitlines()[2] == "Nothing has to change: the policy is met as the table is"


def test_the_audit_leads_with_the_plan_unless_told_otherwise(people: Path, tmp_path: Path) -> None:
    """The page, the terminal and JSON; and a plan of its own on request."""
    roles = ["-q", "age", "-q", "zip", "-q", "sex", "-s", "illness", "-d", "name", "-i", "wealth", "--quiet"]
    shown = CliRunner().invoke(app, ["audit", str(people), *roles])
    assert shown.exit_code == 1
    assert "PLAN: The policy can be met by recoding" in shown.output and len(shown.output.splitlines()) <= 24
    assert "PLAN" not in CliRunner().invoke(app, ["audit", str(people), *roles, "--no-plan"]).output
    page = tmp_path / "page.html"
    CliRunner().invoke(app, ["audit", str(people), *roles, "-o", str(page)])
    assert page.read_text().index("The policy can be met by recoding") < page.read_text().index("The rules of the policy, one by one")
    alone = CliRunner().invoke(app, ["plan", str(people), *roles])
    assert alone.exit_code == 0
    assert "anonscope anonymise" in alone.output


def test_bad_wishes_are_refused(people: Path) -> None:
    """A share that is none, and a column that is not recoded."""
    with an.read(people, quasi_identifiers=["age", "zip"], sensitive=["illness"], direct_identifiers=["name"]) as data:
        audit = an.audit(data)
        with pytest.raises(OptionError, match="share from 0 to 1"):
            audit.plan(suppression=2.0)
        with pytest.raises(OptionError, match="has a level as well"):
            audit.plan(levels={"age": 1}, untouched=["age"])
        with pytest.raises(OptionError, match="no quasi-identifier"):
            audit.plan(untouched=["sex"])
        with pytest.raises(OptionError, match="there is no level 99; the nearest is"):
            audit.plan(levels={"age": 99})


def test_a_level_that_is_none_is_a_slip_and_no_verdict_on_the_table(people: Path) -> None:
    """Exit 2 and one sentence, as for every other option."""
    done = CliRunner().invoke(app, ["plan", str(people), "-q", "age", "-q", "zip", "-d", "name", "--level", "age=99"])
    assert isinstance(done.exception, OptionError) and "the nearest is" in str(done.exception)
    assert "There is no plan" not in done.output


def test_what_must_be_said_first_withholds_the_release_and_not_the_plan(people: Path) -> None:
    """Nobody said what some columns are, but a release that meets the policy was found: exit 0, and a command with a place for a reason."""
    done = CliRunner().invoke(app, ["plan", str(people), "-q", "age", "-q", "zip", "-q", "sex", "--policy", "research-shared"])
    assert done.exit_code == 0, done.output
    assert "What must be said first" in done.output and "REASON" in done.output


def test_ways_out_that_were_cut_by_time_say_how_to_look_further(people: Path) -> None:
    """The policy cannot be met, which is proved; that what would work costs nearly everything is not."""
    with an.read(people, quasi_identifiers=["age", "zip", "sex"], sensitive=["wealth"], direct_identifiers=["name", "illness"]) as data:
        plan = an.plan(data, "scorr", seconds=0.001)
    assert plan.feasible is False
    cheap = any(way.release.loss <= 0.4 for way in plan.relaxations)
    assert cheap or "--seconds 30" in " ".join(plan.reasons)
    assert "proves nothing" not in " ".join(plan.reasons)


def test_the_recipe_of_last_month_is_held_against_this_one(people: Path, tmp_path: Path) -> None:
    """On the same table it still does; where many leave, it does not, and columns become no finer than they were."""
    roles = {
        "quasi_identifiers": ["age", "zip", "sex"],
        "sensitive": ["illness"],
        "direct_identifiers": ["name"],
        "insensitive": ["wealth"],
    }
    release = tmp_path / "last.csv"
    with an.read(people, **roles) as data:  # type: ignore[arg-type]
        an.anonymise(data, limits={"k_anonymity": 11}, method="global", suppression=0.0).write(release)
        recipe = an.load_recipe(release.with_name("last.csv.archive") / "recipe.toml")
        same = an.plan(data, like=recipe, suppression=0.0)
    assert same.last_time is not None and same.last_time.holds and same.last_time.change is None

    fewer = tmp_path / "fewer.csv"
    fewer.write_text("\n".join(people.read_text().splitlines()[:120]) + "\n")
    with an.read(fewer, **roles) as data:  # type: ignore[arg-type]
        now = an.plan(data, like=recipe, suppression=0.0)
    assert now.last_time is not None and not now.last_time.holds
    assert now.best is not None and now.best.levels is not None and now.last_time.change
    assert all(now.best.levels[column] >= level for column, level in now.last_time.levels.items())
    assert now.best.levels != dict(now.last_time.levels)
    _, records = carried_out(now.best.command, tmp_path)
    assert smallest_group(records, ["age", "zip", "sex"]) == now.best.smallest_class >= 11
