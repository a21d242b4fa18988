"""A written release judged as a stranger reads it: by the policy that it promised to keep, or by what it was to hold."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anonscope.columns.roles import Acknowledgements, Roles
from anonscope.engines import DuckDB
from anonscope.errors import Defect, NotPublished, PolicyError, ended, shown
from anonscope.io.read_back import ReadBack
from anonscope.io.rounding import rounded
from anonscope.io.toml_file import TomlFile
from anonscope.operations.audit import Audit, audit
from anonscope.operations.read import Data
from anonscope.risk.counting.population import Outside
from anonscope.risk.findings import ScenarioCounts
from anonscope.risk.metrics import METRICS
from anonscope.risk.policy import Policy, RuleResult, Verdict, as_rules, check_linked
from anonscope.risk.policy.exceptions import except_sentence
from anonscope.risk.policy.limits import exceptions_of
from anonscope.risk.policy.policy import SCHEMA, policy_of
from anonscope.transform.release import formulas
from anonscope.transform.table import Table

_TEXTS = ("name", "title", "version", "origin", "jurisdiction", "summary", "valid_until")


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What a release is to keep: a policy, over the roles of its columns, and what it kept before it was written."""

    roles: Roles
    policy: Policy
    kept: Verdict | None = None
    # What holding the release against other tables told; these are not read again.
    outside: Outside = field(default_factory=Outside)
    # Whether a release that breaks it stays unwritten whoever broke it; else only if the writing did.
    binding: bool = True
    # Whether somebody asked for the policy now, so that it must be met as an audit says it: what is not measured is not met.
    asked: bool = False
    # The groups in which people were counted, where the release leaves out what told them apart: the file must have the very same.
    counted: tuple[ScenarioCounts, ...] = ()


def check_reading(reading: ReadBack, columns: Sequence[str], records: int, name: str) -> None:
    """Raise if a written release does not have the columns and records that were written."""
    check_columns(reading.columns, columns, name)
    check_records(reading.records, records, name)


def check_formulas(reading: ReadBack, engine: DuckDB, name: str) -> None:
    """Raise if office programs would take cells of a written text, or the names of its columns, for formulas."""
    formulas.check_names(reading.columns, name)
    columns = reading.relation.columns
    if not columns:
        return
    counts = ", ".join(f"COUNT(*) FILTER (WHERE {formulas.is_formula(f'c{i}', engine.text)})" for i in range(len(columns)))
    found = zip(reading.columns, engine.rows(f"SELECT {counts} FROM {reading.relation.origin}")[0], strict=True)
    if wrong := [(column, int(cells)) for column, cells in found if cells]:
        raise formulas.refusal(name, wrong)


def check_columns(found: Sequence[str], written: Sequence[str], name: str) -> None:
    """Raise if the columns of a written release are not those that were written."""
    if tuple(found) != tuple(written):
        raise Defect(f"The columns of {shown(name)} are not those that were written ({len(found)} and {len(written)}).")


def check_records(found: int, written: int, name: str) -> None:
    """Raise if a written release has more or fewer records than were written."""
    if found != written:
        raise Defect(f"{shown(name)} has {found:,} records, but {written:,} were written.")


def check_forms(verdict: Verdict, name: str) -> None:
    """Raise if a written release holds one value in two forms: it was counted as one, and whoever reads the file sees two."""
    if verdict.two_forms:
        listed = ", ".join(map(shown, verdict.two_forms))
        raise Defect(f"One value was written in two forms to {shown(name)}: {listed}.")


def check_counted(found: Audit, promise: Promise, name: str) -> None:
    """Raise if people were counted in other groups than those that a written release has, which does not tell them apart itself."""
    now = {scenario.name: scenario.sizes.records for scenario in found.scenarios}
    if wrong := [scenario.name for scenario in promise.counted if now.get(scenario.name) != scenario.sizes.records]:
        raise NotPublished(
            f"{shown(name)} is not published: people were counted before their id was left out, and read back as others will read it, its "
            f"groups are not those in which they were counted ({', '.join(wrong)}). Nothing was written; write .parquet."
        )


def measured(
    reading: ReadBack, engine: DuckDB, promise: Promise, perturbed: tuple[str, ...], acknowledged: Acknowledgements | None = None
) -> Audit:
    """Return the audit of a release as it was read back, with what was said of its columns without a role."""
    data = Data(reading.relation, engine, promise.roles, outside=promise.outside)
    data.perturbed = perturbed
    data.acknowledged = (acknowledged or Acknowledgements()).left_of(reading.columns)
    return audit(data, promise.policy)


def measured_before(table: Table, promise: Promise, perturbed: tuple[str, ...]) -> Audit:
    """Return the audit of a table that was not written yet."""
    data = Data(table.relation("the release"), table.engine, promise.roles, outside=promise.outside)
    data.perturbed = perturbed
    return audit(data, promise.policy)


def broken(verdict: Verdict, promise: Promise) -> list[RuleResult]:
    """Return the rules that a written release breaks, or that were kept before it was written and cannot be measured now."""
    before = {result.rule: result for result in promise.kept.rules} if promise.kept is not None else {}
    return [
        now
        for now, was in ((now, before.get(now.rule)) for now in verdict.rules)
        if (now.status == "fail" and not now.excepted and (promise.binding or (was is not None and was.status == "pass")))
        or (now.status != "pass" and was is not None and was.status == "pass")
    ]


