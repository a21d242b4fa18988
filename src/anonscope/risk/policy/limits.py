"""Limits that somebody names one by one, as a policy."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from anonscope.errors import PolicyError, shown
from anonscope.io.toml_file import TomlFile
from anonscope.risk.metrics import METRICS, SizeMetric
from anonscope.risk.policy.edge import limit_fault
from anonscope.risk.policy.policy import SCHEMA, Policy, Rule, load, policy_of

NAME = "limits"


def from_limits(limits: Mapping[str, float]) -> Policy:
    """Return limits such as {"k_anonymity": 5, "t_closeness": 0.5} as a policy.

    What a metric needs to know follows a colon: the variant in "t_closeness:ordered", the class size in "records_at_risk:5".
    """
    rules = []
    for key, value in limits.items():
        name, _, detail = key.partition(":")
        metric = METRICS.get(name)
        if metric is None:
            raise PolicyError(f"No metric is called {shown(name)}, so it has no limit. There are: {', '.join(METRICS)}.")
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
    """Return what must be met: a preset's name, a file or a `Policy`, or limits that somebody names one by one."""
    if (policy is None) == (limits is None):
        raise PolicyError("Say what must be met: a policy, or limits such as k_anonymity=5; one of the two.")
    return load(policy) if policy is not None else from_limits(limits or {})


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
