"""Worked examples of measures of utility that no paper prints a number for, and bounds that must hold what they bound."""

import math

import numpy as np
import pytest

from anonscope.utility import UTILITIES, measure_all
from anonscope.utility.associations import contingency, pearson
from anonscope.utility.condensation import SMALL, _Points, diameters
from support.compared import compared, measured


def test_earth_movers_distance_counts_how_far() -> None:
    """One of four moves by a third of the range: 1/12; without an order it is one of four."""
    before = [0, 10, 20, 30]
    assert measured(compared({"x": before}, {"x": [0, 10, 20, 20]}), "earth_movers_distance").value == pytest.approx(1 / 12)
    words = compared({"x": list("abcd")}, {"x": list("abcc")})
    assert measured(words, "earth_movers_distance").value == pytest.approx(1 / 4)


def test_earth_movers_distance_to_and_from_missing_values() -> None:
    """A number that went missing is as far as can be, and what may be anything is spread over all, missing included."""
    aligned = compared({"x": ["0", "10", None, None]}, {"x": ["0", "0", "0", None]})
    # Half of the numbers' mass moves by the range, and a quarter comes from missing.
    assert measured(aligned, "earth_movers_distance").value == pytest.approx(0.25 + 0.5 * 0.5)


def test_jensen_shannon_distance_from_nothing_to_everything() -> None:
    """Half the records changed to a value of its own: the square root of what the definition gives."""
    found = measured(compared({"x": ["a", "b"]}, {"x": ["a", "a"]}), "jensen_shannon").value
    middle = -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25))
    assert found == pytest.approx(math.sqrt(middle - 0.5))


def test_z_test_of_means() -> None:
    """Means 2 and 3, sample variances 1 and 1, three each: 1 / sqrt(2 / 3); suppressed numbers are left out."""
    assert measured(compared({"x": [1, 2, 3]}, {"x": [2, 3, 4]}), "z_test", "x").value == pytest.approx(1 / math.sqrt(2 / 3))
    assert measured(compared({"x": [1, 2, 3]}, {"x": ["*", "*", "*"]}), "z_test", "x").reason == "every number is suppressed"
    constant = compared({"x": [5, 5]}, {"x": [6, 6]})
    assert "no number varies" in measured(constant, "z_test", "x").reason


def test_z_test_of_proportions() -> None:
    """Shares 1/2 and 1/4 of four records: 0.25 / sqrt(2 * 0.375 * 0.625 / 4)."""
    aligned = compared({"x": ["a", "a", "b", "b"]}, {"x": ["a", "b", "b", "b"]})
    assert measured(aligned, "z_test", "x", "proportions").value == pytest.approx(0.25 / math.sqrt(2 * 0.375 * 0.625 / 4))


def test_associations_of_pairs() -> None:
    """A perfect association that a star ends: Cramér's V and correlation fall from 1 to 0, mutual information by 1 bit."""
    before = {"x": [1, 1, 2, 2], "y": [5, 5, 9, 9]}
    aligned = compared(before, {"x": [1, 1, 2, 2], "y": ["*"] * 4})

    for variant in ("pearson", "cramers_v", "mutual_information"):
        assert measured(aligned, "association_change", None, variant).value == pytest.approx(1)
        assert measured(compared(before, before), "association_change", None, variant).value == pytest.approx(0)


def test_a_correlation_that_turned_round_has_changed_by_two() -> None:
    """From 1 to -1."""
    aligned = compared({"x": [1, 2, 3], "y": [1, 2, 3]}, {"x": [1, 2, 3], "y": [3, 2, 1]})
    assert measured(aligned, "association_change", None, "pearson").value == pytest.approx(2)


def test_associations_agree_with_numpy_and_scipy() -> None:
    """On numbers drawn with a seed, with counts."""
    from scipy.stats import chi2_contingency

    draw = np.random.default_rng(3)
    x, y, n = draw.integers(0, 4, 60), draw.integers(0, 3, 60), draw.integers(1, 5, 60).astype(float)
    rows = np.repeat(np.arange(60), n.astype(int))
    table = np.histogram2d(x[rows], y[rows], bins=(4, 3))[0]
    v, _ = contingency(x, y, n)

    assert pearson(x.astype(float), y.astype(float), n) == pytest.approx(np.corrcoef(x[rows], y[rows])[0, 1])
    assert v == pytest.approx(math.sqrt(chi2_contingency(table, correction=False)[0] / len(rows) / 2))


