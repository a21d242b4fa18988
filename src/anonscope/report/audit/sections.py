"""What the report on an audit has beside its measurements: sections on models, on single attributes, on chains of them."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from anonscope.errors import joined
from anonscope.io.figures import decimals, per_cent
from anonscope.report import words
from anonscope.report.sheet import Section, row
from anonscope.risk.findings import Findings
from anonscope.risk.metrics import Measurement
from anonscope.risk.policy.defences import defences
from anonscope.risk.policy.policy import Policy
from anonscope.risk.policy.verdict import ATTACKS

if TYPE_CHECKING:
    from anonscope.risk.explain.chain import ChainRisk

_DEFENCES = "What such models defend against by themselves"
MATRIX = "A row for what is known, a column for what it is about; where all are 1, somebody is alone, or a group has one value only."
INFORMATION = "Information-theoretic risk, attribute by attribute"
_CHAINS = "Markov chain risk of who knows some attributes first"


def defences_section(policy: Policy) -> Section | None:
    """Return the ratings of the models behind a policy with their notes; None where the policy asks for none of them."""
    table = defences()
    models = table.asked_by(policy)
    if not models:
        return None
    signs = "; ".join(f"{sign} {meaning}" for sign, meaning in table.legend.items())
    return Section(
        _DEFENCES,
        ("model", *ATTACKS),
        tuple(row(model.title, *(model.against[attack].text for attack in ATTACKS)) for model in models),
        f"{signs} ({table.source}). It rates the kind of rule, not this table; how the table does is answered above.",
        matrix=False,
        lines=tuple(f"({number}) {text}" for number, text in table.notes_of(models).items()),
    )


def itpr_section(findings: Findings) -> Section | None:
    """Return both readings of ITPR for the worst attacker, the highest first; None where nothing of it was measured."""
    worst = findings.worst_scenario
    found = [m for m in findings.measurements if m.metric == "itpr" and m.scenario == worst.name]
    known = [m for m in found if m.value is not None]
    if not known:
        return None
    ranked = sorted(found, key=lambda m: (m.value is None, -(m.value or 0.0), m.attributes is not None))
    rows = tuple(
        row(_about(m), _wanted(m), words.NOT_MEASURED if m.value is None else decimals(m.value, 3), _why(findings, m)) for m in ranked
    )
    note = (
        "1 - T p h / H of the group that gives most away (T groups; the group has the share p, and leaves h of H bits open). It compares "
        "versions of one table, and does not grow with what an attacker knows."
    )
    return Section(INFORMATION, ("known", "about", "risk", "behind it"), rows, note, matrix=False, lines=tuple(_behind(findings)))


def matrix(ranked: Section) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return header and rows of the same risks, a row for what is known and a column for what it is about; both as they are ranked."""
    found = {(line[0].text, line[1].text): line[2].text for line in ranked.rows}
    known, about = (dict.fromkeys(line[place].text for line in ranked.rows) for place in (0, 1))
    return ("known", *about), tuple((name, *(found.get((name, what), "") for what in about)) for name in known)


def _about(m: Measurement) -> str:
    return "all of them together" if m.attributes is None else joined(m.attributes)


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
            f"{alone:,} of {records:,} records ({per_cent(alone / records)}) are alone with their combination; "
            "one of them is enough for a risk of 1, whatever the others are."
        )
    yield 'Which records: records(rule="itpr"), with the term of every group.'


def chains_section(chains: "Sequence[ChainRisk]") -> Section:
    """Return one row a chain."""
    rows = tuple(
        row(joined(c.known), *(decimals(value, 4) for value in (c.least, c.mean, c.median, c.largest)), per_cent(c.marketer))
        for c in chains
    )
    return Section(
        _CHAINS,
        ("known first", "least", "mean", "median", "largest", "found for sure (marketer)"),
        rows,
        "PR = 1 - P(R(J)) (1 - P(R | R(J))) times the same of the other attributes one after the other; near 1 for almost every table.",
        matrix=False,
    )
