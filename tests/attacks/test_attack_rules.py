"""Policies may limit what attacks achieve; what was not attacked, or without a control, is not measured and never met."""

import json

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.attacks.registry import ATTACKS
from anonscope.cli import app
from anonscope.errors import PolicyError
from anonscope.risk.policy import load
from anonscope.risk.policy.attack_rules import LIMITED
from attacks.attacking import attack, drawn, texts

HEAD = 'schema = "anonscope/policy/1"\nname = "ours"\ntitle = "Ours"\nversion = "1"\norigin = "us"\n'
RULE = '[[rules]]\nattack = "inference"\nmaximum = 0.1\n'


@pytest.fixture
def ours(tmp_path):
    """Write a policy file."""

    def write(text: str):
        path = tmp_path / "ours.toml"
        path.write_text(HEAD + text, encoding="utf-8")
        return path

    return write


def tables(seed: int = 1, rows: int = 600):
    found = []
    for i in (0, 1):
        table = drawn(seed + i, rows, age=50, sex=2, zip=40)
        found.append({**table, "ill": drawn(seed + i + 50, rows, ill=3)["ill"]})
    return found


def test_the_registry_and_the_rules_agree():
    """Every attack that a rule may be about has its variants there, but for the smoke test and what a real table gives."""
    assert set(LIMITED) == {name for name, info in ATTACKS.items() if info.limited}
    for name, (question, variants, usual) in LIMITED.items():
        info = ATTACKS[name]
        assert (question, usual) == (info.attack, info.usual)
        assert set(variants) == set(info.variants) - {"distance to closest"}


def test_a_leaking_release_fails_and_a_harmless_one_passes(ours):
    """The table itself gives sensitive values away; one column of constants does not."""
    original, control = tables()
    policy = ours(RULE)
    leaks = attack(original, original, control, know=["age", "sex", "zip"], sensitive=["ill"], policy=policy).verdict
    release = {**original, "age": ["*"] * 600, "zip": ["*"] * 600}
    hides = attack(release, original, control, know=["age", "sex", "zip"], sensitive=["ill"], policy=policy).verdict

    assert (leaks.outcome, leaks.attacks["inference"]) == ("withhold", "fails")
    assert (hides.outcome, hides.attacks["inference"]) == ("release", "meets the policy")
    assert hides.attack_rules[0].value < 0.1


def test_without_a_control_nothing_is_met(ours):
    """The rule is not measured, and the verdict is to withhold."""
    original, _ = tables()
    verdict = attack({**original, "age": ["*"] * 600, "zip": ["*"] * 600}, original, sensitive=["ill"], policy=ours(RULE)).verdict

    assert verdict.outcome == "withhold"
    assert (verdict.attack_rules[0].status, verdict.attacks["inference"]) == ("not measured", "not measured")
    assert "no control" in verdict.attack_rules[0].reason


@pytest.mark.parametrize("preset", ["synthetic", "research-attacked"])
def test_an_audit_alone_never_meets_a_rule_about_attacks(preset):
    """It attacks nothing, so such rules are not measured; every format says so."""
    table = pa.table({"sex": ["F", "M"] * 50, "ill": ["a", "b", "c", "d"] * 25})
    with an.read(table, quasi_identifiers=["sex"], sensitive=["ill"]) as data:
        found = an.audit(data, policy=preset)

    assert found.verdict.outcome == "withhold"
    assert {r.status for r in found.verdict.attack_rules} == {"not measured"}
    assert found.to_dict()["verdict"]["attack_rules"][0]["status"] == "not measured"
    for format in ("text", "markdown", "html"):
        assert "anonscope attack" in found.render(format)


def test_no_search_promises_what_attacks_find():
    """Anonymising by such a policy is refused with what to do instead, and nothing is called met."""
    table = pa.table({"age": list(range(40)), "ill": ["a", "b"] * 20})
    with an.read(table, quasi_identifiers=["age"], sensitive=["ill"]) as data:
        for search in (an.anonymise, an.pipeline):
            with pytest.raises(PolicyError, match=r"then attack the release by this policy \(anonscope attack"):
                search(data, policy="research-attacked")


def test_presets_with_attacks_keep_their_edges():
    """What being in the table adds to guessing decides; class sizes are judged beside it."""
    original, control = tables()
    release = {**original, "age": ["*"] * 600, "zip": ["*"] * 600}
    good = attack(release, original, control, know=["age", "sex", "zip"], sensitive=["ill"], policy="research-attacked").verdict
    bad = attack(original, original, control, know=["age", "sex", "zip"], sensitive=["ill"], policy="research-attacked").verdict

    assert good.outcome == "release"
    assert bad.outcome == "withhold"
    assert {r.rule.metric for r in bad.rules if r.status == "fail"} == {"k_anonymity"}
    assert {r.rule.attack for r in bad.attack_rules if r.status == "fail"} == {"linkability", "inference"}


