"""A policy: the limits a release must keep, as data."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import date
from difflib import get_close_matches
from importlib import resources
from math import ceil, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from anonscope.errors import PolicyError, shown
from anonscope.io.toml_file import TomlFile, read_toml
from anonscope.risk.metrics import METRICS, AttackerMetric, ClassStatistic, RecordRisk, SizeMetric, TableMetric, TupleMetric
from anonscope.risk.metrics.metric import Attack, Metric, Reading, limit_fault
from anonscope.risk.policy.attack_rules import AttackRule, read_attack_rule
from anonscope.risk.policy.exceptions import StatedException, check, read_exception
from anonscope.risk.policy.guarantee import CHECKLIST as GUARANTEED
from anonscope.risk.policy.guarantee import GuaranteeLimit, read_limit
from anonscope.risk.rounding import keeping

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEMA = "anonscope/policy/1"
DEFAULT = "scorr"
_TEXTS = ("name", "title", "version", "origin", "jurisdiction", "summary", "valid_until")
# Lists of checks that are not about a metric but about what columns hold, or about how the table was made.
CHECKLISTS = ("safe-harbor", GUARANTEED)
_RULE_KEYS = ("metric", "minimum", "maximum", "acknowledge_above", "statistic", "scopes", "variant", "threshold", "given", "label")
# What a rule may wait for: a table of everybody, or a table that an attacker may hold.
Given = Literal["population", "external"]
# Who wants to know which record is somebody's singles out; who wants the sensitive value infers.
ATTACK_OF: dict[Reading, Attack] = {"re-identification": "singling out", "inference": "inference"}
_STATISTICS = ("min", "mean", "max")
_SCOPES = ("whole", "each", "pair")
# A class-size rule without a size of its own still needs one to say who is at risk.
_USUAL_CLASS_SIZE = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One limit on one metric. With `acknowledge_above`, values between it and the maximum pass with a notice."""

    metric: str
    label: str
    minimum: float | None = None
    maximum: float | None = None
    acknowledge_above: float | None = None
    statistic: str = "value"
    scopes: tuple[str, ...] = ("whole",)
    variant: str | None = None
    threshold: int | None = None
    given: Given | None = None  # what must be at hand for the rule to be asked; without it the question stays open

    def __post_init__(self) -> None:
        for limit in (self.minimum, self.maximum):
            fault = None if limit is None else limit_fault(METRICS[self.metric], self.variant, limit)
            if fault is not None:
                raise PolicyError(f"{fault}.")

    @property
    def attacks(self) -> tuple[Attack, ...]:
        """Return what the rule guards against: one reading of a metric against its own attack, a rule about both against both."""
        metric = METRICS[self.metric]
        if not isinstance(metric, TableMetric):
            return (metric.attack,)
        return tuple(dict.fromkeys(ATTACK_OF[f.reading] for f in metric.formulas if self.variant in (None, f.variant)))

    @property
    def limit(self) -> float:
        limit = self.minimum if self.minimum is not None else self.maximum
        assert limit is not None, "a rule is read with exactly one limit"
        return limit

    @property
    def limit_text(self) -> str:
        """Return the limit as people write it."""
        sign = "≥" if self.minimum is not None else "<" if METRICS[self.metric].strict else "≤"
        return f"{sign} {self.limit:g}"

    def keeping(self, values: "NDArray[Any]") -> "NDArray[Any]":
        """Return which numbers keep the limit."""
        return keeping(values, self.minimum, self.maximum, strict=METRICS[self.metric].strict)

    def keeps(self, value: float) -> bool:
        """Return whether a number keeps the limit."""
        return bool(keeping(value, self.minimum, self.maximum, strict=METRICS[self.metric].strict))


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A named set of rules, with where they come from."""

    name: str
    title: str
    version: str
    origin: str
    jurisdiction: str
    summary: str
    rules: tuple[Rule, ...]
    forbid_direct_identifiers: bool = False
    checklist: str | None = None
    guarantee: GuaranteeLimit | None = None  # what a stated guarantee may lose, where the checklist asks for one
    attack_rules: tuple[AttackRule, ...] = ()
    exceptions: tuple[StatedException, ...] = ()  # what somebody stated to accept; a release that needs one does not meet the policy

    valid_until: str = ""  # the last day on which anybody may go by it, such as 2027-12-31; empty: no day is known

    file: str | None = field(default=None, compare=False)  # where it was read from, if it is nobody's preset

    @property
    def beyond_recoding(self) -> str | None:
        """Return why no levels of columns decide the verdict, and what does; None where they do."""
        if self.checklist is None:
            return None
        if self.checklist == GUARANTEED:
            return (
                f"The policy {self.name} asks for a stated guarantee, which no recoding gives; a table that is "
                "drawn with noise has one (anonscope synthesise SOURCE --domain FILE --epsilon 1)."
            )
        return f"The policy {self.name} is a list of what columns may hold, which a recipe keeps (anonscope recipe --safe-harbor)."

    @property
    def class_size(self) -> int:
        """Return the smallest class the policy accepts, or the usual one if it sets none."""
        sizes = [rule.minimum for rule in self.rules if rule.metric == "k_anonymity" and rule.minimum]
        sizes += [rule.threshold for rule in self.rules if rule.threshold]
        sizes += [rule.minimum for rule in self.rules if rule.metric == "average_class_size" and rule.minimum]
        return ceil(sizes[0]) if sizes else _USUAL_CLASS_SIZE

    @property
    def smallest_group(self) -> int | None:
        """Return how large the policy wants every group to be; None if it asks for something else."""
        sizes = [rule.minimum for rule in self.rules if rule.metric == "k_anonymity" and rule.minimum]
        return ceil(sizes[0]) if sizes else None

    @property
    def thresholds(self) -> tuple[int, ...]:
        """Return every class size at which records at risk must be counted, the policy's own first."""
        return tuple(dict.fromkeys([self.class_size, *(rule.threshold for rule in self.rules if rule.threshold)]))


