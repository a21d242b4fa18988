"""Paper 3, information theoretic privacy risk: k, l, t and the posterior of its two opening tables."""

from collections.abc import Callable

import pytest

import anonscope as an
from reference import as_printed

ZIP = ["3551*", "3559*", "352*"]
AGE = ["2*", "4*", "3*"]
DISEASES = {"Table 1": ["Asthma", "Diabetes", "HIV"], "Table 2": ["Asthma", "Diabetes", "Diabetes", "Diabetes", "HIV"]}


@pytest.mark.parametrize(
    ("case", "printed", "ours"),
    [
        (("Table 1", "k_anonymity", "value"), 3, 3),
        (("Table 1", "l_diversity", "value"), 3, 3),
        (("Table 1", "t_closeness", "value"), 0, 0),
        (("Table 1", "correlation", "max"), 0.33, 0.3333),
        (("Table 2", "k_anonymity", "value"), 5, 5),
        (("Table 2", "l_diversity", "value"), 3, 3),
        (("Table 2", "t_closeness", "value"), 0, 0),
        (("Table 2", "correlation", "max"), 0.60, 0.6),
    ],
)
def test_tables_1_and_2(audit: Callable[..., an.Audit], case: tuple[str, str, str], printed: float, ours: float) -> None:
    """Three groups with the same diseases; the chance to infer one is the correlation risk of the whole combination."""
    table, metric, statistic = case
    ill = DISEASES[table]
    result = audit(
        zip=[z for z in ZIP for _ in ill],
        age=[a for a in AGE for _ in ill],
        disease=ill * 3,
        quasi_identifiers=["zip", "age"],
        sensitive=["disease"],
    )
    found = result[metric].statistic(statistic)

    assert found == pytest.approx(ours, abs=5e-5)
    assert as_printed(found, printed) == printed
