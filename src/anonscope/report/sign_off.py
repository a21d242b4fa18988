"""A dossier as plain data and as a sheet."""

from datetime import date
from typing import Any

from anonscope.operations.sign_off import SignOff
from anonscope.operations.signing.questions import Entry
from anonscope.report import words
from anonscope.report.dossier.about import about
from anonscope.report.dossier.decided import NEVER, decided, not_signed
from anonscope.report.dossier.measured import measured
from anonscope.report.sheet import Section, Sheet

SCHEMA = "anonscope/sign-off/1"


def sign_off_to_dict(found: SignOff) -> dict[str, Any]:
    """Return a dossier as plain data: what was measured, what people said, and every section as it is read."""
    answers = found.answers
    return {
        "schema": SCHEMA,
        "release": found.release,
        "source": found.source if found.internal else None,
        "edition": found.edition,
        "made": found.made.isoformat(),
        "released": found.released,
        "outcome": found.after.verdict.outcome if found.holds else "withhold",
        "verification": found.verification.to_dict() if found.internal else {"holds": found.verification.holds},
        "made_of_the_original": found.made_of,
        "attacks": dict(found.after.verdict.attacks),
        "answers": {key: _plain(value) for key, value in answers.said.items()}
        | {name: [_entry(e) for e in getattr(answers, name)] for name in ("attackers", "signatories")}
        | {"recipients": [_entry(e) for e in found.recipients]},
        "not_stated": list(answers.open_questions),
        "laws": [
            {
                "name": law.name,
                "version": law.version,
                "source": law.source,
                "dated": law.dated.isoformat(),
                "confirmed": law.confirmed.isoformat() if law.confirmed else None,
            }
            for law in found.laws
        ],
        "sections": [_section(section) for section in sections_of(found)],
    }


def sections_of(found: SignOff) -> tuple[Section, ...]:
    """Return all sections in their order."""
    return (*about(found), *measured(found), *decided(found))


def sign_off_sheet(found: SignOff) -> Sheet:
    """Return a dossier as one page."""
    outcome = found.after.verdict.outcome if found.holds else "withhold"
    said = words.headline(found.after) if found.holds else f"The file is {not_signed(found)}: do not sign"
    open_ones = len(found.answers.open_questions)
    missing = f" {open_ones} questions that only people can answer are not stated." if open_ones else ""
    edition = (
        "Internal edition: it holds seeds and hashes, and is not for others."
        if found.internal
        else "Publishable edition: no hash of source or recipe, no seed and no hierarchy is in it."
    )
    return Sheet(
        title=f"Dossier: by these rules, {found.release} {said}" if outcome != "withhold" else f"Dossier of {found.release}: {said}",
        source=found.release,
        lead=f"Made on {found.made.isoformat()} by {words.policy_named(found.policy)}. {words.sentence(found.after)} {NEVER}{missing}",
        sections=sections_of(found),
        notes=(),
        tone=words.TONES[outcome],
        conclusion=edition,
        whole=True,
    )


def _section(section: Section) -> dict[str, Any]:
    return {
        "title": section.title,
        "note": section.note,
        "header": list(section.header),
        "rows": [[cell.text for cell in line] for line in section.rows],
        "lines": list(section.lines),
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return {key: _plain(value) for key, value in entry.items()}


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else list(value) if isinstance(value, tuple) else value
