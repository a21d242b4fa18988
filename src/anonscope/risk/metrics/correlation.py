"""Correlation-only risk: does the quasi-identifier give the sensitive value away?

J. Folz et al. (2025), IEEE Access, equation 4.
"""

from anonscope.io.figures import per_cent
from anonscope.risk.metrics.metric import Floor, RecordRisk, Totals


def _floor(totals: Totals) -> Floor:
    # Some class always holds at least the table's share of the commonest value.
    return Floor(totals.commonest_value, f"{per_cent(totals.commonest_value)} of all records share the commonest sensitive value")


CORRELATION = RecordRisk(
    name="correlation",
    title="Correlation",
    symbol="R_co",
    question="Does knowing the attribute give the sensitive value away?",
    reading="The share of look-alikes that has the record's own sensitive value; 1 means that everybody alike has the same.",
    formula="R_co = (records of the class with the record's sensitive value) / f",
    attack="inference",
    family="extended",
    source="Folz 2025, eq. 4",
    safer="lower",
    range=(0, 1),
    positive=True,
    needs=("sensitive",),
    scopes=("whole", "each"),
    floor=_floor,
    table="cell",
    sql="cell_n / CAST(class_n AS DOUBLE)",
)
