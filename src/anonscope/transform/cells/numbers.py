"""Columns that hold numbers, whether typed or written as text."""

from decimal import Decimal
from math import ulp

from anonscope.columns.images import Interval, number_text
from anonscope.engines.values import number_as_text
from anonscope.transform.table import Expression, Table

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT")
# Up to here every whole number is a double of its own.
_EXACT = 2**53
_LARGEST_SCALE = 10**9
_LARGEST_WHOLE = 2**63
_NARROW = ("TINYINT", "SMALLINT", "UTINYINT", "USMALLINT")
NOT_A_NUMBER = "cannot be read as a number"


def is_typed_number(kind: str) -> bool:
    """Return whether the engine itself holds the column as numbers."""
    return kind in (*_WHOLE, "DOUBLE", "FLOAT", "REAL") or kind.startswith("DECIMAL")


def is_typed_whole(kind: str) -> bool:
    """Return whether the engine holds the column as whole numbers."""
    return kind in _WHOLE


def as_number(table: Table, column: str, number: str, *, whole: bool) -> Expression:
    """Return what a column becomes when its values are replaced by numbers: text stays text, whole numbers stay whole if they can."""
    _, kind = table.at(column)
    fails = f"{table.number(column)} IS NULL"
    if is_typed_whole(kind) and whole:
        # Rounding 127 up to 130 leaves the narrowest types.
        wide = "INTEGER" if kind in _NARROW else kind
        return Expression(f"CAST({number} AS {wide})", wide, fails, NOT_A_NUMBER)
    if is_typed_number(kind):
        return Expression(f"CAST({number} AS DOUBLE)", "DOUBLE", fails, NOT_A_NUMBER)
    return Expression(number_as_text(number), "VARCHAR", fails, NOT_A_NUMBER)


def as_noisy_number(table: Table, column: str, number: str, *, whole: bool) -> Expression:
    """Return the same for numbers that may leave the range of the column's type: whole ones then need a wider type."""
    _, kind = table.at(column)
    if is_typed_whole(kind) and whole:
        fails = f"{table.number(column)} IS NULL OR ABS({number}) >= CAST({_LARGEST_WHOLE} AS DOUBLE)"
        return Expression(f"CAST(CASE WHEN {fails} THEN NULL ELSE {number} END AS BIGINT)", "BIGINT", fails, f"{NOT_A_NUMBER} of 64 bits")
    made = as_number(table, column, number, whole=False)
    return Expression(made.sql, made.type, f"{made.fails} OR NOT ISFINITE({number})", f"{NOT_A_NUMBER}, or would be too large")


def multiple(index: str, step: float, start: float = 0) -> str:
    """Return the SQL for so many steps from a start, written so that steps of 0.1 give 0.3 and not 0.30000000000000004."""
    scale = _scale(step, start)
    if scale is None:
        return f"(({index}) * {_double(step)} + {_double(start)})"
    counted = f"({index}) * {_double(round(step * scale))}"
    if start:
        counted = f"({counted} + {_double(round(start * scale))})"
    return f"({counted})" if scale == 1 else f"({counted} / {_double(scale)})"


def step_below(x: str, step: float, start: float = 0) -> str:
    """Return the SQL for how many whole steps from the start lie at or below a number."""
    shifted = f"({x} - {_double(start)})" if start else f"({x})"
    index = f"FLOOR({shifted} / {_double(step)})"
    if step == int(step) and start == int(start):
        return index
    # A quotient is rounded: 0.29 / 0.01 is 28.999999999999996. The steps themselves, as they will be written, decide.
    below, above = multiple(index, step, start), multiple(f"{index} + 1", step, start)
    return f"({index} + CASE WHEN {above} <= ({x}) THEN 1 WHEN {below} > ({x}) THEN -1 ELSE 0 END)"


def interval_around(low: float, high: float, step: float, *, closed: bool = False, written: str | None = None) -> Interval:
    """Return the interval of numbers that a step of this size put together, never too narrow.

    Multiples of steps such as 1/3, and of any step among very large numbers, are rounded themselves: there it is wider by a hair.
    """
    largest = max(abs(low), abs(high))
    if _scale(step) is not None and largest < _EXACT / 8 * step:
        return Interval(low, high, closed=closed, written=written)
    hair = 8 * ulp(largest)
    return Interval(low - hair, high + hair, closed=True, written=written)


def sum_of(number: float, other: float) -> float:
    """Return the sum of two numbers as they are written: 0.3 - 0.05 is 0.25, whatever binary fractions say."""
    return float(Decimal(number_text(number)) + Decimal(number_text(other)))


def _scale(*numbers: float) -> int | None:
    """Return the power of ten that makes all numbers whole, if it is a small one."""
    places = [-int(Decimal(number_text(number)).as_tuple().exponent) for number in numbers]
    scale = 10 ** max(0, *places)
    return scale if scale <= _LARGEST_SCALE and all(abs(number) * scale <= _EXACT for number in numbers) else None


def _double(number: float) -> str:
    return f"CAST({number_text(number)} AS DOUBLE)"
