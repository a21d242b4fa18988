"""Bkakria 2021, information theoretic privacy risk: its opening tables, tables 4 and 5, and figures 1 and 2.

Bkakria et al. (2021), Journal of Surveillance, Security and Safety 2, 83-102.
"""

from collections.abc import Callable
from itertools import pairwise

import pytest

import anonscope as an
from reference.metrics import as_printed, cut_as_printed

Run = Callable[..., an.Audit]
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
def test_tables_1_and_2(audit: Run, case: tuple[str, str, str], printed: float, ours: float) -> None:
    """Three groups with the same diseases; the chance to infer one is the correlation risk of the whole combination."""
    table, metric, statistic = case
    found = opening(audit, table)[metric].statistic(statistic)

    assert found == pytest.approx(ours, abs=5e-5)
    assert as_printed(found, printed) == printed


def opening(audit: Run, table: str) -> an.Audit:
    ill = DISEASES[table]
    return audit(
        zip=[z for z in ZIP for _ in ill],
        age=[a for a in AGE for _ in ill],
        disease=ill * 3,
        quasi_identifiers=["zip", "age"],
        sensitive=["disease"],
    )


@pytest.mark.parametrize(("table", "posterior", "risk"), [("Table 1", 0.3333, 0.3333), ("Table 2", 0.6, 0.3866)])
def test_the_posterior_tells_tables_1_and_2_apart_and_itpr_does_not(audit: Run, table: str, posterior: float, risk: float) -> None:
    """The paper opens with two tables to show what k, l and t miss; its own metric is 0 on both, entropy sees a little."""
    result = opening(audit, table)

    assert about(result, "posterior", "disease") == pytest.approx(posterior, abs=5e-5)
    assert about(result, "entropy_l_diversity_risk", "disease") == pytest.approx(risk, abs=5e-5)
    assert about(result, "itpr", "disease") == pytest.approx(0, abs=1e-12)


def about(result: an.Audit, metric: str, sensitive: str | None = None) -> float:
    """Return the value for the whole quasi-identifier: about a sensitive attribute, or about the record."""
    (m,) = [m for m in result.select(metric) if m.attributes is None and m.sensitive == sensitive]
    assert m.value is not None
    return m.value


# Table 3.
AGES = {
    "Age 1": [30, 62, 37, 21, 19, 47, 71, 73],
    "Age 2": [30] * 8,
    "Age 3": [30, 30, 30, 47, 30, 30, 30, 30],
    "Age 4": [30, 30, 30, 47, 30, 47, 30, 30],
    "Age 5": [30] * 4 + [47] * 4,
}
ILL = {
    "Disease 1": ["Diabetes", "Epilepsy", "Asthma", "Allergies", "Depression", "HIV", "Heart Disease", "Cancer"],
    "Disease 2": ["Diabetes", "Diabetes", "Epilepsy", "Depression", "HIV", "Heart Disease", "Cancer", "Allergies"],
    "Disease 3": ["Diabetes"] * 5 + ["HIV", "Asthma", "Allergies"],
}
ZIPS = {"Zip 1": [35000] * 3 + [35510] * 5, "Zip 2": [35000] * 3 + [35510] * 3 + [35200] * 2}
COLUMNS = AGES | ILL | ZIPS
METRICS = ("discrimination_rate", "mutual_information", "conditional_privacy", "maximum_information_leakage", "entropy_l_diversity_risk")
# What is printed for DR, MI, CP, MIL and ELD; where two numbers stand, the second is what the formula gives.
Cell = float | tuple[float, float]
TABLE_4: dict[tuple[str, str | None], tuple[Cell, ...]] = {
    ("Age 1", None): (1.0, 3.0, 0.875, 3.0, 1.0),
    ("Age 2", None): (0.0, 0.0, 0.0, 0.0, 0.125),
    ("Age 3", None): (0.18, 0.54, 0.31, 3.0, 1.0),
    ("Age 4", None): (0.27, 0.81, 0.43, 2.75, 0.5),
    ("Age 5", None): (0.33, 1.0, 0.5, 2.0, 0.25),
    ("Age 5", "Disease 1"): (0.33, 1.0, 0.5, 2.0, 0.25),
    # In the two cells of MIL that are wrong, H(X) was not subtracted: 1.0 is the product of share and entropy itself.
    ("Age 5", "Disease 2"): (0.36, 1.0, 0.5, (1.0, 2.0), 0.35),
    # MI and CP are cut off here, not rounded.
    ("Age 5", "Disease 3"): (0.35, (0.54, 0.5488), (0.31, 0.3164), (1.0, 1.5488), 1.0),
}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("case", TABLE_4, ids=str)
def test_table_4(audit: Run, case: tuple[str, str | None], metric: str) -> None:
    """Every printed cell, and what is right where it is wrong."""
    age, ill = case
    found = about(study(audit, [age], ill), metric, ill)
    cell = TABLE_4[case][METRICS.index(metric)]

    if not isinstance(cell, tuple):
        assert as_printed(found, cell) == cell
    else:
        printed, right = cell
        assert found == pytest.approx(right, abs=5e-5)
        assert as_printed(found, printed) != printed
        if metric != "maximum_information_leakage":
            assert cut_as_printed(found, printed) == printed


