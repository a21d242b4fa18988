"""Policy files: the presets, one's own, and what is said of a broken one."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import anonscope as an
from anonscope.errors import PolicyError
from anonscope.risk.policy import DEFAULT, load

Run = Callable[..., an.Audit]
Write = Callable[..., Path]
HEAD = """\
schema = "anonscope/policy/1"
name = "ours"
title = "Our own rules"
version = "2"
origin = "the data protection office"
"""
RULES = """
[[rules]]
metric = "k_anonymity"
minimum = 7

[[rules]]
metric = "t_closeness"
maximum = 0.3
variant = "equal"
"""


@pytest.fixture
def written(tmp_path: Path) -> Write:
    """Write a policy file and return its path."""

    def write(text: str, name: str = "ours.toml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_the_presets_are_those_of_the_catalogue() -> None:
    """Every preset of the catalogue that needs only these metrics, and SCORR by default."""
    assert an.preset_names() == (
        "arx-default",
        "differential-privacy",
        "ema-0070",
        "hipaa-safe-harbor",
        "output-10",
        "pipeline",
        "public-medium",
        "public-strict",
        "research-attacked",
        "research-shared",
        "scorr",
        "synthetic",
        "trusted-internal",
    )
    assert DEFAULT == "scorr"


@pytest.mark.parametrize("name", an.preset_names())
def test_every_preset_says_where_it_comes_from(name: str) -> None:
    """A verdict that can be signed names its policy, version, origin and jurisdiction."""
    policy = load(name)

    assert policy.name == name
    assert all((policy.title, policy.version, policy.origin, policy.jurisdiction, policy.summary))
    assert all(rule.label for rule in policy.rules)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("scorr", 11),
        ("public-strict", 20),
        ("public-medium", 15),
        ("ema-0070", 11),
        ("output-10", 10),
        ("research-shared", 5),
        ("pipeline", 2),
    ],
)
def test_class_sizes_are_whole_numbers(name: str, size: int) -> None:
    """1/11 is more than 0.09: a limit on the probability would silently ask for one person more."""
    (rule,) = [rule for rule in load(name).rules if rule.metric == "k_anonymity"]

    assert isinstance(rule.minimum, int)
    assert rule.minimum == size


def test_a_file_of_ones_own(written: Write, audit: Run) -> None:
    """It decides like a preset, given as a path or as text."""
    path = written(HEAD + RULES)
    table = {"zip": ["1"] * 7, "ill": list("abcabca"), "quasi_identifiers": ["zip"], "sensitive": ["ill"]}

    for policy in (path, str(path), load(path)):
        result = audit(**table, policy=policy)
        assert (result.verdict.policy, result.verdict.outcome) == ("ours", "release")


def test_a_byte_order_mark_does_not_matter(written: Write) -> None:
    """Some editors write one."""
    assert load(written("\ufeff" + HEAD + RULES)).name == "ours"


def test_a_rule_may_ask_for_the_mean(written: Write, audit: Run) -> None:
    """Average risk 0.3 where the highest is 1: three birth years of ten people."""
    rules = '\n[[rules]]\nmetric = "uniformity"\nstatistic = "mean"\nmaximum = 0.3\n'
    result = audit(year=[1991] * 3 + [1993] * 6 + [1999], quasi_identifiers=["year"], policy=written(HEAD + rules))

    assert result.verdict.rules[0].value == pytest.approx(0.3)
    assert result.verdict.outcome == "release"


def test_two_thresholds_are_counted_each(written: Write, audit: Run) -> None:
    """Two rules on records at risk, at classes of two and of five."""
    rule = '\n[[rules]]\nmetric = "records_at_risk"\nthreshold = {}\nmaximum = {}\n'
    policy = written(HEAD + rule.format(2, 0.1) + rule.format(5, 0.3))
    result = audit(year=[1991] * 3 + [1993] * 6 + [1999], quasi_identifiers=["year"], policy=policy)

    assert [(r.value, r.status) for r in result.verdict.rules] == [(0.1, "pass"), (0.4, "fail")]


def test_an_unknown_preset_lists_the_known_ones() -> None:
    """A slip of the pen is not taken for a file."""
    with pytest.raises(PolicyError, match=r"No policy is called 'scor'\. Did you mean 'scorr'\? There are: .*scorr"):
        load("scor")


@pytest.mark.parametrize("name", ["nowhere.toml", "folder"])
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    """One sentence that names it, however long the way to it is."""
    long = tmp_path / ("a long name " * 8)
    (long / "folder").mkdir(parents=True)
    with pytest.raises(PolicyError, match=name):
        load(long / name)


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    """TOML is UTF-8."""
    (tmp_path / "ours.toml").write_bytes(HEAD.encode() + b'summary = "caf\xe9"\n')
    with pytest.raises(PolicyError, match=r"ours\.toml.*UTF-8"):
        load(tmp_path / "ours.toml")


def rule(*lines: str) -> str:
    """Return a policy whose second rule, from line 10 on, has these lines."""
    return HEAD + '[[rules]]\nmetric = "k_anonymity"\nminimum = 7\n[[rules]]\n' + "\n".join(lines) + "\n"


UNIQUENESS, K, AT_RISK = 'metric = "uniqueness"', 'metric = "k_anonymity"', 'metric = "records_at_risk"'
BROKEN = {
    "syntax error": ("schema = \n", 1, None),
    "syntax error further down": (HEAD + "[[rules]\n", 6, None),
    "no schema": (HEAD.partition("\n")[2] + RULES, None, "schema"),
    "another schema": (HEAD.replace("policy/1", "policy/99") + RULES, 1, "schema"),
    "unknown key": (HEAD + 'colour = "red"\n' + RULES, 6, "colour"),
    "title is a number": (HEAD.replace('"Our own rules"', "5") + RULES, 3, "title"),
    "title is empty": (HEAD.replace("Our own rules", " ") + RULES, 3, "title"),
    "no name": (HEAD.replace('name = "ours"\n', "") + RULES, None, "name"),
    "no origin": (HEAD.replace('origin = "the data protection office"\n', "") + RULES, None, "origin"),
    "no version": (HEAD.replace('version = "2"\n', "") + RULES, None, "version"),
    "no rules": (HEAD, None, "rules"),
    "rules are one table": (HEAD + '[rules]\nmetric = "k_anonymity"\nminimum = 3\n', 6, "rules"),
    "rules are words": (HEAD + 'rules = ["k_anonymity"]\n', 6, "rules"),
    "forbidding is a word": (HEAD + 'forbid_direct_identifiers = "yes"\n' + RULES, 6, "forbid_direct_identifiers"),
    "unknown metric": (rule('metric = "k_anonimity"', "minimum = 3"), 10, "metric"),
    "metric is a list": (rule('metric = ["k_anonymity"]', "minimum = 3"), 10, "metric"),
    "no metric": (rule("minimum = 3"), 9, "rules"),
    "unknown key of a rule": (rule(K, "minimum = 3", "at_least = 3"), 12, "at_least"),
    "a rule has the key of a policy": (rule(K, "minimum = 3", 'name = "k"'), 12, "name"),
    "k with a maximum": (rule(K, "maximum = 3"), 11, "maximum"),
    "uniqueness with a minimum": (rule(UNIQUENESS, "minimum = 0.3"), 11, "minimum"),
    "both limits": (rule(K, "minimum = 3", "maximum = 9"), 12, "maximum"),
    "no limit": (rule(K), 10, "metric"),
    "limit is a word": (rule(K, 'minimum = "eleven"'), 11, "minimum"),
    "limit is true": (rule(K, "minimum = true"), 11, "minimum"),
    "limit is not a number": (rule(UNIQUENESS, "maximum = nan"), 11, "maximum"),
    "limit is infinite": (rule(UNIQUENESS, "maximum = inf"), 11, "maximum"),
    "limit is minus infinity": (rule(K, "minimum = -inf"), 11, "minimum"),
    "k of none": (rule(K, "minimum = 0"), 11, "minimum"),
    "k below none": (rule(K, "minimum = -2"), 11, "minimum"),
    "k is a fraction": (rule(K, "minimum = 2.5"), 11, "minimum"),
    "share in per cent": (rule(AT_RISK, "maximum = 5", "threshold = 3"), 11, "maximum"),
    "notice is not a number": (rule(UNIQUENESS, "maximum = 0.5", "acknowledge_above = nan"), 12, "acknowledge_above"),
    "notice above the limit": (rule(UNIQUENESS, "maximum = 0.5", "acknowledge_above = 0.6"), 12, "acknowledge_above"),
    "notice on a minimum": (rule(K, "minimum = 5", "acknowledge_above = 3"), 12, "acknowledge_above"),
    "unknown scope": (rule(UNIQUENESS, "maximum = 0.5", 'scopes = ["half"]'), 12, "scopes"),
    "scope is a word": (rule(UNIQUENESS, "maximum = 0.5", 'scopes = "whole"'), 12, "scopes"),
    "no scope": (rule(UNIQUENESS, "maximum = 0.5", "scopes = []"), 12, "scopes"),
    "scope that is not measured": (rule(UNIQUENESS, "maximum = 0.5", 'scopes = ["each"]'), 12, "scopes"),
    "unknown statistic": (rule(UNIQUENESS, "maximum = 0.5", 'statistic = "median"'), 12, "statistic"),
    "unknown variant": (rule('metric = "t_closeness"', "maximum = 0.5", 'variant = "orderd"'), 12, "variant"),
    "variant of a metric that has none": (rule(K, "minimum = 5", 'variant = "equal"'), 12, "variant"),
    "no threshold": (rule(AT_RISK, "maximum = 0.5"), 10, "metric"),
    "threshold of nothing": (rule(AT_RISK, "maximum = 0.5", "threshold = 0"), 12, "threshold"),
    "threshold is a fraction": (rule(AT_RISK, "maximum = 0.5", "threshold = 2.5"), 12, "threshold"),
    "threshold is true": (rule(AT_RISK, "maximum = 0.5", "threshold = true"), 12, "threshold"),
    "threshold of a metric that has none": (rule(K, "minimum = 5", "threshold = 3"), 12, "threshold"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_named_with_line_and_key(written: Write, case: str) -> None:
    """Whoever wrote it must find the place; a limit that would silently never apply is an error, too."""
    text, line, key = BROKEN[case]
    with pytest.raises(PolicyError) as caught:
        load(written(text))

    message = str(caught.value)
    assert "ours.toml" in message
    assert "\n" not in message
    assert key is None or key in message
    assert line is None or re.search(rf"line {line}\b", message)


def test_a_broken_file_stops_the_audit(written: Write, audit: Run) -> None:
    """No verdict by half a policy."""
    with pytest.raises(PolicyError, match=r"line 11: rules\.maximum"):
        audit(sex=["F"], quasi_identifiers=["sex"], policy=written(rule(K, "maximum = 3")))


def test_a_fractional_average_is_rounded_up_for_who_is_at_risk(tmp_path: Path) -> None:
    """Groups of at least 10.5 members on average: at risk is who is in one of fewer than 11."""
    path = tmp_path / "ours.toml"
    head = 'schema = "anonscope/policy/1"\nname = "p"\ntitle = "p"\nversion = "1"\norigin = "us"\n'
    path.write_text(head + '[[rules]]\nmetric = "average_class_size"\nminimum = 10.5\n')

    assert load(path).class_size == 11


def test_a_checklist_stands_without_rules_and_beside_them(written: Write) -> None:
    """Only a list that is known; then no rule is needed."""
    assert load(written(HEAD + 'checklist = "safe-harbor"\n')).checklist == "safe-harbor"
    assert len(load(written(HEAD + 'checklist = "safe-harbor"\n' + RULES)).rules) == 2
    with pytest.raises(PolicyError, match="checklist: must be one of safe-harbor"):
        load(written(HEAD + 'checklist = "other"\n'))
