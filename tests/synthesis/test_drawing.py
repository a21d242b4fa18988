"""Records are drawn by shares to the nearest whole record, whatever the groups are, and hang on no order but a random one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonscope.synthesis.drawing import draw_within
from anonscope.synthesis.tree import Columns


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 8), st.integers(0, 300))
def test_every_group_gets_its_shares_to_the_nearest_record(seed, groups, width, rows):
    """Each cell has the floor or the ceiling of its share, cells of no weight nobody, and all records get one."""
    chance = np.random.default_rng(seed)
    table = chance.random((groups, width)) * (chance.random((groups, width)) < 0.6)
    table[:, 0] += table.sum(axis=1) == 0
    group = chance.integers(0, groups, rows)
    drawn = draw_within(group, table, chance)
    assert len(drawn) == rows
    for one in np.unique(group):
        found = np.bincount(drawn[group == one], minlength=width)
        share = table[one] / table[one].sum() * (group == one).sum()
        assert (np.abs(found - share) < 1 + 1e-9).all() and not found[table[one] == 0].any()


def test_a_cell_is_drawn_as_often_as_its_share_says():
    """Over many draws: of three records with shares 1/2, 1/3 and 1/6, and in every place alike."""
    table, runs = np.array([[3.0, 2.0, 1.0]]), 20_000
    found = np.array([draw_within(np.zeros(3, dtype=np.int64), table, np.random.default_rng(i)) for i in range(runs)])
    for place in range(3):
        shares = np.bincount(found[:, place], minlength=3) / runs
        assert np.abs(shares - np.array([1 / 2, 1 / 3, 1 / 6])).max() < 4 * 0.5 / runs**0.5


def test_nothing_is_drawn_where_nothing_was_put_together():
    """Every group of cells is one cell: telling apart is giving it its own number back."""
    columns = Columns(10.0, [np.ones(4)], [np.array([2, 0, 3, 1])], [np.ones(4)])
    (found,) = columns.apart([np.array([0, 1, 2, 3, 3])], np.random.default_rng(1))
    assert found.tolist() == [1, 3, 0, 2, 2]
