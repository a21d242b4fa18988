"""Ways to coarsen one attribute, as maps from its codes to coarser ones; no value leaves this file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonscope.columns.hierarchy.dates import dates
from anonscope.engines import Engine
from anonscope.risk.counting import is_numeric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

# Shares of the records below which a value may count as rare, beside the class size that a policy asks for.
_RARE_SHARES = (0.01, 0.05)
# A day or a month as people write it, a time of day behind it or not: nothing else is taken for a date here.
_DAY = re.compile(r"\d{4}-\d{2}(-\d{2}([T ].*)?)?$|\d{1,2}[./-]\d{1,2}[./-]\d{4}$")
_ROUND_WIDTHS = (1, 2, 5)
WAYS = 4


@dataclass(frozen=True, slots=True)
class Way:
    """One coarsening: what it does in words, and the coarser code of every code (0, a missing value, stays apart)."""

    words: str
    coarser: "Array"

    @property
    def codes(self) -> int:
        return int(self.coarser.max()) + 1


def ways(engine: Engine, attribute: int, n: "Array", class_size: int, limit: int = WAYS) -> list[Way]:
    """Return up to `limit` ways for an attribute, from fine to coarse; `n` has the records of every code."""
    import numpy as np

    if len(n) <= 2:
        return []
    (values,) = engine.arrays(f"SELECT v FROM dictionary WHERE attribute = {attribute} ORDER BY code")
    found: list[Way] = []
    if is_numeric(engine, attribute):
        numbers = values.astype(np.float64)
        if np.isfinite(numbers).all():
            found = list(_bands(numbers))
    else:
        found = list(_calendar(values)) or list(_prefixes(values))
    return _spread(found or list(_rare(n, class_size)), limit)


def _bands(numbers: "Array") -> Iterator[Way]:
    """Intervals of round widths, from two values a band to two bands."""
    import numpy as np

    different = len(np.unique(numbers))
    extent = float(numbers.max() - numbers.min())
    if different < 3 or not np.isfinite(extent):
        return
    smallest = int(np.floor(np.log10(extent / different)))
    seen = different
    for power in range(smallest, smallest + 2 + len(str(different))):
        for digit in _ROUND_WIDTHS:
            width = digit * 10.0**power
            bands = np.floor(numbers / width)
            groups = len(np.unique(bands))
            if 2 <= groups < seen and groups <= 2 * different / 3:
                seen = groups
                yield Way(f"in bands of {width:g}", _numbered(bands))


def _calendar(values: "Array") -> Iterator[Way]:
    """Months, quarters, years and decades of dates, whose first characters would be centuries; nothing if any value is no date."""
    import numpy as np

    texts = [str(value) for value in values]
    if not all(_DAY.match(text) for text in texts):
        return
    ladder = dates("", texts)
    seen = len(texts)
    for level, words in enumerate(ladder.words[:-1], start=1):
        labels = np.array([ladder.label(text, level) for text in texts], dtype=object)
        groups = len(np.unique(labels))
        if 2 <= groups < seen:
            seen = groups
            yield Way(f"to its {words}", _numbered(labels))


def _prefixes(values: "Array") -> Iterator[Way]:
    """The first characters of codes that are all of one length, such as zip codes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pa.array(values, type=pa.string())
    lengths = pc.unique(pc.utf8_length(texts)).to_pylist()
    if len(lengths) != 1 or lengths[0] < 2:
        return
    seen = len(values)
    for length in range(lengths[0] - 1, 0, -1):
        begun = pc.utf8_slice_codeunits(texts, 0, length).dictionary_encode()
        groups = len(begun.dictionary)
        if 2 <= groups < seen:
            seen = groups
            yield Way(
                f"to {'the first character' if length == 1 else f'the first {length} characters'}", _numbered(begun.indices.to_numpy())
            )


def _rare(n: "Array", class_size: int) -> Iterator[Way]:
    """Values that few records have become one value."""
    import numpy as np

    of_value, total = n[1:], int(n.sum())
    seen = 1
    for limit in sorted({class_size, *(max(class_size, int(np.ceil(share * total))) for share in _RARE_SHARES)}):
        rare = of_value < limit
        count = int(rare.sum())
        if seen < count < len(of_value):
            seen = count
            groups = np.where(rare, -1, np.arange(len(of_value)))
            yield Way(f"by putting its {count:,} values with fewer than {limit:,} records into one group", _numbered(groups))


def _numbered(groups: "Array") -> "Array":
    """Return codes for groups of values, with 0 for a missing value in front."""
    import numpy as np

    _, number = np.unique(groups, return_inverse=True)
    return np.concatenate([[0], number + 1]).astype(np.int64)


def _spread(found: list[Way], limit: int) -> list[Way]:
    """Return at most `limit` of the ways, evenly from fine to coarse."""
    if len(found) <= limit:
        return found
    step = (len(found) - 1) / max(limit - 1, 1)
    return [found[round(i * step)] for i in range(limit)] if limit > 1 else [found[len(found) // 2]]
