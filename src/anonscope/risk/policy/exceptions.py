"""Exceptions from a policy that a person states, with a reason: how far a limit is left, why that is accepted, and how it is said.

A rule that is broken within a stated exception stays broken; what changes is that somebody answers for it by name of the rule, the
attribute, the value and the reason. No release with one is ever called one that meets its policy.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from anonscope.errors import PolicyError, ended, joined, shown
from anonscope.io.figures import different, typed
from anonscope.io.toml_file import TomlFile
from anonscope.risk.metrics import METRICS
from anonscope.risk.metrics.metric import limit_fault

if TYPE_CHECKING:
    from anonscope.risk.policy.policy import Policy, Rule
    from anonscope.risk.policy.verdict import RuleResult, Verdict

# What stands for every rule about a sensitive attribute.
ALL = "all"
KEYS = ("metric", "sensitive", "limit", "reason")
_WRITTEN = re.compile(r"(?P<metric>\w+)\s*(?::(?P<sensitive>.+?))?\s*(?:(?P<sign><=|>=|≤|≥)\s*(?P<limit>[-+.\w]+))?")
_HOW = "An exception is written METRIC<=NUMBER, METRIC:COLUMN<=NUMBER (correlation:income<=0.78), or all:COLUMN, each with a reason"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedException:
    """What is excepted: a metric up to a limit of its own, about one sensitive attribute or all; or all rules about an attribute."""

    metric: str | None
    reason: str
    sensitive: str | None = None
    limit: float | None = None

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise PolicyError(f"The exception {self.what} has no reason. Say why the risk is accepted; it becomes part of every report.")
        if self.metric is None:
            if self.sensitive is None or self.limit is not None:
                raise PolicyError(f"{_HOW}; one for all rules names a column, and no limit.")
            return
        metric = METRICS.get(self.metric)
        if metric is None:
            raise PolicyError(f"No metric is called {shown(self.metric)}, so it has no exception. There are: {', '.join(METRICS)}.")
        if self.limit is None:
            raise PolicyError(f"The exception {self.what} must say how far: {self.what}{_sign(self.metric)}NUMBER.")
        if not isfinite(self.limit):
            raise PolicyError(f"The limit of the exception {self.what} must be a number.")

    @property
    def what(self) -> str:
        """What is excepted, as it is written in a command."""
        about = f":{self.sensitive}" if self.sensitive is not None else ""
        limit = f"{_sign(self.metric)}{typed(self.limit)}" if self.limit is not None and self.metric in METRICS else ""
        return f"{self.metric or ALL}{about}{limit}"

    @property
    def words(self) -> str:
        """What is excepted, as people say it."""
        about = f" about {self.sensitive}" if self.sensitive is not None else ""
        if self.metric is None or self.limit is None:
            return f"every rule{about}"
        metric = METRICS[self.metric]
        return f"{metric.title.lower()}{about} {'down' if metric.safer == 'higher' else 'up'} to {typed(self.limit)}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, as a policy file has it."""
        entry = {"metric": self.metric or ALL, "sensitive": self.sensitive, "limit": self.limit, "reason": self.reason}
        return {key: value for key, value in entry.items() if value is not None}

    def about(self, rule: "Rule", sensitive: str | None) -> bool:
        """Return whether it is about a rule, asked about a sensitive attribute or about none."""
        if self.metric is None:
            return sensitive is not None and sensitive == self.sensitive
        return self.metric == rule.metric and self.sensitive in (None, sensitive)

    def covers(self, rule: "Rule", sensitive: str | None, value: float | None) -> bool:
        """Return whether it accepts what a rule found; None is worse than any number."""
        if not self.about(rule, sensitive):
            return False
        return self.limit is None or (value is not None and eased(rule, self.limit).keeps(value))


def _sign(metric: str | None) -> str:
    return ">=" if metric is not None and METRICS[metric].safer == "higher" else "<="


def eased(rule: "Rule", limit: float) -> "Rule":
    """Return a rule with another limit."""
    if rule.minimum is not None:
        return replace(rule, minimum=limit)
    return replace(rule, maximum=limit, acknowledge_above=None)


def eased_by(rule: "Rule", sensitive: str | None, exceptions: Sequence[StatedException]) -> "Rule | None":
    """Return what a rule still asks about an attribute where exceptions are stated; None: nothing."""
    fitting = [e for e in exceptions if e.about(rule, sensitive)]
    if any(e.limit is None for e in fitting):
        return None
    limits = [e.limit for e in fitting if e.limit is not None]
    if not limits:
        return rule
    return eased(rule, min(limits) if rule.minimum is not None else max(limits))


def stated(given: Mapping[str, str] | Iterable[StatedException]) -> tuple[StatedException, ...]:
    """Return exceptions that were given as {"correlation:income<=0.78": "reason"}, or as they are."""
    if not isinstance(given, Mapping):
        return tuple(given)
    return tuple(_read(what, reason) for what, reason in given.items())


def _read(what: str, reason: str) -> StatedException:
    # The word that messages and plans have in its place is no reason.
    if reason.strip() == "REASON":
        raise PolicyError(
            f"A reason is missing in the exception {shown(what)}: write in a few words, in the place of REASON, why it is accepted."
        )
    found = _WRITTEN.fullmatch(what.strip())
    if found is None:
        raise PolicyError(f"{_HOW}; {shown(what)} is not.")
    metric, sensitive, sign, limit = found.group("metric", "sensitive", "sign", "limit")
    try:
        number = None if limit is None else float(limit)
    except ValueError:
        raise PolicyError(f"{_HOW}; {shown(limit)} is no number.") from None
    made = StatedException(metric=None if metric == ALL else metric, sensitive=sensitive, limit=number, reason=reason)
    if sign is not None and {"≤": "<=", "≥": ">="}.get(sign, sign) != _sign(made.metric):
        title = METRICS[metric].title
        raise PolicyError(f"{title} is safer when {METRICS[metric].safer}, so an exception is written {_sign(made.metric)}, not {sign}.")
    return made


