"""k-map: the smallest group of look-alikes when everybody in the population is counted, not only who is in the table.

L. Sweeney (2001), "Computational Disclosure Control: A Primer on Data Privacy Protection".
"""

from anonscope.risk.metrics.metric import AttackerMetric

# Against a table that need not hold everybody: the larger side of the most exposed link.
EXTERNAL = "external"

K_MAP = AttackerMetric(
    name="k_map",
    title="k-map",
    symbol="k-map",
    question="How many people of the population look like the most exposed record?",
    reading="1 means that somebody in the table is the only such person in the whole population.",
    formula="min over the classes of the table of F",
    attack="linkability",
    family="population",
    source="Sweeney 2001",
    safer="higher",
    range=(1, None),
    whole=True,
    named_variants=(EXTERNAL,),
    needs=("population",),
)
