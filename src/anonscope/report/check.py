"""Checks as plain data and as a sheet; the files that pipelines read are in check_files."""

from dataclasses import asdict
from typing import Any

from anonscope.operations.check import DOCUMENT, CheckedTable, Checks
from anonscope.report.sheet import Cell, Section, Sheet, row
from anonscope.report.words import Tone

_TONES: dict[str, Tone] = {"met": "low", "met with exceptions": "mid", "not met": "high", "not checked": "high"}
_LEVELS: dict[str, tuple[str, Tone]] = {"pass": ("kept", "low"), "note": ("take note", "mid"), "error": ("in the way", "high")}


def checks_to_dict(found: Checks) -> dict[str, Any]:
    """Return everything as plain data, in the shape of the JSON contract."""
    return {
        "schema": DOCUMENT,
        "repository": found.repository,
        "met": found.met,
        "exit_code": found.exit_code,
        "tables": [asdict(table) for table in found.tables],
    }


def checks_sheet(found: Checks) -> Sheet:
    """Return what was found as one page, a table each; rules that are kept are counted only."""
    told = "; ".join(f"{table.source}: {table.outcome}" for table in found.tables[:5])
    more = f" and {len(found.tables) - 5} more" if len(found.tables) > 5 else ""
    tones = {_TONES[table.outcome] for table in found.tables}
    worst: Tone = "high" if "high" in tones else "mid" if "mid" in tones else "low"
    source = found.repository or found.tables[0].source
    return Sheet("Check", source, f"{told}{more}.", tuple(_section(table) for table in found.tables), (), worst)


def _section(table: CheckedTable) -> Section:
    if table.error is not None:
        return Section(f"{table.source}, by {table.policy}: {table.outcome}", lines=(table.error,))
    shown = [finding for finding in table.findings if finding.level != "pass"]
    rows = tuple(row(f.title, Cell(_LEVELS[f.level][0], tone=_LEVELS[f.level][1]), f.message) for f in shown)
    kept = sum(finding.level == "pass" for finding in table.findings)
    note = f"{kept} rule{' is' if kept == 1 else 's are'} kept."
    header = ("rule", "result", "what") if rows else ()
    return Section(f"{table.source}, by {table.policy}: {table.outcome}", header, rows, note, matrix=False)
