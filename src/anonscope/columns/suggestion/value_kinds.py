"""What kind of values a column holds: numbers, steps of a scale, dates, codes, categories, free text.

Types feed the distance of t-closeness, the ladders of hierarchies, and reports. A few words for "unknown" among numbers do not
make a column text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from anonscope.columns.suggestion.profile import Looked, Profile
from anonscope.columns.suggestion.terms import plain, value_words
from anonscope.engines.values import number_of

Kind = Literal["integer", "continuous", "ordinal", "date", "code", "category", "free text", "weight", "nested", "empty"]
# The share of distinct values that must have a form.
_MOST = 0.95
# Fewer steps than this are a scale, more are a quantity.
_STEPS = 12
_FREE_TEXT_WORDS = 4
_FREE_TEXT_LENGTH = 100

_INTEGER = re.compile(r"[+-]?(0|[1-9]\d*)([.,]0+)?|[+-]?[1-9]\d{0,2}([,' ]\d{3})+")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?[1-9]\d{0,2}([,' ]\d{3})*(\.\d+)?")
_LEADING_ZERO = re.compile(r"0\d+")
_DAY = re.compile(
    r"(1[5-9]|2\d)\d\d[-/.]?(0[1-9]|1[0-2])[-/.]?(0[1-9]|[12]\d|3[01])([T ]\d{1,2}:?\d\d.*)?"
    r"|(0?[1-9]|[12]\d|3[01])[-/. ](0?[1-9]|1[0-2])[-/. ]((1[89]|2\d)?\d\d)( .*)?"
    r"|(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])/((1[89]|2\d)?\d\d)( .*)?"
    r"|(0?[1-9]|[12]\d|3[01])[ -]?[A-Za-zäéû]{3,9}\.?[ -]?(1[89]|2\d)\d\d"
    r"|[A-Za-z]{3,9}\.? (0?[1-9]|[12]\d|3[01]),? (1[89]|2\d)\d\d"
)
_MONTH = re.compile(
    r"(1[5-9]|2\d)\d\d[-/](0[1-9]|1[0-2])|(0?[1-9]|1[0-2])[-/](1[89]|2\d)\d\d"
    r"|[A-Za-zäéû]{3,9}\.?[ -](1[89]|2\d)\d\d|(1[89]|2\d)\d\d[- ]?[QWqw]\d{1,2}"
)
_CLOCK = re.compile(r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?")
_YEAR = re.compile(r"(1[89]|2[0-2])\d\d(\.0)?")
_BAND = re.compile(
    r"(under|below|over|above|unter|uber|moins de|plus de|menos de|mas de|onder|boven|less than|more than|up to|bis) ?[\d.,]+.*"
    r"|[<>]=? ?[$€£]?[\d.,]+ ?[k%]?|[\d.,]+ ?[<>]=?|[\d.,]+ ?\+"
    r"|[\[(]? ?[$€£]?[\d.,]+ ?[k%]? ?(-|–|to|bis|a|tot|;|,) ?[$€£]?[\d.,]+ ?[k%]?( ?\w{1,6})? ?[\])]?"
    r"|[\d.,]+ (or|and|et|und|y|en) (older|more|over|above|younger|less|mehr|plus|mas|meer|ouder|alter)"
)
# Two exact numbers with a comma are a place on earth, not a range.
_PAIR = re.compile(r"\s*\(?[-+]?\d+\.\d{3,}\s*[,;]\s*[-+]?\d+\.\d{3,}\)?\s*")
_STRUCTURED = re.compile(r"(?=.*\d)[A-Za-z0-9][A-Za-z0-9.\-/]*")
_DATED = ("DATE", "TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMP_MS", "TIMESTAMP_S", "TIMESTAMP WITH TIME ZONE")


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The type of a column; `resolution` says how fine dates are, `fits` how many values have the form."""

    kind: Kind
    resolution: Literal["time", "day", "month", "year"] | None = None
    low: float | None = None
    high: float | None = None
    step: bool = False  # whole numbers without a gap

    @property
    def numeric(self) -> bool:
        return self.kind in ("integer", "continuous", "weight")


