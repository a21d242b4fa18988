"""Stated exceptions: how they are written, what they cover, and that nothing with one is ever said to meet its policy."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import PolicyError
from anonscope.risk.metrics import Totals
from anonscope.risk.policy import excepting, judge, load
from anonscope.risk.policy.exceptions import called, except_sentence
from anonscope.risk.policy.limits import tightened
from anonscope.transform.recipe import load_recipe

ROLES = an.Roles(quasi_identifiers=("age",), sensitive=("ill", "rich"))
TOTALS = Totals(records=1000, persons=1000, busiest_person=0.001, sensitive_values=9, commonest_value=0.2)


def judged(exceptions: dict[str, str], *, k: int = 11, t: float = 0.5, **correlation: float) -> an.Verdict:
    """Return SCORR's verdict with exceptions on a table of which only these numbers are known."""
    measurements = [an.Measurement(metric="k_anonymity", scenario="default", value=k)]
    for sensitive in ("ill", "rich"):
        measurements += [
            an.Measurement(metric="t_closeness", scenario="default", sensitive=sensitive, variant="equal", value=t),
            *(
                an.Measurement(metric=metric, scenario="default", attributes=("age",), sensitive=about, min=0.0, mean=0.0, max=value)
                for metric, about, value in (("correlation", sensitive, correlation.get(sensitive, 0.1)), ("uniformity", None, 0.1))
            ),
        ]
    measurements.append(an.Measurement(metric="uniqueness", scenario="default", min=0.0, mean=0.0, max=0.1))
    return judge(excepting(load("scorr"), exceptions), ROLES, measurements, dict.fromkeys((None, "ill", "rich"), TOTALS))


def test_a_broken_rule_within_an_exception_is_released_and_never_met() -> None:
    """It may be released, its rule stays failed, its question stays unanswered, and no code of success is returned."""
    exceptions = {"correlation:rich<=0.7": "incomes are public here"}
    verdict = judged(exceptions, rich=0.7)

    assert (verdict.outcome, verdict.released, verdict.met, verdict.exit_code) == ("release with exceptions", True, False, 4)
    assert [result.status for result in verdict.excepted] == ["fail"]
    assert verdict.attacks["inference"] == "fails"
    assert except_sentence(excepting(load("scorr"), exceptions), verdict) == "meets SCORR except correlation about rich (0.7, limit 0.66)"


@pytest.mark.parametrize(
    ("exceptions", "found"),
    [
        ({"correlation:rich<=0.7": "r"}, {"rich": 0.71}),  # further than was stated
        ({"correlation:rich<=0.7": "r"}, {"ill": 0.69}),  # about another attribute
        ({"correlation:rich<=0.7": "r"}, {"rich": 0.7, "ill": 0.69}),  # one of two is covered
        ({"correlation:rich<=0.7": "r"}, {"rich": 0.7, "k": 10}),  # another rule fails as well
        ({"all:rich": "r"}, {"rich": 0.9, "t": 0.6}),  # t of the other attribute fails as well
        ({"k_anonymity>=5": "r"}, {"k": 4}),
    ],
)
def test_what_nobody_accepted_withholds(exceptions: dict[str, str], found: dict[str, float]) -> None:
    """An exception covers what it says, and nothing else."""
    assert judged(exceptions, **found).outcome == "withhold"  # type: ignore[arg-type]


def test_an_exception_that_is_not_needed_changes_nothing() -> None:
    """The policy is met, and may be called so."""
    verdict = judged({"correlation:rich<=0.7": "r"}, rich=0.2)

    assert (verdict.outcome, verdict.met, verdict.excepted) == ("release", True, ())


def test_an_attribute_may_be_left_out_of_judgement() -> None:
    """Then every rule about it is broken within the exception, and those about others are asked."""
    verdict = judged({"all:rich": "r"}, rich=0.9)

    assert verdict.outcome == "release with exceptions"
    assert [result.rule.metric for result in verdict.excepted] == ["correlation"]


@pytest.mark.parametrize(
    ("exceptions", "said"),
    [
        ({"correlation:rich<=0.7": " "}, "has no reason"),
        ({"correlation:rich": "r"}, "must say how far"),
        ({"correlation:rich>=0.7": "r"}, "is written <="),
        ({"correlation:rich<=0.5": "r"}, "asks for no less"),
        ({"k_anonymity>=20": "r"}, "asks for no less"),
        ({"k_anonymity:rich>=5": "r"}, "not about a sensitive attribute"),
        ({"l_diversity:rich>=1": "r"}, "has no rule about l_diversity"),
        ({"luck:rich<=1": "r"}, "No metric is called"),
        ({"correlation:poor<=0.7": "r"}, "no sensitive attribute here"),
        ({"correlation:rich<=many": "r"}, "is no number"),
        ({"all": "r"}, "names a column"),
        ({"correlation<=7": "r"}, "from 0 to 1"),
    ],
)
def test_exceptions_that_mean_nothing_are_refused(exceptions: dict[str, str], said: str) -> None:
    """What is wrong with each is said in a sentence."""
    with pytest.raises(PolicyError, match=said):
        judged(exceptions)