def split(text: str) -> tuple[str, str]:
    """Return what is excepted and the reason, of WHAT=REASON as a command has it."""
    found = re.fullmatch(r"(?P<what>.+?)(?<![<>])=(?P<reason>.*)", text, re.DOTALL)
    if found is None:
        raise PolicyError(f"{_HOW}: METRIC:COLUMN<=NUMBER=REASON.")
    return found.group("what"), found.group("reason")


def excepting(policy: "Policy", given: Mapping[str, str] | Iterable[StatedException] | None) -> "Policy":
    """Return a policy with exceptions stated beside those that it has; each must be about a rule of it, and ask for less."""
    if not given:
        return policy
    found = (*policy.exceptions, *stated(given))
    check(policy.name, policy.rules, found)
    return replace(policy, exceptions=found)


def check(name: str, rules: "Sequence[Rule]", exceptions: Sequence[StatedException]) -> None:
    """Raise if an exception is from no rule of a policy, or asks for no less than it."""
    for e in exceptions:
        if e.metric is None:
            continue
        metric, fitting = METRICS[e.metric], [rule for rule in rules if rule.metric == e.metric]
        if not fitting:
            metrics = ", ".join(dict.fromkeys(rule.metric for rule in rules))
            raise PolicyError(f"The policy {name} has no rule about {e.metric}, so there is nothing to except from. It has: {metrics}.")
        if e.sensitive is not None and "sensitive" not in metric.needs and not any("inference" in rule.attacks for rule in fitting):
            raise PolicyError(f"{metric.title} is not about a sensitive attribute, so the exception {e.what} must not name one.")
        assert e.limit is not None, "checked when it was made"
        if (fault := limit_fault(metric, fitting[0].variant, e.limit)) is not None:
            raise PolicyError(f"{fault}.")
        if all(rule.keeps(e.limit) for rule in fitting):
            asked = fitting[0].limit_text
            raise PolicyError(f"The exception {e.what} asks for no less than the policy {name} ({asked}), so it is none.")


def check_columns(exceptions: Sequence[StatedException], sensitive: Sequence[str]) -> None:
    """Raise if an exception is about a column that nothing is judged about."""
    for e in exceptions:
        if e.sensitive is not None and e.sensitive not in sensitive:
            there = f"There are: {', '.join(map(shown, sensitive))}." if sensitive else "There is none."
            raise PolicyError(f"The exception {e.what} is about {shown(e.sensitive)}, which is no sensitive attribute here. {there}")


def check_unexcepted(policy: "Policy", what: str) -> None:
    """Raise where a policy has exceptions and an operation would hand on what they accept without a word."""
    if policy.exceptions:
        raise PolicyError(f"{what} takes no exceptions from a policy, and {policy.name} states {len(policy.exceptions)}. Use anonymise.")


def read_exception(document: TomlFile, position: int, content: Any) -> StatedException:
    """Return one [[exceptions]] entry of a policy file."""
    if not isinstance(content, dict):
        raise document.fail("must be a table with metric, limit and reason", "exceptions")
    for key in content:
        if key not in KEYS:
            raise document.fail(f"no such key; known are {', '.join(KEYS)}", f"exceptions.{key}", entry=position)
    for key in ("metric", "reason"):
        if not isinstance(content.get(key), str):
            raise document.fail("must be text", f"exceptions.{key}", entry=position)
    if not isinstance(content.get("sensitive", ""), str):
        raise document.fail("must be text", "exceptions.sensitive", entry=position)
    limit = content.get("limit")
    if isinstance(limit, bool) or not isinstance(limit, int | float | None):
        raise document.fail("must be a number", "exceptions.limit", entry=position)
    metric = content["metric"]
    try:
        return StatedException(
            metric=None if metric == ALL else metric, sensitive=content.get("sensitive"), limit=limit, reason=content["reason"]
        )
    except PolicyError as error:
        raise document.fail(str(error).rstrip("."), "exceptions", entry=position) from None


def called(policy: "Policy") -> str:
    """Return a policy's name as people write it: in capitals where its title does so."""
    return policy.name.upper() if policy.title.startswith(policy.name.upper()) else policy.name


def except_sentence(policy: "Policy", verdict: "Verdict") -> str:
    """Return "meets SCORR except correlation about insurance (0.704, limit 0.66)", from every rule that is broken within an exception."""
    return f"meets {called(policy)} except {'; '.join(map(_broken, verdict.excepted))}"


def stated_lines(policy: "Policy", verdict: "Verdict") -> Iterator[str]:
    """Yield every exception that was used, with the reason of whoever stated it; then those that were not needed."""
    used = tuple(dict.fromkeys(e for result in verdict.excepted for e in result.excepted))
    for e in used:
        yield f"Exception stated: {e.words}. Reason: {ended(e.reason)}"
    for e in policy.exceptions:
        if e not in used and verdict.rules:
            yield f"Exception stated, but not what this verdict rests on: {e.words}. Reason: {ended(e.reason)}"


def _broken(result: "RuleResult") -> str:
    rule = result.rule
    columns = tuple(dict.fromkeys(e.sensitive for e in result.excepted if e.sensitive is not None))
    if not columns and result.measurement is not None and result.measurement.sensitive is not None:
        columns = (result.measurement.sensitive,)
    about = f" about {joined(columns)}" if columns else ""
    value = "unbounded" if result.value is None else different(result.value, rule.limit)
    return f"{METRICS[rule.metric].title.lower()}{about} ({value}, limit {rule.limit:g})"
