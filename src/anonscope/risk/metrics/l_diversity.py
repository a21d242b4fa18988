"""Distinct l-diversity: how many sensitive values each group holds at the least.

A. Machanavajjhala et al. (2007), "l-diversity: privacy beyond k-anonymity". It cannot exceed its cap, the smaller of k
and the number of distinct sensitive values.
"""

from anonscope.risk.metrics.metric import ClassStatistic, Floor, Totals, Variant


def _floor(totals: Totals) -> Floor:
    return Floor(totals.sensitive_values, f"the sensitive attribute has only {totals.sensitive_values:,} distinct value(s)")


L_DIVERSITY = ClassStatistic(
    name="l_diversity",
    title="l-diversity",
    symbol="l",
    question="How many different sensitive values does the least varied group have?",
    reading="1 means that finding the group is enough to learn the sensitive value; its cap is min(k, distinct values).",
    formula="l = min over classes of the number of distinct sensitive values",
    attack="inference",
    family="conventional",
    source="Machanavajjhala 2007",
    safer="higher",
    range=(1, None),
    whole=True,
    needs=("sensitive",),
    floor=_floor,
    variants=(Variant(None, "cell", "COUNT(*)"),),
)
