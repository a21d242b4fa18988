"""Releases that were compared as wholes: what they still tell, and what could not be measured of them."""

from collections.abc import Sequence

from anonscope.io.figures import figure
from anonscope.operations.comparing.weighing import ComparedVersion
from anonscope.report.sheet import Section, row
from anonscope.utility.unpaired import NOT_PAIRED, UNPAIRED


def whole_section(releases: Sequence[ComparedVersion]) -> Section:
    """Return every measure of tables as wholes, a column for each release that was compared so."""
    shown = [v for v in releases if v.whole]
    rows = []
    for name, utility in UNPAIRED.items():
        better = "higher is better" if utility.better == "higher" else "lower is better"
        found = [[m for m in v.utilities if m.utility == name] for v in shown]
        kinds = dict.fromkeys((m.variant, m.column) for each in found for m in each)
        # By column only where the measure is about a column and nothing else.
        table = {kind: None for kind in kinds if kind[1] is None} or kinds
        for variant, column in table:
            told = ", ".join(part for part in (variant, column) if part is not None)
            values = [next((m for m in each if (m.variant, m.column) == (variant, column)), None) for each in found]
            cells = ["—" if m is None else f"not measured: {m.reason}" if m.value is None else figure(m.value) for m in values]
            rows.append(row(f"{utility.title} ({told})" if told else utility.title, *cells, better))
    note = "Original and release as wholes: their records do not correspond. By column in the JSON."
    return Section("Compared as wholes", ("measure", *(v.name for v in shown), ""), tuple(rows), note, matrix=False)


def not_measured(releases: Sequence[ComparedVersion]) -> tuple[str, ...]:
    """Say of which releases nothing was measured record by record."""
    return tuple(f"{v.name}: not measured: {NOT_PAIRED}." for v in releases if v.whole)
