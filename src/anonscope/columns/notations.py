"""The notations that other programs write released values in: ranges, open ends, masks, lists and spans of days.

    20-29, 20 – 29, 20 to 29, 20 bis 29      both ends in               >=65, 65+, 65 and over, 65 und älter, ab 65    from there on
    (20,30], [20,30), [20, 30[, ]20,30]      as the brackets say        <18, under 18, unter 20, up to 18, bis 18      up to there
    123xx, ***89, 104...                     masked characters          A|B, A;B, {A,B}, A or B                        one of these
    Q2 2019, 04/2019, April 2019, 1990-1999  days                       1990s, 20s                                     a decade

What a text means depends on the values that it replaces: 2019-12 is a month among days and nothing among numbers. A reading is
never narrower than what the notation may mean: where programs differ, both are in.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from math import inf, nextafter

from anonscope.columns.images import Dates, Interval, days_of

RANGE = "range, both ends in"
UPPER_OUT = "range, upper end out"
LOWER_OUT = "range, lower end out"
BOTH_OUT = "range, both ends out"
ABOVE = "from a number on"
BELOW = "up to a number"
DAYS = "span of days"

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_SPACES = dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f\t"), " ")
_SIGNS = {"≥": ">=", "⩾": ">=", "≤": "<=", "⩽": "<=", "∞": "inf", "infinity": "inf"}


def _any(*words: str) -> str:
    """Return the pattern of one of these words, longer ones first, with the space behind it."""
    return rf"(?:{'|'.join(re.escape(word) for word in sorted(words, key=len, reverse=True))})\s*"


_YEARS = ("years old", "years of age", "years", "year", "yrs", "yr", "jahre alt", "jahren", "jahre", "jahr", "ans", "años", "anni", "jaar")
_UNITS = re.compile(rf"(?<=[\d+])\s*{_any(*_YEARS, '€', '$', '£', 'eur', 'usd')}(?=$|[^a-z])")
_CURRENCY = re.compile(r"[€$£]\s*(?=\d)")
_JOINED = r"\s*(?:-|\.\.+|…|~|\b(?:to|bis|through|thru|until|till|hasta|à|a|tot|al)\b)\s*"
_BETWEEN = _any("between ", "zwischen ", "entre ", "tra ", "from ", "von ", "vom ", "de ", "da ", "van ")
_AND = r"\s*(?:and|und|et|y|e|en|&)\s*"
_UNDER = _any(
    *("under", "below", "less than", "younger than", "fewer than", "lower than", "before", "<"),
    *("unter", "weniger als", "jünger als", "kleiner als", "vor"),
    *("moins de", "avant", "menos de", "antes de", "meno di", "sotto", "onder"),
)
_UP_TO = _any(
    *("up to", "to", "until", "at most", "max", "max.", "maximum", "bis", "bis zu", "bis einschließlich", "höchstens", "maximal"),
    *("jusqu'à", "jusqu’à", "au plus", "hasta", "fino a", "tot"),
)
_OVER = _any(
    *("over", "above", "more than", "older than", "greater than", "after", "über", "mehr als", "älter als", "größer als", "nach"),
    *("plus de", "après", "más de", "mas de", "oltre", "più di"),
)
_FROM = _any(
    *("from", "at least", "min", "min.", "minimum", "since", "ab", "mindestens", "seit", "von", ">="),
    *("à partir de", "au moins", "depuis", "desde", "da", "vanaf"),
)
_OR = r"\s*(?:and|or|und|oder|et|ou|y|o|e|en|of|&)\s*"
_MORE = (
    rf"\s*(?:\+|plus|{_OR}(?:over|older|above|more|up|upwards?|greater|higher|later|beyond|"
    r"älter|mehr|darüber|höher|größer|später|plus|más|mas|oltre|più|ouder|meer))"
)
_LESS = rf"{_OR}(?:under|younger|below|less|fewer|lower|earlier|jünger|weniger|darunter|kleiner|früher|moins|menos|meno|jonger|minder)"
_PLAIN = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?"
_ENDED = re.compile(rf"([\[(\]])\s*({_PLAIN}|[+-]?inf)\s*(?:,|;|-|\.\.)\s*({_PLAIN}|[+-]?inf)\s*([\])\[])")


@dataclass(frozen=True, slots=True)
class Span:
    """What a text says of an order, of numbers or of days: from where to where, and whether the ends are in."""

    low: str | None
    high: str | None
    low_in: bool = True
    high_in: bool = True
    exact: bool = True  # else what lies between this end and the next unit is in too: 29.5 is in 20-29


def plain(text: str) -> str:
    """Return a label with one kind of dash, space and case, and without units of age and money."""
    found = unicodedata.normalize("NFC", text).translate(_DASHES | _SPACES).strip().lower()
    for sign, written in _SIGNS.items():
        found = found.replace(sign, written)
    return _CURRENCY.sub("", _UNITS.sub("", found)).strip()


@cache
def _patterns(end: str) -> tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Span]], ...]:
    """Return what texts about an order look like, and what each says; `end` is the pattern of what its ends look like."""
    written: tuple[tuple[str, Callable[[re.Match[str]], Span]], ...] = (
        (rf"(?:{_BETWEEN})?({end}){_JOINED}{_UNDER}({end})", lambda m: Span(m[1], m[2], high_in=False)),
        (rf"({end}){_JOINED}({end})", lambda m: Span(m[1], m[2], exact=False)),
        (rf"{_BETWEEN}({end})(?:{_JOINED}|{_AND})({end})", lambda m: Span(m[1], m[2], exact=False)),
        (rf"(>=?)\s*({end})(?:{_JOINED}|{_AND}|\s*,\s*|\s+)(<=?)\s*({end})", lambda m: Span(m[2], m[4], m[1] == ">=", m[3] == "<=")),
        (rf"({end})\s*(<=?)\s*[a-z]+\s*(<=?)\s*({end})", lambda m: Span(m[1], m[4], m[2] == "<=", m[3] == "<=")),
        (rf">\s*({end})", lambda m: Span(m[1], None, low_in=False)),
        (rf"(?:{_FROM}|{_OVER})({end})(?:{_MORE})?", lambda m: Span(m[1], None)),
        (rf"({end}){_MORE}", lambda m: Span(m[1], None)),
        (rf"<=\s*({end})", lambda m: Span(None, m[1])),
        (rf"(?:{_UP_TO})?{_UNDER}({end})", lambda m: Span(None, m[1], high_in=False)),
        (rf"{_UP_TO}({end})", lambda m: Span(None, m[1], exact=False)),
        (rf"({end}){_LESS}", lambda m: Span(None, m[1], exact=False)),
    )
    return tuple((re.compile(pattern), made) for pattern, made in written)


def spans(text: str, end: str) -> list[Span]:
    """Return what a plain text may say of an order; `end` is the pattern of what its ends look like."""
    return [made(found) for pattern, made in _patterns(end) if (found := pattern.fullmatch(text))]


# How numbers are grouped: 1,234.5 or 1.234,5; spaces and apostrophes serve both.
_CONVENTIONS = ((",", "."), (".", ","))


def _number_pattern(thousands: str, decimal: str) -> str:
    return rf"[+-]?(?:\d{{1,3}}(?:[{re.escape(thousands)} '’]\d{{3}})+|\d+)(?:{re.escape(decimal)}\d+)?(?:e[+-]?\d+)?"


def _number(text: str, thousands: str, decimal: str) -> float:
    return float(re.sub(rf"[{re.escape(thousands)} '’]", "", text).replace(decimal, "."))


def _unit(text: str, decimal: str) -> float:
    """Return one unit of the last digit that is written."""
    _, found, digits = text.partition(decimal)
    return 10.0 ** -len(digits) if found and digits.isdigit() else 1.0


@dataclass(frozen=True, slots=True)
class Written:
    """A range of numbers as it is written; an `exact` one says itself which of its ends are in, in whatever units."""

    range: Interval
    how: str
    exact: bool
    unit: float  # of the last digit that is written


def number_ranges(text: str, label: str) -> list[Written]:
    """Return the ranges of numbers that a plain text may mean, one for each way to write numbers under which it is one."""
    found: dict[Interval, Written] = {}
    for thousands, decimal in _CONVENTIONS:
        for span in spans(text, _number_pattern(thousands, decimal)):
            low = _number(span.low, thousands, decimal) if span.low is not None else -inf
            high = _number(span.high, thousands, decimal) if span.high is not None else inf
            if low > high:
                continue
            how = BELOW if span.low is None else ABOVE if span.high is None else RANGE if span.high_in else UPPER_OUT
            made = Interval(low if span.low_in else nextafter(low, inf), high, closed=span.high_in, written=label)
            unit = min(_unit(end, decimal) for end in (span.low, span.high) if end is not None)
            found.setdefault(made, Written(made, how, span.exact, unit))
    decade = re.fullmatch(r"(?:the |die |in their |mid )?(\d+0)(?:'?s|er)", text)
    if decade:
        made = Interval(float(decade[1]), float(decade[1]) + 9, closed=True, written=label)
        found.setdefault(made, Written(made, RANGE, exact=False, unit=1.0))
    return list(found.values())


def widened(one: Written, begins: Sequence[float], ends: Sequence[float]) -> Interval:
    """Return a range with what lies between it and its neighbours, and with both its ends where they are the neighbours' too.

    `begins` and `ends` are those of all ranges of the column, rising. Of what lies between 29 and 30, some programs put a part into
    20-29 and some into 30-39, so both have it. A gap that is wider than half of the range belongs to nobody.
    """
    made = one.range
    if one.exact:
        return made
    near = max(one.unit, (made.high - made.low) / 2 if made.low > -inf else one.unit)
    low, high = made.low, made.high
    after, before = bisect_left(begins, high), bisect_left(ends, low)
    if after == len(begins) or begins[after] > high:
        beyond = begins[after] if after < len(begins) and begins[after] - high <= near else high + one.unit
        high = nextafter(beyond, -inf)
    if before and low > -inf and low - ends[before - 1] <= near and (before == len(ends) or ends[before] > low):
        low = nextafter(ends[before - 1], inf)
    return Interval(low, high, closed=True, written=made.written)


def bracketed(texts: Sequence[str]) -> dict[str, tuple[Interval, str]]:
    """Return the ranges in brackets among the labels of a column, by label.

    R's cut() writes ends with three digits, and no space between them. Where any end of such a column has a fraction or an exponent,
    all may have been rounded, so half a unit of the third digit is added on either side; whole numbers are taken as they stand.
    """
    found = {text: match for text in texts if (match := _ENDED.fullmatch(plain(text)))}
    ends = [end for match in found.values() if " " not in match[0] for end in (match[2], match[3]) if "inf" not in end]
    rounded = any(("." in end or "e" in end) and _digits(end) <= 3 for end in ends)
    return {text: reading for text, match in found.items() if (reading := _between_brackets(text, match, rounded=rounded)) is not None}


def _between_brackets(text: str, match: re.Match[str], *, rounded: bool) -> tuple[Interval, str] | None:
    low, high = float(match[2]), float(match[3])
    if low > high or low == inf or high == -inf:
        return None
    low_in, high_in = match[1] == "[", match[4] == "]"
    how = {(True, True): RANGE, (True, False): UPPER_OUT, (False, True): LOWER_OUT, (False, False): BOTH_OUT}[low_in, high_in]
    how = BELOW if low == -inf else ABOVE if high == inf else how
    if rounded:
        return Interval(low - _slack(low), high + _slack(high), closed=True, written=text), how
    return Interval(low if low_in or low == -inf else nextafter(low, inf), high, closed=high_in and high < inf, written=text), how


def _digits(number: str) -> int:
    """Return how many significant digits a number is written with."""
    return len(number.lower().partition("e")[0].lstrip("+-").replace(".", "").strip("0")) or 1


def _slack(number: float) -> float:
    """Return half a unit of the third significant digit."""
    return 0.5 * 10.0 ** (int(f"{abs(number):e}".partition("e")[2]) - 2) if number not in (0.0, inf, -inf) else 0.0


_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero", "february feb februar février fevrier febrero", "march mar märz maerz mrz mars marzo",
            "april apr avril abril", "may mai mayo", "june jun juni juin junio", "july jul juli juillet julio",
            "august aug août aout agosto", "september sep sept septembre septiembre", "october oct oktober okt octobre octubre",
            "november nov novembre noviembre", "december dec dezember dez décembre decembre diciembre",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH_NAME = rf"(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_DATE = (
    r"\d{4}(?:[-/ ]?(?:q[1-4]|h[12]|w\d{1,2})|[-/.]\d{1,2}(?:[-/.]\d{1,2})?)?|(?:q[1-4]|h[12]|w\d{1,2}|kw ?\d{1,2})[-/ ]?\d{4}|"
    rf"(?:\d{{1,2}}[./])?\d{{1,2}}[./-]\d{{4}}|(?:\d{{1,2}}\.? )?{_MONTH_NAME}[ -]?\d{{4}}|\d{{4}}[ -]{_MONTH_NAME}|\d{{3}}0(?:'?s|er)"
)


def day_spans(text: str, label: str) -> list[tuple[Dates, str]]:
    """Return the spans of days that a plain text may mean."""
    whole = part_of_calendar(text)
    if whole is not None:
        return [(Dates(*whole, label), DAYS)]
    found: dict[Dates, str] = {}
    for span in spans(text, f"(?:{_DATE})"):
        low = part_of_calendar(span.low) if span.low is not None else (date.min, date.min)
        high = part_of_calendar(span.high) if span.high is not None else (date.max, date.max)
        if low is None or high is None:
            continue
        first = low[0] if span.low_in or low[1] == date.max else low[1] + timedelta(days=1)
        last = high[1] if span.high_in or high[0] == date.min else high[0] - timedelta(days=1)
        if first <= last:
            found.setdefault(Dates(first, last, label), DAYS)
    return list(found.items())


def part_of_calendar(text: str) -> tuple[date, date] | None:
    """Return the first and the last day of a day, week, month, quarter, half-year, year or decade, in any of the usual forms."""
    text = text.strip()
    for pattern, written in _FORMS:
        if (found := pattern.fullmatch(text)) and (standard := written(found)) is not None:
            span = days_of(standard)
            return (span.first, span.last) if span is not None else None
    if found := re.fullmatch(r"(?:(\d{4})[-/ ]?h([12])|h([12])[-/ ]?(\d{4}))", text):
        year, half = int(found[1] or found[4]), int(found[2] or found[3])
        return (date(year, 1, 1), date(year, 6, 30)) if half == 1 else (date(year, 7, 1), date(year, 12, 31))
    return None


def _day(year: str, month: str, day: str) -> str:
    return f"{year}-{int(month):02d}-{int(day):02d}"


def _slashed(found: re.Match[str]) -> str | None:
    """Return the day of 31/12/2019 or 12/31/2019; one that may be either is not read."""
    first, second = int(found[1]), int(found[2])
    if first > 12 or first == second:
        return _day(found[3], found[2], found[1])
    return _day(found[3], found[1], found[2]) if second > 12 else None


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str | None]], ...] = (
    (re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})"), lambda m: _day(m[1], m[2], m[3])),
    (re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})"), lambda m: _day(m[3], m[2], m[1])),
    (re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})"), _slashed),
    (re.compile(rf"(\d{{1,2}})\.? ({_MONTH_NAME})[ -]?(\d{{4}})"), lambda m: _day(m[3], str(_MONTHS[m[2].rstrip(".")]), m[1])),
    (re.compile(r"(\d{4})[-/.](\d{1,2})"), lambda m: f"{m[1]}-{int(m[2]):02d}"),
    (re.compile(r"(\d{1,2})[-/.](\d{4})"), lambda m: f"{m[2]}-{int(m[1]):02d}"),
    (re.compile(rf"({_MONTH_NAME})[ -]?(\d{{4}})"), lambda m: f"{m[2]}-{_MONTHS[m[1].rstrip('.')]:02d}"),
    (re.compile(rf"(\d{{4}})[ -]({_MONTH_NAME})"), lambda m: f"{m[1]}-{_MONTHS[m[2].rstrip('.')]:02d}"),
    (re.compile(r"(\d{4})[-/ ]?q([1-4])"), lambda m: f"{m[1]}-Q{m[2]}"),
    (re.compile(r"q([1-4])[-/ ]?(\d{4})"), lambda m: f"{m[2]}-Q{m[1]}"),
    (re.compile(r"(\d{4})[-/ ]?w(\d{1,2})"), lambda m: f"{m[1]}-W{int(m[2]):02d}"),
    (re.compile(r"k?w ?(\d{1,2})[-/ ](\d{4})"), lambda m: f"{m[2]}-W{int(m[1]):02d}"),
    (re.compile(r"(\d{3}0)(?:'?s|er)"), lambda m: f"{m[1]}s"),
    (re.compile(r"(\d{4})"), lambda m: m[1]),
)


_RUN = re.compile(r"(.*?[^*])(\*+|x{2,}|X{2,}|\?+|#+|_{2,}|•+|█+|\.\.\.|…)", re.DOTALL)
_MARKS = ("|", ";", ", ", ",", " / ", "/", " or ", " oder ", " and ")
# What no notation does without: a bracket, a mark, a sign, a digit beside a dash or a space, a word between values.
SPEAKS = re.compile(
    r"[\[\](){}<>≥≤⩾⩽*|;+,/?#•█…~]|\.\.|__|xx|\d\s*[‐‑‒–—―−-]|\d\s|\s\d|\d(?:'?s|er|plus)$|\s(?:or|oder|and)\s", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Mask:
    """What a masked text shows of a value: its beginning, its end, and the whole as a pattern."""

    start: str
    end: str
    pattern: re.Pattern[str]


def mask_of(text: str) -> Mask | None:
    """Return what a masked text shows: each mark hides at most a character, a lone * at the end any number.

    Programs pad short codes before they mask them, so a mark may also hide none. An x is a mark behind digits only.
    """
    found = _RUN.fullmatch(text)
    if found is None or "*" in found[1]:
        if "*" not in text or not text.strip("*"):
            return None
        pattern = "".join(".?" if mark == "*" else re.escape(mark) for mark in text)
        return Mask(text.partition("*")[0], text.rpartition("*")[2], re.compile(pattern, re.DOTALL))
    start, marks = found[1], found[2]
    if marks[0] in "xX" and not re.search(r"\d[\s-]?$", start):
        return None
    many = "*" if marks in ("*", "...", "…") else f"{{0,{len(marks)}}}"
    return Mask(start, "", re.compile(re.escape(start) + "." + many, re.DOTALL))


def members(text: str) -> list[list[str]]:
    """Return the ways in which a text may be a list of values: in braces, or with separators between them."""
    inner = text[1:-1] if len(text) > 1 and text[0] + text[-1] in ("{}", "[]", "()") else text
    found = [[part.strip().strip("\"'") for part in inner.split(mark)] for mark in _MARKS if mark in inner]
    return [parts for parts in found if len(parts) > 1 and all(parts)]
