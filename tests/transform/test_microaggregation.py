"""MDAV makes groups of at least k records that are close together."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from anonscope.transform.microaggregation import Points, groups


def numeric(*rows: list[float]) -> Points:
    numbers = np.array(rows, dtype=np.float64)
    return Points(numbers, np.zeros((0, numbers.shape[1]), dtype=np.int64))


def as_sets(label: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(label == group).tolist()) for group in np.unique(label)}


def slow(points: list[tuple[float, ...]], k: int) -> set[frozenset[int]]:
    """The obvious version, of numbers without a gap: as the paper says it, record by record."""

    def distance(a: tuple[float, ...], b: tuple[float, ...]) -> float:
        return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))

    left, made = list(range(len(points))), []

    def take(i: int) -> None:
        near = sorted(left, key=lambda j: (distance(points[i], points[j]), j))[:k]
        made.append(frozenset(near))
        left[:] = [j for j in left if j not in near]

    def farthest(point: tuple[float, ...]) -> int:
        return max(left, key=lambda j: (distance(point, points[j]), -j))

    def centre() -> tuple[float, ...]:
        return tuple(sum(points[j][a] for j in left) / len(left) for a in range(len(points[0])))

    while len(left) >= 3 * k:
        first = farthest(centre())
        take(first)
        take(farthest(points[first]))
    if len(left) >= 2 * k:
        take(farthest(centre()))
    return {*made, frozenset(left)}


def test_three_clusters_are_found():
    """Wherever the records stand."""
    label = groups(numeric([0, 100, 50, 1, 101, 51, 2, 102, 52]), 3, 100)
    assert as_sets(label) == {frozenset({0, 3, 6}), frozenset({1, 4, 7}), frozenset({2, 5, 8})}


def test_the_rest_joins_the_last_group():
    """Seven records in groups of three: three and four."""
    assert sorted(np.bincount(groups(numeric([0, 1, 2, 10, 11, 12, 13]), 3, 100)).tolist()) == [3, 4]
    assert as_sets(groups(numeric([5, 1, 3]), 2, 100)) == {frozenset({0, 1, 2})}


def test_categories_differ_or_not():
    """Records of one category form a group when nothing else tells them apart."""
    label = groups(Points(np.zeros((0, 6)), np.array([[0, 1, 0, 1, 0, 1]])), 3, 100)
    assert as_sets(label) == {frozenset({0, 2, 4}), frozenset({1, 3, 5})}


def test_a_value_that_is_missing_on_one_side_lies_one_away():
    """So two records that miss it are closer to each other than to a record that has it."""
    label = groups(numeric([np.nan, 0.0, np.nan, 0.1]), 2, 100)
    assert as_sets(label) == {frozenset({0, 2}), frozenset({1, 3})}


@settings(max_examples=150, deadline=None, database=None)
@given(
    points=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=60),
    k=st.integers(2, 5),
)
def test_it_agrees_with_the_obvious_version(points, k):
    """Ties included, which go to the earlier record: sums of whole numbers are exact, so both see the same distances."""
    if len(points) < k:
        return
    rows = np.array(points, dtype=np.float64).T
    label = groups(Points(rows, np.zeros((0, len(points)), dtype=np.int64)), k, 1000)
    assert as_sets(label) == slow([tuple(map(float, point)) for point in points], k)


def _error(rows: np.ndarray, made: set[frozenset[int]]) -> float:
    return sum(float(((rows[:, list(g)] - rows[:, list(g)].mean(axis=1, keepdims=True)) ** 2).sum()) for g in made)


@settings(max_examples=150, deadline=None, database=None)
@given(
    count=st.integers(2, 120),
    k=st.integers(2, 7),
    block=st.integers(2, 60),
    gaps=st.floats(0, 0.5),
    seed=st.integers(0, 10_000),
)
def test_every_group_has_from_k_to_less_than_twice_k_records(count, k, block, gaps, seed):
    """Whatever is missing, and however many parts the records were first cut into."""
    if count < k:
        return
    chance = np.random.default_rng(seed)
    numbers = np.where(chance.random((2, count)) < gaps, np.nan, chance.integers(0, 5, (2, count)).astype(float))
    label = groups(Points(numbers, chance.integers(0, 3, (1, count))), k, block)
    sizes = np.bincount(label)
    assert k <= sizes.min()
    assert sizes.max() < 2 * k


def test_blocks_cost_little():
    """Cut into parts of 500, 4,000 records in groups of 5 lose hardly more than when grouped as a whole."""
    rows = np.random.default_rng(1).normal(size=(3, 4000))
    points = Points(rows, np.zeros((0, 4000), dtype=np.int64))
    whole, cut = (_error(rows, as_sets(groups(points, 5, block))) for block in (4000, 500))
    assert whole < cut < 1.25 * whole
