"""Bands over values that have an order: neighbours are joined two by two, four by four, and so on.

The order is given, or that of a well-known scale (low, medium, high), or that of the numbers in the values ("<20", "20-29", "60+").
Values without any of these orders are grouped by how often they occur instead.
"""

import re
import unicodedata
from collections.abc import Sequence
from math import log

from anonscope.columns.hierarchy.assemble import Level, assemble, even_steps, group_label
from anonscope.columns.hierarchy.categories import categories
from anonscope.columns.hierarchy.hierarchy import Hierarchy

SCALES: tuple[tuple[str, ...], ...] = (
    ("none", "very low", "low", "medium", "high", "very high"),
    ("none", "minor", "moderate", "major", "extreme"),
    ("none", "mild", "moderate", "severe", "extreme"),
    ("very small", "small", "medium", "large", "very large"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("leicht", "mittel", "schwer"),
    ("niedrig", "mittel", "hoch"),
    ("faible", "moyen", "eleve"),
    ("leger", "moyen", "grave"),
    ("bajo", "medio", "alto"),
    ("leve", "moderado", "grave"),
    ("laag", "gemiddeld", "hoog"),
    ("licht", "matig", "ernstig"),
)
_NUMBER = re.compile(r"\d[\d,' ]*(?:\.\d+)?|\.\d+")
_BELOW = re.compile(r"\s*(<|under|below|less|up to|unter|bis|moins|jusqu|menos|hasta|onder|tot)", re.IGNORECASE)
_ABOVE = re.compile(r"\s*(>|over|above|more|uber|über|plus|mas|más|boven)", re.IGNORECASE)
_MOST = 0.8


def ordinals(name: str, values: Sequence[str], counts: Sequence[int], order: Sequence[str] | None = None) -> Hierarchy:
    """Return bands over values in their order, lowest first; what the order does not know keeps its name."""
    ranked = [value for value in order if value in set(values)] if order is not None else in_order(values)
    if ranked is None:
        return categories(name, values, counts)
    known = set(ranked)
    leaves = [*ranked, *sorted(value for value in values if value not in known)]
    odd = [None] * (len(leaves) - len(ranked))
    widths = [2**i for i in range(1, max(len(ranked), 1).bit_length()) if 2**i < len(ranked)]
    chosen = even_steps([log(width) for width in widths], log(max(len(ranked), 1)))
    return assemble(name, leaves, (Level(f"{widths[i]} neighbours together", [*_bands(ranked, widths[i]), *odd]) for i in chosen))


def in_order(values: Sequence[str]) -> list[str] | None:
    """Return the values that a scale or their numbers put in an order, lowest first; None if that is too few of them."""
    folded = {value: _folded(value) for value in values}
    for scale in SCALES:
        fitting = [value for value in values if folded[value] in scale]
        if len(fitting) >= max(2, _MOST * len(values)):
            return sorted(fitting, key=lambda value: (scale.index(folded[value]), value))
    ranked = {value: rank for value in values if (rank := _rank(value)) is not None}
    return sorted(ranked, key=lambda value: (ranked[value], value)) if len(ranked) >= max(2, _MOST * len(values)) else None


def _bands(ranked: Sequence[str], width: int) -> list[str | None]:
    labels: list[str | None] = []
    for begin in range(0, len(ranked), width):
        band = ranked[begin : begin + width]
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


def _folded(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text.strip().lower()) if not unicodedata.combining(c))
