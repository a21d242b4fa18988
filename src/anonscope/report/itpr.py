"""The information-theoretic privacy risk of every attribute, about whoever somebody is and about every sensitive attribute, ranked."""

from collections.abc import Iterator

from anonscope.report import words
from anonscope.report.sheet import Section, row
from anonscope.risk.findings import Findings
from anonscope.risk.metrics import Measurement

MATRIX = "A row for what is known, a column for what it is about; where all are 1, somebody is alone, or a group has one value only."
TITLE = "Information-theoretic risk, attribute by attribute"


def itpr_section(findings: Findings) -> Section | None:
    """Return both readings of ITPR for the worst attacker, the highest first; None where nothing of it was measured."""
    worst = findings.worst_scenario
    found = [m for m in findings.measurements if m.metric == "itpr" and m.scenario == worst.name]
    known = [m for m in found if m.value is not None]
    if not known:
        return None
    ranked = sorted(found, key=lambda m: (m.value is None, -(m.value or 0.0), m.attributes is not None))
    rows = tuple(row(_about(m), _wanted(m), words.NOT_MEASURED if m.value is None else f"{m.value:.3f}", _why(findings, m)) for m in ranked)
    note = (
        "1 - T p h / H of the group that gives most away (T groups; the group has the share p, and leaves h of H bits open). It compares "
        "versions of one table, and does not grow with what an attacker knows."
    )
    return Section(TITLE, ("known", "about", "risk", "behind it"), rows, note, matrix=False, lines=tuple(_behind(findings)))


def matrix(ranked: Section) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return header and rows of the same risks, a row for what is known and a column for what it is about; both as they are ranked."""
    found = {(line[0].text, line[1].text): line[2].text for line in ranked.rows}
    known, about = (dict.fromkeys(line[place].text for line in ranked.rows) for place in (0, 1))
    return ("known", *about), tuple((name, *(found.get((name, what), "") for what in about)) for name in known)


def _about(m: Measurement) -> str:
    return "all of them together" if m.attributes is None else " and ".join(m.attributes)


def _wanted(m: Measurement) -> str:
    return "who somebody is" if m.sensitive is None else m.sensitive


def _why(findings: Findings, m: Measurement) -> str:
    if m.value is None:
        return m.reason or ""
    if m.value < 1:
        return ""
    if m.sensitive is not None:
        return "a group in which all have the same value makes it 1"
    if m.attributes is not None:
        return "somebody alone with a value makes it 1"
    return "somebody alone makes it 1"


def _behind(findings: Findings) -> Iterator[str]:
    """Say how many records stand behind a 1 of the whole combination."""
    sizes = findings.worst_scenario.sizes.of("record")
    records = sum(size * classes for size, classes in sizes)
    alone = sum(classes for size, classes in sizes if size == 1)
    if alone and records:
        yield (
            f"{alone:,} of {records:,} records ({alone / records:.1%}) are alone with their combination; one of them is enough for a risk "
            "of 1, whatever the others are."
        )
    yield 'Which records: records(rule="itpr"), with the term of every group.'
