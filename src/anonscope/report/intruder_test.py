"""A motivated intruder test as plain data and as a sheet."""

from typing import Any

from anonscope.io.rounding import rounded
from anonscope.operations.intruder_test import IntruderTest
from anonscope.operations.signing.intruding import IntruderResult
from anonscope.report.sheet import Section, Sheet, row

SCHEMA = "anonscope/intruder-result/1"
_TOLD = {"intruder": "who tried", "skills": "skills", "sources": "sources", "hours": "hours", "judged_by": "judged by", "done": "when"}


def intruder_test_to_dict(found: IntruderTest) -> dict[str, Any]:
    """Return everything as plain data, in the shape of the JSON contract."""
    result = found.result
    judged = None
    if result is not None:
        interval = [rounded(result.interval.low), rounded(result.interval.high)] if result.interval is not None else None
        counts = {"tried": result.tried, "claimed": result.claimed, "right": result.right}
        judged = counts | {"interval": interval, "sentence": result.sentence, "told": dict(result.told)}
    return {"schema": SCHEMA, "release": found.release, "questions": found.questions, "files": list(found.files), "result": judged}


def intruder_test_sheet(found: IntruderTest) -> Sheet:
    """Return a test as one page."""
    lead = found.result.sentence if found.result is not None else f"{found.questions:,} questions were drawn; the test was not judged yet."
    sections = (result_section(found.result),) if found.result is not None else ()
    notes = ("Files of the test: " + ", ".join(found.files) + ".",)
    return Sheet("Motivated intruder test", found.release, lead, sections, notes)


def result_section(result: IntruderResult) -> Section:
    """Return what came of a test as a section, here and in a dossier."""
    rows = [row(title, result.told.get(key, "not stated")) for key, title in _TOLD.items()]
    rows += [row("questions", f"{result.questions:,}"), row("tried", f"{result.tried:,}"), row("claimed", f"{result.claimed:,}")]
    rows.append(row("right", f"{result.right:,}"))
    return Section("Motivated intruder test", ("what", "is"), tuple(rows), result.sentence, matrix=False)
