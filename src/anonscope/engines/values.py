"""When two values are the same: the one rule, for counting, searching, transforming, comparing, linking and writing.

A table has every value in one form only, whatever its source had (`offered`): NaN and empty text are missing values, which no text
format could tell apart from them, and minus zero is zero. Two values are the same when their canonical texts are (`canonical`): text
counts as written, so zip codes keep their zeros; numbers have no useless zeros behind the point, so that 1 in one file and 1.0 in
another are one value; times with a zone are in UTC; bytes are hexadecimal. A release holds the values of a table, and as delimited
text their canonical texts; so what is one value to a search is one value in every file, and what is two is two.
"""

import re

from anonscope.engines.dialect import NUMBER
from anonscope.errors import RoleError, shown

__all__ = [
    "CODE",
    "FLOATS",
    "NUMBER",
    "SAME",
    "WHOLE",
    "canonical",
    "forms",
    "number",
    "number_of",
    "offered",
    "rewritten",
    "two_forms",
    "written",
]

FLOATS = ("DOUBLE", "FLOAT", "REAL")
# Up to 64 bits: by way of their text they would become the same number, only later.
WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_NESTED = ("STRUCT", "MAP", "UNION")

_THOUSANDS = re.compile(r"(?<=\d)[,' ](?=\d{3}(\D|$))")
CODE = r"^\s*[+-]?0[0-9]"


def number(column: str, kind: str, name: str) -> str:
    """Return the SQL that turns a column into a number, and into NULL where it is none or no finite one."""
    if kind in WHOLE:
        return f"CAST({column} AS DOUBLE)"
    readable = column if kind in FLOATS else canonical(column, kind, name)
    return f"CASE WHEN ISFINITE(TRY_CAST({readable} AS DOUBLE)) THEN TRY_CAST({readable} AS DOUBLE) ELSE NULL END"


def canonical(column: str, kind: str, name: str) -> str:
    """Return the SQL that turns a column of this engine type into its canonical text."""
    if _is_nested(kind):
        raise RoleError(f"Column {shown(name)} holds nested values ({kind.split('(')[0]}), which cannot be counted. Flatten it first.")
    if kind in FLOATS:
        # Adding zero turns minus zero into zero before it becomes text.
        text = f"REGEXP_REPLACE(CAST({column} + 0 AS VARCHAR), '\\.0$', '')"
        return f"CASE WHEN ISNAN({column}) THEN NULL ELSE {text} END"
    if kind.startswith("DECIMAL") and not kind.endswith(",0)"):
        return f"RTRIM(RTRIM(CAST({column} AS VARCHAR), '0'), '.')"
    if kind == "BLOB":
        return f"LOWER(HEX({column}))"
    return column if kind == "VARCHAR" else f"CAST({column} AS VARCHAR)"


def written(column: str, kind: str, name: str) -> str:
    """Return the SQL for a column in delimited text: its canonical text, and of nested values what the engine calls them."""
    return column if _is_nested(kind) else canonical(column, kind, name)


def offered(column: str, kind: str) -> tuple[str, str]:
    """Return the SQL and the type of a column with every value in its one form, given the column as a source or a step has it."""
    if kind in FLOATS:
        return f"CASE WHEN ISNAN({column}) THEN NULL WHEN {column} = 0 THEN CAST(0 AS {kind}) ELSE {column} END", kind
    if kind == "VARCHAR":
        return f"NULLIF({column}, '')", kind
    if kind == "BLOB":
        return f"NULLIF({column}, CAST('' AS BLOB))", kind
    if kind == "INTERVAL" or kind.startswith("ENUM"):
        # Parquet has no durations finer than a millisecond, and tells them as twelve bytes.
        return f"NULLIF(CAST({column} AS VARCHAR), '')", "VARCHAR"
    return column, kind


def rewritten(column: str, kind: str) -> str | None:
    """Return the SQL that tells of a column as stored whether some value of it takes another form; None if none can."""
    forms = [f"MAX(CASE WHEN {unlike} THEN 1 ELSE 0 END)" for unlike, _ in _forms(column, kind)]
    return f"GREATEST({', '.join(forms)}) = 1" if len(forms) > 1 else f"{forms[0]} = 1" if forms else None


def two_forms(column: str, kind: str) -> str | None:
    """Return the SQL that tells of a column as stored whether one value of it stands there in two forms; None if none can."""
    tests = [
        f"(MAX(CASE WHEN {unlike} THEN 1 ELSE 0 END) = 1 AND MAX(CASE WHEN {like} THEN 1 ELSE 0 END) = 1)"
        for unlike, like in _forms(column, kind)
    ]
    return f"({' OR '.join(tests)})" if tests else None


def forms(column: str, kind: str) -> dict[str, str]:
    """Return the SQL that tells of a column as stored whether a value stands there in a form, by the name of the form."""
    tests = [test for pair in _forms(column, kind) for test in pair]
    names = ("NaN", "missing", "minus zero", "zero") if kind in FLOATS else ("empty", "missing")
    return {name: f"MAX(CASE WHEN {test} THEN 1 ELSE 0 END) = 1" for name, test in zip(names, tests, strict=False)}


# What is one value, by the names of its two forms.
SAME = (("NaN", "missing"), ("minus zero", "zero"), ("empty", "missing"))


def _forms(column: str, kind: str) -> list[tuple[str, str]]:
    """Return for every value that can be stored in two forms what tells the one that is rewritten, and the other one."""
    if kind in FLOATS:
        # Only zeros are made into text for their sign.
        minus = f"CASE WHEN {column} = 0 THEN CAST({column} AS VARCHAR) ELSE '' END LIKE '-%'"
        return [(f"ISNAN({column})", f"{column} IS NULL"), (minus, f"{column} = 0 AND NOT ({minus})")]
    if kind in ("VARCHAR", "BLOB"):
        empty = "''" if kind == "VARCHAR" else "CAST('' AS BLOB)"
        return [(f"{column} = {empty}", f"{column} IS NULL")]
    return []


def _is_nested(kind: str) -> bool:
    return kind.endswith("]") or kind.startswith(_NESTED)


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


def number_as_text(number: str) -> str:
    """Return the SQL that writes a number as our releases do: without a useless '.0'."""
    # A whole number is written nine times as fast as a decimal one that loses its '.0' again; from 10^15 on the texts would differ.
    text = f"REGEXP_REPLACE(CAST({number} + 0 AS VARCHAR), '\\.0$', '')"
    is_whole = f"{number} = FLOOR({number}) AND ABS({number}) < CAST({10**15} AS DOUBLE)"
    return f"CASE WHEN {is_whole} THEN CAST(TRY_CAST({number} AS BIGINT) AS VARCHAR) ELSE {text} END"