def test_synthetic_tables_get_a_verdict():
    """Drawn anew from the same population they pass; a copy of the original does not."""
    original, control = tables(rows=1500)
    (fresh, _) = tables(seed=30, rows=1500)
    options = {"know": ["age", "sex", "zip"], "sensitive": ["ill"], "policy": "synthetic", "paired": False}
    good, bad = (attack(release, original, control, **options).verdict for release in (fresh, original))

    assert [(r.rule.attack, r.rule.variant, r.status) for r in good.attack_rules if r.status != "pass"] == []
    assert good.outcome == "release"
    assert bad.outcome == "withhold"


def test_risk_in_context(ours):
    """What is rarely tried may be allowed to succeed, where the policy says so."""
    original, control = tables()
    one = an.Attacker(name="rare", columns=("age", "sex", "zip"), attempt=0.05)
    options = {"sensitive": ["ill"], "attackers": [one], "attacks": ["inference"]}

    assert attack(original, original, control, policy=ours(RULE), **options).verdict.outcome == "withhold"
    assert attack(original, original, control, policy=ours(RULE + "in_context = true\n"), **options).verdict.outcome == "release"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ('attack = "guessing"\nmaximum = 0.1', "no such attack"),
        ('attack = "downcoding"\nmaximum = 0.1', "no such attack, or none that a rule may be about"),
        ('attack = "membership"\nvariant = "distance to closest"\nmaximum = 0.1', "smoke test"),
        ('attack = "inference"', "needs a maximum"),
        ('attack = "inference"\nmaximum = 2', "line 8.*needs a maximum"),
        ('attack = "inference"\nmaximum = 0.1\nminimum = 0', "no such key"),
        ('attack = "inference"\nmaximum = 0.1\nvariant = "other"', "must be one of"),
        ('attack = "inference"\nmaximum = 0.1\nstatistic = "auc"', "auc is for membership only"),
        ('attack = "inference"\nmaximum = 0.1\nin_context = "yes"', "true or false"),
    ],
)
def test_a_broken_rule_is_named_by_its_line(ours, rule, said):
    """File, line, key and problem, as of every rule."""
    with pytest.raises(PolicyError, match=said):
        load(ours(f"[[rules]]\n{rule}\n"))


def test_the_command_line_exits_by_the_verdict(tmp_path, monkeypatch):
    """0 when met, 1 when not, and the JSON is that of Python."""
    import pyarrow.csv as csv

    monkeypatch.chdir(tmp_path)
    original, control = tables()
    release = {**original, "age": ["*"] * 600, "zip": ["*"] * 600}
    for name, table in (("original", original), ("control", control), ("release", release)):
        csv.write_csv(texts(table), f"{name}.csv")
    known = ["-q", "age", "-q", "sex", "-q", "zip", "-s", "ill", "--policy", "research-attacked", "--targets", "0", "--format", "json"]
    runs = [
        CliRunner().invoke(app, ["attack", f"{one}.csv", "--original", "original.csv", "--control", "control.csv", *known])
        for one in ("release", "original")
    ]

    assert [run.exit_code for run in runs] == [0, 1], runs[0].output
    document = json.loads(runs[0].stdout)
    assert (document["schema"], document["verdict"]["outcome"]) == ("anonscope/attacks/1", "release")
    assert {r["attack"] for r in document["results"]} == {"singling_out", "linkability", "inference", "membership", "downcoding"}


def test_a_rule_without_a_variant_is_about_the_attacker_who_gets_furthest(ours):
    """Many records that say nothing hide people from who draws among all candidates, and not from who takes the one that says most."""
    original, control = tables()
    release = {name: [value if i % 3 else "*" for i, value in enumerate(values)] for name, values in original.items() if name != "ill"}
    options = {"know": ["age", "sex", "zip"], "attacks": ["linkability"]}
    rule = '[[rules]]\nattack = "linkability"\nmaximum = 0.3\n'
    weak = attack(release, original, control, policy=ours(rule + 'variant = "candidates"\n'), **options).verdict.attack_rules[0]
    worst = attack(release, original, control, policy=ours(rule), **options).verdict.attack_rules[0]
    unpaired = attack(release, original, control, policy=ours(rule), paired=False, **options).verdict.attack_rules[0]

    assert (weak.status, worst.status, unpaired.status) == ("pass", "fail", "not measured")
    assert worst.variant in ("nearest", "assignment")
    assert worst.value > 0.5
