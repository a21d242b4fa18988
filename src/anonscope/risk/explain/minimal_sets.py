"""Which sets of attributes are enough to put a record at risk, smallest sets first.

A record is at risk when fewer than a number of people share what an attacker knows. Who is at risk by some attributes stays
so when more are known. So a set need only look at the records that none of its parts puts at risk, and these records' classes
hold nobody else: who shares the larger set shares the smaller one, and would be at risk by it too. The deeper the sets, the
fewer records are left, which is what makes all 2^m of them affordable.

With a limit of 2 the sets that put a record at risk first are its minimal sample uniques:
A. M. Manning, D. J. Haglin, J. A. Keane (2008), "A recursive search algorithm for statistical disclosure assessment" (SUDA2).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from anonscope.risk.counting.grouping import distinct, grouped
from anonscope.risk.explain.tuples import ExplainedTuples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[Any]

# Below this share of all tuples a list of those that are safe is shorter than a bit for each.
_SPARSE = 32


@dataclass(frozen=True, slots=True)
class Reached:
    """What one set of attributes adds: tuples it puts at risk while no part of it does, and records it leaves safe."""

    attributes: tuple[int, ...]
    newly: "Integers"
    safe_records: int


@dataclass(frozen=True, slots=True)
class _Safe:
    """The tuples that a set leaves safe, as bits and, where they are few, as a list."""

    count: int
    bits: "Integers | None"
    listed: "Integers | None"


class Members:
    """How many people are in the classes of some tuples: records, or distinct persons where there are person ids."""

    def __init__(self, tuples: ExplainedTuples) -> None:
        import numpy as np

        self._tuples = tuples
        # Doubles hold counts exactly up to 2^53, and sums are taken in doubles.
        self._n = tuples.n.astype(np.float64)

    def sizes(self, chosen: "Integers | None", groups: "Integers", places: int) -> "Integers":
        """Return the size of every group; `groups` has the group of each chosen tuple (None: of all)."""
        import numpy as np

        persons = self._tuples.persons
        if persons is None:
            return np.bincount(groups, weights=self._n if chosen is None else self._n[chosen], minlength=places)
        if chosen is None:
            return np.bincount(_classes_of_persons(groups[persons.tuple], persons.code, places, persons.codes), minlength=places)
        group_of = np.full(len(self._tuples), -1, dtype=np.int64)
        group_of[chosen] = groups
        found = group_of[persons.tuple]
        kept = found >= 0
        return np.bincount(_classes_of_persons(found[kept], persons.code[kept], places, persons.codes), minlength=places)


def _classes_of_persons(groups: "Integers", persons: "Integers", places: int, codes: int) -> "Integers":
    """Return the group of every distinct pair of group and person."""
    import numpy as np

    return distinct(groups, places, persons, codes, np.ones(len(groups)))[0]


def climb(tuples: ExplainedTuples, attributes: tuple[int, ...], limit: int, size: int) -> Iterator[Reached]:
    """Yield every set of one to `size` attributes, smaller sets first; at risk is who shares it with fewer than `limit`."""
    import numpy as np

    members = Members(tuples)
    everybody = _safe(np.arange(len(tuples)), len(tuples))
    if members.sizes(None, np.zeros(len(tuples), dtype=np.int64), 1)[0] < limit:
        everybody = _safe(np.zeros(0, dtype=np.int64), len(tuples))
    below: dict[tuple[int, ...], _Safe] = {(): everybody}
    for length in range(1, size + 1):
        level: dict[tuple[int, ...], _Safe] = {}
        for chosen in combinations(attributes, length):
            parts = [below[chosen[:i] + chosen[i + 1 :]] for i in range(length)]
            candidates = _common(parts, len(tuples))
            if len(candidates) == 0:
                level[chosen] = _safe(candidates, len(tuples))
                yield Reached(chosen, candidates, 0)
                continue
            whole = len(candidates) == len(tuples)
            codes = [tuples.codes[a] if whole else tuples.codes[a][candidates] for a in chosen]
            groups, places = grouped(codes, [tuples.radices[a] for a in chosen], len(candidates))
            small = (members.sizes(None if whole else candidates, groups, places) < limit)[groups]
            safe = candidates[~small]
            level[chosen] = _safe(safe, len(tuples))
            yield Reached(chosen, candidates[small], int(tuples.n[safe].sum()))
        below = level


def _safe(listed: "Integers", total: int) -> _Safe:
    import numpy as np

    if len(listed) * _SPARSE < total or len(listed) == 0:
        return _Safe(len(listed), None, listed)
    marked = np.zeros(total, dtype=bool)
    marked[listed] = True
    return _Safe(len(listed), np.packbits(marked), None)


def _common(parts: list[_Safe], total: int) -> "Integers":
    """Return the tuples that are safe by all parts, in ascending order."""
    import numpy as np

    parts = sorted(parts, key=lambda part: part.count)
    if parts[0].listed is None:
        # The shortest is no list, so none is: all are bits.
        bits = [part.bits for part in parts if part.bits is not None]
        return np.flatnonzero(np.unpackbits(np.bitwise_and.reduce(bits), count=total))
    found = parts[0].listed
    for part in parts[1:]:
        if part.listed is not None:
            found = np.intersect1d(found, part.listed, assume_unique=True)
        else:
            assert part.bits is not None, "a part is kept in one of two ways"
            found = found[(part.bits[found >> 3] >> (7 - (found & 7))) & 1 == 1]
    return found
