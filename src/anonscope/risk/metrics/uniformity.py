"""Uniformity-only risk: does the combination point to one person again and again?

J. Folz et al. (2025), IEEE Access, equation 3. In a table with one record per person it is 1 / f, the prosecutor's risk.
"""

from anonscope.io.figures import per_cent
from anonscope.risk.metrics.metric import Floor, RecordRisk, Totals


def _floor(totals: Totals) -> Floor:
    return Floor(totals.busiest_person, f"one person has {per_cent(totals.busiest_person)} of all records")


UNIFORMITY = RecordRisk(
    name="uniformity",
    title="Uniformity",
    symbol="R_uf",
    question="Does the combination point to one person again and again?",
    reading="The share of a group's records that belongs to the record's own person; 1 means that the group is one person.",
    formula="R_uf = (records of the person in the class) / f; with one record per person 1 / f",
    attack="singling out",
    family="extended",
    source="Folz 2025, eq. 3",
    safer="lower",
    range=(0, 1),
    positive=True,
    scopes=("whole", "each"),
    floor=_floor,
    table="pair",
    sql="pair_n / CAST(class_n AS DOUBLE)",
)
