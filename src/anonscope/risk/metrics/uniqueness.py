"""Uniqueness-only risk: how far a record stands out by its quasi-identifier alone.

J. Folz et al. (2025), "Scoring System for Quantifying the Privacy in Re-Identification of Tabular Datasets", IEEE Access,
equation 2. The same score is CSIRO's R4 risk.
"""

from anonscope.risk.metrics.metric import Floor, RecordRisk, Totals


def _floor(totals: Totals) -> Floor:
    if totals.records == 1:
        return Floor(1.0, "the table has one record")
    return Floor(0.0, "one class that holds everybody has uniqueness 0")


UNIQUENESS = RecordRisk(
    name="uniqueness",
    title="Uniqueness",
    symbol="R_uq",
    question="How few people share this combination of values?",
    reading="0 is one big crowd, 1 is somebody who stands alone.",
    formula="R_uq = 1 - log f / log n, with f the size of the record's class and n the number of records",
    attack="singling out",
    family="extended",
    source="Folz 2025, eq. 2",
    safer="lower",
    range=(0, 1),
    floor=_floor,
    table="class",
    # One record in a table of one is as unique as can be; log(1)/log(1) would say nothing.
    sql="CASE WHEN total_n = 1 THEN CAST(1 AS DOUBLE) ELSE 1 - LN(CAST(class_n AS DOUBLE)) / LN(CAST(total_n AS DOUBLE)) END",
)
