"""Aufschläger 2023, the synthesis of anonymisation metrics: what its six-row tables lose, with the printed number beside ours."""

import pytest

from reference.metrics import as_printed
from support.compared import compared, measured

EDUCATION = ["Bachelors", "Bachelors", "HS-grad", "11th", "Bachelors", "Masters"]
AGE = [39, 50, 38, 53, 28, 37]
HIGHER, LOWER = "{Bachelors, Masters}", "{HS-grad, 11th}"
FIGURE_6 = {
    "I": [HIGHER, HIGHER, "HS-grad", "11th", HIGHER, HIGHER],
    "II": [HIGHER, HIGHER, LOWER, LOWER, HIGHER, HIGHER],
    "suppressed": ["*"] * 6,
}


@pytest.mark.parametrize(("case", "printed", "ours"), [("I", 3.25, 3.2451), ("II", 5.25, 5.2451), ("suppressed", None, 10.7549)])
def test_figure_6_entropy_of_merged_degrees(case: str, printed: float | None, ours: float) -> None:
    """Equation 13 in bits; for a global recoding the non-uniform entropy is the same number."""
    aligned = compared({"education": EDUCATION}, {"education": FIGURE_6[case]})
    found = [measured(aligned, utility, "education").raw for utility in ("conditional_entropy", "non_uniform_entropy")]

    assert found == pytest.approx([ours, ours], abs=5e-5)
    if printed is not None:
        assert as_printed(found[0], printed) == printed


def test_everything_suppressed_is_the_most_that_can_be_lost() -> None:
    """10.7549 bits are 100 %."""
    aligned = compared({"education": EDUCATION}, {"education": FIGURE_6["suppressed"]})

    for utility in ("conditional_entropy", "non_uniform_entropy", "monotone_entropy"):
        assert measured(aligned, utility).value == pytest.approx(1)


def bands(width: int, *, closed: bool) -> list[str]:
    lows = [age // width * width for age in AGE]
    return [f"[{low}-{low + width - 1}]" if closed else f"[{low}, {low + width})" for low in lows]


@pytest.mark.parametrize(
    ("width", "closed", "printed", "ours"),
    [
        (10, True, (0.36, 3.33), (0.36, 3.3333)),
        (5, True, (0.16, 1.17), (0.16, 1.1667)),
        (10, False, None, (0.40, 3.1667)),
        (5, False, None, (0.20, 1.0)),
    ],
)
def test_figure_7_loss_and_distance_of_ages_in_bands(
    width: int, closed: bool, printed: tuple[float, float] | None, ours: tuple[float, float]
) -> None:
    """Equations 14 and 16. The printed numbers need closed intervals, although equation 7 has half-open ones."""
    aligned = compared({"age": AGE}, {"age": bands(width, closed=closed)})
    found = measured(aligned, "numeric_loss", "age").value, measured(aligned, "euclidean_distance").value

    assert found == pytest.approx(ours, abs=5e-5)
    if printed is not None:
        assert tuple(as_printed(f, p) for f, p in zip(found, printed, strict=True)) == printed


def test_figure_8_group_sizes() -> None:
    """Classes of four and two, k = 2: equations 17 to 19; nothing is printed."""
    aligned = compared({"education": EDUCATION}, {"education": FIGURE_6["II"]})

    assert measured(aligned, "group_average").value == pytest.approx(3)
    assert measured(aligned, "c_avg").value == pytest.approx(1.5)
    assert measured(aligned, "c_avg").variant == "achieved k"
    assert measured(aligned, "discernibility").raw == 20
