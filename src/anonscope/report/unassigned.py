"""Columns that are in no measurement, as every report shows them: what each looks like, why, and what was said of it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anonscope.report.words import listed
from anonscope.risk.policy import UnassignedColumn

if TYPE_CHECKING:
    from anonscope.report.sheet import Section

TITLE = "Columns in no measurement"
NOTE = "Nobody gave them a role, or somebody called them insensitive. They were looked at by name and by a sample of their values."
HEADER = ("column", "looks like", "why", "what was said of it")


def rows(columns: Sequence[UnassignedColumn]) -> list[list[str]]:
    """Return the columns as the lines of a table, those that need a word first."""
    ordered = sorted(columns, key=lambda c: (not c.identifies, not c.unanswered, not c.uncertain, not c.key))
    return [[c.column, c.looks_like, f"{c.reason} Values: {c.seen}." if c.seen else c.reason, said(c)] for c in ordered]


def said(column: UnassignedColumn) -> str:
    """Return what a person said of a column."""
    if column.word == "insensitive":
        return "insensitive"
    if column.word == "acknowledged":
        return f"acknowledged: {column.said}"
    return "nothing" if column.unanswered else "nothing; it needs no word"


def asked_before_release(columns: Sequence[UnassignedColumn]) -> str | None:
    """Return what whoever wants a release must say first, about the columns that need a word; None if none does."""
    identifiers = [c.column for c in columns if c.identifies]
    if identifiers:
        one = len(identifiers) == 1
        like, they = ("looks like a direct identifier", "it is") if one else ("look like direct identifiers", "they are")
        return f"{listed(identifiers)} {like}. Nothing is released until you say what {they}."
    open_ones = [c.column for c in columns if c.unanswered]
    if not open_ones:
        return None
    return f"Why may {listed(open_ones)} be released as {'it is' if len(open_ones) == 1 else 'they are'}?"


def unassigned_sections(columns: Sequence[UnassignedColumn]) -> "tuple[Section, ...]":
    """Return the part of a report about these columns; none if there are none."""
    from anonscope.report.sheet import Section, row  # late: sheets are written with the help of the reports that this is a part of

    if not columns:
        return ()
    return (Section(TITLE, HEADER, tuple(row(*line) for line in rows(columns)), NOTE, matrix=False),)
