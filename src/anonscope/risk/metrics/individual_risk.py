"""Individual risk with survey weights: the chance of finding the right person when the sample says how large the population is.

R. Benedetti and L. Franconi (1998), "Statistical and technological solutions for controlled data dissemination". The weights of a
class add up to an estimate of its size in the population; given f in the sample, F is taken as negative binomial.
"""

from anonscope.risk.metrics.metric import AttackerMetric

INDIVIDUAL_RISK = AttackerMetric(
    name="individual_risk",
    title="Individual risk",
    symbol="r",
    question="How likely is a record of a survey to be traced to its person in the population?",
    reading="Near 0 where a record stands for many people; 1 means that it stands for itself alone and nobody is like it.",
    formula="p = f / (sum of weights). f = 1: p/(1-p) ln(1/p); f = 2: p/(1-p) - (p/(1-p))^2 ln(1/p); f > 2: p/(f-1+p); p = 1: 1/f",
    attack="singling out",
    family="survey",
    source="Benedetti & Franconi 1998",
    safer="lower",
    range=(0, 1),
    positive=True,
    needs=("weight",),
    over_records=True,
)
