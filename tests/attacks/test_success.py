"""Rates, differences and areas have the published intervals, and none has zero width."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonscope.attacks.success import Trials, area, area_interval, difference, measured, true_positives, wilson

SCORES = st.lists(st.integers(0, 6), min_size=1, max_size=25)


def test_the_score_interval_of_a_share():
    """Newcombe 1998, table I: 81 of 263 has 0.2553 to 0.3662."""
    found = wilson(81 / 263, 263)

    assert (found.low, found.high) == pytest.approx((0.2553, 0.3662), abs=5e-5)


@pytest.mark.parametrize(
    ("a", "m", "b", "n", "low", "high"),
    [(56, 70, 48, 80, 0.0524, 0.3339), (9, 10, 3, 10, 0.1705, 0.8090), (10, 10, 0, 10, 0.6075, 1.0), (0, 10, 0, 10, -0.2775, 0.2775)],
)
def test_the_interval_of_a_difference(a, m, b, n, low, high):
    """Newcombe 1998 (II), table II, method 10."""
    found = difference(a / m, m, b / n, n)

    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 50), st.integers(1, 50), st.data())
def test_no_interval_has_zero_width(m, n, data):
    """Not even where nobody or everybody was found."""
    a, b = data.draw(st.integers(0, m)), data.draw(st.integers(0, n))

    assert wilson(a / m, m).low < wilson(a / m, m).high
    found = difference(a / m, m, b / n, n)
    assert found.low < a / m - b / n + 1e-12 and found.high > a / m - b / n - 1e-12 and found.low < found.high
    curve = area_interval(a / m, m, n)
    assert curve.low < curve.high and curve.low <= a / m <= curve.high


@given(SCORES, SCORES)
def test_the_area_counts_ties_by_half(members, others):
    """It is the share of pairs in which the member has the higher score."""
    pairs = [1.0 if x > y else 0.5 if x == y else 0.0 for x in members for y in others]

    assert area(np.array(members, float), np.array(others, float)) == pytest.approx(np.mean(pairs))


def expected_true_positives(members, others, rate):
    """Take people for members from the highest score down until so many others are among them; of equal scores a share."""
    found = wrong = 0.0
    for score in sorted({*members, *others}, reverse=True):
        hits, misses = members.count(score), others.count(score)
        if misses and wrong + misses > rate * len(others) + 1e-12:
            return (found + hits * (rate * len(others) - wrong) / misses) / len(members)
        found, wrong = found + hits, wrong + misses
    return found / len(members)


@given(SCORES, SCORES, st.sampled_from([0.0, 0.001, 0.01, 0.1, 0.5, 1.0]))
def test_true_positives_at_a_rate_count_ties_by_expectation(members, others, rate):
    """Among equal scores the same share of members and of others is taken."""
    found = true_positives(np.array(members, float), np.array(others, float), rate)

    assert found == pytest.approx(expected_true_positives(members, others, rate))


def test_the_area_has_the_coverage_it_says():
    """Of 200 samples without any difference at least 183 have 0.5 in their interval."""
    chance = np.random.default_rng(5)
    held = 0
    for _ in range(200):
        interval = area_interval(area(chance.normal(size=80), chance.normal(size=60)), 80, 60)
        held += interval.low <= 0.5 <= interval.high

    assert held >= 183


def test_groups_are_judged_together_and_small_ones_are_left_out():
    """The worst comes first; its interval is wider than it would be alone; fewer than twenty say nothing."""
    hits = np.array([1.0] * 30 + [0.0] * 30 + [1.0] * 5)
    groups = np.array([0] * 30 + [1] * 30 + [2] * 5)
    found = measured(
        attack="a", variant="v", attacker="x", columns=(), targets=Trials(hits, groups), control=None, baseline=0.0, names=("p", "q", "r")
    )

    assert [group.name for group in found.groups] == ["p", "q"]
    assert found.groups[0].interval.low < wilson(1.0, 30).low
    assert (found.risk, found.controlled) == (found.success, False)


def test_records_of_one_person_count_once():
    """Ten records of one person are one trial, so the interval stays wide."""
    found = measured(
        attack="a",
        variant="v",
        attacker="x",
        columns=(),
        targets=Trials(np.ones(10), None, np.zeros(10, dtype=int)),
        control=None,
        baseline=0.0,
    )

    assert found.targets == 1
    assert found.interval == wilson(1.0, 1)
