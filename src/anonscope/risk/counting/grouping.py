"""Which tuples look alike to an attacker who knows some attributes: group numbers by counting or by sorting."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[Any]

_WORD = 2**62
# A place for every possible key is quicker than sorting while there are not many more places than keys.
_PLACES_PER_KEY = 8
_FREE_PLACES = 2**16
_PLACES_PER_HASHED_KEY = 2
# 2^64 divided by the golden ratio, as a signed number: multiplying spreads neighbouring keys far apart (Knuth, volume 3, 6.4).
_GOLDEN = 0x9E3779B97F4A7C15 - 2**64


def grouped(codes: "Sequence[Integers]", radices: Sequence[int], rows: int) -> "tuple[Integers, int]":
    """Return a number for every row, the same for rows with the same codes, and a number that all of them lie below.

    Not every number below it need occur. Without any code all rows are alike.
    """
    import numpy as np

    key, places = np.zeros(rows, dtype=np.int64), 1
    for code, radix in zip(codes, radices, strict=True):
        if places * radix > _WORD:
            key, places = dense(key, places)
        key, places = key * radix + code if places > 1 else code.astype(np.int64), places * radix
    return (key, places) if few(places, rows) else _hashed(key, places)


def few(places: int, rows: int) -> bool:
    """Return whether there is room for a place for every possible key."""
    return places <= max(_PLACES_PER_KEY * rows, _FREE_PLACES)


def dense(key: "Integers", places: int) -> "tuple[Integers, int]":
    """Return keys renumbered from 0 without gaps, and how many there are."""
    import numpy as np

    if few(places, len(key)):
        occurs = np.zeros(places, dtype=bool)
        occurs[key] = True
        numbers = np.cumsum(occurs) - 1
        return numbers[key], int(numbers[-1]) + 1
    bits = len(key).bit_length()
    numbered = np.empty(len(key), dtype=np.int64)
    if places < 2 ** (63 - bits):
        # Key and row in one number: sorting values is several times faster than sorting their positions.
        packed = np.sort((key << bits) | np.arange(len(key)))
        rows, ordered = packed & ((1 << bits) - 1), packed >> bits
    else:
        rows = np.argsort(key)
        ordered = key[rows]
    begins = np.ones(len(key), dtype=np.int64)
    begins[0] = 0
    begins[1:] = ordered[1:] != ordered[:-1]
    numbered[rows] = np.cumsum(begins)
    return numbered, int(numbered[rows[-1]]) + 1


def _hashed(key: "Integers", places: int) -> "tuple[Integers, int]":
    """Return numbers with gaps, by hashing: about twice as fast as sorting. Keys that clash are told apart by sorting."""
    import numpy as np

    numbered, holder, clash = _scattered(key)
    if not clash.any():
        return numbered, len(holder)
    shared = np.zeros(len(holder), dtype=bool)
    shared[numbered[clash]] = True
    rest = shared[numbered]
    apart, number = dense(key[rest], places)
    numbered[rest] = len(holder) + apart
    return numbered, len(holder) + number


def counted(key: "Integers", n: "Integers") -> "tuple[Integers, Integers]":
    """Return the different keys in no particular order, and the sum of n over each; n is in doubles."""
    import numpy as np

    numbered, holder, clash = _scattered(key)
    total = np.bincount(numbered, weights=n, minlength=len(holder))
    if not clash.any():
        kept = np.flatnonzero(total)
        return holder[kept], total[kept]
    shared = np.zeros(len(holder), dtype=bool)
    shared[numbered[clash]] = True
    total[shared] = 0
    kept, rest = np.flatnonzero(total), np.flatnonzero(shared[numbered])
    different, place = np.unique(key[rest], return_inverse=True)
    apart = np.bincount(place, weights=n[rest], minlength=len(different))
    return np.concatenate([holder[kept], different]), np.concatenate([total[kept], apart])


def _scattered(key: "Integers") -> "tuple[Integers, Integers, Integers]":
    """Return a place for every key by its hash, the key that came last to each place, and which keys found another one there."""
    import numpy as np

    bits = (_PLACES_PER_HASHED_KEY * len(key)).bit_length()
    numbered = ((key * _GOLDEN) >> (64 - bits)) & ((1 << bits) - 1)
    holder = np.empty(1 << bits, dtype=np.int64)
    holder[numbered] = key
    return numbered, holder, holder[numbered] != key


def sums(groups: "Integers", n: "Integers", places: int) -> "Integers":
    """Return the sum of n over every group."""
    import numpy as np

    # Doubles hold counts exactly up to 2^53.
    return np.bincount(groups, weights=n, minlength=places).astype(np.int64)


def distinct(groups: "Integers", places: int, codes: "Integers", radix: int, n: "Integers") -> "tuple[Integers, Integers, Integers]":
    """Return group, code and sum of n for every pair of group and code that occurs, in ascending order."""
    import numpy as np

    key, number = dense(groups * radix + codes, places * radix) if places * radix < _WORD else _pairs(groups, codes)
    first = np.empty(number, dtype=np.int64)
    first[key] = np.arange(len(key))
    return groups[first], codes[first], sums(key, n, number)


def _pairs(groups: "Integers", codes: "Integers") -> "tuple[Integers, int]":
    import numpy as np

    rows = np.lexsort((codes, groups))
    begins = np.zeros(len(rows), dtype=np.int64)
    begins[1:] = (groups[rows][1:] != groups[rows][:-1]) | (codes[rows][1:] != codes[rows][:-1])
    numbered = np.empty(len(rows), dtype=np.int64)
    numbered[rows] = np.cumsum(begins)
    return numbered, int(numbered[rows[-1]]) + 1
