"""Whether another table writes its values as a release does, so that a label which fits none of them fits nobody.

That a label fits no value is a finding only where both sides demonstrably speak the same language. Else the people behind it may well
be there, written otherwise: zeros in front were lost, letters are small, days are in another order, numbers have commas or another unit.
What counts as shown:

- numbers: every value is written as a plain number, the middle half of them overlaps the middle half of the released ones (so that the
  unit is the same; ranges that are all open do not show it), and neither all nor many are rounded to steps that skip the label;
- days: every value is a day of the calendar as YYYY-MM-DD, and neither all nor suspiciously many are the first of a month;
- codes of digits: every value has the length that the codes have, or no code on either side begins with a zero;
- words: every value is accounted for by other labels; or so many agree that the rest would too, and none left over resembles one.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from math import inf

import numpy as np

from anonscope.columns.against import DAY, Against, day_in
from anonscope.columns.images import Dates, Everything, Exactly, Image, Interval, Prefix, Values, number_in
from anonscope.columns.looks import Numbers, no_coincidence, usual

# Texts that say that there is no value, which says nothing of how values are written.
_NOTHING = frozenset(["", "-", "--", ".", "?", "na", "n/a", "n.a.", "nan", "null", "none", "unknown", "unbekannt", "missing", "k.a."])
_PLAIN = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)\s*")
_THOUSANDS = re.compile(r"-?\d{1,3}\.\d{3}")
# So many words must agree, and so large a share of one side, before the rest are taken for other words.
_WORDS, _AGREEING = 20, 0.9
# Steps that people round to; where more than twice the share that is due lies on one, and so much more, some values were rounded.
_STEPS, _FEW, _HEAPED = (10_000, 5_000, 1_000, 500, 100, 50, 10, 5), 10, 0.05
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "oe", "å": "aa"})


class Agreement:
    """What the labels of a column and the values of another table show of how both are written.

    `images` are those of all labels that were read, and `cells` says how many released cells each label has.
    """

    def __init__(self, against: Against, images: Sequence[Image], cells: Sequence[int]) -> None:
        self.against = against
        telling = [
            (image, number)
            for image, number in zip(images, cells, strict=True)
            if number and not isinstance(image, Everything) and image != Exactly(None)
        ]
        self.images = [image for image, _ in telling]
        self._cells = [number for _, number in telling]
        self._kinds_by_length: dict[int, set[str]] = {}

    def trusted(self, image: Image) -> bool:
        """Return whether an image that holds no value may be taken to be nobody; one that holds a value is what it says."""
        if isinstance(image, Everything) or self.against.holds(image):
            return True
        # Where nothing fits at all, nothing shows that both sides mean the same.
        return bool(self._holding) and bool(self._texts) and self._nobody(image)

    def _nobody(self, image: Image) -> bool:
        match image:
            case Interval():
                return self._plain_numbers and self._same_unit and image.high - image.low >= self._step
            case Dates():
                return self._days
            case Prefix():
                return self._codes(image) if _DIGITS.fullmatch(image.start) else self._beginnings(image)
            case Exactly() | Values():
                return self._named(members_of(image))
            case _:
                return False

    @cached_property
    def _texts(self) -> list[str]:
        return [text for text in self.against.texts if text.strip().casefold() not in _NOTHING]

    @cached_property
    def _holding(self) -> list[Image]:
        return [image for image in self.images if self.against.holds(image)]

    # Numbers

    @cached_property
    def _plain_numbers(self) -> bool:
        """Whether all values are numbers; 1.234 everywhere may be thousands, and an exponent hides digits."""
        if not all(_NUMBER.fullmatch(text) for text in self._texts):
            return False
        broken = [text for text in self._texts if "." in text]
        return not broken or not all(_THOUSANDS.fullmatch(text) for text in broken)

    @cached_property
    def _same_unit(self) -> bool:
        """Whether the middle halves of both sides overlap: months are no years, and thousands no units."""
        released = [(*ends, number) for image, number in zip(self.images, self._cells, strict=True) if (ends := _ends(image)) is not None]
        numbers, cells = self.against.numbers, np.asarray(self.against.cells)
        there = ~np.isnan(numbers) & (cells > 0)
        if not released or not there.any():
            return False
        # Where every range is open, nothing tells how far they reach; the one that holds nobody may be in another unit.
        if all(inf in (-low, high) for low, high, _ in released):
            return False
        lows, highs, weights = (np.array(part) for part in zip(*released, strict=True))
        # Of an open range only its finite end says something.
        lows, highs = np.where(np.isinf(lows), highs, lows), np.where(np.isinf(highs), lows, highs)
        return bool(
            _quartile(lows, weights, 0.25) <= _quartile(numbers[there], cells[there], 0.75)
            and _quartile(highs, weights, 0.75) >= _quartile(numbers[there], cells[there], 0.25)
        )

    @cached_property
    def _step(self) -> float:
        """The step that all values keep, if that is no coincidence; ranges narrower than it are skipped by rounding."""
        numbers = np.unique(self.against.sorted_numbers)
        if len(numbers) < 2 or not (numbers == np.floor(numbers)).all() or np.abs(numbers).max() > 2**53:
            return 0.0
        step = int(np.gcd.reduce((numbers - numbers[0]).astype(np.int64)))
        found = len(numbers) - (0 if usual(step, int(numbers[0])) else 2)
        return float(step) - 1 if step > 1 and no_coincidence(1 / step, found) else self._heap

    @cached_property
    def _heap(self) -> float:
        """The widest step on which far more values lie than released ones do, or than chance would have it: some were rounded to it."""
        there = ~np.isnan(self.against.numbers) & (np.asarray(self.against.cells) > 0)
        numbers, cells = self.against.numbers[there], np.asarray(self.against.cells)[there]
        named = np.array([number for image in self.images for value in members_of(image) if (number := number_in(value)) is not None])
        for step in _STEPS:
            on = float(cells[numbers % step == 0].sum())
            own = float((named % step == 0).mean()) if len(named) >= _FEW else 0.0
            if on >= _FEW and on / cells.sum() > 2 * max(own, 1 / step) + _HEAPED:
                return float(step) - 1
        return 0.0

    # Days

    @cached_property
    def _days(self) -> bool:
        days = [(text, day_in(text)) for text in self._texts]
        if any(day is None or not DAY.fullmatch(text) for text, day in days):
            return False
        firsts = sum(text[8:10] == "01" for text, _ in days)
        named = [value for image in self.images for value in members_of(image) if DAY.fullmatch(value)]
        own = sum(value[8:10] == "01" for value in named) / len(named) if len(named) >= _FEW else 0.0
        # Some were cut to their months where far more are first days than among the released ones, or than chance would have it.
        if firsts >= _FEW and firsts / len(days) > 2 * max(own, 1 / 30) + _HEAPED:
            return False
        return firsts < len(days) or not no_coincidence(1 / 30, len(days))

    # Codes

    @cached_property
    def _lengths(self) -> set[int]:
        return {len(text) for text in self._texts}

    @cached_property
    def _padded(self) -> bool:
        """Whether a code of either side begins with a zero."""
        starts = [image.start for image in self.images if isinstance(image, Prefix)]
        named = [value for image in self.images if not isinstance(image, Prefix) for value in members_of(image)]
        return any(start.startswith("0") for start in starts) or any(_zero(text) for text in (*named, *self._texts))

    def _codes(self, image: Prefix) -> bool:
        """Whether codes of digits that begin otherwise are other codes."""
        if not all(_DIGITS.fullmatch(text) for text in self._texts):
            return False
        if image.length not in (None, *self._lengths):
            return False
        if len(self._lengths) > 1:
            return not self._padded
        # One length: it is the whole one if the label says so, or if most labels of as many characters hold longer codes.
        (length,) = self._lengths
        if image.length is not None:
            return True
        return len(image.start) < length and 2 * len(self._holding) >= len(self.images)

    def _beginnings(self, image: Prefix) -> bool:
        """Whether words and mixed codes that begin otherwise are other ones: all are written alike, and none folds to the same."""
        written = kinds(image.start)
        if not all(written.startswith(other) for other in self._beginning_kinds(len(written))):
            return False
        if any(self._folded.begin_with(start) for start in folds(image.start)):
            return False
        # Letters and digits in the same places show a code; letters alone may be another word for it.
        return any(c.isdigit() for c in image.start) or not self._left_over or self.many_agree

    def _beginning_kinds(self, length: int) -> set[str]:
        """Return how the first characters of values are written."""
        if length not in self._kinds_by_length:
            self._kinds_by_length[length] = {kinds(text[:length]) for text in self._texts}
        return self._kinds_by_length[length]

    @cached_property
    def _folded(self) -> "Folded":
        return Folded(self._texts)

    # Values that are named one by one

    def _named(self, values: Sequence[str]) -> bool:
        if all(_PLAIN.fullmatch(value) for value in values) and not self._padded:
            return self._named_numbers(values)
        if all(_DIGITS.fullmatch(value) for value in values):
            return all(_DIGITS.fullmatch(text) for text in self._texts) and len(self._lengths | set(map(len, values))) == 1
        if all(DAY.fullmatch(value) for value in values):
            return self._days and {len(text) for text in self._texts} == set(map(len, values))
        return self._words(values)

    def _named_numbers(self, values: Sequence[str]) -> bool:
        if not all(_PLAIN.fullmatch(text) for text in self._texts):
            return False
        # A number is written with or without a fraction: 34 and 34.0 are two texts.
        numbers = [float(value) for value in values]
        if not self._same_fractions or max(numbers) - min(numbers) < self._step:
            return False
        return len(self._lengths | set(map(len, values))) == 1 or (self._plain_numbers and self._same_unit)

    @cached_property
    def _same_fractions(self) -> bool:
        return any("." in text for text in self._texts) == any("." in value for image in self.images for value in members_of(image))

    def _words(self, values: Sequence[str]) -> bool:
        if not self._left_over:
            return True
        if any(self._folded_left_over.resemble(fold) for value in values for fold in folds(value)):
            return False
        known = self._agreed_kinds.union(*map(kinds_of_words, values))
        return self.many_agree and all(kinds_of_words(text) <= known for text in self._left_over)

    @cached_property
    def _accounted(self) -> frozenset[str]:
        """The values that some label names, or holds by how they begin."""
        named = {value for image in self._holding for value in (*members_of(image), image.label)}
        begun = {
            text
            for image in self._holding
            if isinstance(image, Prefix)
            for text in self.against.with_ends(image.start, "")
            if image.length in (None, len(text))
        }
        return frozenset(text for text in self._texts if text in named or text in begun)

    @cached_property
    def _left_over(self) -> list[str]:
        """The values that no label stands for; beside labels of an order, numbers and days are not left over."""
        ordered = any(isinstance(image, Interval | Dates) for image in self._holding)
        return [
            text
            for text in self._texts
            if text not in self._accounted and not (ordered and (number_in(text) is not None or day_in(text) is not None))
        ]

    @cached_property
    def _folded_left_over(self) -> "Folded":
        return Folded(self._left_over)

    @cached_property
    def _agreed_kinds(self) -> set[str]:
        return {kind for text in self._accounted for kind in kinds_of_words(text)}

    @cached_property
    def many_agree(self) -> bool:
        """Whether so many values agree with labels that those which do not are other ones."""
        if not self._texts or not self.images:
            return False
        share = max(len(self._accounted) / len(self._texts), len(self._holding) / len(self.images))
        return len(self._accounted) >= _WORDS and share >= _AGREEING


def members_of(image: Image) -> tuple[str, ...]:
    """Return the values that an image names one by one."""
    match image:
        case Exactly():
            return (image.value,) if image.value is not None else ()
        case Values():
            return tuple(value for value in image.values if value is not None)
        case _:
            return ()


def _ends(image: Image) -> tuple[float, float] | None:
    if isinstance(image, Interval):
        return image.low, image.high
    numbers = [number for value in members_of(image) if (number := number_in(value)) is not None]
    return (min(numbers), max(numbers)) if numbers else None


def _quartile(numbers: Numbers, weights: Numbers, share: float) -> float:
    """Return the number below which a share of the weights lies."""
    order = np.argsort(numbers, kind="stable")
    reached = np.cumsum(weights[order])
    return float(numbers[order][np.searchsorted(reached, share * reached[-1])])


def _zero(text: str) -> bool:
    return len(text) > 1 and text[0] == "0" and text[1].isdigit()


def kinds(text: str) -> str:
    """Return the kind of every character: a digit, a capital, another letter, or itself."""
    return "".join("9" if c.isdigit() else ("A" if c.isupper() else "a") if c.isalpha() else c for c in text)


def kinds_of_words(text: str) -> set[str]:
    """Return how the words of a text are written: as digits, in capitals, in small letters, or with a capital in front."""
    found = {re.sub(r"(.)\1+", r"\1", kinds(word)) for word in text.split()}
    return found | {" "} if text != text.strip() else found


def folds(text: str) -> set[str]:
    """Return a text without case, accents, marks and zeros in front; an umlaut may have been spelt out."""
    small = text.casefold()
    bare = "".join(c for c in unicodedata.normalize("NFKD", small) if not unicodedata.combining(c))
    return {re.sub(r"(?<!\d)0+(?=\d)", "", re.sub(r"[\W_]+", "", form)) for form in (bare, small.translate(_UMLAUTS))}


class Folded:
    """Texts by their folded forms."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._known = {fold for text in texts for fold in folds(text)} - {""}
        self._forms = sorted(self._known)

    def begin_with(self, start: str) -> bool:
        """Return whether a text begins so."""
        place = bisect_left(self._forms, start)
        return place < len(self._forms) and self._forms[place].startswith(start)

    def resemble(self, fold: str) -> bool:
        """Return whether a text may be the same value: it is the same, or one of the two is short for the other."""
        if not fold or self.begin_with(fold):
            return bool(fold)
        return any(fold[:end] in self._known for end in range(1, len(fold)))
