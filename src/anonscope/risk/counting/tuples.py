"""The distinct tuples of a scenario as arrays, for measures that look at a tuple from several sides at once.

A tuple is what records have in common: the codes of some attributes, packed into as few words as possible as in `encode`,
and how many records show them. There are never more tuples than records, and nothing here loops over either.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from anonscope.engines import Engine
from anonscope.risk.counting.encode import WORD, Layout, Radix, pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Up to this many places a count is kept for every possible pair of values; above, only for those that occur.
_DENSE = 2**22
# So many tuples are looked at together that what is made of them stays in the processor's own memory.
_PART = 2**16
# More stretches than this are not worth cutting a part into smaller ones.
_STRETCHES = 2**12
# From so many tuples on a further thread is worth its start.
_MANY = 100_000

Item = TypeVar("Item")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Runs:
    """Tuples brought into an order in which those of one group stand together; a group begins at each of `starts`."""

    order: "NDArray[Any]"
    starts: "NDArray[Any]"

    def sums(self, values: "NDArray[Any]") -> "NDArray[Any]":
        """Return the sum of the tuples' values for every group."""
        import numpy as np

        return np.add.reduceat(values[self.order], self.starts)

    def spread(self, groups: "NDArray[Any]") -> "NDArray[Any]":
        """Return for every tuple the value of its group."""
        import numpy as np

        spread = np.empty(len(self.order), dtype=groups.dtype)
        spread[self.order] = np.repeat(groups, np.diff(self.starts, append=len(self.order)))
        return spread


@dataclass(frozen=True, slots=True)
class ChainStep:
    """How likely each value of an attribute is beside each value of another one."""

    width: int
    table: "NDArray[Any]"
    number: "NDArray[Any] | None"  # of every tuple in the table, where not every two values have a place of their own

    def chances(self, one: "NDArray[Any]", other: "NDArray[Any]", part: slice = slice(None)) -> "NDArray[Any]":
        """Return the chances of the second code beside the first for some tuples, those of a part."""
        import numpy as np

        place = one * np.int32(self.width) + other if self.number is None else self.number[part]
        found: NDArray[Any] = self.table[place]
        return found


