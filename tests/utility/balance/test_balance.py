"""RUT: Kim 2025's printed arithmetic, its variants, laws, and bad input."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonscope.errors import OptionError
from anonscope.utility.balance import (
    TABLE_7,
    WEIGHT_PRESETS,
    AttributeUtility,
    BalanceWeights,
    Components,
    attribute_kind,
    attribute_utility,
    combine_risks,
    external_risk,
    internal_risk,
    measure_balance,
    measure_usefulness,
    rut,
)
from support.strategies import law

# Version, internal risk, external risk, safety, U, RUT as tables 9 and 10 print them.
TABLE_9 = (
    ("S1 P1", 1.0, 0.48, 0.0, 1.0, 0.5),
    ("S1 P2", 0.99, 0.48, 0.01, 0.89, 0.45),
    ("S1 P3", 0.81, 0.48, 0.19, 0.76, 0.47),
    ("S2 P1", 0.47, 0.28, 0.53, 1.0, 0.76),
    ("S2 P2", 0.41, 0.21, 0.59, 0.86, 0.72),
    ("S2 P3", 0.35, 0.21, 0.65, 0.75, 0.7),
    ("S3 P1", 1.0, 0.46, 0.0, 1.0, 0.5),
    ("S3 P2", 0.99, 0.46, 0.01, 0.81, 0.41),
    ("S3 P3", 0.87, 0.47, 0.13, 0.74, 0.43),
)
TABLE_10 = (
    ("P1", 0.6151, 0.6260, 0.3740, 0.9972, 0.6856),
    ("P2", 0.2132, 0.2156, 0.7844, 0.8580, 0.8212),
    ("P3", 0.0739, 0.0725, 0.9261, 0.7579, 0.8420),
)
# Rows of table 9 whose balance is a tie that the paper rounds down.
TIES = ("S1 P3", "S2 P1", "S2 P2", "S3 P3")


@pytest.mark.parametrize("row", TABLE_9, ids=lambda row: row[0])
def test_table_9(row):
    """Safety is 1 - max of the risks in every row; RUT is the mean of safety and U, and four ties are printed rounded down."""
    version, internal, external, safety, utility, printed = row
    risk = combine_risks(internal, external)

    assert 1 - risk == pytest.approx(safety)
    balance = rut(utility, risk)
    if version in TIES:
        assert balance == pytest.approx(printed + 0.005)
    else:
        assert balance == pytest.approx(printed, abs=0.005 + 1e-9)


@pytest.mark.parametrize("row", TABLE_10, ids=lambda row: row[0])
def test_table_10(row):
    """All three rows come out to four decimals."""
    _, internal, external, safety, utility, printed = row
    risk = combine_risks(internal, external)

    assert 1 - risk == pytest.approx(safety, abs=5e-5)
    assert rut(utility, risk) == pytest.approx(printed, abs=5.1e-5)


def test_internal_risk_is_classes_over_records():
    """Records in classes of 1, 2, 2, 3, 3, 3: three classes of six records; table 1's other form gives 0.6111."""
    sizes = [(1, 1), (2, 1), (3, 1)]

    assert internal_risk(sizes) == 0.5
    assert internal_risk(sizes, "group_share") == pytest.approx(0.6111, abs=5e-5)


def test_external_risk_counts_unmatched_records_as_zero():
    """External counts 0, 1, 2, 0, 4, 1: 0.4583; over those with a match only: 0.6875; nobody matched has no such mean."""
    counts = [(0, 2), (1, 2), (2, 1), (4, 1)]

    assert external_risk(counts) == pytest.approx(0.4583, abs=5e-5)
    assert external_risk(counts, "skip") == pytest.approx(0.6875)
    assert external_risk([(0, 3)]) == 0
    assert external_risk([(0, 3)], "skip") is None


def test_risks_are_combined_by_the_larger_or_by_a_mean():
    """The larger one by default; the mean with its weight; without an external table the internal one."""
    assert combine_risks(0.2, 0.6) == 0.6
    assert combine_risks(0.2, 0.6, "mean") == pytest.approx(0.4)
    assert combine_risks(0.2, 0.6, "mean", internal_weight=0.75) == pytest.approx(0.3)
    assert combine_risks(0.2, None) == 0.2


def test_table_4_presets():
    """Alpha and beta as printed."""
    assert {name: (w.alpha, round(w.beta, 10)) for name, w in WEIGHT_PRESETS.items()} == {
        "internal-analytics": (0.7, 0.3),
        "balanced": (0.5, 0.5),
        "partner-sharing": (0.4, 0.6),
        "public-release": (0.3, 0.7),
    }


MEASURED = {"generalisation_loss": 0.9, "proximity_loss": 0.2, "entropy_loss": 0.4, "cosine_similarity": 0.8, "jaccard_similarity": 0.5}


@pytest.mark.parametrize(
    ("like", "numeric", "loss", "similarity"),
    [
        ("age", True, 0.9, 0.8),
        ("zip", False, 0.9, 0.5),
        (None, False, 0.4, 0.8),
        ("income", True, 0.2, 0.8),
        ("diagnosis", False, 0.4, 0.5),
    ],
)
def test_table_7_chooses_the_components(like, numeric, loss, similarity):
    """Age, zip, gender, income and diagnosis each have their own loss and similarity."""
    found = attribute_utility("column", MEASURED, TABLE_7[attribute_kind(like, numeric=numeric)])

    assert (found.loss, found.similarity) == (loss, similarity)


