"""Two tables with the same columns in the same codes, whose records have nothing to do with each other.

A code is a value, 0 a missing one. Numbers of which there are many are put into bins that hold about as many records of the original
each; the release is put into the same bins. What the release has and the original has not has codes of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anonscope.engines import Engine
from anonscope.errors import AlignmentError, ColumnNotFound, shown
from anonscope.io.sources import Relation
from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.risk.counting.columns import CodedColumn, numbered, read_columns
from anonscope.utility.alignment.domain import Domain, domain_of

NOT_PAIRED = "records do not correspond"
SINGLE = 128  # so many numbers have a code each
BINS = 32
_SURE = 5.0  # deviations above chance by which records follow their originals
_STRANGE = 0.5  # share of cells that are no values of the original, from which on a column is taken to be recoded
_TELLING = 0.5  # what records that follow would have in common at least, for a column to tell
_COLUMNS = 2  # so many must tell


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Unpaired:
    """Columns of an original, of a release, and of people held out if there are any, in common codes."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    original: tuple[Integers, ...]
    release: tuple[Integers, ...]
    numbers: Mapping[str, tuple[Floats, Floats, Floats]]  # of numeric columns, of all three; NaN where there is none
    keys: tuple[str, ...] = ()  # what an outsider may know
    sensitive: tuple[str, ...] = ()
    target: str | None = None  # what a model is to predict
    held_out: tuple[Integers, ...] = ()
    seed: int = 1
    cache: dict[Any, Any] = field(default_factory=dict)

    @property
    def records(self) -> tuple[int, int]:
        """How many records the original and the release have."""
        return len(self.original[0]), len(self.release[0])

    @property
    def recoded(self) -> bool:
        """Whether most values of some column are none of the original's: labels, which are read record by record."""
        return any(
            float((np.bincount(before, minlength=size) == 0)[after].mean()) > _STRANGE
            for before, after, size in zip(self.original, self.release, self.sizes, strict=True)
        )

    def places(self, names: Sequence[str]) -> list[int]:
        """Return where columns stand."""
        return [self.names.index(name) for name in names]

    def tuples(self, places: Sequence[int]) -> tuple[Integers, Integers, int]:
        """Return a number for every combination of some columns, of the original's records and of the release's; and how many there are."""
        split = self.records[0]
        codes = [np.concatenate([self.original[i], self.release[i]]) for i in places]
        number, count = numbered(codes, [self.sizes[i] for i in places])
        return number[:split], number[split:], count


def unpaired(
    engine: Engine,
    original: Relation,
    release: Relation,
    columns: Sequence[str],
    *,
    held_out: tuple[Engine, Relation] | None = None,
    keys: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    target: str | None = None,
    seed: int = 1,
) -> Unpaired:
    """Return two tables, on one engine, in common codes: the columns that both have."""
    wanted = dict.fromkeys([*columns, *([target] if target is not None else [])])
    for name in wanted:
        if name not in original.names:
            raise ColumnNotFound(name, original.names)
    names = tuple(name for name in wanted if name in release.names and (held_out is None or name in held_out[1].names))
    if not names:
        raise AlignmentError(
            f"{shown(release.name)} has none of the {len(wanted)} columns of {shown(original.name)} that are to be compared. "
            "Columns are matched by their names; rename them, or check that the tables belong together."
        )
    further = [held_out] if held_out is not None else []
    sides = [read_columns(where, relation, names) for where, relation in ((engine, original), (engine, release), *further)]
    if not all(len(side[names[0]].codes) for side in sides):
        raise AlignmentError("A table without records cannot be compared.")
    coded, sizes, numbers = [], [], {}
    for name in names:
        codes, size, values = _coded([_parts(side[name]) for side in sides] + [_parts(None)] * (3 - len(sides)))
        coded.append(codes)
        sizes.append(size)
        if values is not None:
            numbers[name] = values
    return Unpaired(
        names=names,
        sizes=tuple(sizes),
        original=tuple(codes[0] for codes in coded),
        release=tuple(codes[1] for codes in coded),
        numbers=numbers,
        keys=tuple(name for name in keys if name in names),
        sensitive=tuple(name for name in sensitive if name in names),
        target=target if target in names else None,
        held_out=tuple(codes[2] for codes in coded) if held_out is not None else (),
        seed=seed,
    )


def follows(tables: Unpaired) -> bool | None:
    """Return whether records of the release, in their order, have more in common with those of the original than chance would give.

    None: that cannot be told, because values were recoded, or there are too few records or columns.
    """
    n, m = tables.records
    if n != m:
        return False
    if tables.recoded:
        return None
    telling = 0
    for before, after, size in zip(tables.original, tables.release, tables.sizes, strict=True):
        ours, theirs = (np.bincount(codes, minlength=size) / n for codes in (before, after))
        chance = float(ours @ theirs)
        enough = chance + _SURE * np.sqrt(chance * (1 - chance) / n)
        if float((before == after).mean()) > enough:
            return True
        telling += enough < _TELLING
    return False if telling >= _COLUMNS else None


def _coded(
    encoded: Sequence[tuple[list[str], Integers]],
) -> tuple[tuple[Integers, Integers, Integers], int, tuple[Floats, Floats, Floats] | None]:
    """Return a column of all three tables in codes, how many there are, and its numbers if it has such."""
    before = sorted(encoded[0][0])
    if before and (domain := domain_of(tuple(before), category=False)[0]).numeric:
        return _numeric(encoded, domain)
    values = before + sorted({value for found, _ in encoded[1:] for value in found} - set(before))
    place = {value: i for i, value in enumerate(values, start=1)}
    codes = tuple(np.array([*(place[value] for value in found), 0], dtype=np.int64)[index] for found, index in encoded)
    return (codes[0], codes[1], codes[2]), len(values) + 1, None


def _numeric(
    encoded: Sequence[tuple[list[str], Integers]], domain: Domain
) -> tuple[tuple[Integers, Integers, Integers], int, tuple[Floats, Floats, Floats]]:
    read = [np.array([*(np.nan if (x := domain.number(text)) is None else x for text in found), np.nan]) for found, _ in encoded]
    values = [numbers[index] for numbers, (_, index) in zip(read, encoded, strict=True)]
    there = values[0][~np.isnan(values[0])]
    different = np.unique(np.concatenate([numbers[~np.isnan(numbers)] for numbers in read]))
    edges = different[1:] if len(different) <= SINGLE else np.unique(np.quantile(there, np.arange(1, BINS) / BINS))
    # Beside the bins: 0 for a missing value, and the last for what is no number though the original has only numbers.
    last = len(edges) + 2
    codes = []
    for (found, index), numbers in zip(encoded, read, strict=True):
        own = np.searchsorted(edges, numbers, side="right") + 1
        own[np.isnan(numbers)] = last
        own[len(found)] = 0
        codes.append(own.astype(np.int64)[index])
    return (codes[0], codes[1], codes[2]), last + 1, (values[0], values[1], values[2])


def _parts(column: CodedColumn | None) -> tuple[list[str], Integers]:
    """Return the different texts of a column, and for every record which one it has; -1, the place behind the last, is a missing one."""
    if column is None:
        return [], np.zeros(0, dtype=np.int64)
    return [value for value in column.values if value is not None], column.codes.astype(np.int64) - 1
