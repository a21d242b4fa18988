"""Noisy counts made into counts that could be: none below 0, and all in agreement with one another, at the least change in squares.

Projection is done after the noise, on what everybody may know then, so it costs no privacy. Subtracting what is too much and cutting at
0 also takes away most of the noise where nobody is.
"""

import numpy as np

from anonscope.risk.counting.arrays import Floats

_ROUNDS = 200
_CLOSE = 1e-11  # of the total


def onto_simplex(rows: Floats, totals: Floats) -> Floats:
    """Return rows of numbers, each as the nearest one in squares that has no number below 0 and adds up to its total."""
    count = rows.shape[1]
    falling = -np.sort(-rows, axis=1)
    excess = (np.cumsum(falling, axis=1) - totals[:, None]) / np.arange(1, count + 1)
    # The last place at which a number is still above what would be taken off everybody.
    last = count - 1 - np.argmax((falling > excess)[:, ::-1], axis=1)
    last = np.where(totals > 0, last, 0)
    taken = excess[np.arange(len(rows)), last]
    return np.where(totals[:, None] > 0, np.maximum(rows - taken[:, None], 0.0), 0.0)


def onto_margins(table: Floats, first: Floats, second: Floats) -> Floats:
    """Return the table, none of it below 0, whose sums by row and by column are these, near to the given one in squares.

    Row by row and column by column in turn (each an exact projection, with the correction that the last one made taken back first,
    R. Dykstra 1983), then made exact by proportional fitting.
    """
    total = float(first.sum())
    if total <= 0:
        return np.zeros_like(table)
    fitted = table.astype(np.float64)
    by_row, by_column = np.zeros_like(fitted), np.zeros_like(fitted)
    for _ in range(_ROUNDS):
        ahead = fitted + by_row
        turned = onto_simplex(ahead, first)
        by_row = ahead - turned
        ahead = turned + by_column
        fitted = onto_simplex(ahead.T, second).T
        by_column = ahead - fitted
        if np.abs(fitted.sum(axis=1) - first).sum() <= 1e-3 * total:
            break
    return fitted_to(fitted, first, second)


def fitted_to(table: Floats, first: Floats, second: Floats) -> Floats:
    """Return a table scaled by rows and columns in turn until its sums are these (W. Deming and F. Stephan, 1940)."""
    total = float(first.sum())
    # A little everywhere, so that no row and no column that must hold something is empty.
    fitted = table + 1e-9 * np.outer(first, second) / total
    for _ in range(_ROUNDS * 50):
        fitted *= _ratio(first, fitted.sum(axis=1))[:, None]
        fitted *= _ratio(second, fitted.sum(axis=0))[None, :]
        if np.abs(fitted.sum(axis=1) - first).sum() <= _CLOSE * total:
            break
    return fitted


def _ratio(wanted: Floats, found: Floats) -> Floats:
    return np.divide(wanted, found, out=np.zeros_like(wanted), where=found > 0)
