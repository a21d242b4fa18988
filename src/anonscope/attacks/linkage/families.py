"""Which external values a released one may stand for, kept as lookup tables.

Released labels of one attribute are put into families, so that no two labels of a family share an external value: then a family is a
function from external values to labels, one array of the size of the external dictionary. A column that was recoded on one level is
one family; each further level, or each set of intervals that overlap, adds one. A label that may stand for anything is in the family
FREE, which needs no table.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from re import compile as pattern
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.images import Dates, Everything, Exactly, Image, Interval, Prefix, Values, number_in
from anonscope.columns.readings import TREE, ToldLabels

Integers = NDArray[Any]

FREE = 0
_PART = pattern(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?(?:[T ].*)?$")
_LAST = chr(0x10FFFF)


@dataclass(frozen=True, slots=True, eq=False)
class Families:
    """The family of every released label, and per family the label that every external value would have, or -1."""

    family: Integers
    lookups: tuple[Integers, ...]  # the first one, that of FREE, holds nothing


def family_tables(images: Sequence[Image], external: Sequence[str | None]) -> Families:
    """Return the families of released labels by what each stands for; the external values are sorted behind the missing one."""
    values = _ExternalValues(external)
    family = np.full(len(images), FREE, dtype=np.int32)
    tables = np.full((2, len(external)), -1, dtype=np.int32)
    count = 2  # tables in use; the first one is not
    coarse: list[tuple[int, int, Integers]] = []
    for code, image in enumerate(images):
        if isinstance(image, Everything):
            continue
        if isinstance(image, Exactly):
            # Labels that stand for themselves never share a value: the first family is theirs.
            family[code] = 1
            if (place := values.places.get(image.value)) is not None:
                tables[1, place] = code
            continue
        codes = values.under(image)
        coarse.append((len(codes), code, codes))
    # Small images first, so that the labels of one level tend to meet in one family.
    for _, code, codes in sorted(coarse, key=lambda entry: entry[:2]):
        taken = np.any(tables[1:count, codes] >= 0, axis=1)
        number = 1 + (int(np.argmin(taken)) if not taken.all() else len(taken))
        if number == len(tables):
            tables = np.concatenate([tables, np.full_like(tables, -1)])
        count = max(count, number + 1)
        family[code] = number
        tables[number, codes] = code
    return Families(family, tuple(tables[:count]))


def hierarchy_images(hierarchy: Hierarchy) -> ToldLabels:
    """Return what released labels stand for by a hierarchy: the values under them on any level; of other labels it says nothing."""
    under: dict[str, set[str | None]] = {}
    for labels in (hierarchy.leaves, *hierarchy.levels):
        for leaf, label in zip(hierarchy.leaves, labels, strict=True):
            under.setdefault(label, set()).add(leaf)

    def image_of(label: str) -> Image:
        if label not in under:
            return Exactly(label)
        if label in hierarchy.levels[-1]:
            return Everything()
        return Values(frozenset(under[label]), label)

    return ToldLabels(image_of, TREE, whole=False)


class _ExternalValues:
    """The distinct values of an external column, and where those lie that an image holds."""

    def __init__(self, values: Sequence[str | None]) -> None:
        self._values = values
        self._texts = [value or "" for value in values[1:]]

    @cached_property
    def places(self) -> dict[str | None, int]:
        return {value: code for code, value in enumerate(self._values)}

    def under(self, image: Image) -> Integers:
        """Return the codes of the values that an image holds."""
        match image:
            case Interval():
                return self._with_label(self._between(self._numbers, image.low, image.high, closed=image.closed), image.label)
            case Dates():
                return self._with_label(
                    self._between(self._ordinals, image.first.toordinal(), image.last.toordinal(), closed=True), image.label
                )
            case Prefix():
                first, beyond = bisect_left(self._texts, image.start), bisect_left(self._texts, image.start + _LAST)
                codes = np.arange(first + 1, beyond + 1)
                return codes if image.length is None else codes[self._lengths[codes] == image.length]
            case Values():
                held = (self.places.get(value) for value in (*image.values, image.label))
                return np.unique(np.array([code for code in held if code is not None], dtype=np.int64))
            case _:
                return np.array([code for code, value in enumerate(self._values) if image.contains(value)], dtype=np.int64)

    @cached_property
    def _lengths(self) -> Integers:
        return np.array([0, *map(len, self._texts)])

    @cached_property
    def _numbers(self) -> tuple[Integers, Integers]:
        return _ordered([number_in(value) for value in self._values])

    @cached_property
    def _ordinals(self) -> tuple[Integers, Integers]:
        return _ordered([_ordinal(value) for value in self._values])

    def _between(self, ordered: tuple[Integers, Integers], low: float, high: float, *, closed: bool) -> Integers:
        keys, codes = ordered
        found: Integers = codes[np.searchsorted(keys, low, side="left") : np.searchsorted(keys, high, side="right" if closed else "left")]
        return found

    def _with_label(self, codes: Integers, label: str) -> Integers:
        # An external table that was coarsened the same way holds the label itself.
        own = self.places.get(label)
        return codes if own is None or own in codes else np.append(codes, own)


def _ordered(keys: list[float | None]) -> tuple[Integers, Integers]:
    """Return the keys that there are, ascending, and the codes they belong to."""
    codes = np.array([code for code, key in enumerate(keys) if key is not None], dtype=np.int64)
    found = np.array([key for key in keys if key is not None], dtype=np.float64)
    order = np.argsort(found, kind="stable")
    return found[order], codes[order]


def _ordinal(value: str | None) -> float | None:
    found = _PART.match(value or "")
    if found is None:
        return None
    year, month, day = (int(part or 1) for part in found.groups())
    try:
        return float(date(year, month, day).toordinal())
    except ValueError:
        return None
