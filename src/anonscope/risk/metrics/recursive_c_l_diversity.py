"""Recursive (c, l)-diversity: does the commonest sensitive value of a group outweigh all but a few of the others?

A. Machanavajjhala et al. (2007), "l-diversity: privacy beyond k-anonymity", definition 4.2. With the counts of a class's values
in falling order, r1 < c (r_l + ... + r_m) must hold: every c above the measured number keeps it, that number itself does not. Where
no l is named it is the table's own l-diversity, and at least 2: with an l of 1 every c above 1 would do, even in a class of one value.
"""

from anonscope.risk.metrics.metric import ClassStatistic, Variant

_ONE_VALUE = "no c is large enough: some group has one value only"

RECURSIVE_C_L_DIVERSITY = ClassStatistic(
    name="recursive_c_l_diversity",
    title="Recursive (c, l)-diversity",
    symbol="c",
    question="How many times the rarer sensitive values of a group does its commonest one outweigh?",
    reading="The table is recursive (c, l)-diverse for every c above this number, with l its own l-diversity, or 2 where that is 1.",
    formula="c > max over classes of r_1 / (r_l + ... + r_m), l ≥ 2 and r_1 ≥ ... ≥ r_m the counts of a class's sensitive values",
    attack="inference",
    family="syntactic",
    source="Machanavajjhala 2007",
    safer="lower",
    range=(0, None),
    strict=True,
    needs=("sensitive",),
    variants=(
        Variant(None, "ranked_cell", "r1 / CAST(tail AS DOUBLE)", because=_ONE_VALUE),
        # In a class of one value there is no second one, and its tail is empty.
        Variant(
            "l = 2",
            "cell",
            "CASE WHEN COUNT(*) > 1 THEN MAX(cell_n) / CAST(MAX(class_n) - MAX(cell_n) AS DOUBLE) END",
            unbounded="CASE WHEN COUNT(*) = 1 THEN 1 ELSE 0 END",
            because=_ONE_VALUE,
        ),
    ),
)
