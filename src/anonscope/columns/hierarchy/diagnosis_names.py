"""Names of diagnoses, grouped as their ICD-10 categories are: into blocks, and into chapters.

The names are data, in diagnosis_names.toml. They are none of the table's: a recipe that lists them says nothing of who has what.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from anonscope.columns.hierarchy.icd10 import block_of, chapter_of


@cache
def categories_of_names() -> Mapping[str, str]:
    """Return the category of every name, as tables write names: in small letters, with a capital, with capitals, in capitals."""
    text = resources.files("anonscope.columns.hierarchy").joinpath("diagnosis_names.toml").read_text(encoding="utf-8")
    known = {name: category for category, names in tomllib.loads(text).items() for name in names}
    return {
        written: category
        for name, category in known.items()
        for written in (name, name.capitalize(), " ".join(part.capitalize() for part in name.split(" ")), name.upper())
    }


def grouped_names(*, chapters: bool) -> dict[str, str]:
    """Return the block, or the chapter, that every name belongs to."""
    groups = {category: chapter_of(category) if chapters else block_of(category) for category in set(categories_of_names().values())}
    return {name: label for name, category in categories_of_names().items() if (label := groups[category]) is not None}
