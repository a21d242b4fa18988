"""What a released value may stand for: its inverse image, and the notation it is written in.

A release speaks one language, so that losses, linkage and attacks can read it back:

    34            itself                          123*, 123**   everything that begins so (one star a character, or one for the rest)
    [30-39]       whole numbers, both ends in     {A, B}        one of these, quoted if needed: {"A, a", B}
    [30, 40)      numbers, the upper end out      2019-W14, 2019-04, 2019-Q2, 2019, 2010s   a day of that week, month, quarter, year, decade
    90+   <18     from 90 on; below 18            *             anything

A released text may also stand for itself, because steps leave alone what they do not apply to: every image holds its own label.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from math import inf, isfinite

EVERYTHING = "*"


class Image(ABC):
    """A set of original values, None among them where a missing value is meant."""

    __slots__ = ()

    @abstractmethod
    def contains(self, value: str | None) -> bool:
        """Return whether an original value, in its canonical text, may have been released as this."""

    @property
    @abstractmethod
    def label(self) -> str:
        """The released text."""


@dataclass(frozen=True, slots=True)
class Everything(Image):
    """Nothing is known: a suppressed value, which may also have been missing."""

    def contains(self, value: str | None) -> bool:
        return True

    @property
    def label(self) -> str:
        return EVERYTHING


@dataclass(frozen=True, slots=True)
class Exactly(Image):
    """The value itself; None is a missing value, which stays one."""

    value: str | None

    def contains(self, value: str | None) -> bool:
        return value == self.value

    @property
    def label(self) -> str:
        return self.value or ""


@dataclass(frozen=True, slots=True)
class Interval(Image):
    """Numbers from `low` to `high`; a `closed` one holds whole numbers and both its ends, else the upper end is out."""

    low: float
    high: float
    closed: bool = False
    written: str | None = field(default=None, compare=False)  # the released text, where it was read from one

    def contains(self, value: str | None) -> bool:
        number = number_in(value)
        if number is None:
            return value == self.label
        return self.low <= number <= self.high if self.closed else self.low <= number < self.high

    @property
    def label(self) -> str:
        if self.written is not None:
            return self.written
        if self.low == -inf:
            return f"<{number_text(self.high + 1 if self.closed else self.high)}"
        if self.high == inf:
            return f"{number_text(self.low)}+"
        if self.closed:
            return f"[{number_text(self.low)}-{number_text(self.high)}]"
        return f"[{number_text(self.low)}, {number_text(self.high)})"


@dataclass(frozen=True, slots=True)
class Dates(Image):
    """Days from `first` to `last`, both in."""

    first: date
    last: date
    label: str

    def contains(self, value: str | None) -> bool:
        found = _DAY.match(value or "")
        if found is None:
            return value == self.label
        year, month, day = (int(part or 1) for part in found.groups())
        try:
            return self.first <= date(year, month, day) <= self.last
        except ValueError:
            return False


@dataclass(frozen=True, slots=True)
class Prefix(Image):
    """Texts that begin so; with a `length`, only those that are so long."""

    start: str
    length: int | None = None

    def contains(self, value: str | None) -> bool:
        return value is not None and value.startswith(self.start) and self.length in (None, len(value))

    @property
    def label(self) -> str:
        return self.start + EVERYTHING * (1 if self.length is None else self.length - len(self.start))


@dataclass(frozen=True, slots=True)
class Values(Image):
    """One of these values; `label` is what was released for them."""

    values: frozenset[str | None]
    label: str

    def contains(self, value: str | None) -> bool:
        return value in self.values or value == self.label


def set_label(values: list[str] | tuple[str, ...]) -> str:
    """Return the notation for one of several values, in the order given; those that would be misread are quoted."""
    return "{" + ", ".join(value if _PLAIN.fullmatch(value) else '"' + value.replace('"', '""') + '"' for value in values) + "}"


def number_text(number: float) -> str:
    """Return a number as our releases write it: without a useless '.0', and exactly."""
    return str(int(number)) if number == int(number) and abs(number) < 2**63 else repr(float(number))


_NUMBER = r"-?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?"
_CLOSED = re.compile(rf"\[({_NUMBER})-({_NUMBER})\]")
_HALF_OPEN = re.compile(rf"\[({_NUMBER}), ({_NUMBER})\)")
_FROM = re.compile(rf"({_NUMBER})\+")
_BELOW = re.compile(rf"<({_NUMBER})")
_PLAIN = re.compile(r'[^\s",{}](?:[^",{}]*[^\s",{}])?', re.DOTALL)
_MEMBER = rf'(?:{_PLAIN.pattern}|"(?:[^"]|"")*")'
_SET = re.compile(rf"\{{{_MEMBER}(?:, {_MEMBER})*\}}", re.DOTALL)
_MEMBERS = re.compile(_MEMBER, re.DOTALL)
_MONTH = re.compile(r"(\d{4})-(\d{2})")
_WEEK = re.compile(r"(\d{4})-W(\d{2})")
_QUARTER = re.compile(r"(\d{4})-Q([1-4])")
_DECADE = re.compile(r"(\d{3})0s")
_DAY = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?(?:[T ].*)?$")


def read_image(text: str | None, *, dates: bool = False) -> Image:
    """Return what a released text stands for by its notation; a year or a month counts as days only where `dates` says so."""
    if text is None:
        return Exactly(None)
    if text == EVERYTHING:
        return Everything()
    if found := _CLOSED.fullmatch(text):
        return Interval(float(found[1]), float(found[2]), closed=True, written=text)
    if found := _HALF_OPEN.fullmatch(text):
        return Interval(float(found[1]), float(found[2]), written=text)
    if found := _FROM.fullmatch(text):
        return Interval(float(found[1]), inf, written=text)
    if found := _BELOW.fullmatch(text):
        return Interval(-inf, float(found[1]), written=text)
    if _SET.fullmatch(text):
        members = _MEMBERS.findall(text[1:-1])
        return Values(frozenset(m[1:-1].replace('""', '"') if m.startswith('"') else m for m in members), text)
    start = text.rstrip(EVERYTHING)
    if len(start) < len(text):
        return Prefix(start, len(text) if len(text) - len(start) > 1 else None)
    return (days_of(text) if dates else None) or Exactly(text)


def days_of(text: str) -> Dates | None:
    """Return the days of a day, a week, a month, a quarter, a year or a decade, as releases write them."""
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        return _span(text, lambda: date.fromisoformat(text), 1)
    if found := _WEEK.fullmatch(text):
        year, week = int(found[1]), int(found[2])
        return _span(text, lambda: date.fromisocalendar(year, week, 1), 7)
    if found := _MONTH.fullmatch(text):
        return _months(int(found[1]), int(found[2]), 1, text) if 1 <= int(found[2]) <= 12 else None
    if found := _QUARTER.fullmatch(text):
        return _months(int(found[1]), 3 * int(found[2]) - 2, 3, text)
    if re.fullmatch(r"\d{4}", text) and int(text):
        return _months(int(text), 1, 12, text)
    if found := _DECADE.fullmatch(text):
        return _months(int(found[1]) * 10, 1, 120, text) if int(found[1]) else None
    return None


def _span(label: str, start: Callable[[], date], days: int) -> Dates | None:
    """Return so many days from the first one on, unless the calendar has no such day."""
    try:
        return Dates(start(), start() + timedelta(days=days - 1), label)
    except (ValueError, OverflowError):
        return None


def _months(year: int, month: int, count: int, label: str) -> Dates:
    beyond = year * 12 + month - 1 + count
    if beyond >= 9999 * 12:
        return Dates(date(year, month, 1), date.max, label)
    return Dates(date(year, month, 1), date(beyond // 12, beyond % 12 + 1, 1) - timedelta(days=1), label)


def number_in(value: str | None) -> float | None:
    """Return the number that a text is, if it is a finite one."""
    try:
        number = float(value) if value is not None else inf
    except ValueError:
        return None
    return number if isfinite(number) else None
