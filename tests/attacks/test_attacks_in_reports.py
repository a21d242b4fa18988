"""Attacks as part of an audit, an anonymisation and a comparison: one run, one verdict, one report in every format."""

import json

import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import OptionError
from attacks.attacking import drawn

KNOWN = {"quasi_identifiers": ["age", "sex", "zip"], "sensitive": ["ill"]}


def table(seed: int, rows: int = 1500):
    return {**drawn(seed, rows, age=40, sex=2, zip=60), "ill": drawn(seed + 50, rows, ill=3)["ill"]}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Write people, others, and a release with ages by twenty and no zip."""
    folder = tmp_path_factory.mktemp("attacked")
    original, control = table(1), table(2)
    release = {**original, "age": [f"[{x // 20 * 20}-{x // 20 * 20 + 19}]" for x in original["age"]], "zip": ["*"] * 1500}
    found = {}
    for name, content in (("original", original), ("control", control), ("release", release)):
        found[name] = folder / f"{name}.csv"
        rows = zip(*content.values(), strict=True)
        found[name].write_text("\n".join([",".join(content), *(",".join(map(str, line)) for line in rows)]) + "\n", encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def audited(files):
    with an.read(files["release"], **KNOWN) as data:
        return an.audit(
            data, "research-attacked", attacks=an.AttackWith(original=files["original"], control=files["control"], targets=None)
        )


def test_an_audit_with_attacks_has_one_verdict_by_all_rules(audited, files):
    """The same as attacking it by itself; without attacks the rules are not measured."""
    with an.read(files["original"], **KNOWN) as data:
        alone = an.attack(files["release"], data, control=files["control"], targets=None, policy="research-attacked")
    with an.read(files["release"], **KNOWN) as data:
        unattacked = an.audit(data, "research-attacked").verdict

    assert [r.status for r in audited.verdict.attack_rules] == [r.status for r in alone.verdict.attack_rules] == ["pass", "pass"]
    assert [r.value for r in audited.verdict.attack_rules] == [r.value for r in alone.verdict.attack_rules]
    assert (audited.verdict.outcome, unattacked.outcome) == ("release", "withhold")
    assert dict(audited.verdict.attacks) == dict(alone.verdict.attacks)


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
def test_every_format_shows_attacks_control_and_interval(audited, format):
    """And a page has pictures with a title and a description."""
    page = audited.render(format)
    result = audited.attacks.select("linkability", "nearest")[0]

    for said in ("What attacks find out", "Linkability", "Inference", f"{result.success:.4f}", f"{result.interval.high:.4f}", "Seed 1"):
        assert said in page
    if format == "html":
        assert page.count("<desc>") >= 4
        assert "<title>success</title>" in page


def test_plain_data_carry_them(audited):
    """As `attack` itself writes them; an audit without attacks has none."""
    content = json.loads(audited.render("json"))

    assert content["attack_results"]["schema"] == "anonscope/attacks/1"
    assert [r["status"] for r in content["verdict"]["attack_rules"]] == ["pass", "pass"]


def test_an_audit_needs_the_original(files):
    """A sentence for Python and for the prompt."""
    with an.read(files["release"], **KNOWN) as data, pytest.raises(OptionError, match="made of"):
        an.audit(data, attacks=an.AttackWith(control=files["control"]))
    asked = ["audit", str(files["release"]), "-q", "age", "--control", str(files["control"])]
    assert isinstance(CliRunner().invoke(app, asked).exception, OptionError)


def test_the_prompt_attacks_in_the_same_run(files):
    """Exits by the whole verdict, and prints it."""
    asked = ["audit", str(files["release"]), "-q", "age", "-q", "sex", "-q", "zip", "-s", "ill", "--policy", "research-attacked"]
    with_attacks = CliRunner().invoke(app, [*asked, "--full", "--original", str(files["original"]), "--control", str(files["control"])])

    assert (with_attacks.exit_code, CliRunner().invoke(app, asked).exit_code) == (0, 1)
    assert "What attacks find out" in with_attacks.stdout


def test_an_anonymisation_is_searched_by_its_groups_and_judged_by_attacks(files, tmp_path):
    """What attacks find too much of is no release; the figures stay to be seen."""
    head = 'schema = "anonscope/policy/1"\nname = "ours"\ntitle = "Ours"\nversion = "1"\norigin = "us"\n'
    rules = '[[rules]]\nmetric = "k_anonymity"\nminimum = 5\n\n[[rules]]\nattack = "linkability"\nmaximum = '
    made = []
    with an.read(files["original"], **KNOWN) as data:
        for maximum in (0.3, 0.01):
            policy = tmp_path / "ours.toml"
            policy.write_text(f"{head}{rules}{maximum}\n", encoding="utf-8")
            made.append(an.anonymise(data, policy, attacks=an.AttackWith(control=files["control"], targets=None)))
        found, refused = made
        found.write(tmp_path / "release.csv")

    assert found.met
    assert all(r.status == "pass" for r in found.after.verdict.attack_rules)
    assert (refused.met, refused.release) == (False, None)
    assert any("linkability" in line for line in refused.remaining)
    for one in (found, refused):
        assert "What attacks find out" in one.render("html")
        assert one.to_dict()["attack_results"]["results"]


def test_a_comparison_attacks_every_release(files, tmp_path):
    """Side by side, with a picture; the table itself gives more away than its release, and the verdict of each says so."""
    with an.read(files["original"], **KNOWN) as data:
        found = an.compare(
            data, files["release"], files["original"], policy="research-attacked", attacks=an.AttackWith(control=files["control"])
        )
    page = found.render("html")
    versions = {v["version"]: v for v in found.to_dict()["versions"]}
    coarse, plain = (versions[name] for name in list(versions)[1:])
    risks = [
        max(r["risk"] for r in v["attack_results"]["results"] if r["attack"] == "linkability" and r["variant"] == "nearest")
        for v in (coarse, plain)
    ]

    assert risks[0] < 0.1 < 0.8 < risks[1]
    assert [r["status"] for r in coarse["attack_rules"]] == ["pass", "pass"]
    assert "fail" in [r["status"] for r in plain["attack_rules"]]
    assert next(iter(versions.values()))["attack_results"] is None
    assert "Risk by attack and release" in page
