"""The JSON contract: one object, plain types, no NaN or infinity."""

import json
from typing import Any

from anonscope.io.rounding import rounded
from anonscope.risk.explain.why import Why
from anonscope.risk.findings import Findings, ScenarioCounts
from anonscope.risk.metrics import Measurement
from anonscope.risk.policy import RuleResult
from anonscope.risk.policy.attack_rules import AttackRuleResult
from anonscope.risk.policy.defences import defences

SCHEMA = "anonscope/audit/1"


def to_dict(findings: Findings, why: Why | None = None, plan: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the findings as plain data, with the reasons behind them and the plan, if they were asked for."""
    from anonscope.report.audit import why_text
    from anonscope.version import VERSION

    verdict = findings.verdict
    return {
        "schema": SCHEMA,
        "anonscope": VERSION,
        "data": {
            "source": findings.source,
            "columns": len(findings.columns),
            "rows": findings.rows,
            "persons": findings.persons,
            "level": "event" if findings.roles.event_level else "person",
            "classes": None if findings.made_up(findings.scenarios[0]) else findings.scenarios[0].sizes.classes,
            "perturbed": list(findings.perturbed),
            "scenarios": [_scenario(findings, scenario) for scenario in findings.scenarios],
            "sensitive": [
                {"name": s.name, "values": s.values, "commonest_share": rounded(s.commonest), "numeric": s.numeric}
                for s in findings.sensitive
            ],
            "missing": {column: rounded(share) for column, share in findings.missing.items()},
        },
        "roles": findings.roles.to_dict(),
        "verdict": {
            "policy": verdict.policy,
            "version": findings.policy.version,
            "outcome": verdict.outcome,
            "met": verdict.met,
            "exceptions": [e.to_dict() for e in findings.policy.exceptions],
            "rules": [_rule(result) for result in verdict.rules],
            "attack_rules": [attack_rule(result) for result in verdict.attack_rules],
            "attacks": dict(verdict.attacks),
            "defences": defences().to_dict(findings.policy),
            "set_aside": [{"metric": rule.metric, "limit": rule.limit_text, "given": rule.given} for rule in verdict.set_aside],
            "must_be_removed": list(verdict.must_be_removed),
            "direct_identifiers_forbidden": verdict.direct_identifiers_forbidden,
            "two_forms": list(verdict.two_forms),
            "repeated_identifiers": [identifier.to_dict() for identifier in verdict.repeated],
            "identifying_attributes": [column.to_dict() for column in verdict.telling],
            "linked_records": [linked.to_dict() for linked in verdict.linked],
            "values_that_look_alike": [column.to_dict() for column in verdict.look_alikes],
            "values_not_looked_at": verdict.unseen,
            "file_also_holds": list(verdict.also_held),
            "file_acknowledged": verdict.also_said,
            "words_missing": list(verdict.unanswered),
            "checks": [
                {"number": c.number, "title": c.title, "status": c.status, "columns": list(c.columns), "reason": c.reason}
                | ({"found": c.found, "limit": c.limit} if c.found is not None else {})
                for c in verdict.checks
            ],
            "columns_without_role": [column.to_dict() for column in verdict.unassigned],
        },
        "privacy_loss": findings.privacy_loss.to_dict() if findings.privacy_loss else None,
        "plan": plan,
        "suggestion": findings.suggestion.to_dict() if findings.suggestion is not None else None,
        "why": why_text.to_dict(why) if why is not None else None,
        "measurements": [measurement(m) for m in findings.measurements],
        "warnings": list(findings.warnings),
        "assumptions": list(findings.assumptions),
    }


def to_json(findings: Findings, why: Why | None = None) -> str:
    """Return the findings as JSON text."""
    return json.dumps(to_dict(findings, why), indent=2, ensure_ascii=False, allow_nan=False)


def measurement(m: Measurement) -> dict[str, Any]:
    """Return one measurement as plain data: `value`, or `min`, `mean` and `max`."""
    entry: dict[str, Any] = {
        "metric": m.metric,
        "scenario": m.scenario,
        "attributes": list(m.attributes) if m.attributes is not None else None,
        "sensitive": m.sensitive,
        "variant": m.variant,
        "level": m.level,
        "status": m.status,
    }
    if m.reason is not None:
        entry["reason"] = m.reason
    entry |= {name: rounded(m.statistic(name)) for name in ("sum", "count") if m.statistic(name) is not None}
    if m.max is not None:
        return entry | {name: rounded(m.statistic(name)) for name in ("min", "mean", "max")}
    return entry | {"value": rounded(m.value)}


def attack_rule(result: AttackRuleResult) -> dict[str, Any]:
    """Return a rule about an attack and what follows, as plain data."""
    rule = result.rule
    return {
        "attack": rule.attack,
        "variant": rule.variant,
        "worst_variant": result.variant,
        "label": rule.label,
        "statistic": rule.statistic,
        "maximum": rule.maximum,
        "in_context": rule.in_context,
        "status": result.status,
        "value": rounded(result.value),
        "attacker": result.attacker,
        "sensitive": result.sensitive,
        "failing": result.failing,
        "measured": result.measured,
        "reason": result.reason,
    }


def _scenario(findings: Findings, scenario: ScenarioCounts) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": scenario.name, "quasi_identifiers": list(scenario.quasi_identifiers)}
    if findings.made_up(scenario):
        # Somebody would read a class size off them, which the audit refused to measure.
        return entry | {"classes": None, "class_sizes": [], "class_sizes_in_persons": []}
    return entry | {
        "classes": scenario.sizes.classes,
        "class_sizes": [{"size": size, "classes": classes} for size, classes in scenario.sizes.records],
        "class_sizes_in_persons": [{"size": size, "classes": classes} for size, classes in scenario.sizes.persons],
    }


def _rule(result: RuleResult) -> dict[str, Any]:
    rule, m = result.rule, result.measurement
    return {
        "metric": rule.metric,
        "label": rule.label,
        "statistic": rule.statistic,
        "minimum": rule.minimum,
        "maximum": rule.maximum,
        "acknowledge_above": rule.acknowledge_above,
        "status": result.status,
        "risk": result.risk,
        "value": rounded(result.value),
        "scenario": m.scenario if m else None,
        "attributes": list(m.attributes) if m and m.attributes else None,
        "sensitive": m.sensitive if m else None,
        "variant": m.variant if m else None,
        "level": m.level if m else None,
        "failing": result.failing,
        "measured": result.measured,
        "reason": result.reason,
        "unattainable": result.unattainable,
        "exceptions": [e.to_dict() for e in result.excepted],
    }
