"""The three questions of WP216: which rule answers which, what stays open, and how a release is held against other tables."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.operations.verify import verify
from anonscope.risk.policy import Rule, from_limits
from anonscope.transform.steps import GeneraliseInterval

Run = Callable[..., an.Audit]
READINGS = ("itpr", "discrimination_rate", "mutual_information", "conditional_privacy", "maximum_information_leakage")
PUBLIC = ("public-strict", "public-medium", "ema-0070")


def people(each: int, **also: Any) -> pa.Table:
    """Return four groups of so many people each, with two diagnoses in every group."""
    ages = [age for age in (21, 24, 51, 54) for _ in range(each)]
    return pa.table({"age": ages, "ill": ["flu" if i % 2 else "asthma" for i in range(4 * each)]} | also)


@pytest.mark.parametrize("metric", READINGS)
def test_a_rule_about_inference_belongs_to_inference(metric: str) -> None:
    """Not to singling out, which these metrics are filed under; and a rule about both readings belongs to both."""
    (inferred,), (found), (both) = (from_limits({f"{metric}{of}": 0.5}).rules for of in (":inference", ":re-identification", ""))

    assert inferred.attacks == ("inference",)
    assert found[0].attacks == ("singling out",)
    assert both[0].attacks == ("singling out", "inference")


def test_each_reading_answers_its_own_question(audit: Run) -> None:
    """Everybody is in one group, so nobody is found; but all have the flu in the other one, which is what the attacker wants."""
    columns = {"zip": ["1"] * 8 + ["2"] * 8, "ill": ["flu"] * 8 + ["flu", "cold"] * 4}
    policy = from_limits({"discrimination_rate": 0.3})
    verdict = audit(**columns, quasi_identifiers=["zip"], sensitive=["ill"], policy=policy).verdict

    assert verdict.attacks == {"singling out": "meets the policy", "linkability": "not assessed", "inference": "fails"}
    assert [result.value for result in verdict.about["singling out"]] == [pytest.approx(0.25)]
    assert verdict.about["inference"][0].measurement.sensitive == "ill"
    assert verdict.outcome == "withhold"


def test_without_a_sensitive_attribute_nothing_is_inferred(audit: Run) -> None:
    """A rule about both readings is then about one; the other question stays open and does not make the table unsafe."""
    verdict = audit(zip=["1"] * 8, quasi_identifiers=["zip"], policy=from_limits({"mutual_information": 0.3})).verdict

    assert verdict.attacks == {"singling out": "meets the policy", "linkability": "not assessed", "inference": "not assessed"}
    assert verdict.outcome == "release"


@pytest.mark.parametrize("name", PUBLIC)
def test_without_another_table_linkability_stays_open(audit: Run, name: str) -> None:
    """No preset withholds a table because nobody has a register at hand; the sentence under the verdict says what is open."""
    found = an.audit(people(20), policy=name, quasi_identifiers=["age"], sensitive=["ill"])

    assert found.verdict.outcome == "release"
    assert found.verdict.attacks["linkability"] == "not assessed"
    assert {rule.given for rule in found.verdict.set_aside} == {"population", "external"}
    for format in ("text", "markdown", "html", "fragment"):
        page = an.report.render(found, format) if format == "fragment" else found.render(format)
        assert "Not assessed, which is not passed: linkability (no population or external table is given to link with)" in page


@pytest.mark.parametrize("name", PUBLIC)
def test_with_a_population_linkability_is_assessed(name: str) -> None:
    """Groups of twenty are of forty in the population; and one that has fewer people than the table is no population."""
    roles: dict[str, Any] = {"quasi_identifiers": ["age"], "sensitive": ["ill"]}
    found = an.audit(people(20), policy=name, population=people(40), **roles)
    wrong = an.audit(people(20), policy=name, population=people(19), **roles)

    assert found.verdict.attacks["linkability"] == "meets the policy" and found.verdict.released
    assert [r.value for r in found.verdict.about["linkability"]] == [40]
    assert wrong.verdict.attacks["linkability"] == "not measured" and wrong.verdict.outcome == "withhold"


@pytest.mark.parametrize("method", ["global", "local", "mondrian"])
def test_a_release_is_held_against_its_population(method: str) -> None:
    """Its labels stand for values there: sixteen people between 21 and 24 may be forty of the population."""
    with an.read(people(8), population=people(20), quasi_identifiers=["age"], sensitive=["ill"]) as data:
        found = an.anonymise(data, "public-medium", method=method)  # type: ignore[arg-type]
    assert found.met and found.after is not None

    assert found.after.verdict.attacks == {
        "singling out": "meets the policy",
        "linkability": "meets the policy",
        "inference": "meets the policy",
    }
    (k_map,) = found.after.select("k_map")
    assert (k_map.status, k_map.value) == ("measured", 40)
    assert found.after["journalist"].max == 1 / 40
    assert found.to_dict()["attacks"] == dict(found.after.verdict.attacks)


@pytest.mark.parametrize("limits", [None, {"k_map": 7}])
def test_a_release_with_a_population_is_published_and_verified(tmp_path: Path, limits: dict[str, float] | None) -> None:
    """What was read back is judged with the population as well; who verifies without it is told what could not be checked."""
    with an.read(people(8), population=people(20), quasi_identifiers=["age"], sensitive=["ill"]) as data:
        made = an.anonymise(data, None if limits else "public-medium", limits=limits)
        path = made.write(tmp_path / "release.csv")
    found = verify(path)
    told = json.loads((tmp_path / "release.csv.manifest.json").read_text(encoding="utf-8"))

    assert {rule["status"] for verdict in told["verdicts"] for rule in verdict["rules"]} == {"pass"}
    assert any(c.status == "not checked" and "k_map" in c.detail for c in found.checks)
    assert not [c for c in found.checks if c.status == "differs"]


def test_a_release_that_is_not_from_its_population_is_not_written() -> None:
    """The register lacks people of the table, so what it says of the release is nothing; the policy is not met, and says why."""
    with an.read(people(16), population=people(3), quasi_identifiers=["age"], sensitive=["ill"]) as data:
        found = an.anonymise(data, "public-medium")

    assert not found.met and found.release is None
    assert any("the sample is not from it" in line for line in found.remaining)


def test_own_rules_about_the_population_are_measured_on_the_release_too() -> None:
    """What the search aims at, the audit of the release finds by linking, which shares no code with it."""
    with an.read(people(2), population=people(5), quasi_identifiers=["age"], sensitive=["ill"]) as data:
        found = an.anonymise(data, limits={"k_map": 7})

    assert found.met and found.after is not None and found.after.verdict.released
    assert found.after["k_map"].value == 10
    assert not any("cannot, and says not measured" in note for note in found.notes)


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
def test_an_anonymisation_shows_the_three_questions(format: str) -> None:
    """ "Met" never stands alone: what the audit leaves open is said beside it, and every question has its answer."""
    with an.read(people(8), quasi_identifiers=["age"], sensitive=["ill"]) as data:
        page = an.anonymise(data, "public-medium").render(format)

    for attack in ("singling out", "linkability", "inference"):
        assert attack in page
    assert "not assessed" in page
    assert "Not assessed, which is not passed: linkability (no population or external table is given to link with)" in page


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
def test_a_pipeline_shows_the_three_questions(format: str) -> None:
    """As an audit does."""
    with an.read(people(8), quasi_identifiers=["age"], sensitive=["ill"]) as data:
        found = an.pipeline(data)
        page = found.render(format)

    assert found.to_dict()["attacks"]["linkability"] == "not assessed"
    assert "linkability: Can records be linked with another table?" in page
    assert "Not assessed, which is not passed: linkability (the policy has no rule about it)" in page


def test_a_comparison_with_an_external_table_assesses_linkability() -> None:
    """Somebody alone in the table and in the other one is linked; in groups of sixteen nobody is one of fewer."""
    external = pa.table({"age": [21, 24, 51, 54, 80]})
    original = people(8, age=[20 + i for i in range(32)])
    with an.read(original, quasi_identifiers=["age"], sensitive=["ill"]) as data:
        release = an.apply(GeneraliseInterval(column="age", width=100), data)
        found = an.compare(data, release, names=["wide"], policy="public-medium", external=external)
    verdicts = {v.name: v.findings.verdict for v in found.versions}

    assert verdicts["original"].attacks["linkability"] == "fails"
    assert verdicts["wide"].attacks["linkability"] == "meets the policy"
    (k_map,) = [m for m in found.audits["wide"].select("k_map") if m.variant == "external"]
    # All 32 records may be each of the five people there, and the other way round.
    assert k_map.value == 32


def test_an_external_table_in_which_nobody_is_found_tells_nothing() -> None:
    """No match is no proof: the question is not measured, and the version is not released."""
    with an.read(people(20), quasi_identifiers=["age"], sensitive=["ill"]) as data:
        release = an.apply(GeneraliseInterval(column="age", width=50), data)
        found = an.compare(data, release, names=["wide"], policy="public-medium", external=pa.table({"age": [3, 101, 104]}))
    (verdict,) = (v.findings.verdict for v in found.versions if v.name == "original")

    assert verdict.attacks["linkability"] == "not measured" and verdict.outcome == "withhold"


def compared(**options: Any) -> an.Comparison:
    """Return an original that meets a weak policy, with one release that does and one that does not."""
    table = people(4)
    with an.read(table, quasi_identifiers=["age"], sensitive=["ill"]) as data:
        wide = an.apply(GeneraliseInterval(column="age", width=100), data)
        alike = an.read(table.set_column(1, "ill", pa.array(["flu"] * 16)))
        return an.compare(data, wide, alike, names=["wide", "alike"], **options)


def test_a_comparison_never_recommends_the_original() -> None:
    """It meets the policy and tells most, and still is not what may be published."""
    found = compared(policy="pipeline", most_risk=1.0)
    document = found.to_dict()

    assert found.versions[0].findings.verdict.released
    assert found.met == ("wide",)
    assert set(document["best"].values()) == {"wide"}
    assert "original" not in document["pareto"]
    assert all(entry["version"] != "original" for step in document["sweep"]["steps"] for entry in step["ranking"])
    assert document["choice"]["version"] != "original"


def test_a_comparison_says_which_rules_fail_with_value_and_limit() -> None:
    """For every version, in JSON and on every page."""
    found = compared(policy="pipeline")
    (alike,) = (v for v in found.to_dict()["versions"] if v["version"] == "alike")

    assert [(r["metric"], r["status"], r["value"], r["limit"]) for r in alike["not_met"]] == [("l_diversity", "fail", 1, "≥ 2")]
    for format in ("text", "markdown", "html"):
        page = found.render(format)
        assert "every group has at least two sensitive values" in page and "l = 1" in page and "≥ 2" in page
        assert "all 3 rules are met" in page
    json.dumps(found.to_dict(), allow_nan=False)


def test_where_no_release_meets_the_policy_none_is_best() -> None:
    """Its balance is shown and ranked, with a word that it does not meet the policy."""
    found = compared(policy="public-strict")

    assert set(found.to_dict()["best"].values()) == {None}
    assert "No release meets the policy public-strict (Public release, high sensitivity), so none is recommended." in found.render("text")
    assert "policy not met" in found.render("text")


def test_a_rule_may_wait_for_a_table(audit: Run) -> None:
    """By `given`; a rule without it is asked, and not measured without the table."""
    waiting = Rule(metric="k_map", label="", minimum=5, given="population")
    asked = Rule(metric="k_map", label="", minimum=5)
    other = Rule(metric="k_anonymity", label="", minimum=5)
    for rules, outcome in (((waiting, other), "release"), ((asked, other), "withhold"), ((waiting,), "withhold")):
        policy = an.Policy(name="p", title="p", version="1", origin="us", jurisdiction="", summary="", rules=rules)
        found = audit(zip=["1"] * 8, quasi_identifiers=["zip"], policy=policy)
        assert found.verdict.outcome == outcome
    # The last one asked nothing at all, which is no reason to release.
    assert "No rule of the policy could be asked, which counts as not met." in found.render("text")
