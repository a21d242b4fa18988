"""Limits that somebody names one by one, as a policy."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from anonscope.errors import PolicyError, shown
from anonscope.io.toml_file import TomlFile
from anonscope.risk.metrics import METRICS, SizeMetric
from anonscope.risk.metrics.metric import limit_fault
from anonscope.risk.policy.exceptions import StatedException, read_exception
from anonscope.risk.policy.policy import SCHEMA, Policy, Rule, load, policy_of

NAME = "limits"
_WITH = "+limits"  # what the name of a policy ends with that further limits stand beside


def from_limits(limits: Mapping[str, float]) -> Policy:
    """Return limits such as {"k_anonymity": 5, "t_closeness": 0.5} as a policy.

    What a metric needs to know follows a colon: the variant in "t_closeness:ordered", the class size in "records_at_risk:5".
    """
    rules = []
    for key, value in limits.items():
        name, _, detail = key.partition(":")
        metric = METRICS.get(name)
        if metric is None:
            close = get_close_matches(name.lower(), METRICS, n=1)
            meant = f"Did you mean {shown(close[0])}? " if close else ""
            raise PolicyError(f"No metric is called {shown(name)}, so it has no limit. {meant}There are: {', '.join(METRICS)}.")
        if isinstance(metric, SizeMetric) and metric.parameter and not detail.isdigit():
            raise PolicyError(f"{name} needs to know the {metric.parameter}: write for instance {name}:5.")
        if (fault := limit_fault(metric, None if detail.isdigit() else detail or None, value)) is not None:
            raise PolicyError(f"{fault}.")
        rule: dict[str, Any] = {"metric": name, "minimum" if metric.safer == "higher" else "maximum": value}
        if detail:
            rule |= {"threshold": int(detail)} if detail.isdigit() else {"variant": detail}
        rules.append(rule)
    return from_rules(rules)


def policy_or_limits(policy: str | Path | Policy | None, limits: Mapping[str, float] | None) -> Policy:
    """Return what must be met: a preset's name, a file or a `Policy`; limits that somebody names one by one; or both."""
    if policy is None and limits is None:
        raise PolicyError("Say what must be met: a policy, or limits such as k_anonymity=5.")
    return tightened(load(policy), limits) if policy is not None else from_limits(limits or {})


def tightened(policy: Policy, limits: Mapping[str, float] | None) -> Policy:
    """Return a policy with further limits; each must ask for more than what the policy asks of the same metric."""
    if not limits:
        return policy
    further = from_limits(limits).rules
    for rule in further:
        own = next((r for r in policy.rules if _alike(r, rule)), None)
        if own is not None and not own.keeps(rule.limit):
            raise PolicyError(
                f"The limit {rule.metric} {rule.limit_text} contradicts the policy {policy.name}, which asks for {own.limit_text}: beside "
                f"a policy a limit asks for more. To accept less, state it with a reason (--except "
                f"'{rule.metric}{'>=' if rule.minimum is not None else '<='}{rule.limit:g}=REASON'); or give limits only, and no policy."
            )
    kept = tuple(rule for rule in policy.rules if not any(_alike(rule, other) for other in further))
    tighter = tuple(_tighter(own, rule) for rule in further for own in policy.rules if _alike(own, rule))
    new = tuple(rule for rule in further if not any(_alike(own, rule) for own in policy.rules))
    words = ", ".join(f"{METRICS[rule.metric].title} {rule.limit_text}" for rule in further)
    return replace(policy, name=f"{untightened(policy.name)}{_WITH}", title=f"{policy.title}, with {words}", rules=(*tighter, *kept, *new))


def untightened(name: str) -> str:
    """Return the name of a policy without what says that further limits stand beside it."""
    return name.removesuffix(_WITH)


def _tighter(own: Rule, limit: Rule) -> Rule:
    """Return a rule of a policy with a limit that asks for more; what was to be acknowledged below it still is."""
    above = own.acknowledge_above
    if above is not None and limit.maximum is not None:
        above = min(above, limit.maximum)
    return replace(own, minimum=limit.minimum, maximum=limit.maximum, acknowledge_above=above)


def _alike(one: Rule, other: Rule) -> bool:
    """Return whether two rules limit the same number, so that the tighter one says it all."""
    return all(getattr(one, key) == getattr(other, key) for key in ("metric", "statistic", "variant", "threshold", "given"))


def from_rules(rules: Sequence[Mapping[str, Any]]) -> Policy:
    """Return rules as a policy file has them, without a file."""
    import tomli_w

    if not rules:
        raise PolicyError("No limit is given. Name a policy, or a limit such as k_anonymity=5.")
    document = {
        "schema": SCHEMA,
        "name": NAME,
        "title": "the limits that were given",
        "version": "1.0",
        "origin": "whoever asked for the release",
        "rules": [dict(rule) for rule in rules],
    }
    return policy_of(TomlFile(tomli_w.dumps(document), "the limits", PolicyError))


def exceptions_of(entries: Sequence[Mapping[str, Any]]) -> tuple[StatedException, ...]:
    """Return exceptions as a policy file has them, without a file."""
    import tomli_w

    document = TomlFile(tomli_w.dumps({"exceptions": [dict(entry) for entry in entries]}), "the exceptions", PolicyError)
    return tuple(read_exception(document, i, dict(entry)) for i, entry in enumerate(entries))


def as_rules(policy: Policy) -> tuple[dict[str, Any], ...]:
    """Return the rules of a policy as a policy file has them."""
    found = []
    for rule in policy.rules:
        entry = {f.name: getattr(rule, f.name) for f in fields(Rule)}
        # What a file need not say is left out.
        for key, usual in (("statistic", ("value", "max")), ("label", (METRICS[rule.metric].question,)), ("scopes", (("whole",),))):
            if entry[key] in usual:
                del entry[key]
        found.append({key: list(value) if isinstance(value, tuple) else value for key, value in entry.items() if value is not None})
    return tuple(found)
