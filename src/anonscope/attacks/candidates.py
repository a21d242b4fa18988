"""Which released records somebody may be, as pairs of person and class: what every attack on records is made of.

The pairs come out of the same walk that linkage counts by, so two records are only put beside each other where everything known of the
one lies in the image of the other. Where nothing fits, columns are left out one by one, then two by two: the nearest records are those
that disagree in the fewest columns, then those that say most (the smallest images), then those whose numbers are closest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import combinations

import numpy as np

from anonscope.attacks.linkage.families import FREE, Families, family_tables
from anonscope.attacks.linkage.forms import Join, LinkedTuples
from anonscope.attacks.people import Attacked, People, unexplained
from anonscope.columns.against import Against
from anonscope.columns.images import Dates, Exactly, Image, Interval, Values, number_in, read_image
from anonscope.columns.reader import ColumnReader
from anonscope.columns.readings import OBSERVED, LabelReading
from anonscope.risk.counting.arrays import Flags, Floats, Integers
from anonscope.risk.counting.columns import numbered

# Somebody who may be more classes than this is not near any of them.
MOST_CLASSES = 20_000
MOST_PAIRS = 4_000_000
DEEPEST = 3


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """People and the classes they may be, one entry a pair, ordered by person."""

    person: Integers
    group: Integers
    # 0 is best: fewer disagreements, then more said, then closer.
    score: Floats

    def best(self) -> "Pairs":
        """Return the pairs of everybody that nothing beats; equally good ones stay together."""
        if not len(self.person):
            return self
        starts = np.flatnonzero(np.r_[True, self.person[1:] != self.person[:-1]])
        least = np.minimum.reduceat(self.score, starts)
        kept = self.score <= np.repeat(least, np.diff(np.r_[starts, len(self.person)])) + 1e-9
        return Pairs(self.person[kept], self.group[kept], self.score[kept])


class View:
    """A release as seen by somebody who knows some columns: its classes, and what their labels may be."""

    def __init__(
        self, attacked: Attacked, columns: Sequence[str], within: Mapping[str, float] | None = None, *, as_written: bool = False
    ) -> None:
        self.attacked = attacked
        self.columns = tuple(columns)
        given = [attacked.release[name] for name in columns]
        self.families = [
            family_tables(
                images_in(attacked, name, (within or {}).get(name, 0.0), as_written=as_written),
                attacked.values[name],
            )
            for name in columns
        ]
        self.loose = {name for name in columns if as_written and made_up(attacked, name)}
        self.lookups = [np.stack(found.lookups) for found in self.families]
        self.held = [_held(found, len(attacked.values[name])) for name, found in zip(columns, self.families, strict=True)]
        self.class_of, count = numbered([column.codes for column in given], [len(column.values) for column in given])
        first = np.zeros(count, dtype=np.int64)
        first[self.class_of] = np.arange(len(self.class_of))
        self.n = np.bincount(self.class_of, minlength=count)
        self.labels = [column.codes[first] for column in given]
        # How little a class says: the logarithm of how many values its cells hold.
        self.vague = np.sum([np.log(np.maximum(held, 1))[codes] for held, codes in zip(self.held, self.labels, strict=True)], axis=0)

    def narrowest(self, i: int) -> Integers:
        """Return for every value that somebody may have in a column the narrowest released label that holds it, -1 where none does."""
        label = np.full(len(self.attacked.values[self.columns[i]]), -1, dtype=np.int64)
        narrow = np.full(len(label), np.iinfo(np.int64).max)
        for lookup in self.families[i].lookups[1:]:
            codes = np.flatnonzero(lookup >= 0)
            size = self.held[i][lookup[codes]]
            closer = size < narrow[codes]
            label[codes[closer]], narrow[codes[closer]] = lookup[codes[closer]], size[closer]
        return label

    def candidates(self, people: "Distinct") -> list[Pairs]:
        """Return all classes that everybody may be, in parts of people that fit into memory."""
        counts = self.counts(people, classes=True)
        return [self.pairs(people, (), part) for part in _parts(np.flatnonzero(counts > 0), counts)]

    def pairs(self, people: "Distinct", left_out: Sequence[int] = (), rows: Integers | None = None) -> Pairs:
        """Return who may be which class, by all columns but those left out; `rows` takes some of the people."""
        chosen = np.arange(people.count) if rows is None else rows
        join = _Pairing(self.families, LinkedTuples(tuple(self.labels), np.ones(len(self.n))), LinkedTuples(tuple(people.codes), people.n))
        order = [i for i in join.order if i not in left_out]
        join.walk(order, chosen)
        person, group = join.collected()
        order_of = np.argsort(person, kind="stable")
        person, group = person[order_of], group[order_of]
        return Pairs(person, group, self.scores(people, person, group, left_out))

    def counts(self, people: "Distinct", left_out: Sequence[int] = (), rows: Integers | None = None, *, classes: bool = False) -> Floats:
        """Return how many released records, or classes of them, everybody may be."""
        n = np.ones(len(self.n)) if classes else self.n
        join = Join(self.families, LinkedTuples(tuple(self.labels), n), LinkedTuples(tuple(people.codes), people.n))
        order = [i for i in join._order if i not in left_out]
        _walk(join, order, np.arange(people.count) if rows is None else rows)
        return join.released_records

    def signatures(self, people: "Distinct") -> Integers:
        """Return a mark for everybody that is the same for those who may be the same classes, and 0 for those who may be none."""
        join = Join(self.families, LinkedTuples(tuple(self.labels), self.n), LinkedTuples(tuple(people.codes), people.n))
        join.run(unknown=False)
        return np.where(join.released_records > 0, join.signatures, 0)

    def scores(self, people: "Distinct", person: Integers, group: Integers, left_out: Sequence[int]) -> Floats:
        """Return how bad each pair is: disagreements first, then what the class leaves open, then how far numbers are apart."""
        wrong = np.zeros(len(person))
        far = np.zeros(len(person))
        for i in left_out:
            labels, values = self.labels[i][group], people.codes[i][person]
            family = self.families[i].family[labels]
            wrong += (family != FREE) & (self.lookups[i][family, values] != labels)
        for i, name in enumerate(self.columns):
            if self.attacked.numeric(name) and (i in left_out or name in self.loose):
                low, high, numbers, span = self._ends(i)
                x, label = numbers[people.codes[i][person]], self.labels[i][group]
                apart = np.maximum(np.maximum(low[label] - x, x - high[label]), 0) / span
                far += np.nan_to_num(apart, nan=1.0)
        widest = float(self.vague.max()) + 1
        count = len(self.columns) + 1
        found: Floats = wrong + (self.vague[group] / widest) * 0.5 + np.minimum(far / count, 1) * 0.4
        return found

    def _ends(self, i: int) -> tuple[Floats, Floats, Floats, float]:
        """Return the lowest and the highest number of every label, those of the values, and the span of them all."""
        name = self.columns[i]
        numbers = self.attacked.numbers(name)
        low, high = label_ends(self.attacked.release[name].values, self.families[i], numbers)
        return low, high, numbers, max(float(np.nanmax(numbers) - np.nanmin(numbers)), 1e-12)

    def nearest(self, people: "Distinct", left: Integers | None = None) -> Pairs:
        """Return the nearest classes of everybody, or of those who are `left`; who is near none has no pair."""
        left = np.arange(people.count) if left is None else left
        found: list[Pairs] = []
        for depth in range(min(DEEPEST, len(self.columns) - 1) + 1):
            if not len(left):
                break
            met: list[Pairs] = []
            for left_out in combinations(range(len(self.columns)), depth):
                counts = self.counts(people, left_out, left, classes=True)
                rows = left[(counts[left] > 0) & (counts[left] <= (MOST_CLASSES if depth else np.inf))]
                met.extend(self.pairs(people, left_out, part).best() for part in _parts(rows, counts))
            pairs = united(met).best()
            found.append(pairs)
            left = np.setdiff1d(left, pairs.person)
        return united(found)


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """People by what is known of them: distinct tuples, and which one everybody has."""

    codes: list[Integers]
    n: Integers
    tuple_of: Integers

    @property
    def count(self) -> int:
        return len(self.n)


def distinct(attacked: Attacked, people: People, columns: Sequence[str]) -> Distinct:
    """Return people as distinct tuples of what is known."""
    number, count = numbered([people.codes[name] for name in columns], [len(attacked.values[name]) for name in columns])
    first = np.zeros(count, dtype=np.int64)
    first[number] = np.arange(len(number))
    return Distinct([people.codes[name][first] for name in columns], np.bincount(number, minlength=count), number)


def label_ends(labels: Sequence[str | None], families: Families, numbers: Floats) -> tuple[Floats, Floats]:
    """Return the lowest and the highest number that every label stands for; NaN where it stands for none."""
    low, high = np.full(len(labels), np.nan), np.full(len(labels), np.nan)
    for lookup in families.lookups[1:]:
        codes = np.flatnonzero((lookup >= 0) & ~np.isnan(numbers))
        np.fmin.at(low, lookup[codes], numbers[codes])
        np.fmax.at(high, lookup[codes], numbers[codes])
    own = np.array([np.nan if (x := number_in(label)) is None else x for label in labels])
    free = families.family == FREE
    known = numbers[~np.isnan(numbers)]
    if len(known):
        low[free], high[free] = known.min(), known.max()
    return np.where(np.isnan(own), low, own), np.where(np.isnan(own), high, own)


def readings_of(attacked: Attacked, name: str) -> list[LabelReading]:
    """Return how every released label of a column is read against the values that people have."""
    if name not in attacked.readings:
        values = attacked.values[name]
        counts = np.bincount(attacked.original.codes[name], minlength=len(values))
        if attacked.control is not None:
            counts = counts + np.bincount(attacked.control.codes[name], minlength=len(values))
        read = ColumnReader(attacked.release[name].values, Against(values, counts), attacked.told.get(name)).all()
        attacked.readings[name] = _observed(attacked, name, read)
    return attacked.readings[name]


def _observed(attacked: Attacked, name: str, readings: list[LabelReading]) -> list[LabelReading]:
    """Return readings where labels that nothing explains stand for the values that they replaced, as far as that can be seen.

    Taken for anything they would be candidates for everybody, and everybody would hide among them; who knows how the release was made
    does not fall for it. What was disturbed replaced no value, and a blank may really be anything.
    """
    released = attacked.original.released
    if released is None or name in attacked.perturbed:
        return readings
    column, numeric = attacked.release[name], attacked.numeric(name)
    unread = np.array(
        [
            not reading.read and label is not None and not (numeric and number_in(label) is not None)
            for label, reading in zip(column.values, readings, strict=True)
        ]
    )
    rows = np.flatnonzero((released >= 0) & unread[column.codes[np.maximum(released, 0)]])
    if not len(rows):
        return readings
    pairs = np.unique(np.stack([column.codes[released[rows]], attacked.original.codes[name][rows]]), axis=1)
    for label in np.unique(pairs[0]).tolist():
        held = frozenset(attacked.values[name][value] for value in pairs[1][pairs[0] == label].tolist())
        readings[label] = LabelReading(Values(held, column.values[label] or ""), OBSERVED, read=False)
    return readings


def unread_records(attacked: Attacked, name: str) -> int:
    """Return in how many released records a column has a label that nothing explains, blanks left out."""
    unread = [
        not reading.read and label is not None
        for label, reading in zip(attacked.release[name].values, readings_of(attacked, name), strict=True)
    ]
    return int(np.array(unread)[attacked.release[name].codes].sum())


def made_up(attacked: Attacked, name: str) -> bool:
    """Whether released values of a column need not be what they say: a recipe disturbed them, or nothing explains their numbers."""
    if name in attacked.perturbed:
        return True
    labels = attacked.release[name].values
    unread = (label for label, reading in zip(labels, readings_of(attacked, name), strict=True) if not reading.read)
    return attacked.numeric(name) and any(number_in(label) is not None for label in unread)


def images_in(attacked: Attacked, name: str, reach: float = 0.0, *, as_written: bool = False) -> list[Image]:
    """Return what every released label of a column stands for; with `as_written` made-up values are taken by their word."""
    readings = readings_of(attacked, name)
    if not as_written or not made_up(attacked, name):
        images = [reading.image for reading in readings]
    else:
        labels = attacked.release[name].values
        disturbed = name in attacked.perturbed
        images = [
            read_image(x) if disturbed or (not reading.read and reading.how != OBSERVED) else reading.image
            for x, reading in zip(labels, readings, strict=True)
        ]
        if attacked.numeric(name):
            # Noise leaves no value as it was; what is near may be it.
            reach = max(reach, 0.05 * float(np.ptp(attacked.numbers(name)[1:])))
    return [widened(image, reach) for image in images] if reach else images


def explained(attacked: Attacked, columns: Sequence[str]) -> None:
    """Raise where most labels of a known column are explained by nothing."""
    for name in columns:
        if not made_up(attacked, name):
            unexplained(attacked, name, np.array([reading.read for reading in readings_of(attacked, name)]))


def agrees(view: View, i: int, labels: Integers, values: Integers) -> Flags:
    """Return whether values lie in the images of labels, pair by pair."""
    family = view.families[i].family[labels]
    found: Flags = (family == FREE) | (view.lookups[i][family, values] == labels)
    return found


def widened(image: Image, reach: float) -> Image:
    """Return an image with everything that lies within a reach of it; what has no neighbours stays as it is."""
    match image:
        case Interval():
            return Interval(image.low - reach, image.high + reach, closed=image.closed, written=image.label)
        case Dates():
            days = timedelta(days=int(reach))
            return Dates(image.first - days, image.last + days, image.label)
        case Exactly():
            number = number_in(image.value)
            return image if number is None else Interval(number - reach, number + reach, closed=True, written=image.value)
        case _:
            return image


def _held(families: Families, values: int) -> Integers:
    """Return how many values every label stands for."""
    found = np.zeros(len(families.family), dtype=np.int64)
    for lookup in families.lookups[1:]:
        found += np.bincount(lookup[lookup >= 0], minlength=len(found))[: len(found)]
    found[families.family == FREE] = max(values - 1, 1)
    return found


@dataclass(slots=True, eq=False)
class _Pairing(Join):
    """The walk of linkage, which keeps the pairs themselves instead of how many there are."""

    met: list[tuple[Integers, Integers]] = field(default_factory=list)

    @property
    def order(self) -> list[int]:
        return self._order

    def walk(self, order: Sequence[int], rows: Integers) -> None:
        _walk(self, order, rows)

    def _meet(self, release: Integers, external: Integers, release_key: Integers, external_key: Integers, places: int) -> None:
        sort = np.argsort(release_key, kind="stable")
        keys = release_key[sort]
        first, beyond = np.searchsorted(keys, external_key, side="left"), np.searchsorted(keys, external_key, side="right")
        many = beyond - first
        total = int(many.sum())
        if total:
            starts = np.cumsum(many) - many
            places_of = np.arange(total) - np.repeat(starts - first, many)
            self.met.append((np.repeat(external, many), release[sort][places_of]))

    def collected(self) -> tuple[Integers, Integers]:
        if not self.met:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        return np.concatenate([person for person, _ in self.met]), np.concatenate([group for _, group in self.met])


def _walk(join: Join, order: Sequence[int], rows: Integers) -> None:
    if not order:
        # Nothing is asked, so everybody may be every class.
        join._begin((), np.arange(len(join.release.n)), rows)
        return
    if len(join.families[order[-1]].lookups) > 12:
        join._by_label(order[-1], list(order[-2::-1]), rows)
    else:
        join._begin(order, np.arange(len(join.release.n)), rows)


def _parts(rows: Integers, counts: Floats) -> list[Integers]:
    """Return people in parts that have not too many pairs together."""
    total = np.cumsum(counts[rows])
    number = (total // MOST_PAIRS).astype(np.int64)
    return [rows[number == i] for i in np.unique(number)]


def united(pairs: Sequence[Pairs]) -> Pairs:
    """Return pairs of several walks as one, ordered by person; the same pair is kept once."""
    if not pairs:
        empty = np.zeros(0, dtype=np.int64)
        return Pairs(empty, empty, np.zeros(0))
    person, group, score = (np.concatenate([getattr(p, name) for p in pairs]) for name in ("person", "group", "score"))
    order = np.lexsort((score, group, person))
    person, group, score = person[order], group[order], score[order]
    new = np.r_[True, (person[1:] != person[:-1]) | (group[1:] != group[:-1])] if len(person) else np.zeros(0, dtype=bool)
    return Pairs(person[new], group[new], score[new])
