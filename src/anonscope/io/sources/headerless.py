"""Whether the first line of a text is a record: then its values would be shown as names of columns, and its person would not be counted.

A record fits the lines below it in every column: a number over numbers, a day over days, a code of the same shape over codes, a word that
comes again. One column that it does not fit is enough for a header. Numbers alone prove little where they are years or positions, which
headers of wide tables are, or lie far from what stands below them.
"""

import re
from collections.abc import Sequence
from itertools import pairwise, zip_longest
from typing import Literal

from anonscope.errors import SourceError, shown

Told = Literal["record", "header", "nothing"]

_NUMBER = re.compile(r"[-+]?(?:\d+(?:[.,]\d+)?|\.\d+)(?:[eE][-+]?\d+)?")
_DAY = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})(?: .*)?")
_REACHES = re.compile(
    r"[^\s@]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}"  # an e-mail address
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"  # a universally unique id
    r"|[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?"  # an IBAN
    r"|\+\d[\d ()./-]{7,18}\d"  # a telephone number
    r"|\d{3}-\d{2}-\d{4}"  # a social security number
)
_DIGIT = re.compile(r"\d")
_MISSING = frozenset(["", "?", "-", ".", "na", "n/a", "nan", "null", "none", "nil", "unknown", "missing"])
# So large a share of the values makes a column one of numbers, days or codes.
_MOST, _SHAPES = 0.9, 4
# Fewer values, of which fewer come twice, are no categories.
_FEWEST, _REPEATED = 4, 0.5
_YEARS = (1800, 2200)


def check_header(first: Sequence[str], rows: Sequence[Sequence[str]], name: str) -> None:
    """Raise if the first line of a text looks like a record; nothing of it is told."""
    if is_record(first, rows):
        raise SourceError(
            f"{shown(name)} seems to have no header: its first line looks like a record, and would be shown as names of columns. Say "
            "that it has none (--no-header, header=False), and columns are called column_1, column_2 and so on; or that the first line "
            "does name the columns (--header, header=True)."
        )


def is_record(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a first line looks like the lines below it."""
    if not rows:
        return any(_REACHES.fullmatch(cell.strip()) for cell in first)
    below = zip_longest(*(row[: len(first)] for row in rows), fillvalue="")
    columns = [[value for cell in column if (value := cell.strip()).lower() not in _MISSING] for column in below]
    cells = [cell.strip() for cell in first[: len(columns)]]
    if any(_REACHES.fullmatch(cell) for cell in cells):
        return True
    told = [_told(cell, column) for cell, column in zip(cells, columns, strict=True)]
    if "header" in told:
        return False
    # Positions and years one after the other name the columns of a wide table.
    numbered = [float(cell) for cell in cells if _NUMBER.fullmatch(cell) and "," not in cell]
    steps = {after - before for before, after in pairwise(numbered)}
    if (
        len(numbered) > 1
        and len(steps) == 1
        and steps != {0.0}
        and all(_in_order(cell) for cell, t in zip(cells, told, strict=True) if t == "record")
    ):
        return False
    if any(t == "record" and _DIGIT.search(cell) for cell, t in zip(cells, told, strict=True)):
        return True
    # Words only: most columns in which words come again must have its word among them.
    grouped = [(cell, column) for cell, column in zip(cells, columns, strict=True) if _grouped(column)]
    again = sum(cell in column for cell, column in grouped)
    return again > 0 and 2 * again >= len(grouped)


def _told(cell: str, values: Sequence[str]) -> Told:
    """Return what one cell of the first line says beside the values below it."""
    if cell.lower() in _MISSING or not values:
        return "nothing"
    if cell in values:
        return "record"
    for form in (_NUMBER, _DAY):
        if sum(form.fullmatch(value) is not None for value in values) >= _MOST * len(values):
            if form.fullmatch(cell) is None:
                return "header"
            return "record" if form is _DAY or _near(cell, values) else "nothing"
    shapes = {_shape(value) for value in values}
    if len(shapes) <= max(2, len(values) // _SHAPES) and all(_DIGIT.search(shape) for shape in shapes):
        return "record" if _shape(cell) in shapes else "header" if not _DIGIT.search(cell) else "nothing"
    return "nothing"


def _near(cell: str, values: Sequence[str]) -> bool:
    """Whether a number is one like those below it: not far from all of them."""
    numbers = [_value(value) for value in values if _NUMBER.fullmatch(value)]
    low, high, found = min(numbers), max(numbers), _value(cell)
    room = max(high - low, abs(high) / 2, 1.0)
    years = _YEARS[0] <= found <= _YEARS[1] and found == int(found)
    # A year over what are no years is the year that they are of.
    return low <= found <= high if years else low - room <= found <= high + room


def _value(text: str) -> float:
    return float(text.replace(",", "."))


def _in_order(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None


def _shape(text: str) -> str:
    return re.sub(r"[^\W\d_]", "A", re.sub(r"\d", "9", text))


def _grouped(values: Sequence[str]) -> bool:
    return len(values) >= _FEWEST and len(set(values)) <= _REPEATED * len(values)
