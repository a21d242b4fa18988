"""When two values are the same: one canonical text per value, on every engine.

Text counts as written, so zip codes keep their zeros. Numbers are written without a useless '.0', so that 1 in
one file and 1.0 in another are one value; NaN is a missing value; minus zero is zero.
"""

import re

from anonscope.engines.dialect import NUMBER
from anonscope.errors import RoleError, shown

__all__ = ["CODE", "FLOATS", "NUMBER", "canonical", "number", "number_of"]

FLOATS = ("DOUBLE", "FLOAT", "REAL")
# Up to 64 bits: by way of their text they would become the same number, only later.
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_NESTED = ("STRUCT", "MAP", "UNION")

_THOUSANDS = re.compile(r"(?<=\d)[,' ](?=\d{3}(\D|$))")
CODE = r"^\s*[+-]?0[0-9]"


def number(column: str, kind: str, name: str) -> str:
    """Return the SQL that turns a column into a number, and into NULL where it is none or no finite one."""
    if kind in _WHOLE:
        return f"CAST({column} AS DOUBLE)"
    readable = column if kind in FLOATS else canonical(column, kind, name)
    return f"CASE WHEN ISFINITE(TRY_CAST({readable} AS DOUBLE)) THEN TRY_CAST({readable} AS DOUBLE) ELSE NULL END"


def canonical(column: str, kind: str, name: str) -> str:
    """Return the SQL that turns a column of this engine type into its canonical text."""
    if kind.endswith("]") or kind.startswith(_NESTED):
        raise RoleError(f"Column {shown(name)} holds nested values ({kind.split('(')[0]}), which cannot be counted. Flatten it first.")
    if kind in FLOATS:
        # Adding zero turns minus zero into zero before it becomes text.
        text = f"REGEXP_REPLACE(CAST({column} + 0 AS VARCHAR), '\\.0$', '')"
        return f"CASE WHEN ISNAN({column}) THEN NULL ELSE {text} END"
    return column if kind == "VARCHAR" else f"CAST({column} AS VARCHAR)"


def number_of(text: str) -> float | None:
    """Return the number a text stands for, thousands separators and all."""
    try:
        return float(text)
    except ValueError:
        cleaned = _THOUSANDS.sub("", text.strip()).replace(",", ".")
    try:
        return float(cleaned)
    except ValueError:
        return None
