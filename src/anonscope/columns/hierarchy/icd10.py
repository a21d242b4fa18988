"""ICD-10 codes: subcategory, category, block, chapter.

World Health Organization (2019), "International Statistical Classification of Diseases and Related Health Problems, 10th revision".
The ranges of chapters and blocks are data, in icd10.toml. A code that is in no block, such as a national one, stays in its category there.
"""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from anonscope.columns.hierarchy.assemble import Level, assemble
from anonscope.columns.hierarchy.hierarchy import Hierarchy
from anonscope.columns.hierarchy.prefixes import starred

_CODE = re.compile(r"([A-Z]\d[0-9A-Z])(\.?[0-9A-Z])?[0-9A-Z.]{0,4}[+*!]?", re.IGNORECASE)
_MOST = 0.8


def are_icd10(values: Sequence[str]) -> bool:
    """Return whether most of the values have the form of an ICD-10 code in a chapter."""
    fitting = sum(bool((found := _CODE.fullmatch(value.strip())) and _range_of(found[1], chapters())) for value in values)
    return bool(values) and fitting >= _MOST * len(values)


def icd10(name: str, values: Sequence[str]) -> Hierarchy:
    """Return the levels of the classification above these codes; what is no code keeps its name."""
    read = {value: found for value in values if (found := _CODE.fullmatch(value)) is not None}
    codes = sorted(read)
    leaves = [*codes, *sorted(value for value in values if value not in read)]
    odd = [None] * (len(leaves) - len(codes))
    subcategories = starred(codes, [max(read[code].end(1), read[code].end(2)) for code in codes])
    categories = starred(codes, [read[code].end(1) for code in codes])
    listed = [_range_of(read[code][1], blocks()) or category for code, category in zip(codes, categories, strict=True)]
    above = [_range_of(read[code][1], chapters()) or below for code, below in zip(codes, listed, strict=True)]
    return assemble(
        name,
        leaves,
        (
            Level("ICD-10 subcategory", [*subcategories, *odd]),
            Level("ICD-10 category", [*categories, *odd]),
            Level("ICD-10 block", [*listed, *odd]),
            Level("ICD-10 chapter", [*above, *odd]),
        ),
    )


def block_of(category: str) -> str | None:
    """Return the label of the block that a category is in; of its chapter, where it is in none."""
    return _range_of(category, blocks()) or chapter_of(category)


def chapter_of(category: str) -> str | None:
    """Return the label of the chapter that a category is in."""
    return _range_of(category, chapters())


@cache
def chapters() -> tuple[tuple[str, str], ...]:
    """Return the first and the last category of every chapter, in alphabetical order."""
    return tuple(sorted(_ends(entry["range"]) for entry in _read().values()))


@cache
def blocks() -> tuple[tuple[str, str], ...]:
    """Return the first and the last category of every block, in alphabetical order."""
    return tuple(sorted(_ends(block) for entry in _read().values() for block in entry["blocks"]))


@cache
def _read() -> Mapping[str, Mapping[str, Any]]:
    text = resources.files("anonscope.columns.hierarchy").joinpath("icd10.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _ends(written: str) -> tuple[str, str]:
    first, _, last = written.partition("-")
    return first, last or first


def _range_of(category: str, ranges: tuple[tuple[str, str], ...]) -> str | None:
    """Return the label of the range that a category is in: "[A00-A09]"."""
    wanted = category.upper()
    place = bisect_right(ranges, (wanted, "\U0010ffff")) - 1
    return f"[{ranges[place][0]}-{ranges[place][1]}]" if place >= 0 and wanted <= ranges[place][1] else None
