"""Counting by sorting, where records lie in this machine's memory.

Everything that tells a record from others is packed into one number. In ascending order records that agree stand together, and so do
those of a class, so that one look along the numbers gives the tables which `encode` and `roll_up` describe by statements. These are
noted beside the tables: whoever runs them by hand counts the same. They are what is run where records do not fit into memory, on every
other engine, and for an attacker who knows a part of the columns only. Where quasi-identifiers need several words, records are sorted by
a hash of the words first, which numbers the classes; that no two classes share a hash is seen on the way, and if some did, the statements
are run.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from anonscope.engines import Engine
from anonscope.risk.counting.grouping import few

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from anonscope.risk.counting.encode import Radix

_WORD = 2**63 - 1
# What the numbers of a record take at the most while they are counted, and what every word takes where there are several.
_BYTES, _WORD_BYTES = 100, 32


@dataclass(frozen=True, slots=True)
class Wide:
    """Classes that need several words, numbered from 1 on: the words of each, and the class of every row of `record`."""

    words: "tuple[NDArray[Any], ...]"
    q: "NDArray[Any]"

    def key_table(self) -> "dict[str, NDArray[Any]]":
        """Return `tuple_key`."""
        import numpy as np

        return {f"k{word}": held for word, held in enumerate(self.words)} | {"q": np.arange(1, len(self.words[0]) + 1)}


@dataclass(frozen=True, slots=True)
class CountedRecords:
    """The columns of `record`, and the classes behind them where these need several words."""

    columns: "Mapping[str, NDArray[Any]]"
    wide: Wide | None = None


@dataclass(frozen=True, slots=True)
class Sweep:
    """The classes of all quasi-identifiers in ascending order, and their cells, one class after the other: it has `kinds` of them."""

    q: "NDArray[Any]"
    n: "NDArray[Any]"
    kinds: "NDArray[Any]"
    t: "NDArray[Any]"  # the lowest value of each class
    cell_q: "NDArray[Any]"
    cell_t: "NDArray[Any]"
    cell_n: "NDArray[Any]"
    values: int  # codes of the sensitive attribute are below
    words: "tuple[NDArray[Any], ...]"  # of every class; where one holds all, that is q

    def by_value(self) -> "NDArray[Any]":
        """Return how many records have each code of the sensitive attribute."""
        import numpy as np

        return np.bincount(self.cell_t, weights=self.cell_n, minlength=self.values).astype(np.int64)

    def of_several(self) -> "NDArray[Any]":
        """Return the places of the cells of classes that have several values."""
        import numpy as np

        return np.flatnonzero(np.repeat(self.kinds > 1, self.kinds))

    def class_table(self) -> "dict[str, NDArray[Any]]":
        """Return `class`."""
        return {"q": self.q, "n": self.n, "persons": self.n, "kinds": self.kinds, "t": self.t}

    def cell_table(self) -> "dict[str, NDArray[Any]]":
        """Return `cell`."""
        return {"q": self.cell_q, "t": self.cell_t, "n": self.cell_n}

    def kinds_table(self) -> "dict[str, NDArray[Any]]":
        """Return `class_kind`."""
        return {"q": self.q, "n": self.n, "kinds": self.kinds, "t": self.t}

    def value_table(self) -> "dict[str, NDArray[Any]]":
        """Return `value`."""
        import numpy as np

        n = self.by_value()
        present = np.flatnonzero(n)
        return {"t": present, "n": n[present]}

    def kind_table(self) -> "dict[str, NDArray[Any]]":
        """Return `kind_cell`."""
        import numpy as np

        several, cells = self.kinds > 1, self.of_several()
        alone = np.flatnonzero(~several)
        # Those with one value that have size and value in common; the first of them stands for all.
        like, m = _first_of_each(alone, self.n[alone] * self.values + self.t[alone])
        kinds = self.kinds[several]

        def both(one: "NDArray[Any]", other: "NDArray[Any]") -> "NDArray[Any]":
            return np.concatenate([one, other])

        return {
            "q": both(self.cell_q[cells], self.q[like]),
            "t": both(self.cell_t[cells], self.t[like]),
            "n": both(self.cell_n[cells], self.n[like]),
            "class_n": both(np.repeat(self.n[several], kinds), self.n[like]),
            "kinds": both(np.repeat(kinds, kinds), self.kinds[like]),
            "m": both(np.ones(len(cells), dtype=np.int64), m),
        }

    def attribute_table(self, radices: "tuple[Radix, ...]") -> "dict[str, NDArray[Any]] | None":
        """Return `attribute_cell`, or None where an attribute has too many values for a place each."""
        import numpy as np

        sizes = [radix.hi // radix.lo for radix in radices]
        if not all(few(size * self.values, len(self.cell_n)) for size in sizes):
            return None
        # Adding up doubles is slower than counting.
        weights = self.cell_n.astype(np.float64) if len(self.cell_n) and self.cell_n.max() > 1 else None
        found = []
        for radix, size, code in zip(radices, sizes, self._codes(radices), strict=True):
            code *= self.values
            code += self.cell_t
            n = np.bincount(code, weights=weights, minlength=size * self.values)
            present = np.flatnonzero(n)
            a = present // self.values
            found.append((np.full(len(present), radix.attribute), a * radix.lo, present - a * self.values, n[present].astype(np.int64)))
        return dict(zip(("attribute", "a", "t", "n"), map(np.concatenate, zip(*found, strict=True)), strict=True))

    def _codes(self, radices: "tuple[Radix, ...]") -> "Iterator[NDArray[Any]]":
        """Yield the code of every attribute in every cell."""
        import numpy as np

        alike = len(self.q) == len(self.cell_q)
        for radix in radices:
            word, size = self.words[radix.word], radix.hi // radix.lo
            # Dividing by one number is quick, and the remainder is not.
            code = word // radix.lo if radix.lo > 1 else word.copy()
            code -= code // size * size
            yield code if alike else np.repeat(code, self.kinds)

    def told(self, records: int) -> "NDArray[Any]":
        """Return the bits that every class tells of the sensitive attribute: where it has one value, those of that value alone."""
        import numpy as np

        value_n = np.maximum(self.by_value(), 1)
        bits: NDArray[Any] = np.log2(records / value_n)[self.t]
        several, cells = self.kinds > 1, self.of_several()
        if len(cells):
            kinds, n = self.kinds[several], self.cell_n[cells].astype(np.float64)
            # One logarithm of the whole ratio: it is exactly 0 where a class is like the table.
            ratio = n * records / (np.repeat(self.n[several], kinds) * value_n[self.cell_t[cells]])
            bits[several] = np.add.reduceat(n * np.log2(ratio), np.cumsum(kinds) - kinds) / self.n[several]
        return bits


def count_by_sorting(
    engine: Engine,
    coded: str,
    bounds: Mapping[str, int],
    select: str,
    *,
    counted: bool = False,
    columns: "Mapping[str, NDArray[Any]] | None" = None,
) -> CountedRecords | None:
    """Make `record`, which a SELECT describes, from coded records whose columns stay below bounds; None where the engine must.

    If they are `counted` already, each row stands for n records, and several rows may stand for the same ones. `columns` are the coded
    records, where these were read.
    """
    words = [name for name in bounds if name.startswith("w")]
    one = prod(bounds.values()) <= _WORD
    if not engine.room or (not one and len(words) == 1):
        return None
    ((records,),) = engine.rows(f"SELECT COUNT(*) AS n FROM {coded if counted else 'source'}")
    if not 0 < records * (_BYTES + (0 if one else _WORD_BYTES * len(words))) <= engine.room:
        return None
    if one:
        found: CountedRecords | None = _by_one(engine, coded, bounds, columns, counted=counted)
    else:
        listed = [*bounds, *(["n"] if counted else [])]
        fetched = columns or dict(zip(listed, engine.arrays(f"SELECT {', '.join(listed)} FROM {coded}"), strict=True))
        found = _by_hash(fetched, bounds, words)
    if found is not None:
        engine.keep("record", select, found.columns)
    return found


def _by_one(
    engine: Engine, coded: str, bounds: Mapping[str, int], columns: "Mapping[str, NDArray[Any]] | None", *, counted: bool
) -> CountedRecords:
    """Count records that fit into one number."""
    if columns is not None:
        return CountedRecords(_counted(_keys(None, columns, bounds), None, bounds))
    packed = ""
    for name, bound in bounds.items():
        packed = f"({packed}) * {bound} + {name}" if packed else name
    keys, *counts = engine.arrays(f"SELECT {packed} AS k{', n' if counted else ''} FROM {coded}")
    return CountedRecords(_counted(keys, counts[0] if counts else None, bounds))


def _by_hash(columns: "Mapping[str, NDArray[Any]]", bounds: Mapping[str, int], words: list[str]) -> CountedRecords | None:
    """Count records whose quasi-identifiers need several words; None if two classes share a hash, or a record does not fit even so."""
    import numpy as np

    others = {name: bound for name, bound in bounds.items() if name not in words}
    h = np.zeros(len(columns[words[0]]), dtype=np.uint64)
    for word in words:
        h = mixed(h ^ columns[word].view(np.uint64))
    order = np.argsort(h)
    h = h[order]
    same = h[1:] == h[:-1]
    changed = np.zeros(len(same), dtype=bool)
    ordered = []
    for word in words:
        ordered.append(columns[word][order])
        changed |= ordered[-1][1:] != ordered[-1][:-1]
    begins = np.concatenate(([0], np.flatnonzero(changed) + 1))
    if bool((changed & same).any()) or (len(begins) + 1) * prod(others.values()) > _WORD:
        return None
    held = tuple(column[begins] for column in ordered)
    del ordered
    classes = np.repeat(np.arange(1, len(begins) + 1), np.diff(begins, append=len(h)))
    keys = _keys(classes, {name: columns[name][order] for name in others}, others)
    found = _counted(keys, columns["n"][order] if "n" in columns else None, {"q": len(begins) + 1} | others)
    q = found.pop("q")
    return CountedRecords({name: column[q - 1] for name, column in zip(words, held, strict=True)} | found, Wide(held, q))


def _keys(first: "NDArray[Any] | None", columns: "Mapping[str, NDArray[Any]]", bounds: Mapping[str, int]) -> "NDArray[Any]":
    """Return columns below bounds as one number, behind a first one if there is one."""
    import numpy as np

    keys = first
    for name, bound in bounds.items():
        keys = columns[name].astype(np.int64) if keys is None else keys * bound + columns[name]
    assert keys is not None, "there is a column"
    return keys


def mixed(numbers: "NDArray[Any]") -> "NDArray[Any]":
    """Return numbers of 64 bits, each of which depends on all bits of one of these (the finaliser of splitmix64)."""
    import numpy as np

    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        numbers = (numbers ^ (numbers >> np.uint64(shift))) * np.uint64(factor)
    return numbers


def _counted(keys: "NDArray[Any]", counts: "NDArray[Any] | None", bounds: Mapping[str, int]) -> "dict[str, NDArray[Any]]":
    """Return the columns that keys were packed of, each key once, and how many have it; each counts once unless there are counts."""
    import numpy as np

    if counts is None:
        keys.sort()
    else:
        # Stored counts come in order, over long stretches at least, which a sort that merges such stretches makes use of.
        order = np.argsort(keys, kind="stable")
        keys, counts = keys[order], counts[order]
    begins = _begins(keys)
    n = np.diff(begins, append=len(keys)) if counts is None else np.add.reduceat(counts, begins)
    rest, codes = keys[begins], [n]
    del keys
    for bound in reversed(list(bounds.values())[1:]):
        above = rest // bound
        codes.append(rest - above * bound)
        rest = above
    return dict(zip((*bounds, "n"), (rest, *reversed(codes)), strict=True))


def swept(counted: CountedRecords, values: int) -> Sweep:
    """Return the classes of records that were counted by sorting, with one sensitive attribute whose codes are below a number."""
    import numpy as np

    t, n = counted.columns["t0"], counted.columns["n"]
    q = counted.columns["w0"] if counted.wide is None else counted.wide.q
    if "u" in counted.columns:
        # Records of several persons are one cell.
        cells = _begins(q, t)
        q, t, n = q[cells], t[cells], np.add.reduceat(n, cells)
    begins = _begins(q)
    kinds, classes = np.diff(begins, append=len(q)), q[begins]
    words = (classes,) if counted.wide is None else counted.wide.words
    return Sweep(classes, np.add.reduceat(n, begins), kinds, t[begins], q, t, n, values, words)


def _first_of_each(places: "NDArray[Any]", keys: "NDArray[Any]") -> "tuple[NDArray[Any], NDArray[Any]]":
    """Return for every key the first place that has it, and how many have it."""
    import numpy as np

    top = int(keys.max()) + 1 if len(keys) else 0
    if not few(top, len(keys)):
        _, first, counts = np.unique(keys, return_index=True, return_counts=True)
        return places[first], counts
    counts, first = np.bincount(keys, minlength=top), np.empty(top, dtype=np.int64)
    # Of several that are put in one place the last stays, so they go backwards.
    first[keys[::-1]] = places[::-1]
    present = np.flatnonzero(counts)
    return first[present], counts[present]


def _begins(ascending: "NDArray[Any]", *others: "NDArray[Any]") -> "NDArray[Any]":
    """Return where another number begins, or another one of those beside it."""
    import numpy as np

    changed = np.empty(len(ascending), dtype=bool)
    changed[:1] = True
    np.not_equal(ascending[1:], ascending[:-1], out=changed[1:])
    for other in others:
        changed[1:] |= other[1:] != other[:-1]
    return np.flatnonzero(changed)
