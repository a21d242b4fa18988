"""k-anonymity: the size of the smallest group of look-alikes.

L. Sweeney (2002), "k-anonymity: a model for protecting privacy". At event level the persons of a class are counted as
well, because ten records of one patient hide nobody.
"""

from anonscope.risk.metrics.metric import ClassStatistic, Floor, Totals, Variant


def _floor(totals: Totals) -> Floor:
    return Floor(totals.persons, f"the table holds only {totals.persons:,} people")


K_ANONYMITY = ClassStatistic(
    name="k_anonymity",
    title="k-anonymity",
    symbol="k",
    question="How many records does the smallest group of look-alikes have?",
    reading="1 means that somebody stands alone; with k, everybody hides among at least k - 1 others.",
    formula="k = min |class|",
    attack="singling out",
    family="conventional",
    source="Sweeney 2002",
    safer="higher",
    range=(1, None),
    whole=True,
    floor=_floor,
    variants=(Variant(None, "class", "class_n"),),
)
