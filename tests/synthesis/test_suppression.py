"""Withheld cells: an attacker who shares no code with us recomputes none of them; rounded tables still add up."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonscope.synthesis.rounding import controlled
from anonscope.synthesis.suppression import intervals, is_dominated, is_guessable, is_small, suppressed, with_totals

tables = st.tuples(st.integers(1, 4), st.integers(1, 4)).flatmap(
    lambda shape: st.lists(st.integers(0, 30), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]).map(
        lambda cells: np.array(cells, dtype=float).reshape(shape)
    )
)


def recomputed(values, withheld):
    """Return the withheld cells that adding up determines, by linear algebra over all rows and columns."""
    cells = [tuple(c) for c in np.argwhere(withheld)]
    rows, columns = values.shape
    equations = []
    for i in range(rows):
        equations.append([(1 if j < columns - 1 else -1) * (c == (i, j)) for c in cells for j in [c[1]]])
    for j in range(columns):
        equations.append([(1 if i < rows - 1 else -1) * (c == (i, j)) for c in cells for i in [c[0]]])
    matrix = np.array(equations, dtype=float)
    known = []
    for i, cell in enumerate(cells):
        unit = np.zeros(len(cells))
        unit[i] = 1
        # A cell is determined if and only if its unit vector is a combination of the equations.
        if np.linalg.matrix_rank(np.vstack([matrix, unit])) == np.linalg.matrix_rank(matrix):
            known.append(cell)
    return known


@settings(max_examples=60, deadline=None)
@given(tables, st.integers(2, 12))
def test_nothing_withheld_can_be_recomputed(cells, threshold):
    """By adding up, no withheld cell follows; and knowing that no number is negative leaves each between two different ones, too."""
    values = with_totals(cells)
    table = suppressed(values, is_small(values, threshold))

    assert (table.withheld >= table.primary).all()
    assert not is_small(values, threshold)[~table.withheld].any()
    assert recomputed(values, table.withheld) == []
    low, high = intervals(table)
    assert (low <= values + 1e-6).all() and (high >= values - 1e-6).all()
    assert (high - low)[table.withheld].min(initial=np.inf) > 0.5
    assert (high == low)[~table.withheld].all()


def test_primary_suppression_alone_is_recomputed():
    """The attacker is no straw man: one cell withheld without company falls."""
    values = with_totals(np.array([[3.0, 20], [30, 40]]))

    assert recomputed(values, is_small(values, 10)) == [(0, 0)]
    assert int(suppressed(values, is_small(values, 10)).withheld.sum()) == 4


def test_the_cheapest_circle_is_closed():
    """Of all ways to complete one cell, the one that withholds least is taken."""
    values = with_totals(np.array([[3.0, 90, 12], [95, 80, 99], [14, 70, 11]]))

    assert sorted(map(tuple, np.argwhere(suppressed(values, is_small(values, 10)).withheld))) == [(0, 0), (0, 2), (2, 0), (2, 2)]


def test_dominance_and_p_percent():
    """(1, 50): a contributor with more than half. p %: what the two largest leave is less than p % of the largest."""
    totals, top = np.array([100.0, 100, 100]), np.array([[51.0, 20], [50, 30], [60, 35]])

    assert is_dominated(totals, top, 1, 50).tolist() == [True, False, True]
    assert is_dominated(totals, top, 2, 85).tolist() == [False, False, True]
    assert is_guessable(totals, top, 10).tolist() == [False, False, True]


@settings(max_examples=50, deadline=None)
@given(tables, st.sampled_from([3, 5, 10]))
def test_controlled_rounding_keeps_margins(cells, base):
    """Every number becomes a neighbouring multiple, totals included, and rows and columns add up to them."""
    cells = cells.astype(np.int64)
    table, whole = controlled(cells, base), with_totals(cells.astype(float))

    assert (table % base == 0).all() and (np.abs(table - whole) < base).all()
    assert (table[:, :-1].sum(axis=1) == table[:, -1]).all() and (table[:-1].sum(axis=0) == table[-1]).all()


def test_controlled_rounding_moves_least():
    """Of all roundings of a small table that add up, none moves its numbers less."""
    cells = np.array([[1, 2], [4, 8]])
    whole = with_totals(cells.astype(float)).astype(int)
    best = min(
        int(np.abs(candidate - whole).sum())
        for ups in product((0, 1), repeat=4)
        for candidate in [with_totals((cells // 5 * 5 + 5 * np.array(ups).reshape(2, 2)).astype(float)).astype(int)]
        if (np.abs(candidate - whole) < 5).all()
    )

    assert np.abs(controlled(cells, 5) - whole).sum() == best
    assert controlled(np.array([[5, 0], [10, 15]]), 5).tolist() == [[5, 0, 5], [10, 15, 25], [15, 15, 30]]


def test_a_table_of_zeros_withholds_nothing():
    """There is nobody in it."""
    values = with_totals(np.zeros((2, 3)))

    assert not suppressed(values, is_small(values, 10)).withheld.any()
    with pytest.raises(ValueError):
        with_totals(np.zeros(3))
