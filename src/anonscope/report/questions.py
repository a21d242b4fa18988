"""What the audit of a release says beside a search that met its limits: the verdict, and the three questions of WP216.

A search aims at limits; an audit asks more. So "the policy is met" never stands without what the audit of the same release says.
"""

from anonscope.report import words
from anonscope.report.audit.view import tiles
from anonscope.report.sheet import Section, row
from anonscope.risk.findings import Findings
from anonscope.risk.policy.exceptions import except_sentence


def release_title(*, met: bool, after: Findings | None) -> str:
    """Return what heads the page of a release, or of a search that found none."""
    if after is not None and after.verdict.outcome == "release with exceptions":
        return f"The release {except_sentence(after.policy, after.verdict)}"
    if not met:
        return "The policy cannot be met this way"
    if after is not None and not after.verdict.released:
        return "The limits are met, but the audit of the release says: do not release"
    if after is not None and after.verdict.outcome == "release with acknowledgement":
        return f"The policy is met, with acknowledgement of {words.acknowledged_of(after.verdict)}"
    return "The policy is met"


def release_tone(*, met: bool, after: Findings | None) -> words.Tone:
    """Return the colour of the title: green only where an audit of the release found every rule met, and nothing to acknowledge."""
    if after is not None and after.verdict.outcome == "release with exceptions":
        return "mid"
    if not met or after is None:
        return "high" if not met else "mid"
    return words.TONES[after.verdict.outcome]


def release_words(after: Findings | None) -> str:
    """Return what the audit of the release adds to the lead: what is open, and what speaks against it."""
    if after is None:
        return ""
    verdict = after.verdict
    said = "" if verdict.outcome == "release" else f" Its audit says: {words.headline(after)}."
    if not verdict.released:
        said += f" {words.rules_sentence(after)}"
        return said
    return said + words.not_assessed(verdict)


def questions_section(findings: Findings, *, released: bool) -> Section:
    """Return the three questions with the answers of an audit."""
    rows = tuple(row(f"{tile.attack}: {tile.question}", tile.answer, tile.figure, tile.note) for tile in tiles(findings))
    whose = "The answers of an audit of the release." if released else "The answers for the table as it is: there is no release."
    return Section("What an outsider could do", ("question", "answer", "measured", "why"), rows, whose, matrix=False)
