"""Which tuples of a release and of an external table may be the same people: read, encoded, joined."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from anonscope.attacks.linkage.columns import LinkedColumn
from anonscope.attacks.linkage.families import FREE, Families, Integers, family_tables
from anonscope.attacks.linkage.forms import Join, LinkedTuples
from anonscope.columns.against import Against
from anonscope.columns.images import Everything, Values
from anonscope.columns.reader import ColumnReader
from anonscope.columns.readings import (
    BLANKS,
    OBSERVED,
    ImageOf,
    LabelReading,
    ReadAs,
    ToldLabels,
    Unknown,
    check_unknown,
    summary,
    unknown_for,
)
from anonscope.columns.strays import strays
from anonscope.engines import Engine
from anonscope.engines.duckdb import UnreadableLine
from anonscope.errors import LinkageError, shown
from anonscope.io.sources import Relation
from anonscope.io.sources.unreadable import unreadable
from anonscope.risk.counting.columns import CodedColumn, numbered, read_columns
from anonscope.risk.counting.combinations import read_counted

# What a missing value is: a value of its own, which only another missing one equals, or anything, on either side.
Missing = Literal["value", "anything"]
MISSING: tuple[Missing, ...] = get_args(Missing)


@dataclass(frozen=True, slots=True)
class Strays:
    """How many values of an external column fit no released label and may be written otherwise, and how many cells hold them."""

    column: str
    values: int
    cells: int
    share: float  # of the cells of the column


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Classes of a release beside the external records that each may be; and external tuples beside their candidates in the release."""

    columns: tuple[LinkedColumn, ...]
    missing: Missing
    release: LinkedTuples
    external: LinkedTuples
    class_of: Integers  # of every released record, in its order; where records stay elsewhere, of every different one
    tuple_of: Integers  # of every external record, likewise
    external_records: Integers  # of every class: external records that it may be
    fitting_records: Integers  # of every class: those of them that have no stray value
    released_records: Integers  # of every external tuple: released records that it may be
    signatures: Integers  # of every external tuple: equal where the same classes may be it
    families: tuple[Families, ...]
    readings: tuple[ReadAs, ...]  # how the labels of every column were read
    unread: Integers  # of every class: whether it has a label that was not read, and that was taken for anything
    strays: tuple[Strays, ...]  # values of the external table that fit no label, and may be anything: one for each column that has some

    @property
    def doubtful(self) -> Integers:
        """Of every class: whether what it may be hangs on an unread label or on a stray value."""
        found: Integers = self.unread | (self.fitting_records < self.external_records)
        return found

    @property
    def records(self) -> int:
        return int(self.release.n.sum())

    @property
    def external_size(self) -> int:
        return int(self.external.n.sum())


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """A column in codes, and how many records stand behind each code: one, unless only different combinations were fetched."""

    column: CodedColumn
    n: Integers | None

    @property
    def values(self) -> tuple[str | None, ...]:
        return self.column.values

    @property
    def codes(self) -> Integers:
        return self.column.codes

    @property
    def counted(self) -> bool:
        return self.n is not None

    @property
    def cells(self) -> Integers:
        """How many cells hold each value."""
        found = np.bincount(self.codes, weights=self.n, minlength=len(self.values))
        return found if self.n is None else np.rint(found).astype(np.int64)


def match_tables(
    engine: Engine,
    release: Relation,
    external: Relation,
    columns: Sequence[LinkedColumn],
    *,
    images: Mapping[str, ImageOf | ToldLabels] | None = None,
    missing: Missing = "value",
    unknown: Unknown | Mapping[str, Unknown] = "anything",
    rows: int | None = None,
    external_engine: Engine | None = None,
    doubt_others: bool = False,
) -> Matches:
    """Return which classes of a release may be which tuples of an external table; `rows` takes only the first records of the release.

    `images` says what the labels of a released column stand for, where their notation does not: a recipe or a hierarchy knows. A label
    that nothing explains may be anything, unless `unknown` says more, for all columns or by column: it is a value of its own that the
    external table lacks ("itself"), the beginning of values ("prefix"), or what it stands for in the external table, which is the
    original of this very release, record by record ("observed").
    With `doubt_others` an external value that fits no label, and that nothing shows to be written like those that do, may be anything
    as well; else it is nobody's in the release, which is careful where fewer people mean more risk.
    `external_engine` is the engine that the external table was opened on, if it is another one. Where records stay on an engine, their
    distinct combinations are fetched, with how many records have each: nothing here needs to know which is whose.
    """
    assert missing in MISSING, "whoever asked was told what a missing value may count as"
    if not columns:
        raise LinkageError("There is no column to link by. Say which column is which (--column age=age_at_census).")
    ours = _read(engine, release, [pair.release for pair in columns], rows)
    theirs = _read(external_engine or engine, external, [pair.external for pair in columns], None)
    check_unknown(unknown, release.names)
    read = [
        _readings(own, other, (images or {}).get(pair.release), missing, unknown_for(pair.release, unknown))
        for pair, own, other in zip(columns, ours, theirs, strict=True)
    ]
    families = tuple(family_tables([found.image for found in one], other.values) for one, other in zip(read, theirs, strict=True))
    # Tuples are numbered by the most mixed column first, so that those under one of its labels lie side by side in memory.
    order = sorted(range(len(columns)), key=lambda i: -len(families[i].lookups))
    release_tuples, class_of = _tuples(ours, order)
    external_tuples, tuple_of = _tuples(theirs, order)
    join = Join(families, release_tuples, external_tuples)
    stray = [
        np.zeros(len(other.values), dtype=bool)
        if not doubt_others or unknown_for(pair.release, unknown) == "itself"
        else _strays(one, own, other, table, observed=unknown_for(pair.release, unknown) == "observed")
        for pair, one, own, other, table in zip(columns, read, ours, theirs, families, strict=True)
    ]
    join.run(unknown=missing == "anything", strays=stray)
    doubtful = [np.array([not found.read for found in one], dtype=bool) for one in read]
    unread = np.any([marks[codes] for marks, codes in zip(doubtful, release_tuples.codes, strict=True)], axis=0)
    counted = [summary(pair.release, one, own.cells) for pair, one, own in zip(columns, read, ours, strict=True)]
    return Matches(
        columns=tuple(columns),
        missing=missing,
        release=release_tuples,
        external=external_tuples,
        class_of=class_of,
        tuple_of=tuple_of,
        external_records=join.external_records.astype(np.int64),
        released_records=join.released_records.astype(np.int64),
        signatures=join.signatures,
        families=families,
        readings=tuple(line for lines in counted for line in lines),
        fitting_records=join.fitting_records.astype(np.int64),
        unread=unread,
        strays=tuple(
            Strays(pair.external, int(marks.sum()), cells, cells / int(other.cells.sum()))
            for pair, marks, other in zip(columns, stray, theirs, strict=True)
            if (cells := int(other.cells[marks].sum()))
        ),
    )