def study(audit: Run, known: list[str], ill: str | None) -> an.Audit:
    named = [*known, *([ill] if ill else [])]
    return audit(columns={name: COLUMNS[name] for name in named}, quasi_identifiers=known, sensitive=[ill] if ill else [])


@pytest.mark.parametrize(
    ("known", "ill", "printed", "ours"),
    [
        (["Age 1"], None, 1.0, 1.0),
        (["Age 2"], None, 0.0, 0.0),
        (["Age 3"], None, 1.0, 1.0),
        (["Age 4"], None, 0.83, 0.8333),
        (["Age 5"], None, 0.33, 0.3333),
        (["Age 2", "Zip 1"], None, 0.6, 0.6038),
        # The label in the paper says case 1 of the zip code once more; only case 2 gives this number.
        (["Age 2", "Zip 2"], None, 0.75, 0.75),
        (["Age 5"], "Disease 1", 0.33, 0.3333),
        (["Age 5"], "Disease 2", 0.45, 0.4545),
        (["Age 5"], "Disease 3", 1.0, 1.0),
    ],
)
def test_table_5(audit: Run, known: list[str], ill: str | None, printed: float, ours: float) -> None:
    """ITPR of one attribute and of two, about the record and about the disease."""
    found = about(study(audit, known, ill), "itpr", ill)

    assert found == pytest.approx(ours, abs=5e-5)
    assert as_printed(found, printed) == printed


@pytest.mark.parametrize(
    ("known", "ours"), [(["Age 4", "Zip 1"], 0.75), (["Age 4", "Zip 2"], 1.0), (["Age 1", "Zip 1"], 1.0), (["Age 5", "Zip 2"], 1.0)]
)
def test_other_combinations_of_table_3(audit: Run, known: list[str], ours: float) -> None:
    """Not printed. Age 4 alone has 0.8333, so the first shows that knowing more may lower ITPR."""
    assert about(study(audit, known, None), "itpr") == pytest.approx(ours, abs=5e-5)


def sizes_of(values: int, smallest: int, n: int = 10_000) -> list[int]:
    """Return the sizes of groups when one has `smallest` records and the others share the rest evenly."""
    least, more = divmod(n - smallest, values - 1)
    return [smallest, *(least + (i < more) for i in range(values - 1))]


def curve(audit: Run, values: int, smallest: list[int]) -> list[dict[str, float]]:
    """Return all metrics of a figure at some points, from the most uneven groups to equal ones."""
    found = []
    for few in smallest:
        result = audit(y=[i for i, n in enumerate(sizes_of(values, few)) for _ in range(n)], quasi_identifiers=["y"])
        found.append({metric: about(result, metric) for metric in ("itpr", *METRICS)})
    return found


def test_figure_1(audit: Run) -> None:
    """10,000 people in two groups, from 1 and 9,999 to two equal ones."""
    points = curve(audit, 2, [1, 10, 100, 1000, 2500, 5000])

    assert points[0] == pytest.approx(
        dict(zip(["itpr", *METRICS], [1.0, 0.000111, 0.001473, 0.001021, 13.2877, 1.0], strict=True)), abs=5e-5
    )
    assert points[-1] == pytest.approx(
        dict(zip(["itpr", *METRICS], [0.07526, 0.07526, 1.0, 0.5, 7.1439, 0.0002], strict=True)), abs=5e-6 + 5e-5
    )
    assert cut_as_printed(points[-1]["itpr"], 0.07) == 0.07
    assert max(point["discrimination_rate"] for point in points) < 0.1
    assert [int(points[i]["maximum_information_leakage"]) for i in (-1, 0)] == [7, 13]
    for metric, falls in (("itpr", True), ("maximum_information_leakage", True), ("mutual_information", False)):
        assert all((a[metric] > b[metric]) == falls for a, b in pairwise(points))


def test_figure_2(audit: Run) -> None:
    """The same with ten groups; at equal sizes 0.25."""
    points = curve(audit, 10, [1, 10, 100, 500, 1000])

    assert points[0]["itpr"] == 1
    assert points[-1]["itpr"] == pytest.approx(0.25, abs=5e-5)
    assert points[-1]["maximum_information_leakage"] == pytest.approx(12.2911, abs=5e-5)
    assert all(a["itpr"] > b["itpr"] for a, b in pairwise(points))
