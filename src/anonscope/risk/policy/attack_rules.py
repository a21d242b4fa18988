"""Rules about what attacks achieve: a limit on the risk that was measured, with its interval, against a control."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from anonscope.errors import AnonscopeError
from anonscope.io.toml_file import TomlFile
from anonscope.risk.metrics.metric import Attack
from anonscope.risk.rounding import exceeds

STATISTICS = ("upper", "risk", "success", "auc")
KEYS = ("attack", "variant", "statistic", "maximum", "attacker", "in_context", "label")
# Which of the three questions each attack answers, its variants, and those that a rule is about where it names none: the best attacker
# counts, not the one who was thought of first. The registry of attacks, a floor above, says the same, and a test holds the two together.
LIMITED: dict[str, tuple[Attack, tuple[str, ...], tuple[str, ...]]] = {
    "singling_out": ("singling out", ("several columns", "one column"), ("several columns",)),
    "linkability": (
        "linkability",
        ("candidates", "nearest", "assignment", "likelihood", "single match"),
        ("candidates", "nearest", "assignment", "likelihood"),
    ),
    "inference": ("inference", _INFERENCE := ("candidates", "nearest", "model", "likelihood", "similarity", "skewness"), _INFERENCE),
    "membership": ("inference", _MEMBERSHIP := ("calibrated distance", "density ratio", "candidate presence"), _MEMBERSHIP),
    "composition": ("inference", _COMPOSITION := ("candidates", "exact disclosure", "best guess", "averaging"), _COMPOSITION),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackRule:
    """One limit on one attack: by default on the upper end of the interval of its risk, for every attacker and sensitive column."""

    attack: str
    variant: str | None  # None: the worst of all
    label: str
    maximum: float
    statistic: Literal["upper", "risk", "success", "auc"] = "upper"
    attacker: str | None = None
    in_context: bool = False  # the risk times the probability that the attack is tried

    @property
    def question(self) -> Attack:
        """Return which of the three questions it answers."""
        return LIMITED[self.attack][0]

    @property
    def limit_text(self) -> str:
        return f"≤ {self.maximum:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackRuleResult:
    """A rule, the worst result that it applies to, and what follows."""

    rule: AttackRule
    status: Literal["pass", "fail", "not measured"]
    value: float | None = None
    variant: str | None = None  # of the worst
    attacker: str | None = None
    sensitive: str | None = None
    failing: int = 0
    measured: int = 0
    reason: str | None = None


class Achieved(Protocol):
    """What an attack achieved, as far as a rule asks."""

    @property
    def attack(self) -> str: ...
    @property
    def variant(self) -> str: ...
    @property
    def attacker(self) -> str: ...
    @property
    def sensitive(self) -> str | None: ...
    @property
    def status(self) -> str: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def controlled(self) -> bool: ...
    @property
    def risk(self) -> float | None: ...
    @property
    def upper(self) -> float | None: ...
    @property
    def success(self) -> float | None: ...
    @property
    def attempt(self) -> float: ...
    @property
    def smoke_test(self) -> bool: ...


def read_attack_rule(document: TomlFile, position: int, content: dict[str, Any]) -> AttackRule:
    """Check one [[rules]] entry about an attack; every message names the key and its line."""

    def fail(problem: str, key: str) -> AnonscopeError:
        return document.fail(problem, f"rules.{key}", entry=position)

    for key in content:
        if key not in KEYS:
            raise fail(f"no such key in a rule about an attack; known are {', '.join(KEYS)}", key)
    name = content["attack"]
    if name not in LIMITED:
        raise fail(f"no such attack, or none that a rule may be about; known are {', '.join(LIMITED)}", "attack")
    _, variants, _ = LIMITED[name]
    variant = content.get("variant")
    if variant == "distance to closest":
        raise fail("the distance to the closest record is a smoke test: low is no proof of safety, so no rule may rest on it", "variant")
    if variant is not None and variant not in variants:
        raise fail(f"must be one of {', '.join(variants)}", "variant")
    maximum = content.get("maximum")
    if isinstance(maximum, bool) or not isinstance(maximum, int | float) or not 0 <= maximum <= 1:
        raise fail("a rule about an attack needs a maximum from 0 to 1", "maximum" if "maximum" in content else "attack")
    statistic = content.get("statistic", "upper")
    if statistic not in STATISTICS or (statistic == "auc" and name != "membership"):
        raise fail(f"must be one of {', '.join(STATISTICS)}; auc is for membership only", "statistic")
    for key, kind in (("label", str), ("attacker", str), ("in_context", bool)):
        if key in content and not isinstance(content[key], kind):
            raise fail("must be true or false" if kind is bool else "must be text", key)
    if content.get("in_context") and statistic in ("success", "auc"):
        raise fail("goes with the statistics upper and risk only", "in_context")
    return AttackRule(
        attack=name,
        variant=variant,
        label=content.get("label", f"{name.replace('_', ' ')}{f' by {variant}' if variant else ''} gives little away"),
        maximum=float(maximum),
        statistic=statistic,
        attacker=content.get("attacker"),
        in_context=content.get("in_context", False),
    )


def judge_rule(rule: AttackRule, achieved: Sequence[Achieved]) -> AttackRuleResult:
    """Return what follows from the results; without one, or without a control, nothing is safe."""
    variants = LIMITED[rule.attack][2] if rule.variant is None else (rule.variant,)
    fitting = [a for a in achieved if a.attack == rule.attack and a.variant in variants and not a.smoke_test]
    if rule.attacker is not None:
        fitting = [a for a in fitting if a.attacker == rule.attacker]
    if not fitting:
        related = [a for a in achieved if a.attack == rule.attack and a.status == "not measured"]
        reason = related[0].reason if related else "the attack was not carried out; run: anonscope attack"
        return AttackRuleResult(rule=rule, status="not measured", reason=reason)
    values = [(value, one) for one in fitting if one.status == "measured" and one.controlled and (value := _value(rule, one)) is not None]
    failing = sum(exceeds(value, rule.maximum) for value, _ in values)
    # One attacker who gets too far is enough; that nobody does is known only where all were tried.
    for one in fitting if not failing else ():
        if one.status != "measured":
            return _unknown(rule, one, one.reason)
        if not one.controlled:
            return _unknown(
                rule, one, "there is no control, so nobody can say what the release gave away and what is true of people in general"
            )
    if not failing and len(values) < len(fitting):
        return _unknown(rule, fitting[0], "the attack has no such statistic")
    worst, one = max(values, key=lambda pair: pair[0])
    return AttackRuleResult(
        rule=rule,
        status="fail" if failing else "pass",
        value=worst,
        variant=one.variant,
        attacker=one.attacker,
        sensitive=one.sensitive,
        failing=failing,
        measured=len(values),
    )


def _value(rule: AttackRule, one: Achieved) -> float | None:
    value = {"upper": one.upper, "risk": one.risk, "success": one.success, "auc": one.success}[rule.statistic]
    return value if value is None or not rule.in_context else value * one.attempt


def _unknown(rule: AttackRule, one: Achieved, reason: str | None) -> AttackRuleResult:
    return AttackRuleResult(rule=rule, status="not measured", reason=reason, attacker=one.attacker, sensitive=one.sensitive)
