"""What all sections of a dossier are made of: numbered titles, stated facts, and what nobody stated."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from anonscope.operations.signing.questions import NOT_STATED, Answer
from anonscope.report.sheet import Cell, Section, row

# What each section is called, and which texts ask for it. GDPR is article 35(7); EMA is the anonymisation report of Policy 0070 and of
# Health Canada; ISO is ISO/IEC 27559; HIPAA the expert determination; NIST is SP 800-188.
TITLES = {
    1: ("The data set", "EMA, ISO, HIPAA, NIST"),
    2: ("Purpose, recipients, release model", "GDPR, EMA, ISO, NIST"),
    3: ("The rules relied on, and the status for each recipient", "GDPR, ISO, HIPAA"),
    4: ("Every column: its role, who decided it, what was done", "EMA, ISO, HIPAA, NIST"),
    5: ("Attackers: what they know, how likely an attempt is, the harm", "GDPR, EMA, ISO, HIPAA, NIST"),
    6: ("The threshold, and why", "GDPR, EMA, ISO, HIPAA"),
    7: ("The risk before and after, and the attacks carried out", "GDPR, EMA, ISO, HIPAA, NIST"),
    8: ("Singling out, linkability, inference", "EMA, ISO"),
    9: ("What changed, and what it cost", "EMA, NIST"),
    10: ("The risk that is left, and organisational measures", "GDPR, ISO, NIST"),
    11: ("Other known releases about these people", "EMA, ISO, NIST"),
    12: ("Verdict, conditions, signatures, review", "GDPR, ISO, HIPAA"),
    13: ("How to reproduce it", "EMA, HIPAA, NIST"),
}


def headed(number: int, section: Section) -> Section:
    """Return a section under its number and title, with the texts that ask for it."""
    title, asked = TITLES[number]
    note = f"Asked for by: {asked}." + (f" {section.note}" if section.note else "")
    return replace(section, title=f"{number}. {title}", note=note)


def part(number: int, letter: str, section: Section) -> Section:
    """Return a further table of a section."""
    return replace(section, title=f"{number}{letter}. {section.title}")


def facts(lines: Iterable[tuple[str, str | Cell]], note: str = "", further: Iterable[str] = ()) -> Section:
    """Return facts with their names."""
    return Section("", ("what", "is"), tuple(row(name, told) for name, told in lines), note, matrix=False, lines=tuple(further))


def stated(answer: Answer | None) -> str:
    """Return an answer in words; what nobody said is not stated."""
    if answer is None:
        return NOT_STATED
    if isinstance(answer, tuple):
        return "; ".join(answer)
    if isinstance(answer, date):
        return answer.isoformat()
    return f"{answer:g}" if isinstance(answer, float) else answer
