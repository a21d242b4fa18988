"""Kim 2025, the relative utility-threat: its worked examples of losses and similarities, with the printed number beside ours."""

import numpy as np
import pytest

from anonscope.utility.entropies import entropy
from anonscope.utility.similarity import cosine, jaccard
from reference.metrics import as_printed
from support.compared import compared, measured


def test_generalisation_loss_of_thirty_four_as_thirty_to_thirty_nine() -> None:
    """0.9 as printed: ten ages."""
    assert measured(compared({"age": [34]}, {"age": ["[30-39]"]}), "generalisation_loss", "age").value == pytest.approx(0.9)


def test_distance_of_two_points() -> None:
    """From (1, 2) to (4, 6) it is 5 as printed, and 7 along the axes, which is the sum of the columns' mean absolute deviations."""
    aligned = compared({"x": [1], "y": [2]}, {"x": [4], "y": [6]})

    assert measured(aligned, "euclidean_distance").value == pytest.approx(5)
    assert sum(measured(aligned, "mean_absolute_deviation", column).value for column in "xy") == pytest.approx(7)


def test_entropy_of_eight_letters() -> None:
    """1.905639; the printed 1.90625 comes from rounded logarithms, and the 1.91 in the text is right."""
    assert entropy(np.array([2.0, 3.0, 2.0, 1.0])) == pytest.approx(1.905639, abs=5e-7)
    assert as_printed(entropy(np.array([2.0, 3.0, 2.0, 1.0])), 1.91) == 1.91


def test_consistency_loss_of_seven_and_three() -> None:
    """0.3 as printed: ten times A became seven times B and three times C."""
    aligned = compared({"letter": ["A"] * 10}, {"letter": ["B"] * 7 + ["C"] * 3})

    assert measured(aligned, "consistency_loss", "letter").value == pytest.approx(0.3)


def test_mean_absolute_deviation_of_three_numbers() -> None:
    """1 as printed."""
    aligned = compared({"x": [5, 10, 15]}, {"x": [6, 9, 14]})

    assert measured(aligned, "mean_absolute_deviation", "x").value == pytest.approx(1)
    assert measured(aligned, "proximity_loss", "x").value == pytest.approx(0.1)


def test_cosine_similarity_of_two_vectors() -> None:
    """0.974632, printed as 0.97."""
    found = cosine(np.array([1.0, 2, 3]), np.array([4.0, 5, 6]))

    assert found == pytest.approx(0.974632, abs=5e-7)
    assert as_printed(found, 0.97) == 0.97


def test_jaccard_similarity_of_two_sets() -> None:
    """{1, 2, 3, 4} and {3, 4, 5, 6}: 0.333333, printed as 0.33, as sets and as shares."""
    aligned = compared({"x": ["1", "2", "3", "4"]}, {"x": ["3", "4", "5", "6"]})

    for variant in ("shares", "sets"):
        found = measured(aligned, "jaccard_similarity", "x", variant).value
        assert found == pytest.approx(1 / 3)
        assert as_printed(found, 0.33) == 0.33
    assert jaccard(np.array([1.0, 1, 1, 1, 0, 0]), np.array([0.0, 0, 1, 1, 1, 1])) == pytest.approx(1 / 3)


def test_similarity_of_a_column_in_bands_is_not_zero() -> None:
    """Bands are spread over the values they stand for; compared as texts they would have nothing in common."""
    aligned = compared({"age": [31, 32, 33, 41]}, {"age": ["[30-39]"] * 3 + ["[40-49]"]})

    assert measured(aligned, "jaccard_similarity", "age").value == pytest.approx(1)
