"""The estimators of population uniqueness: worked examples, known populations, and what they refuse to say."""

import csv
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

import anonscope as an
from anonscope.errors import PolicyError
from anonscope.risk.measuring.population_estimates import (
    ESTIMATORS,
    NoEstimate,
    estimate,
    expected_inverse,
    fit_pitman,
    pitman_share,
    sample_of,
    zayatz,
)
from reference.attackers import individual
from support.strategies import law

Run = Callable[..., an.Audit]
YEARS = [1991] * 3 + [1993] * 6 + [1999] + [2000] * 2 + [2001] + [2002] * 2


def test_zayatz_by_hand() -> None:
    """Two classes of one and one of two, four of eight drawn: (2 of 3) 1/2 over ((2 of 3) 1/2 + (1 of 3) 4/7), twice over eight."""
    given_unique = (2 / 3 * 1 / 2) / (2 / 3 * 1 / 2 + 1 / 3 * 4 / 7)

    assert zayatz(sample_of(((1, 2), (2, 1)), 8)) == pytest.approx(2 * given_unique / (4 / 8) / 8)


@law
@given(counts=st.dictionaries(st.integers(1, 30), st.integers(1, 40), min_size=1, max_size=6), times=st.integers(2, 1000))
def test_zayatz_agrees_with_the_hypergeometric_distribution(counts: dict[int, int], times: int) -> None:
    """The definition with scipy's own distribution, which is slow and loses digits in large populations."""
    n = sum(size * count for size, count in counts.items())
    N, G = n * times, sum(counts.values())
    shown = sum(count / G * hypergeom.pmf(1, N, size, n) for size, count in counts.items())
    uniques = counts.get(1, 0)

    assert zayatz(sample_of(tuple(sorted(counts.items())), N)) == pytest.approx(uniques * (uniques / G * n / N) / shown / n, rel=1e-6)


@law
@given(counts=st.dictionaries(st.integers(1, 30), st.integers(1, 40), min_size=2, max_size=6))
def test_pitmans_derivatives_are_zero_at_the_fit(counts: dict[int, int]) -> None:
    """The likelihood equations as Hoshino writes them, as sums; at the edge of the model only the first one holds."""
    sample = sample_of(tuple(sorted(counts.items())), 10**6)
    theta, alpha = fit_pitman(sample)
    n, u = sample.members, sample.classes
    first = math.fsum(1 / (theta + i * alpha) for i in range(1, u)) - math.fsum(1 / (theta + i) for i in range(1, n))
    second = math.fsum(i / (theta + i * alpha) for i in range(1, u)) - math.fsum(
        count / (j - alpha) for size, count in counts.items() for j in range(1, size)
    )

    assert 0 <= alpha < 1
    assert theta > -alpha
    assert first == pytest.approx(0, abs=1e-6 * u / max(theta + alpha, 1e-9))
    assert second == pytest.approx(0, abs=1e-4 * n) if alpha > 0 else second <= 1e-9


@pytest.mark.parametrize(("theta", "alpha"), [(0.5, 0.0), (40.0, 0.0), (-0.3, 0.5), (3.0, 0.25), (500.0, 0.6), (2e4, 0.9), (1e6, 0.01)])
def test_pitmans_expectation_person_by_person(theta: float, alpha: float) -> None:
    """Whoever comes next opens a class or joins one, and ends its solitude if it was of one: the expectations, step by step."""
    classes, alone = 1.0, 1.0
    for people in range(1, 1000):
        if people in (1, 2, 10, 999):
            assert pitman_share(theta, alpha, people) == pytest.approx(alone / people, rel=1e-8), people
        opens = (theta + alpha * classes) / (theta + people)
        classes, alone = classes + opens, alone * (1 - (1 - alpha) / (theta + people)) + opens


