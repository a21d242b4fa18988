"""Members are told from others where a release holds their records, and not where it does not know them."""

import numpy as np
import pytest

from attacks.attacking import attack, drawn, only

SIZES = {"a": 30, "b": 20, "c": 15, "d": 10, "e": 25}
SCORES = ("calibrated distance", "density ratio", "candidate presence", "distance to closest")


def test_a_table_released_as_it_is_tells_its_members():
    """By candidates for sure; the other scores are well above chance."""
    table, others = drawn(1, 400, **SIZES), drawn(2, 400, **SIZES)
    found = attack(table, table, others, attacks=["membership"])

    assert only(found, "membership", "candidate presence").success == pytest.approx(1.0, abs=0.01)
    assert all(only(found, "membership", score).success > 0.75 for score in SCORES)
    assert only(found, "membership", "candidate presence").figures["tpr_at_0.01"] > 0.95


def test_a_release_of_other_people_tells_nothing():
    """Drawn from the same population, it has 0 in the interval of the advantage for nearly all seeds, by every score."""
    held = dict.fromkeys(SCORES, 0)
    for seed in range(10):
        tables = [drawn(3 * seed + i, 250, **SIZES) for i in range(3)]
        found = attack(*tables, attacks=["membership"], paired=False, seed=seed)
        for score in SCORES:
            interval = only(found, "membership", score).interval
            held[score] += interval.low <= 0 <= interval.high

    assert all(count >= 8 for count in held.values())


def test_ties_are_broken_by_expectation():
    """In a constant table nobody can be told from anybody: the area is a half, and as many members are found as false alarms raised."""
    table = {"a": [1] * 60, "b": [2] * 60}
    chance = {**table, "c": list(np.arange(60) % 2)}
    found = attack(table, chance, chance, attacks=["membership"], know=["a"], paired=False)
    result = only(found, "membership", "candidate presence")

    assert result.success == pytest.approx(0.5)
    assert result.figures["tpr_at_0.01"] == pytest.approx(0.01)
    assert result.interval.low < 0 < result.interval.high


def test_the_distance_to_the_closest_record_is_a_smoke_test():
    """It says so, on every page."""
    table, others = drawn(1, 100, **SIZES), drawn(2, 100, **SIZES)
    found = attack(table, table, others, attacks=["membership"])

    assert only(found, "membership", "distance to closest").smoke_test
    assert "a low one is no proof of safety" in found.render("text")
