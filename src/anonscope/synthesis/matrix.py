"""Records as a matrix of numbers and back: numbers scaled to their bounds, a column for every category, one for what is missing."""

import numpy as np

from anonscope.risk.counting.arrays import Floats
from anonscope.synthesis.domain import Categories, Dates, DeclaredColumn, Domain, Numbers
from anonscope.synthesis.values import Values, finished


def bounds_of(column: DeclaredColumn) -> tuple[float, float]:
    """Return the lowest and the highest value of a column of numbers or dates."""
    if isinstance(column, Numbers):
        return column.lower, column.upper
    assert isinstance(column, Dates), "categories have no bounds"
    return float(column.first.toordinal()), float(column.last.toordinal())


def as_matrix(values: Values, domain: Domain) -> Floats:
    """Return one row a record, everything between 0 and 1."""
    parts: list[Floats] = []
    for array, column in zip(values, domain.columns, strict=True):
        if isinstance(column, Categories):
            parts += [(array == code).astype(np.float64) for code in range(column.size)]
            continue
        low, high = bounds_of(column)
        missing = np.isnan(array)
        known = array[~missing]
        filled = np.where(missing, known.mean() if len(known) else low, array)
        parts.append((filled - low) / ((high - low) or 1.0))
        if column.missing:
            parts.append(missing.astype(np.float64))
    return np.column_stack(parts)


def from_matrix(matrix: Floats, domain: Domain) -> Values:
    """Return values for rows: the likeliest category, numbers within their bounds."""
    found: Values = []
    place = 0
    for column in domain.columns:
        if isinstance(column, Categories):
            found.append(matrix[:, place : place + column.size].argmax(axis=1))
            place += column.size
            continue
        low, high = bounds_of(column)
        numbers = finished(low + matrix[:, place] * ((high - low) or 1.0), column)
        place += 1
        if column.missing:
            numbers = np.where(matrix[:, place] > 0.5, np.nan, numbers)
            place += 1
        found.append(numbers)
    return found
