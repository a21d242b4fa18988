"""delta-presence: how sure an attacker can be that somebody of the population is, or is not, in the table.

M. E. Nergiz, M. Atzori, C. Clifton (2007), "Hiding the presence of individuals from shared databases".
"""

from anonscope.risk.metrics.metric import AttackerMetric

DELTA_PRESENCE = AttackerMetric(
    name="delta_presence",
    title="delta-presence",
    symbol="delta",
    question="How sure can one be that somebody of the population is in the table?",
    reading="A person's chance of being in the table; 1 means that somebody is in it for certain, 0 that somebody is not.",
    formula="f / F over the classes of the population, those with f = 0 included; mean n / N",
    attack="linkability",
    family="population",
    source="Nergiz 2007",
    safer="lower",
    range=(0, 1),
    needs=("population",),
    over_records=True,
)
