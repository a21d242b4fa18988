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
    ReadAs,
    Reading,
    Told,
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
    class_of: Integers  # of every released record, in its order
    tuple_of: Integers  # of every external record, in its order
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
        return len(self.class_of)

    @property
    def external_size(self) -> int:
        return len(self.tuple_of)


def match_tables(
    engine: Engine,
    release: Relation,
    external: Relation,
    columns: Sequence[LinkedColumn],
    *,
    images: Mapping[str, ImageOf | Told] | None = None,
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
    `external_engine` is the engine that the external table was opened on, if it is another one.
    """
    assert missing in MISSING, "whoever asked was told what a missing value may count as"
    if not columns:
        raise LinkageError("There is no column to link by. Say which column is which, for instance --column age=age_at_census.")
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
    counted = [
        summary(pair.release, one, np.bincount(own.codes, minlength=len(own.values)))
        for pair, one, own in zip(columns, read, ours, strict=True)
    ]
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
            Strays(pair.external, int(marks.sum()), cells, cells / len(other.codes))
            for pair, marks, other in zip(columns, stray, theirs, strict=True)
            if (cells := int(marks[other.codes].sum()))
        ),
    )


def _strays(readings: Sequence[Reading], own: CodedColumn, other: CodedColumn, families: Families, *, observed: bool) -> Integers:
    """Return which external values fit no label and may be written otherwise."""
    held = np.any([lookup >= 0 for lookup in families.lookups], axis=0)
    against = Against(other.values, np.bincount(other.codes, minlength=len(other.values)))
    used = np.bincount(own.codes, minlength=len(own.values)) > 0
    found = strays(against, [one.image for one, there in zip(readings, used, strict=True) if one.read and there], held)
    if observed and len(own.codes) == len(other.codes):
        # The external table is the original, record by record: what stands only where anything may stand is no stray.
        told = np.unique(other.codes[families.family[own.codes] != FREE])
        found &= np.isin(np.arange(len(found)), told)
    return found


def _readings(own: CodedColumn, other: CodedColumn, told: ImageOf | Told | None, missing: Missing, unknown: Unknown) -> list[Reading]:
    """Return what every label of a released column stands for among the values of an external one."""
    told = told if told is None or isinstance(told, Told) else Told(told)
    against = Against(other.values, np.bincount(other.codes, minlength=len(other.values)))
    cells = np.bincount(own.codes, minlength=len(own.values)).tolist()
    found = ColumnReader(own.values, against, told, unknown=unknown, cells=cells).all()
    if missing == "anything":
        found[0] = Reading(Everything(), BLANKS)
    unread = [code for code, reading in enumerate(found) if not reading.read]
    if unknown == "observed" and unread:
        if len(own.codes) != len(other.codes):
            raise LinkageError(
                f"The release has {len(own.codes):,} records and the external table {len(other.codes):,}. What labels stand for can be "
                "observed only in the original of the release, in the same order. Leave unknown='observed' (--unknown observed) out."
            )
        for code, values in zip(unread, _observed(own, other, unread), strict=True):
            found[code] = Reading(Values(values, own.values[code] or ""), OBSERVED)
    return found


def _observed(own: CodedColumn, other: CodedColumn, labels: Sequence[int]) -> list[frozenset[str | None]]:
    """Return the values that stand where labels do, record by record."""
    wanted = np.isin(own.codes, labels)
    pairs = np.unique(np.stack([own.codes[wanted], other.codes[wanted]]), axis=1)
    starts = np.searchsorted(pairs[0], labels)
    stops = np.searchsorted(pairs[0], labels, side="right")
    return [frozenset(other.values[code] for code in pairs[1, a:b].tolist()) for a, b in zip(starts, stops, strict=True)]


def _read(engine: Engine, relation: Relation, names: Sequence[str], rows: int | None) -> list[CodedColumn]:
    try:
        # One attribute may be linked by two columns of the other table, so names may repeat.
        columns = read_columns(engine, relation, tuple(dict.fromkeys(names)), rows)
    except UnreadableLine as error:
        raise unreadable(relation, error) from None
    if not len(columns[names[0]].codes):
        raise LinkageError(f"{shown(relation.name)} has no records, so there is nothing to link.")
    return [columns[name] for name in names]


def _tuples(columns: Sequence[CodedColumn], order: Sequence[int]) -> tuple[LinkedTuples, Integers]:
    """Return the distinct tuples of the columns, sorted by them in an order, and which one every record has."""
    number, count = numbered([columns[i].codes for i in order], [len(columns[i].values) for i in order])
    first = np.zeros(count, dtype=np.int64)
    first[number] = np.arange(len(number))
    return LinkedTuples(tuple(column.codes[first] for column in columns), np.bincount(number, minlength=count)), number