def asks_population(policy: Policy, outside: Collection[Given] = ()) -> bool:
    """Return whether a rule is about the population; those that wait for a table are asked where it is among what is at hand `outside`."""
    asked = (rule for rule in policy.rules if rule.given is None or rule.given in outside)
    return any("population" in METRICS[rule.metric].needs for rule in asked)


def check_searchable(policy: Policy) -> None:
    """Raise where a policy limits what attacks find: that can be said of a release, and promised by no search for one."""
    if policy.attack_rules:
        raise PolicyError(
            f"The policy {policy.name} limits what attacks find, which no search can promise. Search by other limits, such as those of "
            "research-shared, then attack the release by this policy "
            f"(anonscope attack RELEASE --original FILE --control FILE --policy {policy.name})."
        )


def preset_names() -> tuple[str, ...]:
    """Return the names of the policies that come with the package."""
    files = resources.files("anonscope.risk.policy").joinpath("presets").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


def load(policy: "str | Path | Policy") -> Policy:
    """Return a policy by its name, or from a TOML file of one's own."""
    if isinstance(policy, Policy):
        return policy
    name = str(policy)
    if name in preset_names():
        text = resources.files("anonscope.risk.policy").joinpath("presets", f"{name}.toml").read_text(encoding="utf-8")
        return policy_of(TomlFile(text, f"{name}.toml", PolicyError))
    if isinstance(policy, Path) or "." in name or "/" in name or Path(name).exists():
        return _in_force(replace(policy_of(read_toml(Path(name), PolicyError)), file=name))
    close = get_close_matches(name.lower(), preset_names(), n=1)
    meant = f"Did you mean {shown(close[0])}? " if close else ""
    raise PolicyError(f"No policy is called {shown(name)}. {meant}There are: {', '.join(preset_names())}; or give a TOML file of your own.")


def _in_force(policy: Policy) -> Policy:
    """Raise where a policy's time is over; a manifest may still be verified by it."""
    if policy.valid_until and date.fromisoformat(policy.valid_until) < date.today():
        raise PolicyError(
            f"The policy {shown(policy.name)} was valid until {policy.valid_until}. Ask whoever wrote it for the one that holds now."
        )
    return policy


def policy_of(document: TomlFile) -> Policy:
    """Return the policy that a document describes."""
    content = document.described_by(SCHEMA)
    rules = content.pop("rules", None)
    forbid = content.pop("forbid_direct_identifiers", False)
    if not isinstance(forbid, bool):
        raise document.fail("must be true or false", "forbid_direct_identifiers")
    exceptions = content.pop("exceptions", [])
    if not isinstance(exceptions, list):
        raise document.fail("must be a list of tables; write [[exceptions]]", "exceptions")
    checklist = content.pop("checklist", None)
    if checklist is not None and checklist not in CHECKLISTS:
        raise document.fail(f"must be one of {', '.join(CHECKLISTS)}", "checklist")
    guarantee = content.pop("guarantee", None)
    if (checklist == GUARANTEED) != (guarantee is not None):
        raise document.fail(f'checklist = "{GUARANTEED}" and the table [guarantee] (epsilon, delta, unit) go together', "checklist")
    allowed = read_limit(document, guarantee) if guarantee is not None else None
    if isinstance(until := content.get("valid_until"), date):
        content["valid_until"] = until.isoformat()[:10]  # TOML has days of its own
    for key, value in content.items():
        if key not in _TEXTS:
            raise document.fail(
                f"no such key; known are {', '.join(_TEXTS)}, forbid_direct_identifiers, checklist, guarantee, rules, exceptions", key
            )
        if not isinstance(value, str) or not value.strip():
            raise document.fail("must be text", key)
    try:
        date.fromisoformat(content.get("valid_until", "2000-01-01"))
    except ValueError:
        raise document.fail('must be a day, such as "2027-12-31"', "valid_until") from None
    for key in ("name", "title", "version", "origin"):
        if key not in content:
            raise document.fail(f"the key {key} is missing; a verdict must say which policy it follows and where that comes from")
    if rules is None and checklist is not None:
        rules = []
    elif not isinstance(rules, list) or not rules:
        raise document.fail("there must be at least one; write [[rules]] and a metric with its limit", "rules")
    about_attacks = {i for i, rule in enumerate(rules) if isinstance(rule, dict) and "attack" in rule}
    read = tuple(_rule(document, i, rule) for i, rule in enumerate(rules) if i not in about_attacks)
    attacks = tuple(read_attack_rule(document, i, rules[i]) for i in sorted(about_attacks))
    texts = {key: content.get(key, "") for key in _TEXTS}
    stated = tuple(read_exception(document, i, entry) for i, entry in enumerate(exceptions))
    check(texts["name"], read, stated)
    return Policy(
        **texts,
        rules=read,
        forbid_direct_identifiers=forbid,
        checklist=checklist,
        guarantee=allowed,
        attack_rules=attacks,
        exceptions=stated,
    )


