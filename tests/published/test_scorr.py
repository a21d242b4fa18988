"""J. Folz et al. (2025), "Scoring System for Quantifying the Privacy in Re-Identification of Tabular Datasets".

Every case has the number the paper prints (None where it prints none) beside the number it should be.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

import anonscope as an
from reference.metrics import as_printed

Run = Callable[..., an.Audit]

OULAD = ("gender", "region", "highest_education", "age_band", "disability")
ADULT = ("age", "workclass", "education", "marital.status", "occupation", "relationship", "race", "sex")


@pytest.fixture(scope="module")
def oulad(data_folder: Path) -> an.Audit:
    """The first 5,000 records, as in the paper; the ordered distance is asked for beside the equal one."""
    roles = {"quasi_identifiers": OULAD, "sensitive": ["final_result"], "person": "id_student", "distance": {"final_result": "ordered"}}
    with an.read(data_folder / "oulad" / "studentInfo.csv", rows=5000, **roles) as data:
        return an.audit(data)


@pytest.fixture(scope="module")
def adult(data_folder: Path) -> an.Audit:
    """The first 5,000 records of the file that is sorted by capital loss and gain."""
    with an.read(data_folder / "adult" / "adult_kaggle_order_32561.csv", rows=5000, quasi_identifiers=ADULT, sensitive=["income"]) as data:
        return an.audit(data)


@pytest.mark.parametrize(
    ("case", "printed", "ours"),
    [("k_anonymity", 1, 1), ("l_diversity", 1, 1), ("t_closeness", 0.918, 0.918)],
)
def test_table_3_oulad(oulad: an.Audit, case: str, printed: float, ours: float) -> None:
    """The original OULAD data; t is of the equal distance, as no order of the four results gives 0.918."""
    (found,) = [m.value for m in oulad.select(case) if m.level == "record" and m.variant != "ordered"]

    assert found == pytest.approx(ours, abs=5e-5)
    assert as_printed(found, printed) == printed


def test_oulad_with_results_in_alphabetical_order(oulad: an.Audit) -> None:
    """The ordered distance is a different number, and it comes first when it is asked for."""
    assert oulad["t_closeness"].variant == "ordered"
    assert oulad["t_closeness"].value == pytest.approx(0.6257, abs=5e-5)


def test_all_of_oulad(data_folder: Path) -> None:
    """Over all 32,593 records t is 0.6884, and 11 of the 275 classes with 11 records or more are fewer than 11 persons."""
    with an.read(
        data_folder / "oulad" / "studentInfo.csv", quasi_identifiers=OULAD, sensitive=["final_result"], person="id_student"
    ) as data:
        audit = an.audit(data)
    sizes = audit.scenarios[0].sizes

    assert audit.rows == 32_593
    assert audit["t_closeness"].value == pytest.approx(0.6884, abs=5e-5)
    assert sum(count for size, count in sizes.records if size >= 11) == 275
    assert sum(count for size, count in sizes.persons if size >= 11) == 275 - 11


@pytest.mark.parametrize(
    ("case", "printed", "ours"),
    [("k_anonymity", 1, 1), ("l_diversity", 1, 1), ("t_closeness", 0.519, 0.5190)],
)
def test_table_3_adult(adult: an.Audit, case: str, printed: float, ours: float) -> None:
    """The original Adult data, in the order of the file the paper must have used."""
    found = adult[case].value

    assert found == pytest.approx(ours, abs=5e-5)
    assert as_printed(found, printed) == printed


def test_table_3_adult_needs_the_sorted_file(data_folder: Path) -> None:
    """The first 5,000 records of UCI's own file give t 0.7558, not the printed 0.519."""
    known = [name.replace(".", "-") for name in ADULT]
    with an.read(data_folder / "adult" / "adult_full_48842.csv", rows=5000, quasi_identifiers=known, sensitive=["income"]) as data:
        audit = an.audit(data)

    assert (audit["k_anonymity"].value, audit["l_diversity"].value) == (1, 1)
    assert audit["t_closeness"].value == pytest.approx(0.7558, abs=5e-5)


