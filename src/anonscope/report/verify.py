"""A verification as plain data and as a sheet."""

from dataclasses import asdict
from typing import Any

from anonscope.operations.verify import DOCUMENT, Verification
from anonscope.report.sheet import Section, Sheet, row


def verification_to_dict(found: Verification) -> dict[str, Any]:
    """Return everything as plain data, in the shape of the JSON contract."""
    return {
        "schema": DOCUMENT,
        "release": found.release,
        "holds": found.holds,
        "sentence": found.sentence,
        "outcomes": list(found.outcomes),
        "checks": [asdict(check) for check in found.checks],
        "recovered": list(found.recovered),
    }


def verification_sheet(found: Verification) -> Sheet:
    """Return what was compared as one page."""
    rows = tuple(row(check.what, check.status, check.detail) for check in found.checks)
    section = Section("What was compared", ("what", "result", "detail"), rows, matrix=False)
    return Sheet("Verification", found.release, found.sentence, (section,), found.recovered, "low" if found.holds else "high")
