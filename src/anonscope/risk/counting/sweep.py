"""Counting by sorting, where records lie in this machine's memory.

Everything that tells a record from others is packed into one number. In ascending order records that agree stand together, and so do
those of a class, so that one look along the numbers gives the tables which `encode` and `roll_up` describe by statements. These are
noted beside the tables: whoever runs them by hand counts the same. They are what is run where numbers do not fit into one word or into
memory, on every other engine, and for an attacker who knows a part of the columns only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from anonscope.engines import Engine
from anonscope.risk.counting.grouping import few

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from anonscope.risk.counting.encode import Radix

_WORD = 2**63 - 1
# What the numbers of a record take at the most while they are counted.
_BYTES = 100


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
        weights, found = self.cell_n.astype(np.float64), []
        for radix, size in zip(radices, sizes, strict=True):
            code = self.cell_q // radix.lo
            # Dividing by one number is quick, and the remainder is not.
            code -= code // size * size
            code *= self.values
            code += self.cell_t
            n = np.bincount(code, weights=weights, minlength=size * self.values)
            present = np.flatnonzero(n)
            a = present // self.values
            found.append((np.full(len(present), radix.attribute), a * radix.lo, present - a * self.values, n[present].astype(np.int64)))
        return dict(zip(("attribute", "a", "t", "n"), map(np.concatenate, zip(*found, strict=True)), strict=True))

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


def count_by_sorting(engine: Engine, coded: str, bounds: Mapping[str, int], select: str) -> "dict[str, NDArray[Any]] | None":
    """Make `record`, which a SELECT describes, from coded records whose columns stay below bounds; None where the engine must."""
    if not engine.room or prod(bounds.values()) > _WORD:
        return None
    ((records,),) = engine.rows("SELECT COUNT(*) AS n FROM source")
    if not 0 < records * _BYTES <= engine.room:
        return None
    import numpy as np

    packed = ""
    for name, bound in bounds.items():
        packed = f"({packed}) * {bound} + {name}" if packed else name
    (keys,) = engine.arrays(f"SELECT {packed} AS k FROM {coded}")
    keys.sort()
    begins = _begins(keys)
    n = np.diff(begins, append=len(keys))
    rest, codes = keys[begins], [n]
    del keys
    for bound in reversed(list(bounds.values())[1:]):
        above = rest // bound
        codes.append(rest - above * bound)
        rest = above
    columns = dict(zip((*bounds, "n"), (rest, *reversed(codes)), strict=True))
    engine.keep("record", select, columns)
    return columns


def swept(columns: "Mapping[str, NDArray[Any]]", values: int) -> Sweep:
    """Return the classes of records that were counted by sorting, with one sensitive attribute whose codes are below a number."""
    import numpy as np

    q, t, n = columns["w0"], columns["t0"], columns["n"]
    begins = _begins(q)
    kinds = np.diff(begins, append=len(q))
    return Sweep(q[begins], np.add.reduceat(n, begins), kinds, t[begins], q, t, n, values)


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


def _begins(ascending: "NDArray[Any]") -> "NDArray[Any]":
    """Return where another number begins."""
    import numpy as np

    changed = np.empty(len(ascending), dtype=bool)
    changed[:1] = True
    np.not_equal(ascending[1:], ascending[:-1], out=changed[1:])
    return np.flatnonzero(changed)