def type_of(profile: Profile) -> ColumnType:
    """Return the type that most values of a column have."""
    if profile.nested:
        return ColumnType("nested")
    values = profile.telling
    if not values:
        return ColumnType("empty" if profile.values == 0 else "category")
    if profile.kind in _DATED:
        midnight = profile.kind == "DATE" or _most(values, re.compile(r"\S+( 00:00:00.*)?"))
        return ColumnType("date", "day" if midnight else "time")
    if profile.kind == "TIME":
        return ColumnType("date", "time")
    return _number(profile, values) or _date(values) or _of_text(profile, values)


def _number(profile: Profile, values: Sequence[Looked]) -> ColumnType | None:
    if any(_LEADING_ZERO.fullmatch(v.text.strip()) for v in values):
        return None
    if not _most(values, _NUMBER):
        return None
    whole = _most(values, _INTEGER) or _whole(values)
    numbers = sorted({number for v in values if (number := number_of(v.text)) is not None})
    low, high = numbers[0], numbers[-1]
    if whole and _most(values, _YEAR) and profile.values <= 250:
        return ColumnType("date", "year", low, high)
    if whole and all(len(v.text.strip()) == 8 for v in values) and _most(values, _DAY):
        return ColumnType("date", "day", low, high)
    gapless = whole and profile.complete and high - low + 1 == len(numbers)
    return ColumnType("integer" if whole else "continuous", low=low, high=high, step=gapless and len(numbers) <= _STEPS)


def _whole(values: Sequence[Looked]) -> bool:
    """Whether numbers are whole that a spreadsheet wrote with exponents, such as 5.299558249E+09."""
    numbers = [(v.text, number) for v in values if (number := number_of(v.text)) is not None]
    return any("e" in text.lower() for text, _ in numbers) and all(number.is_integer() for _, number in numbers)


def _date(values: Sequence[Looked]) -> ColumnType | None:
    if _most(values, _DAY):
        timed = sum(":" in v.text for v in values) > len(values) / 2
        return ColumnType("date", "time" if timed else "day")
    if _most(values, _MONTH):
        return ColumnType("date", "month")
    return ColumnType("date", "time") if _most(values, _CLOCK) else None


def _of_text(profile: Profile, values: Sequence[Looked]) -> ColumnType:
    if len(values) > 1 and _banded(values):
        return ColumnType("ordinal")
    for scale in value_words():
        if scale.ordinal and len(values) > 1 and all(plain(v.text.strip()) in scale.words for v in values):
            return ColumnType("ordinal")
    if _is_free_text(profile, values):
        return ColumnType("free text")
    if _most(values, _STRUCTURED) and _one_shape(values):
        return ColumnType("code")
    return ColumnType("category")


def _banded(values: Sequence[Looked]) -> bool:
    """Whether values are ranges; one of them may be written as a word."""
    fitting = sum(bool(_BAND.fullmatch(plain(v.text.strip()))) and not _falling(v.text) and not _PAIR.fullmatch(v.text) for v in values)
    return (fitting >= 2 and fitting >= len(values) - 1) or fitting == len(values) == 1


def _falling(text: str) -> bool:
    """Whether two numbers with a dash are no range: the second is smaller or begins with a zero, as in numbers of files."""
    found = re.fullmatch(r"(\d+) ?- ?(\d+)", text.strip())
    return found is not None and (float(found.group(2)) < float(found.group(1)) or re.match(r"0\d", found.group(2)) is not None)


def _is_free_text(profile: Profile, values: Sequence[Looked]) -> bool:
    if profile.values <= max(20, (profile.records - profile.missing) / 2):
        return False
    words = sum(len(v.text.split()) for v in values) / len(values)
    length = sum(v.length for v in values) / len(values)
    return (words > _FREE_TEXT_WORDS and length > 25) or (length > _FREE_TEXT_LENGTH and words > 2)


def _one_shape(values: Sequence[Looked]) -> bool:
    """Whether digits and letters stand in few patterns, as in postal and diagnosis codes."""
    shapes = {re.sub(r"[A-Za-z]", "A", re.sub(r"\d", "9", v.text.strip())) for v in values}
    return len(values) > 2 and len(shapes) <= max(2, len(values) // 5)


def _most(values: Sequence[Looked], form: re.Pattern[str]) -> bool:
    fitting = sum(bool(form.fullmatch(v.text.strip())) for v in values)
    # One odd value in a short list is a word for "unknown" that no lexicon has.
    return fitting >= _MOST * len(values) or (len(values) > 3 and fitting == len(values) - 1)
