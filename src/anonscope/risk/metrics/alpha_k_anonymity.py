"""(alpha, k)-anonymity: no sensitive value takes up more than a share alpha of any group.

R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang (2006), "(alpha, k)-anonymity: an enhanced k-anonymity model for privacy-preserving
data publishing". Its k is k-anonymity's, so only alpha is measured here.
"""

from anonscope.io.figures import per_cent
from anonscope.risk.metrics.metric import ClassStatistic, Floor, Totals, Variant


def _floor(totals: Totals) -> Floor:
    return Floor(totals.commonest_value, f"{per_cent(totals.commonest_value)} of all records share the commonest sensitive value")


ALPHA_K_ANONYMITY = ClassStatistic(
    name="alpha_k_anonymity",
    title="(α, k)-anonymity",
    symbol="α",
    question="What share of a group has the same sensitive value, in the worst group?",
    reading="1 means that a whole group shares one value; α belongs beside k, which is measured on its own.",
    formula="α = max over classes and sensitive values of (records of the class with the value) / f",
    attack="inference",
    family="syntactic",
    source="Wong 2006",
    safer="lower",
    range=(0, 1),
    positive=True,
    needs=("sensitive",),
    floor=_floor,
    variants=(Variant(None, "cell", "MAX(cell_n / CAST(class_n AS DOUBLE))"),),
)
