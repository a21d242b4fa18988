"""What the labels of a released column stand for: by identity, by a hierarchy, by a recipe, or by the notation they are written in."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import ceil, floor, inf, isfinite, nextafter

import numpy as np

from anonscope.columns.against import Against
from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.images import EVERYTHING, Dates, Everything, Exactly, Image, Interval, Values, number_in
from anonscope.columns.reader import ColumnReader
from anonscope.columns.readings import (
    ANYTHING,
    BEGINNING,
    BLANKED,
    ITSELF,
    MISSING,
    OBSERVED,
    TREE,
    UNREAD,
    LabelReading,
    ToldLabels,
    Unknown,
)
from anonscope.risk.counting.arrays import Flags, Floats, Integers
from anonscope.risk.counting.ladders import Ladder, ladder
from anonscope.utility.alignment.domain import Domain
from anonscope.utility.alignment.images import Images, images_of

ImageReader = Callable[[str, str | None], Image]
# Plain numbers that stand where others stood, with no recipe that would say how they came about.
ALTERED = "not read: numbers that differ from the original's"
LEFT_OUT = "left out of the release"


@dataclass(frozen=True, slots=True)
class KnownLabels:
    """What a caller knows about the labels of a column."""

    image: ImageReader | None = None
    hierarchy: Hierarchy | None = None
    unknown: Unknown = "anything"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Labels:
    """The distinct labels of a released column, with a place in every array for each."""

    texts: tuple[str | None, ...]
    images: Images
    suppressed: Flags  # tells nothing
    exact: Flags  # stands for one value
    unreadable: Flags  # neither an original value nor explained by anything
    how: tuple[str, ...]  # how it was read
    numbered: Flags  # has the next three; none has where the column is not numeric
    low: Floats  # bounds of what it may stand for
    high: Floats
    number: Floats  # what a calculation takes it for: itself, or the middle between its bounds
    extent: Floats  # how many whole numbers (or days, or values) it may stand for
    penalty: Floats  # normalised certainty penalty
    level: Integers  # the level of the column's hierarchy it is on; -1 where it is on none
    leaves: Floats  # lines of the hierarchy's file under it; 0 where it is on no level


class LabelReader:
    """Reads the labels of one column; `left_out` adds one more, for records that the release lacks."""

    def __init__(self, name: str, domain: Domain, texts: tuple[str | None, ...], told: KnownLabels, *, left_out: bool) -> None:
        self.name, self.domain, self.told = name, domain, told
        self.texts = (*texts, EVERYTHING) if left_out else texts
        size = len(self.texts)
        self.start, self.stop = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
        self.listed: dict[int, Integers] = {}
        self.suppressed, self.exact, self.unreadable = (np.zeros(size, dtype=bool) for _ in range(3))
        self.low, self.high = np.full(size, np.inf), np.full(size, -np.inf)
        self.extent, self.penalty, self.leaves = np.zeros(size), np.full(size, -1.0), np.zeros(size)
        self.level = np.full(size, -1, dtype=np.int64)
        self.how = [ITSELF] * size
        self.seen: list[tuple[Integers, Integers]] = []  # labels and places, where a label is what was seen
        if left_out:
            self._anything(size - 1, LEFT_OUT)

    @cached_property
    def ladder(self) -> Ladder | None:
        """The column's hierarchy over its values, a missing value first."""
        values = (None, *self.domain.values[: self.domain.texts])
        return None if self.told.hierarchy is None else ladder(self.name, self.told.hierarchy, values)

    @cached_property
    def column(self) -> ColumnReader:
        """What reads labels that no hierarchy names."""
        values = self.domain.values
        told = ToldLabels(partial(self.told.image, self.name)) if self.told.image is not None else None
        against = Against(values, np.ones(len(values), dtype=np.int64))
        unknown: Unknown = "prefix" if self.told.unknown == "prefix" else "anything"
        return ColumnReader(self.texts, against, told, unknown=unknown)

    def read(self, labels: Integers, places: Integers) -> Labels:
        """Return what all labels stand for, from the distinct pairs of label and place of the value that it replaced."""
        place = self.domain.place
        same = np.array([place.get(text, -1) for text in self.texts], dtype=np.int64)
        # A label is the value itself where it never replaced another, whatever its notation would say.
        itself = (same >= 0) & (np.bincount(labels, weights=places != same[labels], minlength=len(same)) == 0)
        itself &= ~self.suppressed
        chosen = np.flatnonzero(itself)
        self.start[chosen], self.stop[chosen], self.exact[chosen] = same[chosen], same[chosen] + 1, True
        if self.ladder is not None:
            known = chosen[[self.texts[label] is not None for label in chosen.tolist()]]
            self.level[known], self.leaves[known] = 0, 1
        order = np.argsort(labels, kind="stable")
        ends = np.searchsorted(labels[order], np.arange(len(same) + 1))
        missing = [label for label in chosen.tolist() if self.texts[label] is None]
        for label in missing:
            self.how[label] = MISSING
        for label in self._beside_numbers(np.flatnonzero(~itself & ~self.suppressed), labels, places).tolist():
            self._read(label, np.sort(places[order[ends[label] : ends[label + 1]]]))
        return self._finished()

    def _beside_numbers(self, labels: Integers, of: Integers, places: Integers) -> Integers:
        """Read labels that are plain numbers all at once, as noise makes nearly as many as there are records; return the rest."""
        if self.domain.kind != "number" or self.told.image is not None or self.told.hierarchy is not None:
            return labels
        found = [number_in(self.texts[label]) for label in labels.tolist()]
        length = self._length
        # What is shorter than all values may be the first digits of codes.
        long = [length is None or len(self.texts[label] or "") >= length for label in labels.tolist()]
        plain = np.array([number is not None for number in found], dtype=bool) & np.array(long, dtype=bool)
        chosen, numbers = labels[plain], np.array([number for number, is_plain in zip(found, plain, strict=True) if is_plain])
        for label in chosen.tolist():
            self.how[label] = OBSERVED if self.told.unknown == "observed" else ALTERED
        if self.told.unknown == "observed":
            wanted = np.isin(of, chosen)
            self.seen.append((of[wanted], places[wanted]))
            others: Integers = labels[~plain]
            return others
        self.low[chosen] = self.high[chosen] = numbers
        self.start[chosen] = np.searchsorted(self.domain.numbers, numbers)
        self.stop[chosen] = np.searchsorted(self.domain.numbers, numbers, "right")
        self.exact[chosen] = True
        rest: Integers = labels[~plain]
        return rest

    @cached_property
    def _length(self) -> int | None:
        """How many characters every value has, if all have the same."""
        lengths = {len(value) for value in self.domain.values if value is not None}
        return lengths.pop() if len(lengths) == 1 else None

    def _read(self, label: int, seen: Integers) -> None:
        text = self.texts[label]
        if text is None:
            # It replaced a value, or it would be read as itself: a missing value may be anything in this release.
            self._anything(label, BLANKED)
        elif not self._from_hierarchy(label, text, seen):
            self._from_image(label, text, seen)

    def _anything(self, label: int, how: str = ANYTHING) -> None:
        self.how[label] = how
        self.start[label], self.stop[label] = 0, len(self.domain.values)
        self.suppressed[label] = True

    def _from_hierarchy(self, label: int, text: str, seen: Integers) -> bool:
        """Read a label from the hierarchy, if it has it: the lowest node of this name that holds all that was seen."""
        hierarchy = self.told.hierarchy
        if self.ladder is None or hierarchy is None:
            return False
        if text in (EVERYTHING, *hierarchy.levels[-1][:1]):
            self._anything(label)
            return True
        named = [(level, nodes[text]) for level, nodes in enumerate(self._nodes_by_name) if text in nodes]
        if not named:
            return False
        level, node = next((found for found in named if (self._nodes(found[0])[seen] == found[1]).all()), named[0])
        self.listed[label], self.how[label] = np.flatnonzero(self._nodes(level) == node), TREE
        self.exact[label], self.level[label] = level == 0, level
        self.leaves[label] = self.extent[label] = self.ladder.leaves[level][node]
        self.penalty[label] = self.ladder.penalties[level][node]
        if self.domain.kind == "number":
            numbers = [number for leaf in hierarchy.under(text, level) if (number := number_in(leaf)) is not None]
            self.low[label], self.high[label] = min(numbers, default=np.inf), max(numbers, default=-np.inf)
        return True

    @cached_property
    def _nodes_by_name(self) -> list[dict[str | None, int]]:
        assert self.ladder is not None
        return [{text: node for node, text in enumerate(labels)} for labels in self.ladder.labels[:-1]]

    def _nodes(self, level: int) -> Integers:
        """Return the node of every place; the ladder has the missing value first, and a domain has it last."""
        assert self.ladder is not None
        nodes = self.ladder.levels[level]
        return np.concatenate([nodes[1:], nodes[: len(self.domain.values) - self.domain.texts]])

    def _from_image(self, label: int, text: str, seen: Integers) -> None:
        domain = self.domain
        reading = self._reading(text, seen)
        if reading is None:
            self._unreadable(label, seen)
            return
        image, self.how[label] = reading.image, reading.how
        if isinstance(image, Everything):
            self._anything(label)
            return
        places = domain.places(image)
        if isinstance(places, tuple):
            self.start[label], self.stop[label] = places
        else:
            self.listed[label] = places
        found = places[1] - places[0] if isinstance(places, tuple) else len(places)
        if isinstance(image, Interval) and domain.kind == "number":
            low = image.low if isfinite(image.low) else min(float(domain.numbers[0]), image.high)
            high = image.high if isfinite(image.high) else max(float(domain.numbers[-1]), image.low)
            self._bounds(label, low, high, closed=image.closed or not isfinite(image.high))
        elif isinstance(image, Dates) and domain.kind == "date":
            self._bounds(label, image.first.toordinal(), image.last.toordinal(), closed=True)
        elif isinstance(image, Exactly) and (found or domain.number(text) is not None):
            self.exact[label] = True
        elif not found:
            self._unreadable(label, seen)

    def _reading(self, text: str, seen: Integers) -> LabelReading | None:
        """Return what a label stands for by recipe or notation, or as the beginning of all that it replaced; None for what is not read."""
        if not text.strip(EVERYTHING) and text:
            return LabelReading(Everything(), ANYTHING)
        told = self.column.told
        if told is not None and not isinstance(image := told.image(text), Exactly):
            return LabelReading(image, told.by)
        found = self.column.notation(text)
        if found is not None:
            return self._narrowed(found, seen)
        values = [self.domain.values[place] for place in seen.tolist()]
        begun = self._length is not None and 1 < len(text) < self._length and all(v is not None and v.startswith(text) for v in values)
        if begun or self.told.unknown == "prefix":
            return LabelReading(Values(frozenset(self.column.against.with_ends(text, "")), text), BEGINNING)
        if text in self.domain.place or (told is not None and self.domain.number(text) is not None):
            return LabelReading(Exactly(text), ITSELF)
        return None

    def _narrowed(self, found: LabelReading, seen: Integers) -> LabelReading | None:
        """Return a range whose ends are as the records show; None if they show something else and what they show is asked for."""
        numbers = self.domain.numbers
        here = numbers[seen[seen < len(numbers)]] if self.domain.kind == "number" else numbers[:0]
        if found.core is not None and isinstance(found.image, Interval) and len(here):
            core, image = found.core, found.image
            low, high = min(core.low, here[0]), max(core.high, here[-1])
            # An end that is the neighbour's too is the neighbour's alone, unless it was seen here.
            if core.closed and high == core.high > here[-1] and self.column.begins_at(high):
                high = nextafter(high, -inf)
            found = replace(found, image=Interval(max(low, image.low), min(high, image.high), closed=image.closed, written=image.written))
        if self.told.unknown == "observed" and isinstance(found.image, Interval) and self.domain.kind == "number":
            places = self.domain.places(found.image)
            if isinstance(places, tuple) and ((seen < places[0]) | (seen >= places[1])).any():
                return None
        return found

    def _unreadable(self, label: int, seen: Integers) -> None:
        self.unreadable[label] = True
        if self.told.unknown == "observed":
            self.how[label] = OBSERVED
            self.listed[label] = seen
            self.exact[label] = len(seen) == 1
        else:
            self.listed.pop(label, None)
            self._anything(label, UNREAD)

    def _bounds(self, label: int, low: float, high: float, *, closed: bool) -> None:
        self.low[label], self.high[label] = low, high
        self.extent[label] = max(floor(high) + 1 - ceil(low) if closed else ceil(high) - ceil(low), 1)
        lowest, highest = float(self.domain.numbers[0]), float(self.domain.numbers[-1])
        inside = min(high, highest) - max(low, lowest)
        self.penalty[label] = min(max(inside / (highest - lowest), 0.0), 1.0) if highest > lowest else 0.0

    def _finished(self) -> Labels:
        domain = self.domain
        images = images_of(self.start, self.stop, self.listed, len(domain.values))
        if self.seen:
            owners, members = (np.concatenate(parts) for parts in zip(*self.seen, strict=True))
            images = replace(images, owners=np.concatenate([images.owners, owners]), members=np.concatenate([images.members, members]))
        sizes = images.sizes
        low, high = images.extremes(domain.numbers)
        bounded = self.low <= self.high
        low[bounded], high[bounded] = self.low[bounded], self.high[bounded]
        numbered = low <= high
        number = np.zeros(len(low))
        number[numbered] = (low[numbered] + high[numbered]) / 2
        # A released number is taken as it stands, whatever it was rounded from or drawn around.
        for label in np.flatnonzero(~(self.exact & numbered)).tolist() if domain.numeric else ():
            written = domain.number(self.texts[label])
            if written is not None:
                number[label] = written
                if not numbered[label]:
                    low[label] = high[label] = written
                    numbered[label] = True
        missing = len(domain.values) > domain.texts
        below = sizes - (images.total(np.eye(1, len(domain.values), len(domain.values) - 1)[0]) if missing else 0)
        share = np.where(below < 2, 0.0, below / max(domain.texts, 1))
        penalty = np.where(self.penalty < 0, np.where(self.exact, 0.0, share), self.penalty)
        extent = np.where(self.extent > 0, self.extent, np.maximum(sizes, 1))
        return Labels(
            texts=self.texts,
            images=images,
            suppressed=self.suppressed,
            exact=self.exact,
            unreadable=self.unreadable,
            how=tuple(self.how),
            numbered=numbered,
            low=np.where(numbered, low, 0.0),
            high=np.where(numbered, high, 0.0),
            number=number,
            extent=np.where(self.exact, 1.0, extent),
            penalty=np.where(self.suppressed, 1.0, penalty),
            level=np.where(self.suppressed & (self.ladder is not None), self.ladder.height if self.ladder else -1, self.level),
            leaves=np.where(self.suppressed & (self.ladder is not None), self.ladder.leaves[-1][0] if self.ladder else 0, self.leaves),
        )
