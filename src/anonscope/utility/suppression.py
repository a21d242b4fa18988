"""What the release does not say at all, and what it says wrongly."""

from collections.abc import Sequence

import numpy as np

from anonscope.risk.counting.arrays import Flags
from anonscope.utility.alignment.aligned import Aligned, AlignedColumn
from anonscope.utility.measure import Found, Utility, UtilityMeasurement, UtilitySettings, each_column, mean, measured


def suppressed_cells(column: AlignedColumn) -> Found:
    hidden = float(column.count @ column.hidden)
    return Found(hidden / column.records, hidden)


def false_cells(column: AlignedColumn) -> Found:
    wrong = float(column.count @ (~column.true & ~column.labels.suppressed[column.label]))
    return Found(wrong / column.records, wrong)


def suppressed_tuples(aligned: Aligned) -> Flags:
    """Return of every pair of tuples whether its records tell nothing in any column, or were left out."""
    told = np.zeros(len(aligned.n), dtype=bool)
    for column in aligned.columns:
        told |= ~column.labels.suppressed[column.marks]
    return ~(told & aligned.present)


def _records(aligned: Aligned, settings: UtilitySettings) -> list[UtilityMeasurement]:
    hidden = float(aligned.n @ suppressed_tuples(aligned))
    return [measured("suppressed_records", Found(hidden / aligned.records, hidden))]


SUPPRESSED_CELLS = Utility(
    name="suppressed_cells",
    title="Suppressed cells",
    question="How many values are not released at all?",
    reading="0 is none, 1 is all of them; columns and records that were left out count.",
    formula="suppressed cells / cells",
    source="Aufschläger et al. 2023, section 5.2",
    family="cells",
    better="lower",
    range=(0, 1),
    scopes=("table", "attribute"),
    monotone=True,
    raw="cells",
    measure=lambda aligned, settings: each_column("suppressed_cells", aligned, suppressed_cells, together=_all),
)
SUPPRESSED_RECORDS = Utility(
    name="suppressed_records",
    title="Suppressed records",
    question="Of how many records is nothing released?",
    reading="0 is none, 1 is all of them.",
    formula="records that were left out or have no value in any compared column / records",
    source="Aufschläger et al. 2023, section 5.2",
    family="cells",
    better="lower",
    range=(0, 1),
    scopes=("table",),
    monotone=True,
    raw="records",
    measure=_records,
)
FALSE_CELLS = Utility(
    name="false_cells",
    title="False cells",
    question="How many released values cannot stand for what the record had?",
    reading="0 is a release that only says what is true; noise, swapping and unexplained rounding raise it.",
    formula="cells whose value is not in the inverse image of their label / cells",
    source="anonscope",
    family="cells",
    better="lower",
    range=(0, 1),
    scopes=("table", "attribute"),
    raw="cells",
    measure=lambda aligned, settings: each_column("false_cells", aligned, false_cells, together=_all),
)


def _all(found: Sequence[Found]) -> Found:
    return Found(mean(found).value, sum(answer.raw or 0.0 for answer in found))