def refusal(name: str, rules: Sequence[RuleResult]) -> NotPublished:
    """Return why a release is not published."""
    reasons = "; ".join(_reason(rule) for rule in rules)
    return NotPublished(
        f"{shown(name)} is not published: read back as others will read it, it breaks what it promised. {reasons}. "
        "What is written can differ from what was measured before where a format cannot tell values apart, such as an empty text from "
        "a missing value in delimited text. Nothing was written; make such values one, or write .parquet."
    )


def check_asked(verdict: Verdict, promise: Promise, name: str) -> None:
    """Raise if a policy that somebody asked for withholds a release."""
    if not promise.asked:
        return
    check_linked(verdict.linked)
    if verdict.released:
        return
    found = list(reasons(verdict))
    because = f": {'; '.join(found)}" if found else ""
    raise NotPublished(
        f"{shown(name)} is not published: it does not meet the policy {verdict.policy}{because}. Nothing was written. Change the recipe, "
        "or search for one that meets the policy: anonscope anonymise."
    )


def reasons(verdict: Verdict) -> Iterator[str]:
    """Yield what withholds a release, with the values that were found."""
    yield from (_reason(result) for result in verdict.rules if result.stands_in_the_way)
    yield from (f"{result.rule.label}: {result.reason or result.status}" for result in verdict.attack_rules if result.status != "pass")
    yield from (f"{check.title}: {check.status}" for check in verdict.checks if check.status != "pass")
    yield from (column.sentence for column in verdict.to_answer_for if column.said is None)


def _reason(result: RuleResult) -> str:
    rule = result.rule
    value = f"{rounded(result.value):g}" if result.value is not None else result.reason or "not measured"
    about = f" of {shown(result.measurement.sensitive)}" if result.measurement is not None and result.measurement.sensitive else ""
    return f"{METRICS[rule.metric].title}{about} is {value} and must be {rule.limit_text}"


def verdict_to_dict(found: Audit, before: Verdict | None = None) -> dict[str, Any]:
    """Return a verdict with all that is needed to measure it again: policy, roles, and every rule with its value.

    Where people were counted `before` what told them apart was left out, that is there too; nobody can measure it on the file.
    """
    linked = [found.to_dict() for found in (before or found.verdict).linked]
    tied = (column for told in (before or found.verdict).linked for column in (told, *told.tying))
    answered = (*found.verdict.to_answer_for, *(column for column in found.verdict.look_alikes if column.open), *tied)
    return {
        "policy": policy_to_dict(found.policy),
        "roles": found.roles.to_dict(),
        "outcome": outcome_with(found.verdict.outcome, linked),
        "met": found.verdict.met,
        # By these words it was released; who measures it again needs them.
        "acknowledged": {c.column: c.said for c in answered if c.said is not None},
        "linked_records": linked,
        "counted_before": _counted_before(before) if before is not None else None,
        "says": except_sentence(found.policy, found.verdict) if found.verdict.outcome == "release with exceptions" else None,
        "attacks": dict(found.verdict.attacks),
        "rules": [
            {
                "metric": result.rule.metric,
                "label": result.rule.label,
                "limit": result.rule.limit_text,
                "status": result.status,
                "value": rounded(result.value),
                "reason": result.reason,
                "exceptions": [e.to_dict() for e in result.excepted],
                # Such a rule can be measured again only by who has that table.
                "needs": result.rule.given or ("population" if "population" in METRICS[result.rule.metric].needs else None),
            }
            for result in found.verdict.rules
        ],
    }


def outcome_with(outcome: str, linked: Sequence[Mapping[str, Any]]) -> str:
    """Return the outcome with what stands in for an id that was left out before: nobody can measure that on the file."""
    tied = any(found["left_out"] and found.get("standing_in") for found in linked)
    return "release with acknowledgement" if tied and outcome == "release" else outcome


def _counted_before(verdict: Verdict) -> list[dict[str, Any]]:
    """Return what rules found that count people, of a release that does not tell people apart any more."""
    return [
        {"metric": result.rule.metric, "limit": result.rule.limit_text, "status": result.status, "value": rounded(result.value)}
        for result in verdict.rules
        if result.measurement is not None and result.measurement.level == "person"
    ]


def excepted(verdicts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield what verdicts of a manifest say of limits that were left within stated exceptions: which, how far, and for what reason."""
    for verdict in verdicts:
        if verdict["says"] is not None:
            used = dict.fromkeys(e for rule in verdict["rules"] for e in exceptions_of(rule["exceptions"]))
            yield " ".join([f"The release {verdict['says']}.", *(f"Exception stated: {e.words}. Reason: {ended(e.reason)}" for e in used)])


def policy_to_dict(policy: Policy) -> dict[str, Any]:
    """Return a policy as plain data, as a policy file has it."""
    texts = {key: getattr(policy, key) for key in _TEXTS if getattr(policy, key)}
    further: dict[str, Any] = {"forbid_direct_identifiers": True} if policy.forbid_direct_identifiers else {}
    further |= {"checklist": policy.checklist} if policy.checklist is not None else {}
    further |= {"guarantee": policy.guarantee.to_dict()} if policy.guarantee is not None else {}
    further |= {"exceptions": [e.to_dict() for e in policy.exceptions]} if policy.exceptions else {}
    return texts | further | {"rules": [dict(rule) for rule in as_rules(policy)]}


def policy_from_dict(content: Mapping[str, Any]) -> Policy:
    """Return the policy that a manifest has."""
    import tomli_w

    try:
        return policy_of(TomlFile(tomli_w.dumps({"schema": SCHEMA, **content}), "the policy in the manifest", PolicyError))
    except (TypeError, ValueError, AttributeError):
        raise PolicyError("The policy in the manifest cannot be understood.") from None
