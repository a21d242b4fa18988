"""t-closeness: how far the sensitive values of a group may be from those of the whole table.

N. Li, T. Li, S. Venkatasubramanian (2007), "t-closeness: privacy beyond k-anonymity and l-diversity". The distance is
the earth mover's: with equal distance between values, with the distance between ranks where values have an order, or with the
height of the lowest common ancestor where values form a tree.
"""

from anonscope.risk.metrics.metric import ClassStatistic, Floor, Totals, Variant


def _floor(totals: Totals) -> Floor:
    return Floor(0.0, "one class that holds everybody has distance 0")


T_CLOSENESS = ClassStatistic(
    name="t_closeness",
    title="t-closeness",
    symbol="t",
    question="How much does knowing somebody's group change what one expects of their sensitive value?",
    reading="0 means that every group looks like the whole table; near 1, some group gives its members' values away.",
    formula="t = max over classes of EMD(sensitive values of the class, sensitive values of the table)",
    attack="inference",
    family="conventional",
    source="Li 2007",
    safer="lower",
    range=(0, 1),
    needs=("sensitive",),
    floor=_floor,
    variants=(
        # The shares of a class and of the table both sum to one, so half the absolute differences is the positive part,
        # and a value that the class lacks never contributes to it.
        Variant(
            "equal",
            "cell",
            "SUM(CASE WHEN cell_n / CAST(class_n AS DOUBLE) > value_n / CAST(total_n AS DOUBLE) "
            "THEN cell_n / CAST(class_n AS DOUBLE) - value_n / CAST(total_n AS DOUBLE) ELSE 0 END)",
        ),
        Variant("ordered", "ordered_distance", "emd"),
        Variant("hierarchical", "hierarchical_distance", "emd"),
    ),
)
