"""How the labels of a released column are read against the values that they may stand for.

A label is explained by what made it (a recipe, a hierarchy), by being a value itself, or by its notation. What nothing explains is
*not read*: it may be anything, and whoever counts with it must say so. Numbers and days that are values but all lie on a grid that the
values do not keep look rounded, and are not read either; nor is a label that fits no value of a table which may be written otherwise.
"""

from collections.abc import Sequence
from functools import cached_property
from math import inf

import numpy as np

from anonscope.columns.against import DAY, Against
from anonscope.columns.agreement import Agreement
from anonscope.columns.images import EVERYTHING, Everything, Exactly, Interval, Values, number_in, read_image
from anonscope.columns.looks import no_coincidence, on_a_grid, shape
from anonscope.columns.notations import (
    SPEAKS,
    Written,
    bracketed,
    day_spans,
    mask_of,
    members,
    number_ranges,
    plain,
    widened,
)
from anonscope.columns.readings import (
    ANYTHING,
    AS_TOLD,
    BEGINNING,
    BLANK,
    BLANKED,
    CUT,
    ITSELF,
    MASKED,
    MISSING,
    ONE_OF,
    OTHERWISE,
    ROUNDED,
    SAME_NUMBER,
    SHIFTED,
    TOLD,
    TWO,
    UNREAD,
    LabelReading,
    ToldLabels,
    Unknown,
)


