"""What a verdict says of every rule, in words for a log: columns and rules, never a number that was measured or a value."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from anonscope.columns.roles import Roles
from anonscope.errors import shown
from anonscope.operations.audit import Audit
from anonscope.risk.metrics import METRICS
from anonscope.risk.policy.telling import TellingColumn
from anonscope.risk.policy.verdict import RuleResult

Level = Literal["pass", "note", "error"]
_TOLD = {"pass": "is kept", "fail": "is broken", "not measured": "was not measured, which counts as broken"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What came of one rule: kept, to take note of, or in the way of a release; with the columns that it is about."""

    rule: str  # what the rule is called everywhere
    title: str
    level: Level
    message: str
    columns: tuple[str, ...] = ()


def findings_of(audit: Audit) -> tuple[Finding, ...]:
    """Return a finding for every rule and every column that a verdict rests on; one is an error exactly where the policy is not met."""
    found = [*_rules(audit), *_columns(audit)]
    if not audit.verdict.met and all(one.level != "error" for one in found):
        nothing = f"No rule of the policy {audit.policy.name} could be asked, which counts as not met."
        found.append(Finding(rule="policy", title="A rule is asked", level="error", message=nothing))
    return tuple(found)


def _rules(audit: Audit) -> Iterator[Finding]:
    verdict, name = audit.verdict, audit.policy.name
    for result in verdict.rules:
        rule, columns = result.rule, _about(result, audit.roles)
        limit = f"{METRICS[rule.metric].title} {rule.limit_text}"
        told = f"Policy {name}: {limit} ({rule.label}) {_TOLD[result.status]}{_for(columns)}."
        if result.excepted:
            told += " Somebody stated an exception; with it the policy is not met."
        elif result.risk == "medium":
            told += " The risk is medium, for whoever answers for the table to accept."
        level: Level = "error" if result.status != "pass" else "note" if result.risk == "medium" else "pass"
        yield Finding(rule=rule.metric, title=limit, level=level, message=told, columns=columns)
    for attacked in verdict.attack_rules:
        title = f"{attacked.rule.label} {attacked.rule.limit_text}"
        told = f"Policy {name}: {title} {_TOLD[attacked.status]}."
        columns = (attacked.sensitive,) if attacked.sensitive is not None else ()
        yield Finding(rule=attacked.rule.attack, title=title, level=_level(attacked.status == "pass"), message=told, columns=columns)
    for check in verdict.checks:
        told = f"Policy {name}: {check.label} {_TOLD[check.status]}{_for(check.columns)}."
        yield Finding(rule="checklist", title=check.label, level=_level(check.status == "pass"), message=told, columns=check.columns)


def _columns(audit: Audit) -> Iterator[Finding]:
    verdict = audit.verdict
    if verdict.must_be_removed:
        columns, forbidden = verdict.must_be_removed, verdict.direct_identifiers_forbidden
        told = f"Policy {audit.policy.name} forbids direct identifiers, and the table has them" if forbidden else "To be removed"
        yield Finding(
            rule="direct-identifiers",
            title="No direct identifiers",
            level="error" if forbidden else "note",
            message=f"{told}{_for(columns)}.",
            columns=columns,
        )
    for column in verdict.two_forms:
        told = f"Column {shown(column)} holds one value in two forms, which a reader of the file tells apart."
        yield Finding(rule="two-forms", title="One form a value", level="error", message=told, columns=(column,))
    for given in verdict.to_answer_for:
        level: Level = "error" if given.said is None else "note"
        told = f"Column {shown(given.column)} tells who somebody is, or that records are of one person"
        told += ", and nobody named it so." if given.said is None else "; somebody gave a reason why it may be released."
        if isinstance(given, TellingColumn) and given.known:
            told = f"Column {shown(given.column)} is in no group though outsiders know it"
            told += ", and nobody said why." if given.said is None else "; somebody gave a reason why it may be released."
        yield Finding(rule="telling-column", title="No column tells people", level=level, message=told, columns=(given.column,))
    for linked in verdict.linked:
        for column in linked.unanswered:
            told = f"Column {shown(column)} says which records belong to one person, and people are found by all of theirs together."
            yield Finding(rule="linked-records", title="No records tied together", level="error", message=told, columns=(column,))
    for alike in verdict.look_alikes:
        told = f"Column {shown(alike.column)} has values that differ only by blanks, case or forms of letters"
        told += ", and limits are kept by that alone" if alike.open else "; limits are kept either way"
        told += "." if alike.said is None else "; somebody gave a reason why they differ."
        level = "error" if alike.unanswered else "note"
        yield Finding(
            rule="values-look-alike", title="Values differ in more than writing", level=level, message=told, columns=(alike.column,)
        )
    if verdict.also_held:
        told = f"The file also holds {', '.join(verdict.also_held)}, of which nothing was judged"
        told += "." if verdict.also_said is None else "; somebody gave a reason why it may be released."
        level = "error" if verdict.also_said is None else "note"
        yield Finding(rule="file-holds-more", title="Nothing beside the table", level=level, message=told)
    for one in verdict.unassigned:
        if not (one.identifies or one.uncertain):
            continue
        told = (
            f"Column {shown(one.column)} has no role and looks like {one.looks_like}"
            if one.looks_like != "unknown"
            else (f"Column {shown(one.column)} has no role, and what it is cannot be told")
        )
        told += "." if one.word is None else "; somebody acknowledged it."
        yield Finding(
            rule="column-without-role",
            title="Every column has a role",
            level="error" if one.identifies or one.unanswered else "note",
            message=told,
            columns=(one.column,),
        )


def _about(result: RuleResult, roles: Roles) -> tuple[str, ...]:
    """Return the columns that the worst measurement of a rule is about."""
    m = result.measurement
    if m is None:
        return ()
    known = m.attributes or next((s.quasi_identifiers for s in roles.attackers if s.name == m.scenario), ())
    return (*known, *((m.sensitive,) if m.sensitive is not None else ()))


def _for(columns: tuple[str, ...]) -> str:
    return f" ({', '.join(map(shown, columns))})" if columns else ""


def _level(kept: bool) -> Level:
    return "pass" if kept else "error"
