"""Original and release of the same people, column by column: which value became which label, and what the label may stand for.

    with DuckDB() as engine: align(engine, settled(engine, original), release, ["age", "zip"])

A cell is *true* if the original value is among those that its label may stand for. What a false cell says of its record is wrong
(noise, swapping, a rounded number that nobody explained), so measures of what is known count it as suppressed. A missing value
stands for itself, unless the release has one where the original has a value: then it may be anything.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.images import Everything
from anonscope.columns.readings import UNREAD, LabelReading, ReadAs, Unknown, check_unknown, summary, unknown_for
from anonscope.engines import Engine
from anonscope.errors import AlignmentError, ColumnNotFound, OptionError, shown
from anonscope.io.sources import Relation
from anonscope.risk.counting.arrays import Flags, Floats, Integers
from anonscope.risk.counting.grouping import dense
from anonscope.risk.counting.ladders import Ladder
from anonscope.utility.alignment.domain import Domain, domain_of
from anonscope.utility.alignment.labels import ALTERED, ImageReader, KnownLabels, LabelReader, Labels
from anonscope.utility.alignment.pairing import Paired, pair, settled

__all__ = ["Aligned", "AlignedColumn", "align", "settled"]

# Nobody masks the last digits of a number that counts something.
_MASKED = re.compile(r"[^*]+\*+|\*+[^*]+|.*\d(?:x{2,}|X{2,})")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AlignedColumn:
    """A column before and after: `count[i]` records had the value at `place[i]` and have the label `label[i]`."""

    name: str
    domain: Domain
    labels: Labels
    ladder: Ladder | None  # of its hierarchy, if one was given; its codes are places + 1
    dropped: bool  # the release does not have it
    place: Integers
    label: Integers
    count: Floats
    weight: Floats  # of the records; their count where there is no weight
    true: Flags  # whether the value is among those that the label may stand for
    places: Integers  # of every pair of tuples: the place of its value
    marks: Integers  # of every pair of tuples: its label

    @property
    def records(self) -> float:
        return float(self.count.sum())

    @property
    def original(self) -> Floats:
        """How many records had each value."""
        return np.bincount(self.place, weights=self.count, minlength=len(self.domain.values))

    @property
    def released(self) -> Floats:
        """How many records have each label."""
        return np.bincount(self.label, weights=self.count, minlength=len(self.labels.texts))

    @property
    def readings(self) -> tuple[ReadAs, ...]:
        """How its labels were read, in numbers of labels and of records."""
        read = [LabelReading(Everything(), how, read=how not in (UNREAD, ALTERED)) for how in self.labels.how]
        return summary(self.name, read, self.released)

    @property
    def lost(self) -> Flags:
        """Of every pair, whether nothing true is known of the value: it is suppressed, or what is said is false."""
        return self.labels.suppressed[self.label] | ~self.true

    @property
    def hidden(self) -> Flags:
        """Of every pair, whether the value is suppressed; what was missing before and is missing now is not."""
        texts = self.domain.values
        missing = np.array([text is None for text in self.labels.texts])[self.label]
        stayed = missing & (self.place == len(texts) - 1) if texts[-1] is None else np.zeros(len(missing), dtype=bool)
        hidden: Flags = self.labels.suppressed[self.label] & ~stayed
        return hidden


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Aligned:
    """Two tables about the same people: `n[i]` records have the i-th pair of tuples."""

    columns: tuple[AlignedColumn, ...]
    n: Floats
    weight: Floats | None
    present: Flags  # of every pair of tuples, whether the release has its records
    added: tuple[str, ...]  # columns that only the release has

    @property
    def records(self) -> int:
        """How many records the original has."""
        return int(self.n.sum())

    @property
    def left_out(self) -> int:
        """How many of them the release lacks."""
        return int(self.n[~self.present].sum())

    @property
    def dropped(self) -> tuple[str, ...]:
        """Columns that the release lacks."""
        return tuple(column.name for column in self.columns if column.dropped)

    @property
    def readings(self) -> tuple[ReadAs, ...]:
        """How the labels of every column were read."""
        return tuple(line for column in self.columns if not column.dropped for line in column.readings)

    @property
    def false(self) -> dict[str, int]:
        """How many records have a label that was read and says something else than the original, by column."""
        altered = {c.name: np.array([how == ALTERED for how in c.labels.how]) for c in self.columns}
        found = {c.name: int(c.count[~c.true & ~altered[c.name][c.label]].sum()) for c in self.columns}
        return {name: records for name, records in found.items() if records}

    @property
    def unreadable(self) -> dict[str, int]:
        """How many records have a label that nothing explains, by column; columns without any are left out."""
        found = {c.name: int(c.released[c.labels.unreadable].sum()) for c in self.columns}
        return {name: records for name, records in found.items() if records}


def align(
    engine: Engine,
    original: Relation,
    release: Relation,
    columns: Sequence[str] | None = None,
    *,
    key: str | None = None,
    weight: str | None = None,
    rows: int | None = None,
    image: ImageReader | None = None,
    explained: Collection[str] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    categories: Collection[str] = (),
    unknown: Unknown | Mapping[str, Unknown] = "anything",
) -> Aligned:
    """Return the two tables side by side, record by record in their order or by a `key` that both have.

    Both stand on one engine; `settled` keeps the first readable while the second is opened. `columns` are those of the original to
    compare; all but key and weight if none are named. `image` tells what a column's label stands for (a recipe's `image`; of all
    columns, or of those `explained`), and `hierarchies` do by their labels; else the notation does. A label that nothing explains is
    taken for anything, or with unknown="observed" for the values that it replaced; a mapping says so by column. Columns of numbers
    that are names (postcodes) are `categories`; one that is released by its first characters is taken for one without being told.
    """
    if not isinstance(unknown, Mapping):
        check_unknown(unknown, ())
    if rows is not None and rows < 1:
        raise OptionError(f"The number of rows must be at least 1, not {rows}.")
    chosen = _chosen(original, release, columns, {key, weight} - {None})
    paired = pair(engine, original, release, chosen, key=key, rows=rows, weight=weight)
    known = chosen if explained is None else explained
    told = {
        name: KnownLabels(image if name in known else None, (hierarchies or {}).get(name), unknown_for(name, unknown)) for name in chosen
    }
    made = tuple(_column(paired, name, told[name], category=name in categories) for name in chosen)
    added = tuple(name for name in release.names if name not in original.names)
    return Aligned(made, paired.n, paired.weight, paired.present, added)


def _chosen(original: Relation, release: Relation, columns: Sequence[str] | None, aside: set[str | None]) -> tuple[str, ...]:
    if isinstance(columns, str):
        raise OptionError(f"columns takes a list of column names; write [{columns!r}], not {columns!r}.")
    chosen = tuple(dict.fromkeys(columns)) if columns is not None else tuple(name for name in original.names if name not in aside)
    for name in chosen:
        if name not in original.names:
            raise ColumnNotFound(name, original.names)
    if not chosen:
        raise OptionError("Nothing is to be compared: no column is named beside the key and the weight.")
    if not any(name in release.names for name in chosen):
        raise AlignmentError(
            f"{shown(release.name)} has none of the {len(chosen)} columns of {shown(original.name)} that are to be compared. "
            "Columns are matched by their names; rename them, or check that the tables belong together."
        )
    return chosen


def _column(paired: Paired, name: str, told: KnownLabels, *, category: bool) -> AlignedColumn:
    before, after = paired.original[name], paired.release.get(name)
    missing = bool((before.codes == 0).any())
    masked = after is not None and any(_MASKED.fullmatch(text) for text in after.values if text is not None)
    domain, order = domain_of(before.values if missing else before.values[1:], category=category or masked)
    places = order[before.codes - (0 if missing else 1)]
    texts: tuple[str | None, ...] = ()
    marks = np.zeros(len(places), dtype=np.int64)
    if after is not None:
        kept = np.unique(after.codes[paired.present])
        texts = tuple(after.values[code] for code in kept.tolist())
        marks = np.searchsorted(kept, after.codes).astype(np.int64)
    marks[~paired.present] = len(texts)
    left_out = after is None or not bool(paired.present.all())
    size = len(domain.values)
    number, different = dense(marks * size + places, (len(texts) + 1) * size)
    first = np.empty(different, dtype=np.int64)
    first[number] = np.arange(len(number))
    label, where = marks[first], places[first]
    count = np.bincount(number, weights=paired.n, minlength=different)
    weight = count if paired.weight is None else np.bincount(number, weights=paired.weight, minlength=different)
    reader = LabelReader(name, domain, texts, told, left_out=left_out)
    labels = reader.read(label, where)
    return AlignedColumn(
        name=name,
        domain=domain,
        labels=labels,
        ladder=reader.ladder,
        dropped=after is None,
        place=where,
        label=label,
        count=count,
        weight=weight,
        true=labels.images.contain(label, where),
        places=places,
        marks=marks,
    )
