"""The distinct tuples of a scenario as arrays, for measures that look at a tuple from several sides at once.

A tuple is what records have in common: the codes of some attributes, packed into as few words as possible as in `encode`,
and how many records show them. There are never more tuples than records, and nothing here loops over either.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonscope.engines import Engine
from anonscope.risk.counting.encode import WORD, Layout, Radix, pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Up to this many places a count is kept for every possible pair of values; above, only for those that occur.
_DENSE = 2**22


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
class Tuples:
    """Distinct tuples: `n` records show each; attributes are numbered from 0 in the order they were asked for."""

    names: tuple[str, ...]
    codes: "tuple[NDArray[Any], ...]"  # the attribute's code in every tuple; 0 is a missing value
    sizes: tuple[int, ...]  # codes of an attribute are below its size
    n: "NDArray[Any]"  # as doubles, which hold counts exactly up to 2^53
    told: "tuple[tuple[str, NDArray[Any]], ...]" = ()  # for each sensitive attribute, the bits that a tuple tells of it

    @property
    def records(self) -> int:
        return int(self.n.sum())

    def values(self, attribute: int) -> "NDArray[Any]":
        """Return how many records have each code of an attribute."""
        import numpy as np

        return np.bincount(self.codes[attribute], weights=self.n, minlength=self.sizes[attribute])

    def sharing(self, attribute: int) -> "NDArray[Any]":
        """Return for every tuple how many records have its value of an attribute."""
        shared: NDArray[Any] = self.values(attribute)[self.codes[attribute]]
        return shared

    def log_sharing_both(self, one: int, other: int) -> "NDArray[Any]":
        """Return for every tuple the logarithm of how many records have its values of two attributes."""
        import numpy as np

        width = self.sizes[other]
        if self.sizes[one] * width <= _DENSE:
            both = self.codes[one] * np.int32(width) + self.codes[other]
        else:
            both = np.unique(self.codes[one] * np.int64(width) + self.codes[other], return_inverse=True)[1]
        # One logarithm for every pair of values and not for every tuple; pairs that do not occur are never looked up.
        logarithms: NDArray[Any] = np.log(np.maximum(np.bincount(both, weights=self.n), 1))[both]
        return logarithms

    def log_sharing(self, attribute: int) -> "NDArray[Any]":
        """Return for every tuple the logarithm of how many records have its value of an attribute."""
        import numpy as np

        logarithms: NDArray[Any] = np.log(np.maximum(self.values(attribute), 1))[self.codes[attribute]]
        return logarithms

    def without(self, attribute: int) -> Runs:
        """Return the tuples in groups that agree on all other attributes."""
        import numpy as np

        others = [j for j in range(len(self.names)) if j != attribute]
        words = _packed([self.codes[j] for j in others], pack([self.sizes[j] - 1 for j in others]), len(self.n))
        count = len(self.n)
        if len(words) == 1 and int(words[0].max()) < WORD // count - 1:
            # Sorting numbers is several times faster than sorting their places, so the place travels in the number.
            ordered = np.sort(words[0] * count + np.arange(count))
            keys = ordered // count
            order = ordered - keys * count
            changed = keys[1:] != keys[:-1]
        else:
            order = np.lexsort(words)
            changed = np.logical_or.reduce([word[order][1:] != word[order][:-1] for word in words])
        return Runs(order, np.flatnonzero(np.concatenate(([True], changed))))


def fetch_tuples(engine: Engine, layout: Layout, columns: Sequence[str]) -> Tuples:
    """Return the tuples of the scenario that is open, with attributes in the order of `columns`."""
    import numpy as np

    known = sorted(layout.of(tuple(columns)), key=lambda radix: columns.index(layout.attributes[radix.attribute]))
    fetched = engine.arrays(_select(known))
    words = dict(zip(sorted({radix.word for radix in known}), fetched, strict=False))
    codes = [(words[radix.word] % radix.hi) // radix.lo for radix in known]
    sizes = [radix.hi // radix.lo for radix in known]
    narrow = tuple(code.astype(np.int32 if size < 2**31 else np.int64) for code, size in zip(codes, sizes, strict=True))
    bits = (f"SELECT told FROM ({telling(layout, j)}) AS x ORDER BY q" for j in range(len(layout.sensitive)))
    told = tuple((name, engine.arrays(select)[0]) for name, select in zip(layout.sensitive, bits, strict=True))
    return Tuples(tuple(columns), narrow, tuple(sizes), fetched[-1].astype(np.float64), told)


def _select(known: Sequence[Radix]) -> str:
    """Return the statement: one column a word, and the number of records."""
    words = sorted({radix.word for radix in known})
    if len(words) == 1:
        return "SELECT c.q, c.n FROM class AS c ORDER BY c.q"
    kept = ", ".join(f"k.k{word}" for word in words)
    return f"SELECT {kept}, c.n FROM class AS c JOIN tuple_key AS k ON c.q = k.q ORDER BY c.q"


def telling(layout: Layout, j: int) -> str:
    """Return the SELECT of (q, n, told): the divergence, in bits, of a sensitive attribute in a tuple from the table."""
    cell, value = "cell", "value"
    if len(layout.sensitive) > 1:
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
