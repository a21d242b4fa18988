"""Which tuples of a release and of an external table may be the same people: read, encoded, joined."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from anonscope.engines import Engine
from anonscope.engines.duckdb import UnreadableLine
from anonscope.errors import LinkageError, OptionError, shown
from anonscope.linkage.columns import LinkedColumn
from anonscope.linkage.families import Families, ImageOf, Integers, family_tables
from anonscope.linkage.forms import Join, Tuples
from anonscope.search.prepare import Column, numbered, read_columns
from anonscope.sources import Relation
from anonscope.sources.delimited import unreadable

# What a missing value is: a value of its own, which only another missing one equals, or anything, on either side.
Missing = Literal["value", "anything"]
MISSING: tuple[Missing, ...] = get_args(Missing)


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Classes of a release beside the external records that each may be; and external tuples beside their candidates in the release."""

    columns: tuple[LinkedColumn, ...]
    missing: Missing
    release: Tuples
    external: Tuples
    class_of: Integers  # of every released record, in its order
    tuple_of: Integers  # of every external record, in its order
    external_records: Integers  # of every class: external records that it may be
    released_records: Integers  # of every external tuple: released records that it may be
    signatures: Integers  # of every external tuple: equal where the same classes may be it
    families: tuple[Families, ...]

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
    images: Mapping[str, ImageOf] | None = None,
    missing: Missing = "value",
    rows: int | None = None,
    external_engine: Engine | None = None,
) -> Matches:
    """Return which classes of a release may be which tuples of an external table; `rows` takes only the first records of the release.

    `images` says what the labels of a released column stand for, where their notation does not: a recipe or a hierarchy knows.
    `external_engine` is the engine that the external table was opened on, if it is another one.
    """
    if missing not in MISSING:
        raise OptionError(f"A missing value counts as {' or '.join(MISSING)}, not as {missing!r}.")
    if not columns:
        raise LinkageError("There is no column to link by. Say which column is which, for instance --column age=age_at_census.")
    ours = _read(engine, release, [pair.release for pair in columns], rows)
    theirs = _read(external_engine or engine, external, [pair.external for pair in columns], None)
    unknown = missing == "anything"
    given = images or {}
    families = tuple(
        family_tables(own.values, other.values, given.get(pair.release), unknown=unknown)
        for pair, own, other in zip(columns, ours, theirs, strict=True)
    )
    # Tuples are numbered by the most mixed column first, so that those under one of its labels lie side by side in memory.
    order = sorted(range(len(columns)), key=lambda i: -len(families[i].lookups))
    release_tuples, class_of = _tuples(ours, order)
    external_tuples, tuple_of = _tuples(theirs, order)
    join = Join(families, release_tuples, external_tuples)
    join.run(unknown=unknown)
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
    )


def _read(engine: Engine, relation: Relation, names: Sequence[str], rows: int | None) -> list[Column]:
    try:
        # One attribute may be linked by two columns of the other table, so names may repeat.
        columns = read_columns(engine, relation, tuple(dict.fromkeys(names)), rows)
    except UnreadableLine as error:
        raise unreadable(relation, error) from None
    if not len(columns[names[0]].codes):
        raise LinkageError(f"{shown(relation.name)} has no records, so there is nothing to link.")
    return [columns[name] for name in names]


def _tuples(columns: Sequence[Column], order: Sequence[int]) -> tuple[Tuples, Integers]:
    """Return the distinct tuples of the columns, sorted by them in an order, and which one every record has."""
    number, count = numbered([columns[i].codes for i in order], [len(columns[i].values) for i in order])
    first = np.zeros(count, dtype=np.int64)
    first[number] = np.arange(len(number))
    return Tuples(tuple(column.codes[first] for column in columns), np.bincount(number, minlength=count)), number