def test_kullback_leibler_of_a_class_that_is_evenly_filled_and_of_one_that_is_not() -> None:
    """Three a and one b released as {a, b}: 1 bit less what is left open; evenly filled nothing is lost."""
    even = compared({"x": ["a", "a", "b", "b"]}, {"x": ["{a, b}"] * 4})
    uneven = compared({"x": ["a", "a", "a", "b"]}, {"x": ["{a, b}"] * 4})

    assert measured(even, "kullback_leibler").value == pytest.approx(0, abs=1e-12)
    assert measured(uneven, "kullback_leibler").value == pytest.approx(1 - 0.811278, abs=5e-7)


def test_kullback_leibler_by_hand_for_two_columns_and_local_recoding() -> None:
    """(a, 1) in two classes: q is what both give it, by 1 / (1 * 1) and 1 / (2 * 2)."""
    aligned = compared({"x": ["a", "a", "b"], "y": ["1", "1", "2"]}, {"x": ["a", "{a, b}", "{a, b}"], "y": ["1", "*", "*"]})
    q = {"a1": 1 / 3 + 2 / 3 / 4, "b2": 2 / 3 / 4}
    expected = 2 / 3 * math.log2(2 / 3 / q["a1"]) + 1 / 3 * math.log2(1 / 3 / q["b2"])
    assert measured(aligned, "kullback_leibler").value == pytest.approx(expected)


def test_ambiguity_is_a_product() -> None:
    """A set of two and a star of three values: six tuples; the others stand for themselves."""
    aligned = compared({"x": ["a", "b", "c"], "y": ["1", "2", "3"]}, {"x": ["{a, b}", "b", "c"], "y": ["*", "2", "3"]})
    assert measured(aligned, "ambiguity").value == pytest.approx((6 + 1 + 1) / 3)


def test_numbers_too_large_to_write_are_not_measured() -> None:
    """400 columns of eight values, all suppressed: 2^1200 tuples."""
    values = [str(i) for i in range(8)]
    names = [f"c{i}" for i in range(400)]
    aligned = compared(dict.fromkeys(names, values), {name: ["*"] * 8 for name in names})

    assert measured(aligned, "ambiguity").status == "not measured"
    assert measured(aligned, "association_change").reason == "400 columns have too many pairs; name at most 40"
    assert measured(aligned, "kullback_leibler").value == pytest.approx(1200 - 3)


def test_the_k_that_was_asked_for_normalises_class_sizes() -> None:
    """Six records in two classes with k = 3 are as small as allowed."""
    aligned = compared({"x": list("abcdef")}, {"x": ["{a, b, c}"] * 3 + ["{d, e, f}"] * 3})
    assert [(m.variant, m.value, m.raw) for m in measure_all(aligned, ["c_avg"], k=2)] == [("achieved k", 1, 3), ("policy's k", 1.5, 2)]
    assert [m.variant for m in measure_all(aligned, ["c_avg"])] == ["achieved k"]


def test_numbers_are_compared_in_bins_where_they_stand() -> None:
    """All rounded to 0, incomes are alike to nothing but their lowest bin; rounded to hundreds, they are nearly what they were."""
    incomes = [20_000 + 137 * i for i in range(200)]
    zeros = compared({"income": incomes}, {"income": [0] * 200})
    hundreds = compared({"income": incomes}, {"income": [round(x, -2) for x in incomes]})
    lowest = compared({"income": [0, *incomes]}, {"income": [0] * 201})

    assert measured(zeros, "cosine_similarity", "income").value == 0
    assert measured(hundreds, "cosine_similarity", "income").value > 0.99
    assert 0 < measured(lowest, "cosine_similarity", "income").value < 0.1
    assert measured(hundreds, "cosine_similarity", "income", bins=1000).value < 0.9