def test_components_may_be_several_and_some_without_value():
    """The mean of those that have a value; a negative cosine is no likeness."""
    components = Components(("generalisation_loss", "entropy_loss"), ("cosine_similarity", "jaccard_similarity"))

    assert attribute_utility("a", MEASURED, components).loss == pytest.approx(0.65)
    assert attribute_utility("a", {**MEASURED, "cosine_similarity": None}, components).similarity == 0.5
    assert attribute_utility("a", {**MEASURED, "cosine_similarity": -1.0}, components).similarity == 0.25


def attributes(*pairs):
    return [AttributeUtility(f"a{i}", loss, similarity, TABLE_7["range"]) for i, (loss, similarity) in enumerate(pairs)]


def test_utility_is_half_likeness_half_what_was_kept():
    """Means of loss and similarity, weights, maxima, and the ratio, on two attributes."""
    both = attributes((0.2, 0.9), (0.6, 0.5))

    assert measure_usefulness(both).utility == pytest.approx(0.5 * 0.7 + 0.5 * 0.6)
    assert measure_usefulness(both, weights={"a0": 3}).utility == pytest.approx(0.5 * 0.8 + 0.5 * 0.7)
    assert measure_usefulness(both, loss_total="maximum", similarity_total="maximum").utility == pytest.approx(0.5 * 0.9 + 0.5 * 0.4)
    assert measure_usefulness(both, similarity_weight=1).utility == pytest.approx(0.7)
    assert measure_usefulness(both, form="ratio").utility == pytest.approx(0.7 / 0.4)
    assert measure_usefulness(attributes((0, 1)), form="ratio").utility is None
    assert measure_usefulness(attributes((0.2, None), (0.6, 0.5))).similarity == 0.5


def test_the_original_and_the_empty_release_are_the_ends():
    """What is unchanged has U = 1; what lost everything and is like nothing has U = 0."""
    assert measure_usefulness(attributes((0, 1), (0, 1))).utility == 1
    assert measure_usefulness(attributes((1, 0), (1, 0))).utility == 0


def test_a_balance_has_every_preset():
    """One version with its risks and its utility, under all of table 4."""
    balance = measure_balance("P2", 0.2132, 0.2156, measure_usefulness(attributes((0.142, 0.858))))

    assert (balance.risk, balance.safety) == (0.2156, pytest.approx(0.7844))
    assert dict(balance.by_preset)["balanced"] == pytest.approx(0.8212, abs=5e-5)
    assert balance.rut(BalanceWeights(1)) == pytest.approx(0.858)


SHARES = st.floats(0, 1)


@law
@given(utility=SHARES, risk=SHARES, alpha=SHARES)
def test_the_balance_lies_between_utility_and_safety(utility, risk, alpha):
    """And so between 0 and 1."""
    low, high = sorted((utility, 1 - risk))
    assert low - 1e-9 <= rut(utility, risk, BalanceWeights(alpha)) <= high + 1e-9


@law
@given(utility=SHARES, risk=SHARES, alpha=SHARES, more=SHARES)
def test_more_utility_and_less_risk_never_lower_the_balance(utility, risk, alpha, more):
    """RUT rises with U and falls with R."""
    weights = BalanceWeights(alpha)
    assert rut(max(utility, more), risk, weights) >= rut(utility, risk, weights)
    assert rut(utility, min(risk, more), weights) >= rut(utility, risk, weights)


@law
@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=9))
def test_class_sizes_agree_with_the_mean_over_records(sizes):
    """Classes over records is the mean of 1 / EC over records."""
    records = [size for size in sizes for _ in range(size)]
    pairs = [(size, 1) for size in sizes]
    assert internal_risk(pairs) == pytest.approx(sum(1 / size for size in records) / len(records))
    assert internal_risk(pairs, "group_share") == pytest.approx(sum(1 - size / len(records) for size in records) / len(records))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: BalanceWeights(1.2),
        lambda: BalanceWeights(-0.1),
        lambda: BalanceWeights(float("nan")),
        lambda: rut(1.5, 0.5),
        lambda: rut(0.5, float("inf")),
        lambda: combine_risks(0.5, 0.5, "product"),
        lambda: combine_risks(0.5, 0.5, "mean", internal_weight=-1),
        lambda: internal_risk([]),
        lambda: internal_risk([(0, 3)]),
        lambda: internal_risk([(1, 1)], "other"),
        lambda: external_risk([]),
        lambda: external_risk([(-1, 3)]),
        lambda: external_risk([(1, 1)], "one"),
        lambda: measure_usefulness(attributes((0.2, 0.9)), weights={"a0": -1}),
        lambda: measure_usefulness(attributes((0.2, 0.9)), weights={"a0": 0}),
        lambda: measure_usefulness(attributes((0.2, 0.9)), weights={"b": 1}),
        lambda: measure_usefulness(attributes((0.2, None))),
        lambda: measure_usefulness([]),
        lambda: measure_usefulness(attributes((0.2, 0.9)), similarity_weight=2),
        lambda: measure_usefulness(attributes((0.2, 0.9)), loss_total="sum"),
        lambda: measure_usefulness(attributes((0.2, 0.9)), form="sum"),
        lambda: measure_balance("x", 0.5, None, measure_usefulness(attributes((0.2, 0.9)), form="ratio")),
        lambda: attribute_utility("a", {}, TABLE_7["range"]),
        lambda: attribute_utility("a", {"generalisation_loss": 7.0, "cosine_similarity": 1.0}, TABLE_7["range"]),
        lambda: Components((), ("cosine_similarity",)),
        lambda: Components(("cosine_similarity",), ("cosine_similarity",)),
    ],
)
def test_what_means_nothing_is_refused(wrong):
    """Weights, shares, names and sizes outside of what they may be: an option error, never a number."""
    with pytest.raises(OptionError):
        wrong()