class ColumnReader:
    """Reads the labels of one released column against values, with what was told of them; `cells` says how many cells each label has."""

    def __init__(
        self,
        labels: Sequence[str | None],
        against: Against,
        told: ToldLabels | None = None,
        *,
        unknown: Unknown = "anything",
        cells: Sequence[int] | None = None,
    ) -> None:
        self.labels, self.against, self.told, self.unknown = labels, against, told, unknown
        self._cells = [1] * len(labels) if cells is None else cells
        self._left_alone = told is not None and told.whole
        self._foreign = [label for label in labels if label is not None and label not in against.known]

    def all(self) -> list[LabelReading]:
        """Return what every label stands for."""
        readings = [self.read(label) for label in self.labels]
        if self.unknown == "itself":
            return readings
        known = [(found.image, number) for found, number in zip(readings, self._cells, strict=True) if found.read]
        agreement = Agreement(self.against, [image for image, _ in known], [number for _, number in known])
        for i, found in enumerate(readings):
            if found.read and self.labels[i] is not None and not agreement.trusted(found.image):
                readings[i] = self._unread(self.labels[i], OTHERWISE)
        return readings

    def read(self, label: str | None) -> LabelReading:
        """Return what one label stands for."""
        if label is None:
            # Our steps keep what is missing missing; others blank what they suppress.
            if self.told is not None and self.told.blanks:
                return LabelReading(Everything(), BLANKED)
            if (
                self._left_alone
                or (self.told is not None and self.told.blanks is False)
                or None in self.against.known
                or self.unknown == "itself"
            ):
                return LabelReading(Exactly(None), MISSING)
            return LabelReading(Everything(), BLANK, read=False)
        if self.told is not None:
            image = self.told.image(label)
            if isinstance(image, Everything):
                read = self.told.read or not label.strip(EVERYTHING)
                return LabelReading(image, ANYTHING if read else self.told.by, read=read)
            if not isinstance(image, Exactly):
                return LabelReading(image, self.told.by if self.told.read else TOLD)
        return self._plain(label) if label.strip(EVERYTHING) or not label else LabelReading(Everything(), ANYTHING)

    def _plain(self, label: str) -> LabelReading:
        """Read a label that nobody explains, or that is said to have been left as it was."""
        notation = self.notation(label)
        look = self._look
        doubted = self.told is not None and label in self.told.doubted
        doubtful = doubted or (look is not None and label in look[1])
        if label in self.against.known and not doubtful:
            # What is a value and a notation may be either.
            return notation if notation is not None and self.against.holds(notation.image) else LabelReading(Exactly(label), ITSELF)
        if notation is not None:
            return notation
        if doubtful:
            return self._unread(label, look[0] if look is not None and label in look[1] else UNREAD)
        number = number_in(label)
        if number is not None and self.against.numeric and number in self.against.by_number:
            return LabelReading(Values(frozenset([self.against.by_number[number]]), label), SAME_NUMBER)
        if self._left_alone and ((number is not None and self.against.numeric) or shape(label) in self.against.shapes):
            # It was left as it was, and the other table writes such values: it just lacks this one.
            return LabelReading(Exactly(label), ITSELF)
        return self._unread(label)

    def _unread(self, label: str | None, how: str = UNREAD) -> LabelReading:
        if self.unknown == "itself" or label is None:
            return LabelReading(Exactly(label), AS_TOLD["itself"])
        if self.unknown == "prefix":
            held = frozenset(self.against.with_ends(label, ""))
            return LabelReading(Values(held, label), AS_TOLD["prefix"]) if held else LabelReading(Everything(), UNREAD, read=False)
        return LabelReading(Everything(), how, read=False)

    def notation(self, label: str) -> LabelReading | None:
        """Return what a label stands for by the way it is written; None where that says nothing."""
        if self.against.days:
            return None if label in self.against.known else self._of_days(label)
        if SPEAKS.search(label) is None:
            return None
        if label in self._brackets:
            image, how = self._brackets[label]
            return LabelReading(image, how) if self.against.numeric or self.against.holds(image) else self._listed(label)
        return self._ranged(label) or self._masked(label) or self._listed(label)

    def _of_days(self, label: str) -> LabelReading | None:
        found = day_spans(plain(label), label)
        if len(found) == 1:
            return LabelReading(*found[0])
        return self._masked(label) or self._listed(label)

    def _ranged(self, label: str) -> LabelReading | None:
        found = self._ranges(label)
        if len(found) != 1 or not (self.against.numeric or self.against.holds(found[0].range)):
            return None
        begins, ends = self._neighbours
        return LabelReading(widened(found[0], begins, ends), found[0].how, core=found[0].range)

    def _ranges(self, label: str) -> list[Written]:
        found = number_ranges(plain(label), label)
        # 1.000 is one or a thousand; the values tell.
        return [one for one in found if self.against.holds(one.range)] if len(found) > 1 else found

    def _masked(self, label: str) -> LabelReading | None:
        mask = mask_of(label)
        if mask is None:
            return None
        held = frozenset(value for value in self.against.with_ends(mask.start, mask.end) if mask.pattern.fullmatch(value))
        # A mask that no value fits says nothing: codes may have lost their zeros, or are written otherwise there.
        if not held:
            return None
        return LabelReading(Values(held, label), MASKED if mask.end else BEGINNING)

    def _listed(self, label: str) -> LabelReading | None:
        image = read_image(label)
        if isinstance(image, Values) and not any(value in ("...", "…") for value in image.values) and self.against.holds(image):
            return LabelReading(image, ONE_OF)
        for parts in members(label):
            if all(part in self.against.known for part in parts):
                # 20/29 may be the two or the decade: neither reading is on the safe side of the other.
                if len(parts) == 2 and self.against.between(*parts):
                    return self._unread(label, TWO)
                return LabelReading(Values(frozenset(parts), label), ONE_OF)
        return None

    @cached_property
    def _brackets(self) -> dict[str, tuple[Interval, str]]:
        return bracketed([label for label in self.labels if label is not None])

    @cached_property
    def _neighbours(self) -> tuple[list[float], list[float]]:
        """Where the ranges of the column begin and end, each rising."""
        found = [one[0].range for label in self._foreign if len(one := self._ranges(label)) == 1]
        return sorted({one.low for one in found if one.low > -inf}), sorted({one.high for one in found if one.high < inf})

    def begins_at(self, number: float) -> bool:
        """Return whether a range of the column begins at a number."""
        return number in self._neighbours[0]

    @cached_property
    def _look(self) -> tuple[str, frozenset[str]] | None:
        """What the plain numbers or days of the column look like, and which labels they are; None where they look like values."""
        if self._left_alone or self.unknown == "itself":
            return None
        if self.against.days:
            return self._cut_days()
        if not self.against.numeric:
            return None
        found = {label: number for label in self.labels if label is not None and (number := number_in(label)) is not None}
        if not found:
            return None
        numbers = np.unique(np.array(list(found.values())))
        if on_a_grid(numbers, np.unique(self.against.sorted_numbers)):
            return ROUNDED, frozenset(found)
        absent = {label for label, number in found.items() if number not in self.against.by_number}
        # Where most are no values, those that are may be so by chance.
        return (SHIFTED, frozenset(found) if 2 * len(absent) > len(found) else frozenset(absent)) if absent else None

    def _cut_days(self) -> tuple[str, frozenset[str]] | None:
        labels = {label: found for label in self.labels if label is not None and (found := DAY.fullmatch(label))}
        days = {(found[1], found[2], found[3]) for found in labels.values()}
        values = {(found[1], found[2], found[3]) for text in self.against.texts if (found := DAY.fullmatch(text))}
        for part in (slice(1, 3), slice(2, 3)):
            if len(days) > 1 and len({day[part] for day in days}) == 1:
                kept = next(iter(days))[part]
                if no_coincidence(sum(value[part] == kept for value in values) / len(values), len(days)):
                    return CUT, frozenset(labels)
        return None
