"""Entropy l-diversity: how many equally likely sensitive values the least varied group is worth.

A. Machanavajjhala et al. (2007), "l-diversity: privacy beyond k-anonymity", definition 4.1.
"""

from math import floor

from anonscope.io.figures import decimals
from anonscope.risk.metrics.metric import EntropyProfile, Floor, Formula, TableMetric, Totals
from anonscope.risk.rounding import ROUNDING


def _effective_values(profile: EntropyProfile) -> float:
    return float(2**profile.smallest)


def _whole_number(profile: EntropyProfile) -> float:
    # Three equally frequent values have log2 3 bits, and 2 to that power may come out as 2.9999999999999996. Three values of which
    # one is a record rarer than the others are less than three, by a billionth in a hundred thousand records.
    return floor(_effective_values(profile) * (1 + ROUNDING))


def _floor(totals: Totals) -> Floor:
    # Some class has at most the entropy of the whole table.
    return Floor(
        2**totals.entropy, f"the sensitive attribute as a whole is worth only {decimals(2**totals.entropy, 2)} equally likely values"
    )


ENTROPY_L_DIVERSITY = TableMetric(
    name="entropy_l_diversity",
    title="Entropy l-diversity",
    symbol="l_e",
    question="How many equally likely sensitive values is the least varied group worth?",
    reading="1 means that finding the group is enough to learn the sensitive value; it never exceeds l-diversity.",
    formula="l_e = 2^(min over classes of the entropy of the sensitive values, in bits)",
    attack="inference",
    family="syntactic",
    source="Machanavajjhala 2007",
    safer="higher",
    range=(1, None),
    whole_variants=("floor",),
    needs=("sensitive",),
    floor=_floor,
    formulas=(Formula(None, "inference", _effective_values), Formula("floor", "inference", _whole_number)),
)
