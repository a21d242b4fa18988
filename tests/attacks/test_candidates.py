"""Candidates and nearest records are those of comparing everybody with every record."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from anonscope.attacks.assignment import assigned
from anonscope.attacks.candidates import Pairs, View, distinct, widened
from anonscope.columns.images import Interval, read_image
from attacks.attacking import attacked, candidates, fits, rows_of

AGES = st.sampled_from(["30", "31", "[30-39]", "[30-34]", "40+", "41", "*"])
SEXES = st.sampled_from(["F", "M", "*", "{F, M}"])
ZIPS = st.sampled_from(["101", "10*", "1**", "202", None])
RELEASE = st.lists(st.tuples(AGES, SEXES, ZIPS), min_size=1, max_size=12)
PEOPLE = st.lists(
    st.tuples(st.sampled_from(["30", "31", "38", "41", None]), st.sampled_from(["F", "M"]), st.sampled_from(["101", "109", "202", None])),
    min_size=1,
    max_size=8,
)
NAMES = ("age", "sex", "zip")
# Others have every value, so that no label is a riddle.
OTHERS = [("30", "F", "101"), ("31", "M", "109"), ("38", "F", "202"), ("41", "M", None), (None, "F", "101")]


def table(rows):
    return {name: [row[i] for row in rows] for i, name in enumerate(NAMES)}


@settings(max_examples=60, deadline=None)
@given(RELEASE, PEOPLE)
def test_the_candidates_are_those_of_looking_at_every_record(release, people):
    """As counts, and as pairs of person and class."""
    release = [*release, *people, *people]
    found = attacked(table(release), table(people), table(OTHERS))
    view = View(found, NAMES)
    kinds = distinct(found, found.original, NAMES)
    counts = view.counts(kinds)[kinds.tuple_of]
    expected = [candidates(table(release), person, NAMES) for person in rows_of(table(people))]
    assert counts.tolist() == [len(rows) for rows in expected]
    pairs = view.candidates(kinds)
    for i, rows in enumerate(expected):
        mine = {int(g) for part in pairs for g in part.group[part.person == kinds.tuple_of[i]]}
        assert mine == {int(view.class_of[row]) for row in rows}


@settings(max_examples=60, deadline=None)
@given(RELEASE, PEOPLE)
def test_the_nearest_records_disagree_in_the_fewest_columns(release, people):
    """Nobody's nearest record disagrees more than another one."""
    release = [*release, *[("30", "F", "101")] * (len(release) + 1)]
    found = attacked(table(release), table(people), table(OTHERS))
    view = View(found, NAMES)
    kinds = distinct(found, found.original, NAMES)
    pairs = view.nearest(kinds)
    for i, person in enumerate(rows_of(table(people))):
        wrong = [sum(not fits(row[name], person[name]) for name in NAMES) for row in rows_of(table(release))]
        least = min(wrong)
        chosen = pairs.group[pairs.person == kinds.tuple_of[i]]
        assert len(chosen) == 0 if least > 2 else len(chosen) > 0
        assert all(wrong[int(np.flatnonzero(view.class_of == group)[0])] == least for group in chosen)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6), st.integers(0, 10**6))
def test_where_the_cheapest_assignment_stands_alone_it_is_found(size, seed):
    """The same as by the Hungarian method, where no other assignment comes near."""
    chance = np.random.default_rng(seed)
    cost = chance.integers(0, 4, (size, size)).astype(float)
    best = linear_sum_assignment(cost)
    spread = cost + 3.0
    spread[best] -= 3.0  # makes this one the cheapest by far
    rows, columns = np.divmod(np.arange(size * size), size)
    flow = assigned(Pairs(rows, columns, spread.ravel()), np.ones(size), np.ones(size)).reshape(size, size)

    assert np.flatnonzero(flow.argmax(axis=1) == best[1][np.argsort(best[0])]).size == size


def test_assignment_gives_no_record_twice():
    """Two people who fit one record share it, and neither gets more than one; a third keeps a record nobody else wants."""
    flow = assigned(Pairs(np.array([0, 1, 1, 2]), np.array([0, 0, 1, 2]), np.zeros(4)), np.ones(3), np.ones(3))

    assert flow[0] + flow[1] <= 1 + 1e-9
    assert flow[1] + flow[2] <= 1 + 1e-6
    assert flow[3] == pytest.approx(1)
    # Whoever has another choice leaves the record to the one who has none.
    assert flow[0] > 0.9 and flow[2] > 0.9


def test_what_is_known_within_a_reach_widens_the_image():
    """An age known to within two years fits every label that holds an age so near."""
    wide = widened(read_image("[30-39]"), 2)

    assert isinstance(wide, Interval)
    assert [wide.contains(str(age)) for age in (27, 28, 41, 42)] == [False, True, True, False]
    assert widened(read_image("34"), 1).contains("35")
