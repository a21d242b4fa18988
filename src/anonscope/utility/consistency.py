"""Whether equal values became equal labels."""

import numpy as np

from anonscope.utility.alignment.aligned import AlignedColumn
from anonscope.utility.measure import Found, Utility, each_column


def consistency_loss(column: AlignedColumn) -> Found:
    """Return the share of records whose label is not the one that most records of their value have."""
    commonest = np.zeros(len(column.domain.values))
    np.maximum.at(commonest, column.place, column.count)
    return Found(float((column.original - commonest).sum()) / column.records)


CONSISTENCY_LOSS = Utility(
    name="consistency_loss",
    title="Consistency loss",
    question="How many records have another label than most records of the same value?",
    reading="0 is one label for every value (global recoding), towards 1 the same value is released in ever more ways.",
    formula="sum over values of (c(v) - largest c(v -> label)) / records",
    source="Kim 2025, section 3.2.1",
    family="statistics",
    better="lower",
    range=(0, 1),
    scopes=("table", "attribute"),
    measure=lambda aligned, settings: each_column("consistency_loss", aligned, consistency_loss),
)
