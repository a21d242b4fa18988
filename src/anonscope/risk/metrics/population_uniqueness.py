"""Population uniqueness: the share of the population that is alone in its class, estimated from a sample or counted in a register.

Zayatz 1991, Hoshino 2001 and Chen & Keller-McNulty 1998; see `population.py`. The estimates rest on different models and disagree
widely at small sampling fractions: they are shown side by side, and no policy may decide by one of them.
"""

from anonscope.risk.metrics.metric import AttackerMetric

POPULATION_UNIQUENESS = AttackerMetric(
    name="population_uniqueness",
    title="Population uniqueness",
    symbol="U / N",
    question="What share of the population is alone with its combination of values?",
    reading="0 means that nobody is; estimates from a sample disagree, and their spread is not an interval.",
    formula="(classes of the population with F = 1) / N, counted, or estimated by Zayatz, Pitman and the slide negative binomial",
    attack="singling out",
    family="population",
    source="Zayatz 1991; Hoshino 2001; Chen & Keller-McNulty 1998",
    safer="lower",
    range=(0, 1),
    needs=("population size",),
    judged=False,
)