@dataclass(frozen=True, slots=True)
class Tuples:
    """Distinct tuples: `n` records show each; attributes are numbered from 0 in the order they were asked for."""

    names: tuple[str, ...]
    codes: "tuple[NDArray[Any], ...]"  # the attribute's code in every tuple; 0 is a missing value
    sizes: tuple[int, ...]  # codes of an attribute are below its size
    n: "NDArray[Any]"  # as doubles, which hold counts exactly up to 2^53
    told: "tuple[tuple[str, NDArray[Any]], ...]" = ()  # for each sensitive attribute, the bits that a tuple tells of it
    packed: "NDArray[Any] | None" = None  # the tuple as one number, if it fits, in ascending order
    places: tuple[int, ...] = ()  # what a code of an attribute counts in that number
    processors: int = 1  # that may be busy with them at once

    @property
    def records(self) -> int:
        return int(self.n.sum())

    def at_once(self, work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[Made]:
        """Yield what work makes of items, in their order; several at once where there are many tuples and processors to spare."""
        if self.processors == 1 or len(self.n) < _MANY:
            yield from map(work, items)
            return
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(self.processors) as pool:
            yield from pool.map(work, items)

    def values(self, attribute: int) -> "NDArray[Any]":
        """Return how many records have each code of an attribute."""
        import numpy as np

        return np.bincount(self.codes[attribute], weights=self.n, minlength=self.sizes[attribute])

    def sharing(self, attribute: int) -> "NDArray[Any]":
        """Return for every tuple how many records have its value of an attribute."""
        shared: NDArray[Any] = self.values(attribute)[self.codes[attribute]]
        return shared

    def step(self, one: int, other: int, shares: "NDArray[Any]") -> "ChainStep":
        """Return how likely the values of the other attribute are beside those of one, which so many records have."""
        import numpy as np

        width, number = self.sizes[other], None
        if self.sizes[one] * width <= _DENSE:
            both = self.codes[one] * np.int32(width) + self.codes[other]
            first = np.repeat(shares, width)
        else:
            different, number = np.unique(self.codes[one] * np.int64(width) + self.codes[other], return_inverse=True)
            both, first = number, shares[different // width]
        # Divided once for every pair of values and not for every tuple; pairs that do not occur are never looked up.
        counted = np.bincount(both, weights=self.n, minlength=len(first))
        return ChainStep(width, counted / np.maximum(first, 1), number)

    def without(self, attribute: int) -> Runs:
        """Return the tuples in groups that agree on all other attributes."""
        import numpy as np

        if self.packed is not None:
            return _runs([self.packed - self.codes[attribute] * np.int64(self.places[attribute])])
        others = [j for j in range(len(self.names)) if j != attribute]
        return _runs(_packed([self.codes[j] for j in others], pack([self.sizes[j] - 1 for j in others]), len(self.n)))

    def parts_without(self, attribute: int) -> "Iterator[tuple[NDArray[Any] | slice, Runs]]":
        """Yield the same groups part by part: the tuples of a part, and their groups, none of which goes on in another part."""
        import numpy as np

        if self.packed is None:
            yield slice(None), self.without(attribute)
            return
        for part in self._parts(self.packed, self.places[attribute], self.places[attribute] * self.sizes[attribute]):
            yield part, _runs([self.packed[part] - self.codes[attribute][part] * np.int64(self.places[attribute])])

    def _parts(self, packed: "NDArray[Any]", lo: int, hi: int) -> "Iterator[NDArray[Any] | slice]":
        """Yield tuples in parts of about the same size that no group without the attribute from lo to hi goes beyond.

        What lies above the attribute cuts the tuples into blocks one behind the other. A large block is a stretch for each value of the
        attribute, each in the order of what lies below, so that it is cut at some values of that.
        """
        import numpy as np

        cuts = np.unique(np.append(np.searchsorted(packed, packed[::_PART] // hi * hi), len(packed)))
        for begin, end in pairwise(cuts.tolist()):
            first, last = int(packed[begin]) // hi * hi, int(packed[end - 1])
            if end - begin <= 4 * _PART or (last - first) // lo > _STRETCHES:
                yield slice(begin, end)
                continue
            below = np.sort(packed[begin:end:64] % lo)
            at = np.unique(below[:: max(1, _PART // 64)][1:])
            edges = np.arange(first, last + 1, lo)[:, None] + np.concatenate(([0], at, [lo]))[None, :]
            stretches = np.searchsorted(packed[begin:end], edges) + begin
            for left, right in zip(stretches.T[:-1], stretches.T[1:], strict=True):
                found = [np.arange(b, e) for b, e in zip(left.tolist(), right.tolist(), strict=True) if b < e]
                if found:
                    yield np.concatenate(found)


def _runs(words: "Sequence[NDArray[Any]]") -> Runs:
    """Return tuples in groups that have the same words."""
    import numpy as np

    count = len(words[0])
    bits = count.bit_length()
    if len(words) == 1 and int(words[0].max()) <= WORD >> bits:
        # Sorting numbers is several times faster than sorting their places, so the place travels in the number. Tuples come in
        # order, and without one attribute they still do over long stretches, which a sort that merges such stretches makes use of.
        keys = words[0]
        keys <<= bits
        keys |= np.arange(count)
        keys.sort(kind="stable")
        order = keys & ((1 << bits) - 1)
        keys >>= bits
        changed = keys[1:] != keys[:-1]
    else:
        order = np.lexsort(words)
        changed = np.logical_or.reduce([word[order][1:] != word[order][:-1] for word in words])
    return Runs(order, np.flatnonzero(np.concatenate(([True], changed))))


def fetch_tuples(engine: Engine, layout: Layout, columns: Sequence[str], *, told: bool = True) -> Tuples:
    """Return the tuples of the scenario that is open, with attributes in the order of `columns`; if `told`, with what they tell."""
    import numpy as np

    known = sorted(layout.of(tuple(columns)), key=lambda radix: columns.index(layout.attributes[radix.attribute]))
    kinds, sweep = told and len(layout.sensitive) == 1, layout.swept(tuple(columns))
    fetched = [*sweep.words, sweep.n] if sweep is not None else engine.arrays(_select(known, kinds=kinds))
    words = dict(zip(sorted({radix.word for radix in known}), fetched, strict=False))
    n = fetched[len(words)]
    sizes = [radix.hi // radix.lo for radix in known]
    codes = tuple(_code(words[radix.word], radix, size) for radix, size in zip(known, sizes, strict=True))
    known_of: tuple[tuple[str, NDArray[Any]], ...] = ()
    if told and sweep is not None:
        known_of = ((layout.sensitive[0], sweep.told(int(n.sum()))),)
    elif kinds:
        known_of = ((layout.sensitive[0], _told(engine, fetched[-2], fetched[-1], int(n.sum()))),)
    elif told:
        bits = (f"SELECT told FROM ({telling(layout, j)}) AS x ORDER BY q" for j in range(len(layout.sensitive)))
        known_of = tuple((name, engine.arrays(select)[0]) for name, select in zip(layout.sensitive, bits, strict=True))
    packed = fetched[0] if len(words) == 1 else None
    places = tuple(radix.lo for radix in known)
    return Tuples(tuple(columns), codes, tuple(sizes), n.astype(np.float64), known_of, packed, places, engine.processors)


def _code(word: "NDArray[Any]", radix: Radix, size: int) -> "NDArray[Any]":
    """Return the codes of an attribute that words hold."""
    import numpy as np

    code = np.empty(len(word), dtype=np.int32 if size < 2**31 else np.int64)
    for begin in range(0, len(word), _PART):
        # Dividing by one number is several times faster than the remainder.
        above = word[begin : begin + _PART] // radix.lo
        code[begin : begin + _PART] = above - above // size * size
    return code


def _select(known: Sequence[Radix], *, kinds: bool) -> str:
    """Return the statement: one column a word, and the number of records; with `kinds`, how many sensitive values, and one of them."""
    words = sorted({radix.word for radix in known})
    table, also = ("class_kind", ", c.kinds, c.t") if kinds else ("class", "")
    if len(words) == 1:
        return f"SELECT c.q, c.n{also} FROM {table} AS c ORDER BY c.q"
    kept = ", ".join(f"k.k{word}" for word in words)
    return f"SELECT {kept}, c.n{also} FROM {table} AS c JOIN tuple_key AS k ON c.q = k.q ORDER BY c.q"


def _told(engine: Engine, kinds: "NDArray[Any]", t: "NDArray[Any]", records: int) -> "NDArray[Any]":
    """Return the bits that every tuple tells of the only sensitive attribute: where it has one value, those of that value alone."""
    import numpy as np

    codes, n = engine.arrays("SELECT t, n FROM value")
    surprise = np.zeros(int(codes.max()) + 1)
    surprise[codes] = np.log2(records / n)
    bits: NDArray[Any] = surprise[t]
    bits[kinds > 1] = engine.arrays(f"SELECT told FROM ({_TOLD_BY_SEVERAL}) AS x ORDER BY q")[0]
    return bits


# Where a tuple has one value only, what it tells is how rare that value is: no cell need be looked at.
_TOLD_BY_SEVERAL = (
    "SELECT c.q, MIN(c.class_n) AS n, "
    "SUM(c.n * LN(CAST(c.n AS DOUBLE) * w.n / (CAST(c.class_n AS DOUBLE) * v.n))) / MIN(c.class_n) / LN(2) AS told "
    "FROM kind_cell AS c JOIN value AS v ON c.t = v.t CROSS JOIN total AS w WHERE c.kinds > 1 GROUP BY c.q"
)


def telling(layout: Layout, j: int) -> str:
    """Return the SELECT of (q, n, told): the divergence, in bits, of a sensitive attribute in a tuple from the table."""
    if len(layout.sensitive) == 1:
        alone = "SELECT k.q, k.n, LN(w.n / CAST(v.n AS DOUBLE)) / LN(2) AS told FROM class_kind AS k JOIN value AS v ON k.t = v.t"
        return f"{alone} CROSS JOIN total AS w WHERE k.kinds = 1 UNION ALL {_TOLD_BY_SEVERAL}"
    # The one that was opened last is open: all of them are counted from the records.
    cell = f"(SELECT q, t{j} AS t, CAST(SUM(n) AS BIGINT) AS n FROM scenario_record GROUP BY q, t{j})"
    value = f"(SELECT t{j} AS t, CAST(SUM(n) AS BIGINT) AS n FROM scenario_record GROUP BY t{j})"
    bits = "SUM(c.n * LN(CAST(c.n AS DOUBLE) * w.n / (CAST(k.n AS DOUBLE) * v.n))) / MIN(k.n) / LN(2)"
    return (
        f"SELECT c.q, MIN(k.n) AS n, {bits} AS told FROM {cell} AS c JOIN class AS k ON c.q = k.q JOIN {value} AS v ON c.t = v.t "
        "CROSS JOIN total AS w GROUP BY c.q"
    )


def _packed(codes: "Sequence[NDArray[Any]]", radices: Sequence[Radix], count: int) -> "list[NDArray[Any]]":
    """Return codes in as few numbers as possible; no code at all is the same number for all."""
    import numpy as np

    words = [np.zeros(count, dtype=np.int64) for _ in range(1 + max((radix.word for radix in radices), default=0))]
    for radix, code in zip(radices, codes, strict=True):
        words[radix.word] += code * np.int64(radix.lo)
    return words
