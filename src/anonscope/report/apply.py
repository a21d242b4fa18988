"""What a recipe did to a table, as a sheet."""

from dataclasses import asdict
from typing import Any

from anonscope.operations.apply import Release
from anonscope.report.sheet import Section, Sheet, row


def release_to_dict(release: Release) -> dict[str, Any]:
    """Return what was changed as plain data."""
    return asdict(release.changes)


def release_sheet(release: Release) -> Sheet:
    """Return the cells that changed, a row a column, and what else is to be said of the release."""
    changes = release.changes
    rows = [row(name, "dropped", "") for name in changes.dropped]
    rows += [row(c.column, f"{c.changed:,}", f"{c.suppressed:,}" if c.suppressed else "") for c in changes.columns]
    changed = Section("What became of the columns", ("column", "cells changed", "of them suppressed"), tuple(rows), matrix=False)
    steps = len(release.recipe.steps)
    return Sheet(
        title=f"A release by a recipe of {steps:,} {'step' if steps == 1 else 'steps'}",
        source=release.source,
        lead=changes.sentences()[0],
        sections=(changed,) if rows else (),
        notes=(*release.exceptions, *release.remarks),
    )
