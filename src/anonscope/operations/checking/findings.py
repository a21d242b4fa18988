"""What a verdict says of every rule, in words for a log: columns and rules, never a number that was measured or a value."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from anonscope.columns.roles import Roles
from anonscope.errors import shown
from anonscope.operations.audit import Audit
from anonscope.risk.metrics import METRICS
from anonscope.risk.policy.repeated import RepeatedIdentifier
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


def findings_of(audit: Audit, *, before_release: bool = False) -> tuple[Finding, ...]:
    """Return a finding for every rule and every column that a verdict rests on; one is an error exactly where the gate is shut.

    That is where the policy is not met, and where the file still holds what is to be removed, unless that is yet to come.
    """
    found = [*_rules(audit), *_removed(audit, before_release), *_columns(audit)]
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


def _removed(audit: Audit, before_release: bool) -> Iterator[Finding]:
    """Yield what is said of columns that must not leave, where the table has some."""
    columns = audit.verdict.must_be_removed
    if not columns:
        return
    level: Level = "error"
    named, they = ", ".join(map(shown, columns)), "is" if len(columns) == 1 else "are"
    if audit.verdict.direct_identifiers_forbidden:
        told = f"Policy {audit.policy.name} forbids direct identifiers, and the table still holds {named}, which {they} to be removed."
    elif before_release:
        level, told = "note", f"{named} must be removed before the release."
    else:
        told = f"The table still holds {named}, which {they} to be removed."
    yield Finding(rule="direct-identifiers", title="No direct identifiers", level=level, message=told, columns=columns)


def _columns(audit: Audit) -> Iterator[Finding]:
    verdict, level = audit.verdict, _level(False)
    for column in verdict.two_forms:
        told = f"Column {shown(column)} holds one value in two forms, which a reader of the file tells apart."
        yield Finding(rule="two-forms", title="One form a value", level="error", message=told, columns=(column,))
    yield from map(_answered_for, verdict.to_answer_for)
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


def _answered_for(given: RepeatedIdentifier | TellingColumn) -> Finding:
    """Return what is said of a column that somebody must answer for: by the role that it has, and what is the matter with it."""
    column = shown(given.column)
    level: Level = "error" if given.said is None else "note"
    if isinstance(given, RepeatedIdentifier):
        told = f"Column {column} repeats, so one person has several records"
        unsaid, word = ", and no column was named as the person (-p).", "; somebody gave a reason why each may be counted as a person."
        rule, title = "repeated-identifier", "People are counted"
    else:
        may = "may tell" if given.doubtful else "tells"
        told = f"Column {column} was given as {given.role} and {may} who somebody is"
        unsaid, word = ", and nobody said why it may be released.", "; somebody gave a reason why it may be released."
        rule, title = "telling-column", "No column tells people"
        if given.known:
            told, unsaid = f"Column {column} is in no group though outsiders know it", ", and nobody said why."
    message = told + (unsaid if given.said is None else word)
    return Finding(rule=rule, title=title, level=level, message=message, columns=(given.column,))


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