@pytest.mark.parametrize(("case", "printed", "ours"), [("relationship", 0.04, 0.0109), ("race", 0.04, 0.0357), ("sex", 0.04, 0.0008)])
def test_figure_10_uniformity_of_single_attributes(adult: an.Audit, case: str, printed: float, ours: float) -> None:
    """The paper says of these three that they are "below 0.04" in the original data."""
    (found,) = adult.select("uniformity", attribute=case)

    assert found.max == pytest.approx(ours, abs=5e-5)
    assert found.max < printed


@pytest.mark.parametrize("data", ["oulad", "adult"])
def test_l_diversity_stays_below_its_cap(data: str, request: pytest.FixtureRequest) -> None:
    """Section IV: l is at most the smaller of k and the number of distinct sensitive values."""
    audit: an.Audit = request.getfixturevalue(data)

    assert audit["l_diversity"].value <= min(audit["k_anonymity"].value, audit.sensitive[0].values)


@pytest.mark.parametrize(
    ("case", "printed", "ours"),
    [
        ("OULAD Anonymised-3, k = 25", 0.622, 0.6221),
        ("HID Anonymised-3, k = 19", 0.654, 0.6543),
        ("Adult Anonymised-3, k = 20", 0.648, 0.6483),
        ("OULAD Anonymised-1, k = 12", None, 0.7082),
        ("HID and Adult Anonymised-1, k = 11", None, 0.7185),
        ("HID and Adult Anonymised-2, k = 14", None, 0.6901),
    ],
)
def test_figures_8_to_10_uniqueness(audit: Run, case: str, printed: float | None, ours: float) -> None:
    """Among 5,000 records the highest uniqueness depends on k alone."""
    k = int(case.rpartition(" ")[2])
    found = audit(zip=["1"] * k + ["2"] * (5000 - k), quasi_identifiers=["zip"])["uniqueness"].max

    assert found == pytest.approx(ours, abs=5e-5)
    if printed is not None:
        assert as_printed(found, printed) == printed


def test_birth_years(audit: Run) -> None:
    """Three born 1991, six born 1993, one born 1999: R_uq is 0.5229, 0.2218 and 1."""
    found = audit(year=[1991] * 3 + [1993] * 6 + [1999], quasi_identifiers=["year"])["uniqueness"]

    assert (found.min, found.max) == pytest.approx((0.2218, 1.0), abs=5e-5)
    assert found.mean == pytest.approx((3 * 0.5229 + 6 * 0.2218 + 1) / 10, abs=5e-5)


TOY = {"person": ["u1", "u1", "u2", "u2", "u3", "u3"], "known": list("AAABBB"), "secret": list("xxyxyy")}


UNEVEN = [0.6667, 0.6667, 0.3333, 0.3333, 0.6667, 0.6667]


@pytest.mark.parametrize(
    ("case", "printed", "ours"),
    [
        ("event uniqueness", None, [0.3869] * 6),
        ("event uniformity", None, UNEVEN),
        ("event correlation", None, UNEVEN),
        ("event markov", None, [0.9815, 0.9815, 0.8519, 0.8519, 0.9815, 0.9815]),
        ("person uniqueness", None, [0.3869] * 6),
        ("person uniformity", None, [0.3333] * 6),
        ("person correlation", None, UNEVEN),
        ("person markov", None, [0.9259, 0.9259, 0.8519, 0.8519, 0.9259, 0.9259]),
    ],
)
def test_the_toy_table(audit: Run, case: str, printed: None, ours: list[float]) -> None:
    """Equations 2 to 5 on six records of three persons, in order, with their ids and without."""
    level, metric = case.split()
    found = audit(columns=TOY, quasi_identifiers=["known"], sensitive=["secret"], person="person" if level == "event" else None)[metric]

    assert (found.min, found.mean, found.max) == pytest.approx((min(ours), sum(ours) / 6, max(ours)), abs=5e-5)
