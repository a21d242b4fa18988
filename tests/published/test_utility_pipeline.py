"""Khan 2025, the healthcare pipeline: non-uniform entropy of its two mock registries, and a toy that tells its variants apart."""

from pathlib import Path

import pytest

from reference.metrics import as_printed
from support.compared import compared, measured

SMALL = ["edss", "age", "comorbidities", "covid19_symptoms", "ms_type"]
LARGE = ["age", "comorbidities", "covid19_symptoms"]


@pytest.mark.parametrize(
    ("rows", "last", "printed", "share", "nats"),
    [
        (500, "ms_type", 69.26, 69.2601, 4323.6363),
        (1000, "comorbidities", 53.61, 53.6146, 3599.1273),
        (1000, "covid19_symptoms", 69.05, 69.0469, 4635.0911),
    ],
)
def test_non_uniform_entropy_of_the_registries(data_folder: Path, rows: int, last: str, printed: float, share: float, nats: float) -> None:
    """The authors count labels; as every value became one label, what labels stand for gives the same number."""
    folder = data_folder / "ms_mock" / f"df_{rows}_rows"
    aligned = compared(
        folder / "stage_2_df_original.csv",
        folder / f"stage_2_df_{last}.csv",
        SMALL if rows == 500 else LARGE,
        key="Row_Number",
        unknown="observed",
    )

    for variant in ("pipeline", "gionis-tassa"):
        found = measured(aligned, "non_uniform_entropy", None, variant)
        assert 100 * found.value == pytest.approx(share, abs=5e-5)
        assert found.raw * 0.6931471805599453 == pytest.approx(nats, abs=5e-5)
        assert as_printed(100 * found.value, printed) == printed


def test_labels_that_nobody_explains_are_reported(data_folder: Path) -> None:
    """ "18-40" is a range; "yes" for an illness is explained by nothing: such a cell may be anything, and the comparison counts them."""
    folder = data_folder / "ms_mock" / "df_500_rows"
    aligned = compared(folder / "stage_2_df_original.csv", folder / "stage_2_df_ms_type.csv", SMALL, key="Row_Number")

    assert "age" not in aligned.unreadable and "edss" not in aligned.unreadable
    assert aligned.unreadable["comorbidities"] == 252
    assert not aligned.false
    assert measured(aligned, "non_uniform_entropy", "comorbidities").value > measured(aligned, "non_uniform_entropy", "age").value


def test_a_toy_that_tells_the_variants_apart() -> None:
    """a, a, a, b released as a, *, *, *: 2.8301, 2.7549 and 0 bits of at most 3.2451."""
    aligned = compared({"x": ["a", "a", "a", "b"]}, {"x": ["a", "*", "*", "*"]})
    bits = {variant: measured(aligned, "non_uniform_entropy", "x", variant).raw for variant in ("gionis-tassa", "arx", "pipeline")}

    assert bits == pytest.approx({"gionis-tassa": 2.8301, "arx": 2.7549, "pipeline": 0.0}, abs=5e-5)
    assert bits["gionis-tassa"] / measured(aligned, "non_uniform_entropy", "x").value == pytest.approx(3.2451, abs=5e-5)
