"""Associations and fragmentations as plain data and as sheets."""

from typing import Any

from anonscope.io.figures import decimals
from anonscope.io.rounding import rounded
from anonscope.report.sheet import Cell, Section, Sheet, row
from anonscope.risk.associations import Matrix, PairwiseFindings
from anonscope.transform.fragmentation import FragmentationFindings

ASSOCIATIONS_SCHEMA = "anonscope/associations/1"
FRAGMENTATION_SCHEMA = "anonscope/fragmentation/1"
_CORRECTED = (
    "Numbers of more than 20 values are in 20 bins of equally many records, and what columns with so many values have by chance is taken "
    "off: the mean over all orders of the records, exact. Fragments are chosen by this one."
)
METHODS = {
    "given": "The fragments were given.",
    "exhaustive": "Every way of making so many fragments was scored, so this is the best.",
    "greedy": "There are too many ways to score all; columns were moved one at a time while that helped, so there may be a better one.",
}


def associations_to_dict(found: PairwiseFindings) -> dict[str, Any]:
    """Return the matrices as plain data; null where a number does not exist."""
    return {
        "schema": ASSOCIATIONS_SCHEMA,
        "source": found.source,
        "rows": found.rows,
        "columns": list(found.columns),
        "numeric": list(found.numeric),
        "mutual_information": _plain(found.mutual_information),
        "corrected_information": _plain(found.corrected_information),
        "pearson": _plain(found.pearson),
        "cramers_v": _plain(found.cramers_v),
        "unmeasured": [
            {"measure": u.measure, "columns": [u.one, u.other], "status": "not measured", "reason": u.reason} for u in found.unmeasured
        ],
        "notes": list(found.notes),
    }


def associations_sheet(found: PairwiseFindings) -> Sheet:
    """Return the matrices as tables with one row and one column for every attribute."""
    largest = max((value for line in found.mutual_information for value in line if value is not None), default=0.0)
    sections = [
        _matrix("Mutual information, in bits", found, found.mutual_information, largest, "The diagonal is the entropy of the column."),
        _matrix("Mutual information, corrected, in bits", found, found.corrected_information, largest, _CORRECTED),
        _matrix("Cramér's V", found, found.cramers_v, 1.0, "0 is independent, 1 is determined; a missing value is a value of its own."),
    ]
    if any(found.numeric):
        note = "Numeric columns only; the sign is the direction. Records that lack one of the two numbers are left out."
        sections.append(_matrix("Pearson's correlation", found, found.pearson, 1.0, note, only=found.numeric))
    return Sheet(
        title="How much the columns say about each other",
        source=found.source,
        lead=f"{found.rows:,} records, {len(found.columns)} columns. A dash stands for a number that does not exist.",
        sections=tuple(sections),
        notes=found.notes,
    )


def fragmentation_to_dict(found: FragmentationFindings) -> dict[str, Any]:
    """Return a fragmentation as plain data."""
    return {
        "schema": FRAGMENTATION_SCHEMA,
        "source": found.source,
        "rows": found.rows,
        "name": found.name,
        "score": rounded(found.score),
        "target": found.target,
        "common": list(found.common),
        "fragments": [
            {"columns": list(f.columns), "relevance": rounded(f.relevance), "redundancy": rounded(f.redundancy)} for f in found.fragments
        ],
        "method": found.method,
        "examined": found.examined,
    }


def fragmentation_sheet(found: FragmentationFindings) -> Sheet:
    """Return a fragmentation as a table with a row for every fragment."""
    rows = tuple(
        row(
            str(i),
            ", ".join(f.columns),
            "—" if f.relevance is None else decimals(f.relevance, 4),
            decimals(f.redundancy, 4),
            decimals((f.relevance or 0.0) - f.redundancy, 4),
        )
        for i, f in enumerate(found.fragments, start=1)
    )
    about = f"for the target {found.target}" if found.target is not None else "without a target"
    common = f", with {', '.join(found.common)} in every fragment" if found.common else ""
    return Sheet(
        title="Vertical fragmentation",
        source=found.source,
        lead=f"Relevance less redundancy ({found.name}) = {decimals(found.score, 4)} {about}{common}, {found.rows:,} records. "
        "Higher is better.",
        sections=(
            Section(
                "Fragments", ("fragment", "columns", "relevance", "redundancy", "difference"), rows, "Relevance and redundancy in bits."
            ),
        ),
        notes=(f"{METHODS[found.method]} Scored: {found.examined:,}.",),
    )


def _matrix(title: str, found: PairwiseFindings, matrix: Matrix, full: float, note: str, only: tuple[bool, ...] | None = None) -> Section:
    shown = [i for i in range(len(found.columns)) if only is None or only[i]]
    rows = tuple(row(f"{k} {found.columns[i]}", *(_cell(matrix[i][j], full) for j in shown)) for k, i in enumerate(shown, start=1))
    return Section(title, ("attribute", *(str(k) for k in range(1, len(shown) + 1))), rows, note)


def _cell(value: float | None, full: float) -> Cell:
    if value is None:
        return Cell("—")
    return Cell(decimals(value, 2), min(abs(value) / full, 1.0) if full > 0 else 0.0)


def _plain(matrix: Matrix) -> list[list[float | None]]:
    return [[rounded(value) for value in line] for line in matrix]