@pytest.mark.parametrize(
    ("table", "delimiter", "known", "fraction", "share"),
    [
        ("ms_mock/df_500_rows/stage_1_df_mock_500.csv", ",", ("edss", "age", "comorbidities", "covid19_symptoms", "ms_type"), 0.01, 0.554),
        ("fars/fars_subset.csv", ";", (), 0.5, 0.674),
        ("fars/fars_subset.csv", ";", (), 1, 0.764),
    ],
)
def test_pitmans_golden_values(
    data_folder: Path, table: str, delimiter: str, known: tuple[str, ...], fraction: float, share: float
) -> None:
    """Where the form for large populations said 1.0, 0.713 and 0.847."""
    sample = sampled(data_folder / table, delimiter, known, fraction)

    assert ESTIMATORS["pitman"](sample) == pytest.approx(share, abs=5e-4)


NIST = ("PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "EDU")
REAL = (
    ("fars/fars_subset.csv", ";", ()),
    ("fars/fars_subset.csv", ";", ("iage", "isex", "istatenum")),
    ("ms_mock/df_500_rows/stage_1_df_mock_500.csv", ",", ("edss", "age", "comorbidities", "covid19_symptoms", "ms_type")),
    ("ms_mock/df_500_rows/stage_1_df_mock_500.csv", ",", ("age", "sex", "ms_type")),
    ("nist_acs/national2019.csv", ",", NIST),
    ("nist_acs/national2019.csv", ",", NIST[1:4]),
    ("sparcs/sparcs_2016_sample1000.csv", ",", ()),
)


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize(("table", "delimiter", "known"), REAL)
def test_models_find_the_samples_uniqueness_again(data_folder: Path, name: str, table: str, delimiter: str, known: tuple[str, ...]) -> None:
    """At a fraction of 1 the model itself, not the count that stands in for it there, is within 2 %; or it says that it does not fit."""
    sample = sampled(data_folder / table, delimiter, known, 1)
    try:
        assert ESTIMATORS[name](sample) == pytest.approx(sample.uniques / sample.members, abs=0.02)
    except NoEstimate as problem:
        assert "does not fit: it expects" in str(problem) or "no optimum" in str(problem) or "without an optimum" in str(problem)


def test_a_model_that_does_not_fit_says_by_how_much(audit: Run) -> None:
    """A hundred classes of one and ten of a hundred: no Pitman population looks like that, so none is estimated from it."""
    years = [y for i in range(110) for y in [i] * (1 if i < 100 else 100)]
    found = {m.variant: m for m in audit(year=years, quasi_identifiers=["year"], sampling_fraction=0.1).select("population_uniqueness")}

    assert found["pitman"].status == "not measured" and found["pitman"].value is None
    assert "does not fit: it expects" in str(found["pitman"].reason)


def sampled(path: Path, delimiter: str, known: tuple[str, ...], fraction: float) -> Any:
    """Return the class sizes of a file by some of its columns (all, if none is named), as a sample of a population."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=delimiter))
    classes = Counter(tuple(row[column] for column in known or rows[0]) for row in rows)
    return sample_of(tuple(sorted(Counter(classes.values()).items())), round(len(rows) / fraction))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_where_the_sample_is_the_population_nothing_is_estimated(name: str) -> None:
    """Two of ten records are alone."""
    assert estimate(name, sample_of(((1, 2), (4, 2)), 10)) == 2 / 10


@pytest.mark.parametrize(("name", "members", "error"), [("pitman", "pitman", 0.01), ("slide negative binomial", "slide", 0.02)])
def test_an_estimator_is_right_where_its_model_is(name: str, members: str, error: float) -> None:
    """A population drawn from the model itself, a tenth of it sampled: the truth is met within two hundredths."""
    sizes = pitman_population(60_000, 500, 0.6) if members == "pitman" else slide_population(30_000, 0.8, 3.0)
    truth = float((sizes == 1).sum() / sizes.sum())
    people = np.repeat(np.arange(len(sizes)), sizes)
    drawn = np.random.default_rng(11).choice(people, len(people) // 10, replace=False)
    frequencies = tuple(sorted(Counter(Counter(drawn.tolist()).values()).items()))

    assert estimate(name, sample_of(frequencies, len(people))) == pytest.approx(truth, abs=error)


def pitman_population(people: int, theta: float, alpha: float) -> np.ndarray:
    """Return class sizes of a Pitman population: whoever comes next joins a class or opens a new one."""
    draws = np.random.default_rng(7)
    # Joining a class of size f with weight f - alpha: pick anybody, and stay with chance 1 - alpha / f; else open or pick again.
    classes, sizes = [0], [1]
    for n in range(1, people):
        if draws.random() < (theta + alpha * len(sizes)) / (theta + n):
            classes.append(len(sizes))
            sizes.append(1)
            continue
        while True:
            c = classes[int(draws.integers(n))]
            if draws.random() < 1 - alpha / sizes[c]:
                break
        classes.append(c)
        sizes[c] += 1
    return np.array(sizes)


def slide_population(classes: int, shape: float, others: float) -> np.ndarray:
    """Return class sizes of one and a negative binomial number of others."""
    return 1 + np.random.default_rng(7).negative_binomial(shape, shape / (shape + others), classes)


@pytest.mark.parametrize("frequencies", [((1, 5),), ((7, 1),), ((2, 4),), ((1, 1),), ((3, 1), (1000, 1)), ((1, 100_000), (2, 1))])
@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("times", [1, 2, 10**6])
def test_odd_class_sizes_give_a_share_or_a_reason(name: str, frequencies: tuple[tuple[int, int], ...], times: int) -> None:
    """All alone, all alike, all pairs, one record, one giant: never NaN, never an error of another kind."""
    sample = sample_of(frequencies, times * sum(size * count for size, count in frequencies))
    try:
        assert 0 <= estimate(name, sample) <= 1
    except NoEstimate as problem:
        assert len(str(problem)) > 20


@pytest.mark.parametrize("f", [1, 2])
@pytest.mark.parametrize("people", [1.5, 3.0, 10.0, 400.0])
def test_the_closed_forms_are_the_sums_they_stand_for(f: int, people: float) -> None:
    """E[1/F | f] term by term."""
    assert expected_inverse(np.array([f]), np.array([f / (f * people)]))[0] == pytest.approx(individual(f, f * people), abs=1e-9)


def test_the_estimates_stand_side_by_side_with_a_warning(audit: Run) -> None:
    """Each is a variant, none has an interval, and a sentence says that they disagree."""
    found = audit(year=YEARS, quasi_identifiers=["year"], sampling_fraction=0.1)

    assert [m.variant for m in found.select("population_uniqueness")] == list(ESTIMATORS)
    assert any("not an interval" in warning for warning in found.warnings)
    assert any("random sample" in assumption for assumption in found.assumptions)


def test_a_population_size_says_the_same_as_a_fraction(audit: Run) -> None:
    """Fifteen of 150 are a tenth."""
    by_size = audit(year=YEARS, quasi_identifiers=["year"], population_size=150).select("population_uniqueness")

    assert by_size == audit(year=YEARS, quasi_identifiers=["year"], sampling_fraction=0.1).select("population_uniqueness")


def test_people_in_several_classes_are_not_estimated(audit: Run) -> None:
    """The models partition people; somebody with visits in two districts is in two classes."""
    found = audit(zip=["1", "2"], who=["a", "a"], quasi_identifiers=["zip"], person="who", sampling_fraction=0.1)

    assert "several classes" in str(found["population_uniqueness"].reason)


def test_no_rule_may_decide_by_an_estimate(audit: Run, tmp_path) -> None:
    """A policy that tries is refused when it is read."""
    policy = tmp_path / "own.toml"
    policy.write_text(
        'schema = "anonscope/policy/1"\nname = "own"\ntitle = "Own"\nversion = "1"\norigin = "here"\n'
        '[[rules]]\nmetric = "population_uniqueness"\nmaximum = 0.1\n',
        encoding="utf-8",
    )
    with pytest.raises(PolicyError, match="disagree"):
        audit(year=YEARS, quasi_identifiers=["year"], policy=policy)
