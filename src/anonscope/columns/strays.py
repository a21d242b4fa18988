"""Which values of another table fit no released label, and may be written otherwise, so that nothing shows that their people are not there.

The other side of `agreement`: a value in no label's image is that of nobody in the release only if it is demonstrably written like those
that fit. What counts as shown:

- numbers: written as those that fit, and not far from the ends of the labels, so that the unit is the same;
- days: a day of the calendar, written as those that fit;
- codes: of digits as long as those that fit, or letters, digits and marks in the same places; up to three capitals are a code;
- words: so many fit that the rest would too, and it resembles no label.

What fits only because a range is open, and lies very far beyond its end, is no better.
"""

import re
from collections.abc import Sequence
from math import inf, isfinite

import numpy as np

from anonscope.columns.against import DAY, Against, day_in
from anonscope.columns.agreement import Agreement, Folded, folds, kinds, kinds_of_words, members_of
from anonscope.columns.images import Everything, Exactly, Image, Interval, number_in
from anonscope.columns.looks import Numbers

_PLAIN = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
_DIGITS = re.compile(r"\d+")
_CAPITALS = re.compile(r"[A-Z]{1,3}")
# A value that lies so many times as far out as an open range begins is hardly of the same unit.
_FAR = 10


def strays(against: Against, images: Sequence[Image], held: Numbers) -> Numbers:
    """Return which values may be anybody's; `images` are those of all labels that were read, and `held` the values in one of them."""
    telling = [image for image in images if not isinstance(image, Everything) and image != Exactly(None)]
    found = np.zeros(len(against.values), dtype=bool)
    if not telling:
        return found
    there = np.asarray(against.cells) > 0
    fitting = [value for value, fits in zip(against.values, held & there, strict=True) if fits and value is not None]
    written = _Written(against, telling, fitting)
    for place in np.flatnonzero(there & ~held).tolist():
        value = against.values[place]
        found[place] = value is not None and not written.shown(value)
    return found | (there & held & written.far)


class _Written:
    """How the values are written that fit labels."""

    def __init__(self, against: Against, images: Sequence[Image], fitting: Sequence[str]) -> None:
        self._against, self._images = against, images
        self._fractions = any("." in text for text in fitting)
        self._plain = any(_PLAIN.fullmatch(text) for text in fitting)
        self._code_lengths = {len(text) for text in fitting if _DIGITS.fullmatch(text)}
        self._padded = any(_zero(text) for text in (*fitting, *(text for image in images for text in (*members_of(image), image.label))))
        self._day_lengths = {len(text) for text in fitting if DAY.fullmatch(text)}
        self._kinds = {kinds(text) for text in fitting}
        self._words = {kind for text in fitting for kind in kinds_of_words(text)}
        self._agreement = Agreement(against, images, [1] * len(images))
        self._labels = Folded([value for image in images for value in (*members_of(image), image.label)])
        self._ordered = any(isinstance(image, Interval) for image in images)
        self._named = {number for image in images for value in members_of(image) if (number := number_in(value)) is not None}
        ends = [end for image in images if isinstance(image, Interval) for end in (image.low, image.high) if isfinite(end)]
        self._ends = [*ends, *self._named]

    @property
    def far(self) -> Numbers:
        """The values that lie so far beyond the end of an open range that they are hardly of its unit, and of no other label."""
        numbers = self._against.numbers
        if not any(isinstance(image, Interval) and inf in (-image.low, image.high) for image in self._images) or not self._ends:
            return np.zeros(len(numbers), dtype=bool)
        reach = _FAR * max(map(abs, self._ends))
        # Beside a bound of zero nothing is near or far.
        return (np.abs(numbers) > reach) if reach else np.zeros(len(numbers), dtype=bool)

    def shown(self, text: str) -> bool:
        """Return whether a value that fits no label is written like those that do."""
        if _DIGITS.fullmatch(text) and not self._ordered and (self._padded or len(text) in self._code_lengths):
            return len(text) in self._code_lengths
        if _PLAIN.fullmatch(text):
            return self._number(text)
        if DAY.fullmatch(text):
            return day_in(text) is not None and len(text) in self._day_lengths
        if any(c.isdigit() for c in text) or _CAPITALS.fullmatch(text):
            return kinds(text) in self._kinds
        return self._word(text)

    def _number(self, text: str) -> bool:
        number = float(text)
        if not self._plain or not self._ends or ("." in text and not self._fractions) or number in self._named:
            return False
        low, high = min(self._ends), max(self._ends)
        return min(low - (high - low), low / _FAR) <= number <= high + max(high - low, abs(high))

    def _word(self, text: str) -> bool:
        return (
            self._agreement.many_agree
            and kinds_of_words(text) <= self._words
            and not any(self._labels.resemble(fold) for fold in folds(text))
        )


def _zero(text: str) -> bool:
    return len(text) > 1 and text[0] == "0" and text[1].isdigit()
