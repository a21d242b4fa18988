"""Answers to queries as plain data and as a sheet."""

from typing import Any

from anonscope.io.figures import decimals, figure
from anonscope.io.rounding import rounded
from anonscope.operations.answer import Answers
from anonscope.report.sheet import Section, Sheet, row
from anonscope.synthesis.answering import Answer
from anonscope.synthesis.queries import Query

ANSWERS_SCHEMA = "anonscope/answers/1"
_KINDS = {"noise": "noisy", "suppress": "small cells withheld", "round": "rounded"}


def answers_to_dict(found: Answers) -> dict[str, Any]:
    """Return the answers as plain data; the ledger's numbers are fractions, as text."""
    return {
        "schema": ANSWERS_SCHEMA,
        "source": found.source,
        "confidence": found.confidence,
        "noise": found.noise if found.ledger is not None else None,
        "guarantee": found.guarantee,
        "not_guaranteed": list(found.not_guaranteed),
        "ledger": found.ledger,
        "queries": [
            {
                "name": query.name,
                "kind": query.kind,
                "by": list(query.by),
                "column": query.column,
                "protection": query.protect,
                "answers": [
                    {
                        "statistic": a.statistic,
                        "group": dict(zip(query.by, a.group, strict=True)),
                        "value": rounded(a.value),
                        "lower": rounded(a.lower),
                        "upper": rounded(a.upper),
                        "note": a.note,
                    }
                    for a in found.answers
                    if a.query == query.name
                ],
            }
            for query in found.queries
        ],
    }


def answers_sheet(found: Answers) -> Sheet:
    """Return a table a query, the guarantee above and the ledger below."""
    sections = [_section(query, [a for a in found.answers if a.query == query.name]) for query in found.queries]
    if found.ledger is not None:
        sections.append(_ledger(found.ledger))
    lead = found.guarantee or "No guarantee is stated; the reasons are in the notes."
    share = f"{100 * found.confidence:g} %"
    notes = (*found.not_guaranteed, f"Intervals of noisy numbers hold the true number with a confidence of {share} each.")
    return Sheet(
        title="Answers",
        source=found.source,
        lead=lead,
        sections=tuple(sections),
        notes=notes if found.ledger is not None else found.not_guaranteed,
        # Noise is drawn anew every time, and every time costs.
        once=True,
    )


def _section(query: Query, answers: list[Answer]) -> Section:
    rows = tuple(
        row(*(a.group or ("all",)), a.statistic, "withheld" if a.value is None else _number(a.value), _between(a), a.note) for a in answers
    )
    note = f"{query.kind}, {_KINDS[query.protect]}"
    return Section(query.name, (*(query.by or ("group",)), "statistic", "value", "interval", "note"), rows, note, matrix=False)


def _ledger(ledger: dict[str, Any]) -> Section:
    rows = tuple(row(c["purpose"], c["epsilon"], c["delta"], c["rho"]) for c in (*ledger["charges"], {"purpose": "left", **ledger["left"]}))
    note = "What each question lost of the budget, in exact fractions; all that is lost about a person adds up."
    return Section("Budget", ("question", "epsilon", "delta", "rho"), rows, note, matrix=False)


def _between(answer: Answer) -> str:
    if answer.lower is None or answer.upper is None:
        return "—" if answer.lower is None else f"from {_number(answer.lower)}"
    return f"{_number(answer.lower)} to {_number(answer.upper)}"


def _number(value: float) -> str:
    return decimals(value, 1) if abs(value) >= 1000 and not float(value).is_integer() else figure(value)
