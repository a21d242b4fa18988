"""Bands over values that have an order: neighbours are joined two by two, four by four, and so on, or where the records are.

The order is given, or that of a well-known scale (low, medium, high; see `scales`), or that of the numbers in the values ("<20",
"20-29", "60+"). Values without any of these orders are grouped by how often they occur instead.
"""

import re
from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING, Any

from anonscope.columns.hierarchy.assemble import MOST_LEVELS, Level, assemble, even_steps, group_label
from anonscope.columns.hierarchy.categories import categories
from anonscope.columns.hierarchy.cuts import halved
from anonscope.columns.hierarchy.hierarchy import Hierarchy
from anonscope.columns.hierarchy.judged import best_of
from anonscope.columns.hierarchy.scales import scale_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NUMBER = re.compile(r"\d[\d,' ]*(?:\.\d+)?|\.\d+")
_BELOW = re.compile(r"\s*(<|under|below|less|up to|unter|bis|moins|jusqu|menos|hasta|onder|tot)", re.IGNORECASE)
_ABOVE = re.compile(r"\s*(>|over|above|more|uber|über|plus|mas|más|boven)", re.IGNORECASE)
_MOST = 0.8


def ordinals(
    name: str, values: Sequence[str], counts: Sequence[int], order: Sequence[str] | None = None, company: "NDArray[Any] | None" = None
) -> Hierarchy:
    """Return bands over values in their order, lowest first; what the order does not know keeps its name."""
    ranked = [value for value in order if value in set(values)] if order is not None else in_order(values)
    if ranked is None:
        return categories(name, values, counts, company)
    known = set(ranked)
    leaves = [*ranked, *sorted(value for value in values if value not in known)]
    records = dict(zip(values, counts, strict=True))
    candidates = [_neighbours(name, leaves, ranked), _parted(name, leaves, ranked, [records[value] for value in ranked])]
    return best_of(candidates, [records[leaf] for leaf in leaves])


def _neighbours(name: str, leaves: Sequence[str], ranked: Sequence[str]) -> Hierarchy:
    odd = [None] * (len(leaves) - len(ranked))
    widths = [2**i for i in range(1, max(len(ranked), 1).bit_length()) if 2**i < len(ranked)]
    chosen = even_steps([log(width) for width in widths], log(max(len(ranked), 1)))
    begins = [list(range(0, len(ranked), widths[i])) for i in chosen]
    made = zip((widths[i] for i in chosen), begins, strict=True)
    return assemble(name, leaves, (Level(f"{width} neighbours together", [*_bands(ranked, parts), *odd]) for width, parts in made))


def _parted(name: str, leaves: Sequence[str], ranked: Sequence[str], records: Sequence[int]) -> Hierarchy:
    """Return groups of neighbours that have about equally many records."""
    odd = [None] * (len(leaves) - len(ranked))
    levels = halved(records)[:MOST_LEVELS][::-1]
    return assemble(name, leaves, (Level(f"in {len(parts)} groups of neighbours", [*_bands(ranked, parts), *odd]) for parts in levels))


def in_order(values: Sequence[str]) -> list[str] | None:
    """Return the values that a scale or their numbers put in an order, lowest first; None if that is too few of them."""
    if (known := scale_order(values)) is not None:
        return known
    ranked = {value: rank for value in values if (rank := _rank(value)) is not None}
    return sorted(ranked, key=lambda value: (ranked[value], value)) if len(ranked) >= max(2, _MOST * len(values)) else None


def _bands(ranked: Sequence[str], begins: Sequence[int]) -> list[str | None]:
    labels: list[str | None] = []
    for begin, end in zip(begins, [*begins[1:], len(ranked)], strict=True):
        band = ranked[begin:end]
        labels += [group_label(band) if len(band) > 1 else None] * len(band)
    return labels


def _rank(value: str) -> tuple[float, int] | None:
    """Return where a range stands: by its first number, and what is below or above a number just before or behind it."""
    found = _NUMBER.search(value)
    if found is None:
        return None
    first = float(re.sub(r"[,' ]", "", found[0]))
    above = bool(_ABOVE.match(value)) or value.rstrip().endswith("+")
    return first, -1 if _BELOW.match(value) else int(above)
