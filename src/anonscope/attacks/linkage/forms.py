"""How many external records every released tuple may be, and the other way round, without comparing any pair.

The form of a released tuple is the family of each of its labels. Within one form every external value has at most one label, so
external tuples are translated by lookup and joined by equality. Forms share their beginnings: columns are walked one after another,
and external tuples that fit no label of a branch are left behind at once. Where every class has intervals of its own there are as many
forms as classes; then the column with most families is taken label by label first, each with the external tuples under it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from anonscope.attacks.linkage.families import FREE, Families, Integers
from anonscope.risk.counting.grouping import dense, few, grouped

_WORD = 2**62
# With more families than this in a column, its labels are so mixed that they are better taken one by one.
_MANY = 12


@dataclass(frozen=True, slots=True, eq=False)
class LinkedTuples:
    """Distinct tuples of a table: the codes of each column, and how many records have them."""

    codes: tuple[Integers, ...]
    n: Integers


@dataclass(slots=True, eq=False)
class Join:
    """What is found per tuple while the forms are walked."""

    families: Sequence[Families]
    release: LinkedTuples
    external: LinkedTuples
    external_records: Integers = field(init=False)  # of every released tuple: external records that it may be
    fitting_records: Integers = field(init=False)  # of these: the ones whose values all fit, and are no strays
    released_records: Integers = field(init=False)  # of every external tuple: released records that it may be
    signatures: Integers = field(init=False)  # of every external tuple: the same number for the same set of released tuples
    _order: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.external_records = np.zeros(len(self.release.n))
        self.fitting_records = self.external_records
        self.released_records = np.zeros(len(self.external.n))
        self.signatures = np.zeros(len(self.external.n), dtype=np.uint64)
        # Few families first: the branches near the root are walked with all external tuples.
        self._order = sorted(range(len(self.families)), key=lambda column: len(self.families[column].lookups))

    def run(self, *, unknown: bool, strays: Sequence[Integers] | None = None) -> None:
        """Walk all forms; with `unknown` a missing external value may be anything too, and so may those that are `strays` of a column."""
        release = np.arange(len(self.release.n))
        stray = [marks[codes] for marks, codes in zip(strays, self.external.codes, strict=True)] if strays is not None else []
        doubtful = np.any(stray, axis=0) if stray else np.zeros(len(self.external.n), dtype=bool)
        self._walk(release, np.flatnonzero(~doubtful), unknown, stray)
        self.fitting_records = self.external_records.copy()
        self._walk(release, np.flatnonzero(doubtful), unknown, stray)

    def _walk(self, release: Integers, external: Integers, unknown: bool, stray: Sequence[Integers]) -> None:
        if not len(external):
            return
        anything = [np.zeros(len(external), dtype=bool) for _ in self.external.codes]
        for column, codes in enumerate(self.external.codes):
            if unknown:
                anything[column] |= codes[external] == 0
            if stray:
                anything[column] |= stray[column][external]
        pattern, count = np.zeros(len(external), dtype=np.int64), 1
        for marks in anything:
            pattern, count = dense(pattern * 2 + marks, count * 2)
        for number in range(count):
            chosen = np.flatnonzero(pattern == number)
            if not len(chosen):
                continue
            rows = external[chosen]
            order = [column for column in self._order if not anything[column][chosen[0]]]
            if order and len(self.families[order[-1]].lookups) > _MANY:
                self._by_label(order[-1], order[-2::-1], rows)
            else:
                self._begin(order, release, rows)

    def _by_label(self, column: int, rest: Sequence[int], rows: Integers) -> None:
        """Take the labels of a column one by one, each with the external tuples that it holds: better than many families of few."""
        families = self.families[column]
        external = _Grouped(self.external.codes[column][rows], rows)
        held = [np.flatnonzero(lookup >= 0) for lookup in families.lookups]
        labels = np.concatenate([lookup[codes] for lookup, codes in zip(families.lookups, held, strict=True)])
        images = _Grouped(labels, np.concatenate(held))
        release = _Grouped(self.release.codes[column], np.arange(len(self.release.n)))
        for label in np.unique(self.release.codes[column]):
            found = rows if families.family[label] == FREE else external.of(images.of(np.array([label])))
            self._begin(rest, release.of(np.array([label])), found)

    def _begin(self, order: Sequence[int], release: Integers, external: Integers) -> None:
        self._descend(order, release, external, np.zeros(len(release), dtype=np.int64), np.zeros(len(external), dtype=np.int64), 1)

    def _descend(
        self, order: Sequence[int], release: Integers, external: Integers, release_key: Integers, external_key: Integers, places: int
    ) -> None:
        if not len(external):
            return
        if not order:
            self._meet(release, external, release_key, external_key, places)
            return
        column, rest = order[0], order[1:]
        families, labels = self.families[column], self.release.codes[column][release]
        family = families.family[labels]
        for number in np.flatnonzero(np.bincount(family)):
            chosen = slice(None) if (family == number).all() else family == number
            if number == FREE:
                self._descend(rest, release[chosen], external, release_key[chosen], external_key, places)
                continue
            present = np.zeros(len(families.family), dtype=bool)
            present[labels[chosen]] = True
            numbers = np.cumsum(present, dtype=np.int64) - 1
            lookup = families.lookups[number]
            # -1 picks the last label, which does no harm: the first condition rules it out.
            translated = np.where((lookup >= 0) & present[lookup], numbers[lookup], -1)[self.external.codes[column][external]]
            fits = translated >= 0
            kept = slice(None) if fits.all() else fits
            ours, theirs, total = _extended(release_key[chosen], external_key[kept], places, int(numbers[-1]) + 1)
            ours, theirs, left = ours + numbers[labels[chosen]], theirs + translated[kept], external[kept]
            if len(ours) < total and few(total, len(theirs)):
                # External tuples that fit no released beginning need not be carried on.
                begun = np.zeros(total, dtype=bool)
                begun[ours] = True
                begins = begun[theirs]
                left, theirs = left[begins], theirs[begins]
            self._descend(rest, release[chosen], left, ours, theirs, total)

    def _meet(self, release: Integers, external: Integers, release_key: Integers, external_key: Integers, places: int) -> None:
        """Add up what the tuples of one form have in common with the external tuples that fit it."""
        both = np.concatenate([release_key, external_key])
        key, places = grouped([both], [places], len(both))
        ours, theirs = key[: len(release)], key[len(release) :]
        self.external_records[release] += np.bincount(theirs, weights=self.external.n[external], minlength=places)[ours]
        self.released_records[external] += np.bincount(ours, weights=self.release.n[release], minlength=places)[theirs]
        # Where released tuples differ only in what may be anything, either stands for both.
        marks = np.zeros(places, dtype=np.uint64)
        marks[ours] = _scattered(release)
        self.signatures[external] += marks[theirs]


class _Grouped:
    """Values by the key that each has."""

    def __init__(self, keys: Integers, values: Integers) -> None:
        self._values = values[np.argsort(keys, kind="stable")]
        self._counts = np.bincount(keys)
        self._starts = np.cumsum(self._counts) - self._counts

    def of(self, keys: Integers) -> Integers:
        """Return the values of these keys, one key after another."""
        keys = keys[keys < len(self._counts)]
        counts = self._counts[keys]
        ends = np.cumsum(counts)
        places = np.arange(counts.sum()) + np.repeat(self._starts[keys] - ends + counts, counts)
        found: Integers = self._values[places]
        return found


def _extended(ours: Integers, theirs: Integers, places: int, radix: int) -> tuple[Integers, Integers, int]:
    """Return both keys with room for one more code below them."""
    if places * radix > _WORD:
        both, places = dense(np.concatenate([ours, theirs]), places)
        ours, theirs = both[: len(ours)], both[len(ours) :]
    return ours * radix, theirs * radix, places * radix


def _scattered(numbers: Integers) -> Integers:
    """Return a mark of 64 bits for every number, so that sums of marks tell sets apart (the finaliser of SplitMix64, Steele 2014)."""
    mark = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mark = (mark ^ (mark >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mark = (mark ^ (mark >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found: Integers = mark ^ (mark >> np.uint64(31))
    return found
