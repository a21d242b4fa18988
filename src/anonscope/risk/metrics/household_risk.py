"""Household risk: who is found when one member of the household is.

A. Hundepool et al. (2012), "Statistical Disclosure Control", section 3.3: the members are found independently of one another, and one
is enough.
"""

from anonscope.risk.metrics.metric import AttackerMetric

HOUSEHOLD_RISK = AttackerMetric(
    name="household_risk",
    title="Household risk",
    symbol="r_h",
    question="How likely is at least one member of the record's household to be found?",
    reading="Never below the member's own risk, and growing with the household; 1 means that some member is found for certain.",
    formula="r_h = 1 - product over the members of (1 - r), with r the individual risk, or 1 / f without weights",
    attack="singling out",
    family="survey",
    source="Hundepool 2012",
    safer="lower",
    range=(0, 1),
    positive=True,
    needs=("household",),
    over_records=True,
)
