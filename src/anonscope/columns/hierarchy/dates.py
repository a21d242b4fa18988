"""Calendars: day, month, quarter, year, decade; and from years on: 5 years, decade, 20 years.

Dates are read in the ways people write them: 2019-04-03, 20190403, 03.04.2019, 4/3/2019, 3 April 2019, 2019-04, 04/2019, each with a time
of day or without. Whether 03/04/2019 is in March or in April is told by the other dates of the column; where none tells, months are
left out and the ladder begins with years. Two digits are a year from 1969 to 2068, as POSIX reads them. Labels are always 2019-04-03,
2019-04, 2019-Q2, 2019 and 2010s. What is no date keeps its name up to the last level.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple

from anonscope.columns.hierarchy.assemble import Level, assemble
from anonscope.columns.hierarchy.hierarchy import Hierarchy
from anonscope.columns.hierarchy.prefixes import starred

_YEAR_FIRST = re.compile(r"(\d{4})([-/.]?)(\d{2})\2(\d{2})(?:[T ].+)?")
_YEAR_LAST = re.compile(r"(\d{1,2})([-/. ])(\d{1,2})\2(\d{4}|\d{2})(?:[T ].+)?")
_DAY_AND_NAME = re.compile(r"(\d{1,2})\.?[ -]([^\W\d_]{3,9})\.?[ -](\d{4})(?:[T ].+)?")
_NAME_AND_DAY = re.compile(r"([^\W\d_]{3,9})\.? (\d{1,2}),? (\d{4})(?:[T ].+)?")
_YEAR_MONTH = re.compile(r"(\d{4})[-/](\d{2})")
_MONTH_YEAR = re.compile(r"(\d{1,2})[-/](\d{4})")
_YEAR = re.compile(r"(\d{4})(\.0+)?")
_CLOCK = re.compile(r"(\d{1,2}):\d\d.*")
_PIVOT = 69
# Beginnings of the names of months in English, German, French, Spanish and Dutch, without accents.
_MONTHS = (
    ("jan", "ene"),
    ("feb", "fev"),
    ("mar", "mrt", "maa"),
    ("apr", "avr", "abr"),
    ("may", "mai", "mei"),
    ("jun", "juin"),
    ("jul", "juil"),
    ("aug", "aou", "ago"),
    ("sep", "set"),
    ("oct", "okt"),
    ("nov",),
    ("dec", "dez", "dic"),
)


class _Date(NamedTuple):
    """What is known of a date; a year always."""

    year: int
    month: int | None = None
    day: int | None = None


def dates(name: str, values: Sequence[str]) -> Hierarchy:
    """Return days, months, quarters, years and decades, from the first that is coarser than the column; clock times by their hour."""
    if values and all(_CLOCK.fullmatch(value.strip()) for value in values):
        return _clock(name, values)
    first = _first_is_day(values)
    read = {value: found for value in values if (found := _read(value.strip(), first)) is not None}
    only_years = all(found.month is None for found in read.values())
    return _calendar(name, values, read, _OF_YEARS if only_years else _OF_DAYS)


def _calendar(
    name: str, values: Sequence[str], read: dict[str, _Date], levels: Sequence[tuple[str, Callable[[_Date], str | None]]]
) -> Hierarchy:
    def place(value: str) -> tuple[int, int, int, str]:
        found = read[value]
        return found.year, found.month or 0, found.day or 0, value

    leaves = [*sorted(read, key=place), *sorted(value for value in values if value not in read)]
    return assemble(
        name, leaves, (Level(words, [label(read[leaf]) if leaf in read else None for leaf in leaves]) for words, label in levels)
    )


def _day(found: _Date) -> str | None:
    return None if found.day is None else f"{found.year:04}-{found.month:02}-{found.day:02}"


def _month(found: _Date) -> str | None:
    return None if found.month is None else f"{found.year:04}-{found.month:02}"


def _quarter(found: _Date) -> str | None:
    return None if found.month is None else f"{found.year:04}-Q{(found.month + 2) // 3}"


def _year(found: _Date) -> str:
    return f"{found.year:04}"


def _decade(found: _Date) -> str:
    return f"{found.year // 10 * 10:04}s"


def _years(width: int) -> Callable[[_Date], str]:
    return lambda found: f"[{found.year // width * width}-{found.year // width * width + width - 1}]"


_OF_DAYS: Sequence[tuple[str, Callable[[_Date], str | None]]] = (
    ("day", _day),
    ("month", _month),
    ("quarter", _quarter),
    ("year", _year),
    ("decade", _decade),
)
_OF_YEARS: Sequence[tuple[str, Callable[[_Date], str | None]]] = (
    ("year", _year),
    ("in bands of 5 years", _years(5)),
    ("decade", _decade),
    ("in bands of 20 years", _years(20)),
)


def _clock(name: str, values: Sequence[str]) -> Hierarchy:
    """Return tens of minutes, then hours, as beginnings of what is written."""
    leaves = sorted(values)
    hours = [leaf.index(":") + 1 for leaf in leaves]
    return assemble(
        name,
        leaves,
        (Level("ten minutes", starred(leaves, [end + 1 for end in hours])), Level("hour", starred(leaves, hours))),
    )


def _first_is_day(values: Sequence[str]) -> bool | None:
    """Return whether the day stands before the month where both are numbers and the year comes last; None if nothing tells."""
    day_first = month_first = 0
    for value in values:
        found = _YEAR_LAST.fullmatch(value.strip())
        if found is not None:
            # Nobody puts the month first and a full stop behind it.
            day_first += int(found[1]) > 12 or found[2] == "."
            month_first += int(found[3]) > 12
    return None if not day_first and not month_first else day_first >= month_first


def _read(text: str, day_first: bool | None) -> _Date | None:
    if found := _YEAR_FIRST.fullmatch(text):
        return _checked(int(found[1]), int(found[3]), int(found[4]))
    if found := _YEAR_LAST.fullmatch(text):
        year = int(found[4]) if len(found[4]) == 4 else int(found[4]) + (1900 if int(found[4]) >= _PIVOT else 2000)
        if day_first is None:
            return _Date(year)
        day, month = (int(found[1]), int(found[3])) if day_first else (int(found[3]), int(found[1]))
        return _checked(year, month, day)
    if found := _DAY_AND_NAME.fullmatch(text):
        return _checked(int(found[3]), _named(found[2]), int(found[1]))
    if found := _NAME_AND_DAY.fullmatch(text):
        return _checked(int(found[3]), _named(found[1]), int(found[2]))
    if found := _YEAR_MONTH.fullmatch(text):
        return _checked(int(found[1]), int(found[2]))
    if found := _MONTH_YEAR.fullmatch(text):
        return _checked(int(found[2]), int(found[1]))
    if found := _YEAR.fullmatch(text):
        return _Date(int(found[1]))
    return None


def _checked(year: int, month: int, day: int | None = None) -> _Date | None:
    return _Date(year, month, day) if 1 <= month <= 12 and (day is None or 1 <= day <= 31) else None


def _named(word: str) -> int:
    """Return the number of the month with this name, or 0."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(c))
    # The longest beginning wins: juin and juil both begin like ju.
    found = [(len(start), month) for month, starts in enumerate(_MONTHS, start=1) for start in starts if plain.startswith(start)]
    return max(found)[1] if found else 0
