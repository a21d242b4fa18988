"""Original and release side by side: distinct pairs of what a record was and what it became, with how many records each has.

The engine pairs and counts the records, by their position or by a key, so that nothing above depends on how many there are.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonscope.engines import Engine
from anonscope.engines.values import canonical, number
from anonscope.errors import AlignmentError, ColumnNotFound, RoleError, shown
from anonscope.io.sources import Relation
from anonscope.risk.counting import combinations
from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.risk.counting.columns import CodedColumn, numbered

# Names under which an engine knows a source only until the next one is opened.
_SHARED = re.compile(r"\barrow_source\b")
_SETTLED = "original_source"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Paired:
    """Columns of both tables in codes, a place for every distinct pair of tuples, and how many records each pair has.

    A code is a place in `values` of its column, 0 being a missing value. `present` is False for records that the release lacks.
    """

    original: dict[str, CodedColumn]
    release: dict[str, CodedColumn]
    present: Integers
    n: Floats
    weight: Floats | None


def settled(engine: Engine, relation: Relation) -> Relation:
    """Return a relation that stays readable when another source is opened on the same engine.

    Frames, and text that had to be rewritten as UTF-8, are known to an engine by names that the next source takes over.
    """
    if not _is_shared(engine, relation):
        return relation
    names = ", ".join(f"c{i}" for i in range(len(relation.columns)))
    engine.stage(_SETTLED, f"SELECT {names} FROM {relation.origin}", large=relation.large, ordered=True)
    return Relation(relation.name, relation.columns, f"{_SETTLED} AS t", notes=relation.notes, delimiter=relation.delimiter)


def _is_shared(engine: Engine, relation: Relation) -> bool:
    return bool(_SHARED.search(relation.origin)) or engine.text(str(engine.scratch))[1:-1] in relation.origin


def pair(
    engine: Engine,
    original: Relation,
    release: Relation,
    columns: Sequence[str],
    *,
    key: str | None = None,
    rows: int | None = None,
    weight: str | None = None,
) -> Paired:
    """Return the distinct pairs of tuples; columns that the release lacks are left out of its side."""
    if original.origin == release.origin and _is_shared(engine, original):
        raise AlignmentError(
            "Original and release are known to the engine by the same name, so only the one that was opened last can be read. "
            "Settle the original before the release is opened."
        )
    kept = [name for name in columns if name in release.names]
    ours, theirs = _texts(original, columns, "x"), _texts(release, kept, "y")
    if weight is not None:
        ours.append(f"{_number(original, weight)} AS w")
    left = f"(SELECT {', '.join([*ours, *_key(original, key)])} FROM {_limited(original, rows)})"
    right = f"(SELECT {', '.join([*theirs, *_key(release, key)])} FROM {_limited(release, rows)})"
    names = [*(f"x{i}" for i in range(len(columns))), *(f"y{i}" for i in range(len(kept)))]
    weights = "SUM(w) AS w, COUNT(w) AS v, MIN(w) AS u" if weight is not None else ""
    groups = list(names)
    if key is None:
        _check_lengths(engine, original, release, rows)
        beside = engine.beside(left, right)
    else:
        _check_keys(engine, left, right, original, release, key)
        beside = f"{left} AS t LEFT JOIN (SELECT *, 1 AS b FROM {right} AS x) AS a ON t.k = a.k"
        # NULL for records that the release lacks. Grouping by it doubles the time, so only where there may be such.
        groups.append("b")
    listed = ", ".join(groups)
    select = f"SELECT {listed}, COUNT(*) AS n{', ' if weights else ''}{weights} FROM {beside} GROUP BY {listed}"
    table = engine.batches(_few(engine, select, original) if engine.remote else select).read_all()
    found = [_coded(column) for column in table.columns[: len(names)]]
    n = _numbers(table, "n")
    there = np.ones(len(n)) if key is None else _numbers(table, "b")
    order = _order(found, there)
    sides = [CodedColumn(column.values, column.codes[order]) for column in found]
    return Paired(
        original=dict(zip(columns, sides[: len(columns)], strict=True)),
        release=dict(zip(kept, sides[len(columns) :], strict=True)),
        present=there[order] > 0,
        n=n[order],
        weight=_checked_weights(table, n, weight)[order] if weight is not None else None,
    )


def _few(engine: Engine, select: str, original: Relation) -> str:
    """Return what reads the pairs after they were counted where they are, if they are few enough to be fetched."""
    engine.materialise("pair", select)
    ((pairs,),) = engine.rows("SELECT COUNT(*) AS n FROM pair")
    if pairs > combinations.MOST_COMBINATIONS:
        raise AlignmentError(
            f"The columns of {shown(original.name)} that are compared have {pairs:,} different combinations before and after, and at most "
            f"{combinations.MOST_COMBINATIONS:,} are looked at on one machine. Compare fewer quasi-identifiers at a time: -q (columns=...)."
        )
    return "SELECT * FROM pair"


def _texts(relation: Relation, columns: Sequence[str], prefix: str) -> list[str]:
    for name in columns:
        if name not in relation.names:
            raise ColumnNotFound(name, relation.names)
    places = [relation.position(name) for name in columns]
    return [f"{canonical(f'c{i}', relation.columns[i].type, relation.columns[i].name)} AS {prefix}{j}" for j, i in enumerate(places)]


def _number(relation: Relation, name: str) -> str:
    if name not in relation.names:
        raise ColumnNotFound(name, relation.names)
    place = relation.position(name)
    return number(f"c{place}", relation.columns[place].type, name)


def _key(relation: Relation, key: str | None) -> list[str]:
    if key is None:
        return []
    (text,) = _texts(relation, [key], "k")
    return [text.removesuffix("0")]


def _limited(relation: Relation, rows: int | None) -> str:
    return relation.origin if rows is None else f"(SELECT * FROM {relation.origin} LIMIT {rows}) AS s"


def _check_keys(engine: Engine, left: str, right: str, original: Relation, release: Relation, key: str) -> None:
    """Raise unless every record has a key of its own and the release knows no key that the original does not."""
    for side, relation in ((left, original), (right, release)):
        ((records, keyed, different),) = engine.rows(f"SELECT COUNT(*), COUNT(k), COUNT(DISTINCT k) FROM {side} AS x")
        if keyed < records:
            raise AlignmentError(
                f"{records - keyed:,} of the {records:,} records of {shown(relation.name)} lack the key {shown(key)}. "
                "A key must tell every record; name another column, or none if records are in the same order."
            )
        if different < records:
            raise AlignmentError(
                f"The key {shown(key)} has {different:,} values for {records:,} records of {shown(relation.name)}. "
                "A key must tell every record from all others."
            )
    ((unknown,),) = engine.rows(f"SELECT COUNT(*) FROM {right} AS x LEFT JOIN {left} AS y ON x.k = y.k WHERE y.k IS NULL")
    if unknown:
        raise AlignmentError(
            f"{unknown:,} records of {shown(release.name)} have a key {shown(key)} that {shown(original.name)} does not have. "
            "A release holds no records but those of its original."
        )


def _check_lengths(engine: Engine, original: Relation, release: Relation, rows: int | None) -> None:
    ours, theirs = (engine.rows(f"SELECT COUNT(*) FROM {_limited(side, rows)}")[0][0] for side in (original, release))
    if ours != theirs:
        raise AlignmentError(
            f"{shown(original.name)} has {ours:,} records and {shown(release.name)} has {theirs:,}, so they cannot be compared record "
            "by record. If records were left out, name a column that tells them apart in both tables (--key COLUMN, key=...)."
        )


def _checked_weights(table: Any, n: Floats, name: str) -> Floats:
    w, present, smallest = (_numbers(table, field) for field in ("w", "v", "u"))
    if lacking := int((n - present).sum()):
        raise RoleError(f"The weight {shown(name)} is missing or no number for {lacking:,} records. Every record needs a weight.")
    if (smallest < 0).any():
        raise RoleError(f"The weight {shown(name)} is negative for some records. Weights count people, so they cannot be.")
    if not w.sum() > 0:
        raise RoleError(f"The weight {shown(name)} is 0 for all records, so nothing is left to compare.")
    return w


def _numbers(table: Any, name: str) -> Floats:
    import pyarrow.compute as pc

    filled = pc.fill_null(pc.cast(table.column(name), "float64"), 0.0)
    return np.asarray(filled.to_numpy(), dtype=np.float64)


def _coded(column: Any) -> CodedColumn:
    """Return a column in codes that follow the order of its texts, 0 being a missing value."""
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = pc.dictionary_encode(column.combine_chunks())
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    values = encoded.dictionary.to_pylist()
    order = sorted(range(len(values)), key=values.__getitem__)
    place = np.zeros(len(values) + 1, dtype=np.int64)
    place[np.array(order, dtype=np.int64)] = np.arange(1, len(values) + 1)
    codes = place[pc.fill_null(encoded.indices, len(values)).to_numpy(zero_copy_only=False)]
    return CodedColumn((None, *(values[i] for i in order)), codes)


def _order(columns: Sequence[CodedColumn], there: Floats) -> Integers:
    """Return an order of the pairs that does not depend on the engine's threads."""
    number, _ = numbered([column.codes for column in columns] + [there.astype(np.int64)], [*(len(c.values) for c in columns), 2])
    order = np.empty(len(number), dtype=np.int64)
    order[number] = np.arange(len(number))
    return order
