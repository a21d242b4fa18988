"""A what-if as plain data and as a sheet: what a release at some levels would be like."""

from collections.abc import Iterator
from typing import Any

from anonscope.io.rounding import rounded
from anonscope.operations.explore import Exploration
from anonscope.report import words
from anonscope.report.sheet import Section, Sheet, row
from anonscope.report.unassigned import unassigned_sections
from anonscope.risk.metrics import METRICS
from anonscope.risk.policy import RuleResult

SCHEMA = "anonscope/exploration/1"


def exploration_to_dict(found: Exploration) -> dict[str, Any]:
    """Return a what-if as plain data, in the shape of the JSON contract."""
    verdict = found.verdict
    return {
        "schema": SCHEMA,
        "source": found.source,
        "policy": found.policy.name,
        "records": found.records,
        "tuples": found.tuples,
        "levels": found.levels,
        "suppression": found.suppression,
        "suppressed": found.suppressed,
        "needed": found.needed,
        "allowed": found.allowed,
        "met": found.met,
        "outcome": verdict.outcome,
        "rules": [_rule(result) for result in verdict.rules],
        "attacks": dict(verdict.attacks),
        "risks": {
            "smallest_class": found.smallest_class,
            "highest": rounded(found.highest_risk),
            "average": rounded(found.average_risk),
            "records_at_risk": rounded(found.records_at_risk),
            "unique": rounded(found.unique),
            "threshold": found.policy.class_size,
        },
        "loss": rounded(found.loss),
        "losses": {column.column: rounded(column.loss) for column in found.columns},
        "classes": found.classes,
        "histogram": [{"from": bar.low, "to": bar.high, "classes": bar.classes, "records": bar.members} for bar in found.sizes],
        "point": {"class_size": found.smallest_class, "risk": rounded(found.highest_risk), "loss": rounded(found.loss)},
        "columns": columns_to_dict(found),
        "columns_without_role": [column.to_dict() | {"unanswered": column.unanswered} for column in verdict.unassigned],
        "notes": list(found.notes),
    }


def columns_to_dict(found: Exploration) -> list[dict[str, Any]]:
    """Return the quasi-identifiers with what each of their levels is."""
    return [
        {
            "column": column.column,
            "automatic": column.automatic,
            "levels": [
                {"level": level, "values": values, "words": words.level_words(level, len(column.cardinalities) - 1, column.words)}
                for level, values in enumerate(column.cardinalities)
            ],
        }
        for column in found.columns
    ]


def _rule(result: RuleResult) -> dict[str, Any]:
    rule = result.rule
    return {
        "metric": rule.metric,
        "title": METRICS[rule.metric].title,
        "label": rule.label,
        "limit": rule.limit_text,
        "value": rounded(result.value),
        "status": result.status,
        "risk": result.risk,
        "attacks": list(rule.attacks),
        "reason": result.reason,
    }


def exploration_sheet(found: Exploration) -> Sheet:
    """Return a what-if as a page."""
    return Sheet(
        title=words.WHAT_IF[found.verdict.outcome],
        source=found.source,
        lead=" ".join(_lead(found)),
        sections=tuple(_sections(found)),
        notes=found.notes,
        tone=words.TONES[found.verdict.outcome],
    )


def _lead(found: Exploration) -> Iterator[str]:
    one = "member" if found.smallest_class == 1 else "members"
    yield f"The smallest group would have {found.smallest_class:,} {one}, so the highest risk is {words.number(found.highest_risk)}."
    yield f"{words.share(found.loss, 1)} of the detail of the quasi-identifiers would be lost."
    yield suppressed_words(found)
    if open_questions := words.not_assessed(found.verdict).strip():
        yield open_questions


def suppressed_words(found: Exploration) -> str:
    """Return how many records are suppressed, or that more would have to be than may be."""
    if found.needed > found.allowed:
        return (
            f"{found.needed:,} of {found.records:,} records would have to be suppressed and {found.allowed:,} may be, so none was; "
            "the numbers are those of the coarser table."
        )
    return f"{found.suppressed:,} of {found.records:,} records would be suppressed."


def _sections(found: Exploration) -> Iterator[Section]:
    verdict, threshold = found.verdict, found.policy.class_size
    rows = tuple(row(r.label, words.limit(r), words.measured(r), words.MET[r.status], r.reason or "") for r in verdict.rules)
    yield Section("Rule by rule", ("rule", "limit", "it would be", "", ""), rows, f"Judged by: {found.policy.title}.", matrix=False)
    rows = tuple(
        row(
            column.column,
            f"{column.level} of {len(column.cardinalities) - 1}",
            words.level_words(column.level, len(column.cardinalities) - 1, column.words),
            f"{column.cardinalities[column.level]:,}",
            words.share(column.loss, 1),
        )
        for column in found.columns
    )
    yield Section("The columns at these levels", ("column", "level", "what it does", "values", "detail lost"), rows, matrix=False)
    rows = tuple(row(_size(bar.low, bar.high), f"{bar.classes:,}", f"{bar.members:,}") for bar in found.sizes if bar.classes)
    note = f"{words.share(found.records_at_risk, 1)} in groups under {threshold:,}, {words.share(found.unique, 1)} alone; on average a "
    note += f"guess is right with probability {words.number(found.average_risk)}."
    yield Section(f"{found.classes:,} groups", ("members", "groups", "members in all"), rows, note, matrix=False)
    rows = tuple(row(f"{attack}: {words.ATTACK_QUESTIONS[attack]}", answer) for attack, answer in verdict.attacks.items())
    yield Section("What an outsider could do", ("question", "answer"), rows, matrix=False)
    yield from unassigned_sections(verdict.unassigned)


def _size(low: int, high: int | None) -> str:
    return f"{low:,} and more" if high is None else f"{low:,}" if low == high else f"{low:,} to {high:,}"
