"""People who are alike are drawn one by one: were they drawn all or none, figures would be off and intervals too narrow."""

import numpy as np
import pytest

from anonscope.attacks.people import told_apart
from attacks.attacking import attack, drawn, only

FEW = {"a": 3, "b": 4, "c": 3}


@pytest.mark.parametrize("score", ["calibrated distance", "density ratio", "candidate presence"])
def test_a_release_of_other_people_tells_nothing_where_many_are_alike(score):
    """Of 36 kinds of people: the area is a half. It was a quarter where twins of the control fell into the same half."""
    areas = []
    for seed in range(4):
        found = attack(*(drawn(3 * seed + i, 400, **FEW) for i in range(3)), attacks=["membership"], paired=False, seed=seed)
        areas.append(only(found, "membership", score).success)
    assert np.mean(areas) == pytest.approx(0.5, abs=0.04)


def test_intervals_hold_where_a_sample_is_attacked_and_many_are_alike():
    """300 of 3,000 people of 108 kinds: nothing can be inferred, and the interval says so. It did in 8 of 40 seeds."""
    held = []
    for seed in range(12):
        tables = [drawn(3 * seed + i, 3000, **FEW, ill=3) for i in range(3)]
        found = attack(*tables, sensitive=["ill"], attacks=["inference"], paired=False, seed=seed, targets=300)
        interval = only(found, "inference", "candidates").interval
        held.append(interval.low <= 0 <= interval.high)
    assert sum(held) >= 10


def test_what_is_drawn_hangs_on_no_order_of_records():
    """The same marks come out for the same records, however they stand; those that are alone keep theirs."""
    chance = np.random.default_rng(1)
    marks = chance.integers(0, 40, 200).astype(np.uint64) * np.uint64(2**57)
    found = told_apart(marks)
    order = chance.permutation(200)

    assert len(np.unique(found)) == 200
    assert sorted(zip(marks, found, strict=True)) == sorted(zip(marks[order], told_apart(marks[order]), strict=True))
    assert set(np.unique(marks)) <= set(found)
    assert len(told_apart(marks[:0])) == 0
    assert told_apart(np.full(3, 2**64 - 1, dtype=np.uint64))[0] == 2**64 - 1
