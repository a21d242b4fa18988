"""Proposed roles as a sheet: which column is what, how sure that is, and why."""

from typing import Any

from anonscope.columns.suggestion.suggestion import SCORES, Suggestion, scored, search_sentence
from anonscope.report.sheet import Section, Sheet, row


def suggestion_to_dict(suggestion: Suggestion) -> dict[str, Any]:
    """Return everything as plain data."""
    return suggestion.to_dict()


def suggestion_sheet(suggestion: Suggestion) -> Sheet:
    """Return the columns as people should read them, those to look at first."""
    unsure = sum(column.confidence == "low" for column in suggestion.columns)
    checked = f"{unsure} of them {'is a guess' if unsure == 1 else 'are guesses'}: look at what comes first."
    rows = tuple(
        row(c.name, c.role, c.certainty, c.type, scored(c), " ".join((*c.reasons, *(f"But: {text}" for text in c.disagreements))))
        for c in suggestion.to_check
    )
    return Sheet(
        title="Proposed roles",
        source=suggestion.source,
        lead=f"{len(suggestion.columns):,} {'column' if len(suggestion.columns) == 1 else 'columns'}, {suggestion.records:,} records. "
        f"Nothing is applied until you accept it.{f' {checked}' if unsure else ''}",
        sections=(Section("Which column is what", ("column", "role", "confidence", "type", SCORES, "why"), rows, matrix=False),),
        notes=(search_sentence(suggestion.search),),
    )
