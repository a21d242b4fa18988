"""Roles that were proposed and accepted, as a report shows them: a reader must know that nobody chose them one by one."""

from anonscope.columns.suggestion.suggestion import SCORES, Suggestion, scored, search_sentence

TITLE = "Roles were proposed by anonscope and accepted"
HEADER = ("column", "role", "confidence", "type", "why", f"{SCORES}, each 1 to 3")


def sentences(suggestion: Suggestion) -> tuple[str, ...]:
    """Return what a reader must know before the table."""
    unsure = sum(column.confidence == "low" for column in suggestion.columns)
    checked = f"{unsure} of {len(suggestion.columns)} columns are a guess (low confidence) and should be checked by hand."
    return (
        "They rest on column names, on what values look like and on how often they occur. A quasi-identifier that was missed makes "
        "the verdict better than the truth.",
        *((checked,) if unsure else ()),
        search_sentence(suggestion.search),
    )


def rows(suggestion: Suggestion) -> list[list[str]]:
    """Return one row a column, as in `HEADER`."""
    return [
        [c.name, c.role, c.confidence, c.type, " ".join((*c.reasons, *(f"But: {text}" for text in c.disagreements))), scored(c)]
        for c in suggestion.columns
    ]
