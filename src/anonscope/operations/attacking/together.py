"""What all records of a person tell together, which no attack looks at: attackers know one record of somebody."""

from anonscope.operations.audit import Audit

_NOT_MEASURED = (
    "Not measured, which is not safe: what all records of one person tell together, where anything in the release says which are theirs; "
    "an audit of it with the person named (-p) measures that."
)


def told_together(people: int, records: int, audited: Audit | None) -> str | None:
    """Return what is said of it beside a verdict: what an audit measured, or that nobody did; None where everybody has one record."""
    if records <= people:
        return None
    linked = audited.verdict.linked if audited is not None else ()
    return " ".join(found.sentence for found in linked) or _NOT_MEASURED
