"""Cells as numbers that a model can learn from, the same for values and for what they became.

A number is itself, an interval its middle with its length beside it; a category is a share of 1 for its own, and a set or a prefix
shares 1 among the categories it may stand for. A suppressed or missing cell is marked, and is otherwise at the mean or nowhere.
"""

import numpy as np

from anonscope.risk.counting.arrays import Floats
from anonscope.utility.alignment.aligned import AlignedColumn

# Categories with a share of their own; rarer ones have one together.
MOST_CATEGORIES = 50


def encoded_values(column: AlignedColumn) -> Floats:
    """Return a row of features for every value of the original, in the order of its places."""
    size = len(column.domain.values)
    missing = np.zeros(size)
    missing[column.domain.texts :] = 1
    if column.domain.numeric:
        numbers = np.append(column.domain.numbers, _centre(column))[:size]
        return np.stack([numbers, np.zeros(size), missing], axis=1)
    places = np.arange(size)
    return np.column_stack([_shares(column, places == _common(column)[:, None]), missing])


def encoded_labels(column: AlignedColumn) -> Floats:
    """Return a row of features for every label of the release."""
    labels = column.labels
    nothing = labels.suppressed | np.array([text is None for text in labels.texts], dtype=bool)
    if column.domain.numeric:
        told = labels.numbered & ~nothing
        numbers = np.where(told, labels.number, _centre(column))
        return np.stack([numbers, np.where(told, labels.high - labels.low, 0.0), nothing.astype(np.float64)], axis=1)
    common = _common(column)
    grid = np.tile(np.arange(labels.images.labels), (len(common), 1)), np.tile(common[:, None], (1, labels.images.labels))
    inside = labels.images.contain(*grid) / np.maximum(labels.images.sizes, 1.0)
    return np.column_stack([np.where(nothing, 0.0, _shares(column, inside).T).T, nothing.astype(np.float64)])


def _centre(column: AlignedColumn) -> float:
    numbers = column.domain.numbers
    n = column.original[: len(numbers)]
    return float(n @ numbers / n.sum()) if len(numbers) else 0.0


def _common(column: AlignedColumn) -> "Floats":
    """Return the places of the commonest categories, the missing one left aside."""
    n = column.original[: column.domain.texts]
    return np.sort(np.argsort(-n, kind="stable")[:MOST_CATEGORIES])


def _shares(column: AlignedColumn, inside: Floats) -> Floats:
    """Return shares of the common categories, a column each, and of all others together."""
    shares = np.asarray(inside, dtype=np.float64).T
    if column.domain.texts <= MOST_CATEGORIES:
        return shares
    return np.column_stack([shares, 1 - shares.sum(axis=1)])
