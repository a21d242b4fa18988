"""Columns that hold dates, whether typed or written as text."""

from anonscope.transform.cells.written_dates import day_in, pattern_of
from anonscope.transform.table import Table

_ISO = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?$"
NOT_A_DATE = "cannot be read as a date"


def is_typed_date(kind: str) -> bool:
    """Return whether the engine itself holds the column as dates or points in time."""
    return kind == "DATE" or kind.startswith("TIMESTAMP")


def day(table: Table, column: str, form: str = "") -> str:
    """Return the SQL for the day that a value names, NULL where it names none; text is ISO, or as `form` (strptime) says."""
    place, kind = table.at(column)
    if is_typed_date(kind):
        # The points at infinity are no days.
        return f"CASE WHEN ISFINITE({place}) THEN CAST({place} AS DATE) ELSE NULL END"
    text = table.text(column)
    if form and table.engine.remote:
        return day_in(text, form, table.engine.text(pattern_of(form)))
    if form:
        return f"CAST(TRY_STRPTIME({text}, {table.engine.text(form)}) AS DATE)"
    return f"CASE WHEN REGEXP_MATCHES({text}, '{_ISO}') THEN TRY_CAST(SUBSTR({text}, 1, 10) AS DATE) ELSE NULL END"
