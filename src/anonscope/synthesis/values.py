"""Values of the columns of a domain as arrays, from cells and to a table; bounds, decimals and stated constraints hold in every record.

A column of categories is held as cells. Numbers, and dates as days, are held as floats, NaN being the missing value.
"""

from collections.abc import Callable, Sequence
from datetime import date
from math import floor, log10
from re import fullmatch
from typing import Any

import numpy as np

from anonscope.errors import DomainError
from anonscope.risk.counting.arrays import Flags, Floats, Integers
from anonscope.synthesis.domain import Categories, Condition, Dates, DeclaredColumn, Domain, InOrder, Numbers

Values = list[Any]
_ROUNDS = 60  # of drawing again what breaks a constraint
_LONGEST = 18  # characters of a whole number that surely fits into 64 bits
_FINE = 3  # digits by which a number is finer than its bin, unless its decimals are declared


def from_cells(cells: Sequence[Integers], domain: Domain, chance: np.random.Generator) -> Values:
    """Return values for cells: a number or a day is drawn evenly from its bin."""
    return [_drawn(codes, column, chance) for codes, column in zip(cells, domain.columns, strict=True)]


def _drawn(codes: Integers, column: DeclaredColumn, chance: np.random.Generator) -> Any:
    if isinstance(column, Categories):
        return codes
    low, high, step = _edges(column)
    present = codes < column.present
    place = np.where(present, codes, 0)
    if step == 1.0:
        # Whole numbers from the first in the bin to the last.
        count = np.maximum(high[place] - low[place] + 1, 1)
        found = low[place] + np.minimum(np.floor(chance.random(len(codes)) * count), count - 1)
    else:
        found = low[place] + chance.random(len(codes)) * (high[place] - low[place])
    return np.where(present, finished(found, column), np.nan)


def _edges(column: DeclaredColumn) -> tuple[Floats, Floats, float]:
    if isinstance(column, Dates):
        starts = np.array([start.toordinal() for start in column.starts], dtype=np.float64)
        return starts, np.r_[starts[1:] - 1, column.last.toordinal()], 1.0
    assert isinstance(column, Numbers), "there is no other kind"
    starts, ends = np.array(column.starts), np.array(column.ends)
    if column.decimals == 0:
        first = np.ceil(starts)
        return first, np.maximum(np.r_[np.ceil(ends[:-1]) - 1, np.floor(column.upper)], first), 1.0
    return starts, ends, 0.0


def finished(values: Floats, column: DeclaredColumn) -> Floats:
    """Return numbers moved into the bounds of a column, with as many decimals as it has."""
    if isinstance(column, Dates):
        return np.clip(np.rint(values), column.first.toordinal(), column.last.toordinal())
    assert isinstance(column, Numbers), "categories are no numbers"
    decimals = column.decimals
    if decimals is None:
        width = (column.upper - column.lower) / len(column.starts) or 1.0
        decimals = max(0, _FINE - floor(log10(width)))
    return np.clip(np.round(values, min(decimals, 12)), column.lower, column.upper)


def to_cells(values: Values, domain: Domain) -> list[Integers]:
    """Return the cells of values."""
    found = []
    for array, column in zip(values, domain.columns, strict=True):
        if isinstance(column, Categories):
            found.append(array)
            continue
        if isinstance(column, Numbers):
            starts = np.array(column.starts)
        else:
            assert isinstance(column, Dates), "there is no other kind"
            starts = np.array([start.toordinal() for start in column.starts])
        place = np.clip(np.searchsorted(starts, np.nan_to_num(array), side="right") - 1, 0, column.present - 1)
        found.append(np.where(np.isnan(array), column.present, place))
    return found


def keeping_constraints(draw: Callable[[int], Values], rows: int, domain: Domain) -> Values:
    """Return so many records that keep every constraint: those that break one are drawn again, from the same model."""
    found = draw(rows)
    if not domain.constraints or not rows:
        return found
    for _ in range(_ROUNDS):
        wrong = np.flatnonzero(broken(found, domain))
        if not len(wrong):
            return found
        again = draw(max(64, 2 * len(wrong)))
        good = np.flatnonzero(~broken(again, domain))[: len(wrong)]
        for array, new in zip(found, again, strict=True):
            array[wrong[: len(good)]] = new[good]
    raise DomainError(
        f"The constraints of the domain cannot be kept: after {_ROUNDS} rounds of drawing again, records still break them. "
        "Check that they fit the declared values."
    )


def broken(values: Values, domain: Domain) -> Flags:
    """Return which records break a constraint."""
    rows = len(values[0])
    found = np.zeros(rows, dtype=bool)
    at = dict(zip(domain.names, values, strict=True))
    for constraint in domain.constraints:
        if isinstance(constraint, InOrder):
            largest = np.full(rows, -np.inf)
            for name in constraint.columns:
                found |= at[name] < largest  # a missing value is below nothing
                largest = np.fmax(largest, at[name])
            continue
        when = np.ones(rows, dtype=bool)
        for condition in constraint.when:
            when &= _met(at[condition.column], domain.column(condition.column), condition)
        for condition in constraint.then:
            found |= when & ~_met(at[condition.column], domain.column(condition.column), condition)
    return found


def _met(values: Any, column: DeclaredColumn, condition: Condition) -> Flags:
    missing = values >= column.present if isinstance(column, Categories) else np.isnan(values)
    if condition.missing is not None and condition.categories is None and condition.at_least is None and condition.at_most is None:
        return np.asarray(missing == condition.missing)
    found = ~missing
    if condition.categories is not None:
        labels = column.labels
        found &= np.isin(values, [labels.index(category) for category in condition.categories])
    if condition.at_least is not None:
        found &= values >= _number(condition.at_least)
    if condition.at_most is not None:
        found &= values <= _number(condition.at_most)
    return np.asarray(found)


def _number(bound: float | date) -> float:
    return float(bound.toordinal()) if isinstance(bound, date) else float(bound)


def _is_whole(text: str) -> bool:
    """Whether a text is a whole number as one writes it, so that it would be the same again: 007 is none."""
    return fullmatch("0|-?[1-9][0-9]*", text) is not None and len(text) <= _LONGEST


def to_table(values: Values, domain: Domain) -> Any:
    """Return values as an Arrow table; a column that has whole numbers as its categories has them as such.

    Types follow from the domain alone: that of a source without types of its own, such as a sheet, may hang on one record.
    """
    import pyarrow as pa

    arrays = []
    for array, column in zip(values, domain.columns, strict=True):
        if isinstance(column, Categories):
            missing = array >= column.present
            texts = pa.array([label for label in column.labels if label is not None], pa.string())
            found = texts.take(pa.array(np.where(missing, 0, array), mask=missing))
            whole = all(label is None or _is_whole(label) for label in column.labels)
            arrays.append(found.cast(pa.int64()) if whole else found)
            continue
        missing = np.isnan(array)
        known = np.where(missing, 0.0, array)
        if isinstance(column, Dates):
            days = (known - date(1970, 1, 1).toordinal()).astype(np.int32)
            arrays.append(pa.array(np.where(missing, 0, days).astype(np.int32), pa.int32(), mask=missing).cast(pa.date32()))
        elif isinstance(column, Numbers) and column.decimals == 0:
            arrays.append(pa.array(np.rint(known).astype(np.int64), pa.int64(), mask=missing))
        else:
            arrays.append(pa.array(known, pa.float64(), mask=missing))
    return pa.table(dict(zip(domain.names, arrays, strict=True)))
