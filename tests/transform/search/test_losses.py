"""Losses of a recoding: numbers of the papers, and small sums by hand."""

import numpy as np
import pytest

from anonscope.columns.hierarchy import Hierarchy
from anonscope.errors import OptionError
from anonscope.risk.counting.ladders import ladder
from anonscope.transform.search.lattice import explore
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.targets import limits_of

# The first six records of Adult: three Bachelors, one HS-grad, one 11th, one Masters.
SCHOOL = ("11th", "Bachelors", "HS-grad", "Masters")
COUNTS = (1, 3, 1, 1)
ONE = Hierarchy("education", SCHOOL, (("11th", "degree", "HS-grad", "degree"), ("*",) * 4))
TWO = Hierarchy("education", SCHOOL, (("school", "degree", "school", "degree"), ("*",) * 4))


def table(hierarchy: Hierarchy, **also: object) -> Problem:
    made = ladder("education", hierarchy, [None, *SCHOOL])
    return Problem((made,), (np.arange(1, 5),), np.array(COUNTS), **also)  # type: ignore[arg-type]


def losses(problem: Problem, loss: str, k: int = 1) -> list[float | None]:
    """Return the loss of every level."""
    return [place.loss for place in explore(problem, limits_of({"k_anonymity": k}, problem), loss)]


@pytest.mark.parametrize("loss", ["entropy", "non_uniform_entropy"])
def test_non_uniform_entropy_of_the_synthesis_papers_figure_6(loss: str) -> None:
    """Printed 3.25 and 5.25 for two recodings of six records; 10.7549 bits are all there is to lose."""
    assert losses(table(ONE), loss) == pytest.approx([0, 3.2451, 10.7549], abs=5e-5)
    assert losses(table(TWO), loss) == pytest.approx([0, 5.2451, 10.7549], abs=5e-5)


def test_suppression_loses_what_the_values_still_told() -> None:
    """Three single values are suppressed: to the letter of ARX three records that were told apart, by Gionis and Tassa all of a column."""
    problem = table(ONE, suppression=0.5, suppressed="unchecked")

    assert losses(problem, "entropy", k=2)[0] == pytest.approx(3 * np.log2(3))
    assert losses(problem, "non_uniform_entropy", k=2)[0] == pytest.approx(3 * np.log2(6))
    assert losses(problem, "ncp", k=2)[0] == pytest.approx(3 / 6)
    assert losses(problem, "precision", k=2)[0] == pytest.approx(3 / 6)
    assert losses(problem, "discernibility", k=2)[0] == 3 * 3 + 6 * 3
    assert losses(problem, "average_class_size", k=2)[0] == 6 / 2


def test_ncp_counts_the_values_below_a_node() -> None:
    """Two of four values are under the degree: five of six records in the one recoding, all in the other."""
    assert losses(table(ONE), "ncp") == pytest.approx([0, 4 / 6 * 0.5, 1])
    assert losses(table(TWO), "ncp") == pytest.approx([0, 0.5, 1])


def test_the_loss_of_arx_is_normalised_by_leaves() -> None:
    """A value of four leaves is the least that can be lost, and becomes 0."""
    assert losses(table(TWO), "arx_loss") == pytest.approx([0, (0.5 - 0.25) / 0.75, 1])
    assert losses(table(TWO), "arx_loss_arithmetic") == pytest.approx([0, 1 / 3, 1])


def test_classes_of_four_and_two() -> None:
    """The synthesis paper's figure 8: C_DM 20 and group_AVG 3."""
    assert losses(table(TWO), "discernibility")[1] == 20
    assert losses(table(TWO), "average_class_size")[1] == 3


def test_precision_is_the_height_climbed() -> None:
    """One step of two is half of the way."""
    assert losses(table(TWO), "precision") == [0, 0.5, 1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"suppression": 1.5}, "between 0 and 1"),
        ({"weights": (-1.0,)}, "0 or more"),
        ({"weights": (0.0,)}, "not all of them 0"),
        ({"lowest": (2,), "highest": (1,)}, "'education' has levels from 0 to 2"),
        ({"highest": (3,)}, "'education' has levels from 0 to 2"),
        ({"lowest": (9,), "highest": (2,)}, "'education' has levels from 0 to 2: there is no level 9; the nearest is 2"),
    ],
)
def test_what_means_nothing_is_refused(given: dict[str, object], message: str) -> None:
    """Shares, weights and levels have their bounds, and the message names them."""
    with pytest.raises(OptionError, match=message):
        table(TWO, **given)
