"""Columns that hold numbers, whether typed or written as text."""

from anonscope.images import number_text
from anonscope.transform.table import Expression, Table

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT")
NOT_A_NUMBER = "cannot be read as a number"


def is_typed_number(kind: str) -> bool:
    """Return whether the engine itself holds the column as numbers."""
    return kind in (*_WHOLE, "DOUBLE", "FLOAT", "REAL") or kind.startswith("DECIMAL")


def is_typed_whole(kind: str) -> bool:
    """Return whether the engine holds the column as whole numbers."""
    return kind in _WHOLE


def number_as_text(number: str) -> str:
    """Return the SQL that writes a number as our releases do: without a useless '.0'."""
    return f"REGEXP_REPLACE(CAST({number} + 0 AS VARCHAR), '\\.0$', '')"


def as_number(table: Table, column: str, number: str, *, whole: bool) -> Expression:
    """Return what a column becomes when its values are replaced by numbers: text stays text, whole numbers stay whole if they can."""
    _, kind = table.at(column)
    fails = f"{table.number(column)} IS NULL"
    if is_typed_whole(kind) and whole:
        return Expression(f"CAST({number} AS {kind})", kind, fails, NOT_A_NUMBER)
    if is_typed_number(kind):
        return Expression(f"CAST({number} AS DOUBLE)", "DOUBLE", fails, NOT_A_NUMBER)
    return Expression(number_as_text(number), "VARCHAR", fails, NOT_A_NUMBER)


def multiple(index: str, step: float) -> str:
    """Return the SQL for a whole number of steps, written so that steps such as 0.1 give 0.3 and not 0.30000000000000004."""
    if step < 1 and 1 / step == round(1 / step):
        return f"({index}) / CAST({round(1 / step)} AS DOUBLE)"
    return f"({index}) * CAST({number_text(step)} AS DOUBLE)"


def steps_in(x: str, step: float) -> str:
    """Return the SQL for how many steps, and which part of one, a number is."""
    if step < 1 and 1 / step == round(1 / step):
        return f"({x}) * CAST({round(1 / step)} AS DOUBLE)"
    return f"({x}) / CAST({number_text(step)} AS DOUBLE)"
