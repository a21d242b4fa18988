"""Ladders: the nodes of a hierarchy above the values of a column, and what each node loses."""

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from anonscope.columns.hierarchy import Hierarchy
from anonscope.errors import HierarchyError
from anonscope.risk.counting.ladders import Ladder, flat_ladder, ladder

BANDS = Hierarchy(
    "age",
    tuple(str(age) for age in range(15, 25)),
    (tuple(f"[{age // 5 * 5}-{age // 5 * 5 + 4}]" for age in range(15, 25)), ("*",) * 10),
)
REGIONS = Hierarchy("state", ("1", "2", "3", "4"), (("south", "north", "south", "north"), ("*",) * 4))


def penalty(made: Ladder, level: int, code: int) -> float:
    return float(made.penalties[level][made.levels[level][code]])


def test_an_interval_loses_its_length_within_the_observed_range() -> None:
    """Ages from 17 to 24: the band from 15 to 19 spans two of the seven years that occur, the one from 20 to 24 four."""
    made = ladder("age", BANDS, [None, "17", "19", "24"])

    assert made.labels == ((None, "17", "19", "24"), (None, "[15-19]", "[20-24]"), ("*",))
    assert [penalty(made, 1, code) for code in (1, 2, 3)] == pytest.approx([2 / 7, 2 / 7, 4 / 7])
    assert [penalty(made, level, 1) for level in (0, 2)] == [0, 1]


def test_a_category_loses_its_share_of_the_values_that_occur() -> None:
    """Three of four values occur: two under the south, one under the north, which therefore loses nothing."""
    made = ladder("state", Hierarchy("state", ("a", "b", "c", "d"), REGIONS.levels), [None, "a", "b", "c"])

    assert [penalty(made, 1, code) for code in (1, 2, 3)] == pytest.approx([2 / 3, 0, 2 / 3])


def test_numbers_that_are_names_are_categories() -> None:
    """The states under a region do not follow one another, so a region is no interval of numbers."""
    made = ladder("state", REGIONS, [None, "1", "2", "3", "4"])

    assert [penalty(made, 1, code) for code in (1, 2)] == [0.5, 0.5]


def test_a_missing_value_is_one_of_its_own_below_the_last_level() -> None:
    """NULL has code 0 and loses nothing until it joins everything else."""
    made = ladder("age", BANDS, [None, "17", "24"])

    assert [int(level[0]) for level in made.levels] == [0, 0, 0]
    assert [1 + int(0 in level[1:]) for level in made.levels] == [1, 1, 2]
    assert [penalty(made, level, 0) for level in range(3)] == [0, 0, 1]


def test_leaves_are_those_of_the_file() -> None:
    """Five ages of the file are in a band, whether the table has them or not."""
    made = ladder("age", BANDS, [None, "17", "24"])

    assert [int(made.leaves[1][made.levels[1][code]]) for code in (0, 1, 2)] == [1, 5, 5]
    assert int(made.leaves[2][0]) == 10


def test_values_of_the_population_do_not_count_as_the_tables() -> None:
    """Two of the three regions' values are in the table; the third is known to the population only."""
    made = ladder(
        "state", Hierarchy("state", ("a", "b", "c"), (("x", "x", "y"), ("*",) * 3)), [None, "a", "b", "c"], [False, True, False, True]
    )

    assert penalty(made, 1, 1) == 0


def test_uncovered_values_are_counted_and_not_shown() -> None:
    """Two values have no line; the message says how many and in which column."""
    with pytest.raises(HierarchyError, match="does not cover 2 of the 3 values of column 'years'") as raised:
        ladder("years", BANDS, [None, "17", "secret", "hidden"])
    assert "secret" not in str(raised.value)


def test_a_column_without_a_hierarchy_can_be_kept_or_given_up() -> None:
    """Its values, and "*"; also where nothing but missing values is in it."""
    assert flat_ladder("sex", [None, "f", "m"]).labels == ((None, "f", "m"), ("*",))
    assert flat_ladder("sex", [None]).labels == ((None,), ("*",))


def test_a_star_may_be_written_early() -> None:
    """Some files give up rare values first: that node is labelled like the root."""
    made = ladder("x", Hierarchy("x", ("a", "b"), (("a", "*"), ("*", "*"))), [None, "a", "b"])

    assert [made.star(level) for level in range(3)] == [-1, int(made.levels[1][2]), 0]


@seed(2025)
@settings(max_examples=60, deadline=None, database=None)
@given(
    values=st.lists(st.integers(0, 40), min_size=1, max_size=12, unique=True),
    cuts=st.lists(st.integers(1, 40), min_size=1, max_size=6, unique=True),
)
def test_penalties_grow_along_the_ladder_and_levels_coarsen(values: list[int], cuts: list[int]) -> None:
    """Every level has the nodes of the one below or fewer, and no value loses less higher up; all between 0 and 1."""
    leaves = tuple(map(str, range(41)))

    def labels(some: list[int]) -> tuple[str, ...]:
        return tuple(f"{len(some)}.{sum(cut <= leaf for cut in some)}" for leaf in range(41))

    nested = [sorted(cuts)[: len(cuts) - i] for i in range(len(cuts))]
    made = ladder("x", Hierarchy("x", leaves, (*map(labels, nested), ("*",) * 41)), [None, *map(str, sorted(values))])

    for level in range(made.height):
        here, above = made.levels[level], made.levels[level + 1]
        assert len(np.unique(np.stack([here, above]), axis=1).T) == len(np.unique(here))
        lost, more = made.penalties[level][here], made.penalties[level + 1][above]
        assert ((lost >= 0) & (lost <= more) & (more <= 1)).all()
