"""How much a set of attributes tells records apart: a guide to which columns are quasi-identifiers.

R. Motwani and Y. Xu (2007), "Efficient algorithms for masking and finding quasi-identifiers".
"""

from anonscope.risk.metrics.metric import AttackerMetric

DISTINCTION = AttackerMetric(
    name="distinction",
    title="Distinction",
    symbol="distinction",
    question="How many different combinations are there for each record?",
    reading="1 means that every record has a combination of its own; near 0, few combinations serve all.",
    formula="G / n",
    attack="singling out",
    family="class size",
    source="Motwani & Xu 2007",
    safer="lower",
    range=(0, 1),
    positive=True,
    scopes=("whole", "each"),
)

SEPARATION = AttackerMetric(
    name="separation",
    title="Separation",
    symbol="separation",
    question="What share of all pairs of records can be told apart?",
    reading="1 means that no two records look alike, 0 that all do.",
    formula="1 - (sum over classes of f (f - 1)) / (n (n - 1)); 1 if n = 1",
    attack="singling out",
    family="class size",
    source="Motwani & Xu 2007",
    safer="lower",
    range=(0, 1),
    scopes=("whole", "each"),
)