def test_a_policy_file_may_state_exceptions(tmp_path: Path) -> None:
    """The same exception as a file has it, and as a manifest brings it back."""
    from anonscope.operations.publishing.judging import policy_from_dict, policy_to_dict

    file = tmp_path / "own.toml"
    text = 'schema = "anonscope/policy/1"\nname = "own"\ntitle = "OWN rules"\nversion = "1"\norigin = "us"\n'
    text += '[[rules]]\nmetric = "k_anonymity"\nminimum = 11\n[[exceptions]]\nmetric = "k_anonymity"\nlimit = 5\nreason = "few people"\n'
    file.write_text(text)
    policy = load(file)

    assert [e.what for e in policy.exceptions] == ["k_anonymity>=5"]
    assert called(policy) == "OWN"
    assert policy_from_dict(policy_to_dict(policy)) == policy
    file.write_text(text.replace("limit = 5", "limit = 12"))
    with pytest.raises(PolicyError, match="asks for no less"):
        load(file)


def test_a_limit_beside_a_policy_asks_for_more_or_contradicts_it() -> None:
    """The two that contradict are named, and what to do instead."""
    tighter = tightened(load("scorr"), {"k_anonymity": 22})

    assert [rule.minimum for rule in tighter.rules if rule.metric == "k_anonymity"] == [22]
    assert len(tighter.rules) == len(load("scorr").rules)
    with pytest.raises(PolicyError, match=r"k_anonymity ≥ 5 contradicts the policy scorr, which asks for ≥ 11.*--except"):
        tightened(load("scorr"), {"k_anonymity": 5})


@pytest.fixture(scope="module")
def lopsided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of which 75 % have one income, so that no recoding brings its correlation to 0.66."""
    file = tmp_path_factory.mktemp("lopsided") / "people.csv"
    rows = [f"{20 + i % 40},{'mf'[i % 2]},{'low' if i % 4 else 'high'}" for i in range(800)]
    file.write_text("\n".join(["age,sex,income", *rows, ""]))
    return file


def test_a_release_with_an_exception_says_so_everywhere(lopsided: Path, tmp_path: Path) -> None:
    """Command, report, manifest, recipe and verification: never met, always the reason."""
    release, report = tmp_path / "release.csv", tmp_path / "report.html"
    options = ["anonymise", str(lopsided), "-q", "age", "-q", "sex", "-s", "income", "--policy", "scorr", "-o", str(release), "--quiet"]
    refused = CliRunner().invoke(app, options)
    assert refused.exit_code == 1
    assert not release.exists()

    stated = ["--except", "correlation:income<=0.8=wages are public", "--report", str(report)]
    done = CliRunner().invoke(app, [*options, *stated])

    assert done.exit_code == 4, done.output
    assert "The release meets SCORR except correlation about income (0.8, limit 0.66)" in report.read_text()
    assert "wages are public" in report.read_text()
    assert "The policy is met" not in report.read_text()
    (verdict,) = json.loads((tmp_path / "release.csv.manifest.json").read_text())["verdicts"]
    assert (verdict["outcome"], verdict["met"]) == ("release with exceptions", False)
    assert verdict["policy"]["exceptions"] == [
        {"metric": "correlation", "sensitive": "income", "limit": 0.8, "reason": "wages are public"},
    ]
    again = an.verify(release)
    assert again.holds
    assert "meets SCORR except correlation about income" in again.sentence
    # The recipe alone makes the same release, exception included.
    recipe = load_recipe(tmp_path / "release.csv.archive" / "recipe.toml")
    with an.read(lopsided, quasi_identifiers=["age", "sex"], sensitive=["income"]) as data, an.apply(recipe, data).read() as left:
        found = an.audit(left, exceptions={"correlation:income<=0.8": "wages are public"})
        assert found.verdict.outcome == "release with exceptions"
        assert found.to_dict()["verdict"]["met"] is False
        assert found.render("text").splitlines()[2].startswith("VERDICT: meets SCORR except correlation about income")
        assert an.audit(left).verdict.outcome == "withhold"
    # So does applying it, at the prompt and in Python.
    said = "The release meets SCORR except correlation about income (0.8, limit 0.66). "
    said += "Exception stated: correlation about income up to 0.8. Reason: "
    words = ["apply", str(tmp_path / "release.csv.archive/recipe.toml"), str(lopsided), "-o", str(tmp_path / "2.csv")]
    applied = CliRunner().invoke(app, words)
    assert applied.exit_code == 4, applied.output
    assert f"{said}wages are public." in " ".join(applied.stdout.split()) and "It meets" not in applied.stderr
    assert json.loads((tmp_path / "2.csv.manifest.json").read_text())["verdicts"][0]["says"].startswith("meets SCORR except")
    with an.read(lopsided) as data:
        made = an.apply(recipe, data)
        assert (made.exceptions, made.exit_code) == ((), 0), "nothing is known of a file before it is written"
        made.save(tmp_path / "3.csv")
    assert made.exit_code == 4 and made.exceptions[0].startswith(said) and made.exceptions[0] in made.to_text()
