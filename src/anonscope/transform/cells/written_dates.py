"""Dates in text of a given form, read by a regular expression: for engines whose own reader takes other texts for dates than DuckDB's.

A number may have fewer digits than its directive stands for, unless another number follows at once; a blank stands for any blanks,
and blanks at the ends do not count; names of months are English, in any case; of years in two digits, 69 is 1969 and 68 is 2068.
"""

import re

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_DIRECTIVE = re.compile(r"%-?[A-Za-z%]|\s+|.", re.DOTALL)
_BLANK = r"[ \t\n\f\r\x0B]"
_DIGITS = {"d": 2, "m": 2, "y": 2, "Y": 4}
_NAMES = {"b": "[A-Za-z]{3}", "B": "[A-Za-z]+"}
KNOWN = "%d, %m, %Y, %y, %b and %B"


def is_known(form: str) -> bool:
    """Return whether every directive of a form is one that is read here, and each part of a date occurs once at most."""
    parts = [_part(piece) for piece in _pieces(form)]
    return None not in parts and all(parts.count(part) <= 1 for part in ("year", "month", "day"))


def day_in(text: str, form: str, quoted: str) -> str:
    """Return the SQL for the day that a text names, NULL where it names none; `quoted` is the pattern of the form as a literal."""

    def group(part: str) -> str | None:
        parts = [(_part(piece), piece[-1]) for piece in _pieces(form) if _part(piece) in ("year", "month", "day")]
        for number, (name, letter) in enumerate(parts, start=1):
            if name == part:
                return _digits(f"REGEXP_EXTRACT({text}, {quoted}, {number})", letter)
        return None

    year, month, day = group("year"), group("month") or "'01'", group("day") or "'01'"
    return f"CASE WHEN REGEXP_MATCHES({text}, {quoted}) THEN TRY_CAST({year} || '-' || {month} || '-' || {day} AS DATE) ELSE NULL END"


def pattern_of(form: str) -> str:
    """Return the regular expression of a form, with a group for every part of the date."""
    made, pieces = "", _pieces(form)
    for piece, following in zip(pieces, [*pieces[1:], ""], strict=True):
        letter = piece[-1]
        if piece == "%%":
            made += "%"
        elif piece[0] == "%" and letter in _DIGITS:
            least = _DIGITS[letter] if following[:1] == "%" and following[-1] in _DIGITS else 1
            made += f"([0-9]{{{least},{_DIGITS[letter]}}})"
        elif piece[0] == "%":
            made += f"({_NAMES[letter]})"
        elif piece.isspace():
            made += f"{_BLANK}+"
        else:
            made += piece if piece.isalnum() or not piece.isascii() else f"\\{piece}"
    return rf"\A{_BLANK}*{made}{_BLANK}*\z"


def _pieces(form: str) -> list[str]:
    return _DIRECTIVE.findall(form)


def _part(piece: str) -> str | None:
    """Return which part of a date a piece of a form stands for, "" if for none; None if it is not known."""
    if not piece.startswith("%") or piece == "%%":
        return ""
    return {"d": "day", "m": "month", "b": "month", "B": "month", "y": "year", "Y": "year"}.get(piece[-1])


def _digits(found: str, letter: str) -> str:
    """Return the SQL for a part of a date in as many digits as ISO has."""
    if letter in _NAMES:
        length = 3 if letter == "b" else 9
        tests = " ".join(f"WHEN LOWER({found}) = '{month[:length]}' THEN '{i:02d}'" for i, month in enumerate(_MONTHS, start=1))
        return f"CASE {tests} ELSE NULL END"
    if letter == "y":
        return f"CASE WHEN CAST({found} AS INTEGER) >= 69 THEN '19' ELSE '20' END || LPAD({found}, 2, '0')"
    return f"LPAD({found}, {_DIGITS[letter]}, '0')"