def _rule(document: TomlFile, position: int, content: Any) -> Rule:
    """Check one [[rules]] entry; every message names the key and its line."""

    def fail(problem: str, key: str) -> Exception:
        return document.fail(problem, f"rules.{key}", entry=position)

    if not isinstance(content, dict):
        raise document.fail("must be a table with a metric and a limit", "rules")
    for key in content:
        if key not in _RULE_KEYS:
            raise fail(f"no such key; known are {', '.join(_RULE_KEYS)}", key)
    metric = METRICS.get(str(content.get("metric", "")))
    if metric is None:
        problem = f"no such metric; known are {', '.join(METRICS)}" if "metric" in content else f"rule {position + 1} names no metric"
        raise fail(problem, "metric")
    if isinstance(metric, AttackerMetric) and not metric.judged:
        raise fail(f"{metric.title} is shown as several estimates that disagree, and no rule may decide by it", "metric")
    for key in ("minimum", "maximum", "acknowledge_above"):
        value = content.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise fail("must be a number", key)
    expected, other = ("minimum", "maximum") if metric.safer == "higher" else ("maximum", "minimum")
    if other in content:
        raise fail(f"{metric.title} is safer when {metric.safer}, so its limit is a {expected}", other)
    if expected not in content:
        raise fail(f"{metric.title} needs a {expected}", "metric")
    if (fault := limit_fault(metric, content.get("variant"), content[expected])) is not None:
        raise fail(fault, expected)
    if "acknowledge_above" in content and "maximum" not in content:
        raise fail("goes with a maximum only", "acknowledge_above")
    if content.get("acknowledge_above", 0) > content.get("maximum", float("inf")):
        raise fail("must not lie above the maximum", "acknowledge_above")
    if content.get("acknowledge_above", metric.range[0]) < metric.range[0]:
        raise fail(f"must not lie below {metric.range[0]:g}, where {metric.title} begins", "acknowledge_above")
    statistic = content.get("statistic", "max")
    if statistic not in _STATISTICS:
        raise fail(f"must be one of {', '.join(_STATISTICS)}", "statistic")
    scopes = content.get("scopes", ["whole"])
    if not isinstance(scopes, list) or not scopes or any(scope not in _SCOPES for scope in scopes):
        raise fail(f"must be a list of {', '.join(_SCOPES)}", "scopes")
    if missing := [scope for scope in scopes if scope not in metric.scopes]:
        raise fail(f"{metric.title} is not measured for {missing[0]!r}", "scopes")
    threshold = content.get("threshold")
    if isinstance(metric, SizeMetric) and metric.parameter:
        if isinstance(threshold, bool) or not isinstance(threshold, int) or threshold < 1:
            raise fail(f"{metric.title} needs a whole number: the {metric.parameter}", "threshold" if threshold is not None else "metric")
    elif threshold is not None:
        raise fail(f"{metric.title} has no threshold", "threshold")
    variants = _variants(metric)
    if "variant" in content and content["variant"] not in variants:
        raise fail(f"must be one of {', '.join(variants)}" if variants else f"{metric.title} has no variants", "variant")
    if content.get("given") not in (None, *get_args(Given)):
        raise fail(f"must be one of {', '.join(get_args(Given))}", "given")
    if not isinstance(content.get("label", ""), str):
        raise fail("must be text", "label")
    return Rule(
        metric=metric.name,
        label=content.get("label", metric.question),
        minimum=content.get("minimum"),
        maximum=content.get("maximum"),
        acknowledge_above=content.get("acknowledge_above"),
        statistic=statistic if _over_records(metric) else "value",
        scopes=tuple(scopes),
        variant=content.get("variant"),
        threshold=threshold,
        given=content.get("given"),
    )


def _over_records(metric: Metric) -> bool:
    """Return whether every record has the metric, so that a rule is about the least, the mean or the largest."""
    return isinstance(metric, RecordRisk | TupleMetric) or (isinstance(metric, AttackerMetric) and metric.over_records)


def _variants(metric: Metric) -> list[str]:
    """Return the variants of a metric that a rule may name."""
    if isinstance(metric, ClassStatistic):
        return [variant.name for variant in metric.variants if variant.name]
    if isinstance(metric, TableMetric):
        return [formula.variant for formula in metric.formulas if formula.variant]
    return list(metric.named_variants) if isinstance(metric, AttackerMetric) else []
