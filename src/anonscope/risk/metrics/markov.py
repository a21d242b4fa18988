"""Markov model risk: uniqueness, uniformity and correlation in one product.

J. Folz et al. (2025), IEEE Access, equation 5. It stays near 1 for almost every table and is not proportional to risk, so
it is reported and never used by a policy.
"""

from anonscope.risk.metrics.metric import RecordRisk

MARKOV = RecordRisk(
    name="markov",
    title="Markov model risk",
    symbol="R_mm",
    question="How exposed is a record when all of this comes together?",
    reading="Near 1 for almost every table; only comparisons between versions of one table mean something.",
    formula="R_mm = 1 - (f / n) (1 - R_uf) (1 - R_co) (1 - P(person | sensitive value))",
    attack="singling out",
    family="extended",
    source="Folz 2025, eq. 5",
    safer="lower",
    range=(0, 1),
    positive=True,
    needs=("sensitive",),
    table="triple",
    sql=(
        "1 - (class_n / CAST(total_n AS DOUBLE)) * (1 - pair_n / CAST(class_n AS DOUBLE)) "
        "* (1 - cell_n / CAST(class_n AS DOUBLE)) * (1 - person_value_n / CAST(value_n AS DOUBLE))"
    ),
)