def test_the_three_proximity_losses() -> None:
    """Of 0 to 100, moves by 0, 0 and 30: the mean is 0.1, the root of the mean square 0.1732; bands of 10 allow 5."""
    aligned = compared({"x": [0, 100, 50]}, {"x": [0, 100, 80]})
    found = {m.variant: m.value for m in measure_all(aligned, ["proximity_loss"]) if m.column == "x"}
    assert found["manhattan"] == pytest.approx(0.1)
    assert found["euclidean"] == pytest.approx(0.3 / 3**0.5)

    bands = compared({"x": [10, 20, 31, 40]}, {"x": ["[10-20]", "[10-20]", "[30-40]", "[30-40]"]})
    assert measured(bands, "proximity_loss", "x", "step").value == pytest.approx((5 + 5 + 4 + 5) / 4 / 5)


def test_a_false_cell_tells_as_little_as_a_star() -> None:
    """a, a, b, b with the first released as b: what is said of it is wrong, so all of its one bit is lost, as if suppressed."""
    swapped, hidden = (compared({"x": ["a", "a", "b", "b"]}, {"x": [first, "a", "b", "b"]}) for first in ("b", "*"))

    for name in ("conditional_entropy", "monotone_entropy", "non_uniform_entropy"):
        assert measured(swapped, name).raw == pytest.approx(1)
        assert measured(hidden, name).raw == pytest.approx(1)
    for name in ("ncp", "generalisation_loss", "ambiguity"):
        assert measured(swapped, name).value == pytest.approx(measured(hidden, name).value)
    assert (measured(swapped, "false_cells").raw, measured(hidden, "false_cells").raw) == (1, 0)


def test_squared_error_of_the_mean_for_all_is_one() -> None:
    """By definition."""
    aligned = compared({"x": [1, 2, 3, 6]}, {"x": [3, 3, 3, 3]})
    assert measured(aligned, "squared_error", "x").value == pytest.approx(1)
    assert measured(aligned, "squared_error", "x").raw == pytest.approx(14 / 4)


def test_bounds_of_large_classes_hold_the_true_diameter() -> None:
    """Points by chance, with categories: the sweeps' lower and upper bound enclose what all pairs give, and are often equal to it."""
    draw = np.random.default_rng(11)
    size = [SMALL + 10, 5, 1, 200, 40]
    group = np.repeat(np.arange(len(size)), size)
    points = _Points(draw.random((len(group), 3)), draw.integers(0, 4, (len(group), 2)))
    lower, upper = diameters(points, group, len(size))

    for g in range(len(size)):
        members = np.flatnonzero(group == g)
        one, other = np.meshgrid(members, members)
        true = math.sqrt(points.apart(one.ravel(), other.ravel()).max())
        assert lower[g] - 1e-12 <= true <= upper[g] + 1e-12
        assert size[g] > SMALL or lower[g] == pytest.approx(upper[g])


def test_condensation_of_a_large_class_states_its_interval() -> None:
    """Fifty people in one class: the value is a bound and says so; it may be left out."""
    draw = np.random.default_rng(2)
    columns = {name: [str(x) for x in draw.integers(0, 1000, 100)] for name in ("x", "y", "z")}
    split = ["low" if i < 60 else "high" for i in range(100)]
    stars = {name: ["*"] * 100 for name in columns}
    aligned = compared(columns | {"side": split}, stars | {"side": split})
    found = measured(aligned, "relative_condensation_loss")

    assert found.interval is not None
    assert found.interval[0] <= found.value <= found.interval[1]
    (quick, _) = measure_all(aligned, ["relative_condensation_loss"], condensation=False)
    assert (quick.status, quick.reason) == ("not measured", "it was not asked for")


def test_a_release_of_stars_only_and_of_one_record() -> None:
    """Nothing is infinite and nothing is NaN: every measure has a finite number or a reason."""
    for before, after in (
        ({"x": [1, 2], "y": ["a", "b"]}, {"x": ["*", "*"], "y": ["*", "*"]}),
        ({"x": [1], "y": ["a"]}, {"x": ["*"], "y": ["a"]}),
        ({"x": [None, None], "y": [None, None]}, {"x": [None, "*"], "y": ["*", "*"]}),
        ({"x": [7, 7, 7], "y": [7, 7, 7]}, {"x": [8, 8, 8], "y": ["[7-7]", "7+", "<9"]}),
    ):
        for m in measure_all(compared(before, after)):
            assert m.reason if m.value is None else math.isfinite(m.value)
            assert m.utility in UTILITIES