def _strays(readings: Sequence[LabelReading], own: _Read, other: _Read, families: Families, *, observed: bool) -> Integers:
    """Return which external values fit no label and may be written otherwise."""
    held = np.any([lookup >= 0 for lookup in families.lookups], axis=0)
    against = Against(other.values, other.cells)
    used = own.cells > 0
    found = strays(against, [one.image for one, there in zip(readings, used, strict=True) if one.read and there], held)
    if observed and not own.counted and not other.counted and len(own.codes) == len(other.codes):
        # The external table is the original, record by record: what stands only where anything may stand is no stray.
        told = np.unique(other.codes[families.family[own.codes] != FREE])
        found &= np.isin(np.arange(len(found)), told)
    return found


def _readings(own: _Read, other: _Read, told: ImageOf | ToldLabels | None, missing: Missing, unknown: Unknown) -> list[LabelReading]:
    """Return what every label of a released column stands for among the values of an external one."""
    told = told if told is None or isinstance(told, ToldLabels) else ToldLabels(told)
    against = Against(other.values, other.cells)
    cells = own.cells.tolist()
    found = ColumnReader(own.values, against, told, unknown=unknown, cells=cells).all()
    if missing == "anything":
        found[0] = LabelReading(Everything(), BLANKS)
    unread = [code for code, reading in enumerate(found) if not reading.read]
    if unknown == "observed" and unread:
        if own.counted or other.counted:
            raise LinkageError(
                "What labels stand for is observed record by record, and on Spark records have no order. "
                "Leave unknown='observed' (--unknown observed) out."
            )
        if len(own.codes) != len(other.codes):
            raise LinkageError(
                f"The release has {len(own.codes):,} records and the external table {len(other.codes):,}. What labels stand for can be "
                "observed only in the original of the release, in the same order. Leave unknown='observed' (--unknown observed) out."
            )
        for code, values in zip(unread, _observed(own, other, unread), strict=True):
            found[code] = LabelReading(Values(values, own.values[code] or ""), OBSERVED)
    return found


def _observed(own: _Read, other: _Read, labels: Sequence[int]) -> list[frozenset[str | None]]:
    """Return the values that stand where labels do, record by record."""
    wanted = np.isin(own.codes, labels)
    pairs = np.unique(np.stack([own.codes[wanted], other.codes[wanted]]), axis=1)
    starts = np.searchsorted(pairs[0], labels)
    stops = np.searchsorted(pairs[0], labels, side="right")
    return [frozenset(other.values[code] for code in pairs[1, a:b].tolist()) for a, b in zip(starts, stops, strict=True)]


def _read(engine: Engine, relation: Relation, names: Sequence[str], rows: int | None) -> list[_Read]:
    # One attribute may be linked by two columns of the other table, so names may repeat.
    different = tuple(dict.fromkeys(names))
    n = None
    try:
        if engine.remote and rows is None:
            columns, n = read_counted(engine, relation, different)
        else:
            columns = read_columns(engine, relation, different, rows)
    except UnreadableLine as error:
        raise unreadable(relation, error) from None
    if not len(columns[names[0]].codes):
        raise LinkageError(f"{shown(relation.name)} has no records, so there is nothing to link.")
    return [_Read(columns[name], n) for name in names]


def _tuples(columns: Sequence[_Read], order: Sequence[int]) -> tuple[LinkedTuples, Integers]:
    """Return the distinct tuples of the columns, sorted by them in an order, and which one every record has."""
    number, count = numbered([columns[i].codes for i in order], [len(columns[i].values) for i in order])
    first = np.zeros(count, dtype=np.int64)
    first[number] = np.arange(len(number))
    sizes = np.rint(np.bincount(number, weights=columns[0].n, minlength=count)).astype(np.int64)
    return LinkedTuples(tuple(column.codes[first] for column in columns), sizes), number
