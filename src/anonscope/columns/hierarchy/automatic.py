"""A hierarchy for any column, from the kind of its values and from what they mean."""

from collections.abc import Sequence
from typing import Literal

from anonscope.columns.hierarchy.ages import ages
from anonscope.columns.hierarchy.assemble import assemble
from anonscope.columns.hierarchy.categories import categories
from anonscope.columns.hierarchy.dates import dates
from anonscope.columns.hierarchy.hierarchy import Hierarchy
from anonscope.columns.hierarchy.icd10 import icd10
from anonscope.columns.hierarchy.numbers import numbers
from anonscope.columns.hierarchy.ordinals import ordinals
from anonscope.columns.hierarchy.postcodes import postcodes
from anonscope.columns.hierarchy.prefixes import prefixes

Meaning = Literal["age", "postcode", "icd-10"]


def automatic(name: str, values: Sequence[str], counts: Sequence[int], kind: str, meaning: Meaning | None = None) -> Hierarchy:
    """Return a hierarchy over distinct values and how many records have each.

    `kind` is what suggestions call the type of a column: integer, continuous, weight, date, code, ordinal, category. Any other kind,
    such as free text, goes from the values to one label for all in a single step. `meaning` says what the values are, if that is known.
    """
    if meaning == "icd-10":
        return icd10(name, values)
    if meaning == "postcode":
        return postcodes(name, values)
    if kind in ("integer", "continuous", "weight"):
        return ages(name, values) if meaning == "age" else numbers(name, values)
    if kind == "date":
        return dates(name, values)
    if kind == "code" and (found := prefixes(name, values)).height > 1:
        return found
    if kind == "ordinal":
        return ordinals(name, values, counts)
    if kind in ("code", "category"):
        return categories(name, values, counts)
    return assemble(name, sorted(values), ())
