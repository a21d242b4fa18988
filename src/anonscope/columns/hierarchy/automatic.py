"""A hierarchy for any column, from the kind of its values and from what they mean."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

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
from anonscope.columns.hierarchy.scales import scale_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

Meaning = Literal["age", "postcode", "icd-10"]


def automatic(
    name: str,
    values: Sequence[str],
    counts: Sequence[int],
    kind: str,
    meaning: Meaning | None = None,
    company: "NDArray[Any] | None" = None,
) -> Hierarchy:
    """Return a hierarchy over distinct values and how many records have each.

    `kind` is what suggestions call the type of a column: integer, continuous, weight, date, code, ordinal, category. Any other kind,
    such as free text, goes from the values to one label for all in a single step. `meaning` says what the values are, if that is known,
    and `company` what the records of each are like in other columns.
    """
    if meaning == "icd-10":
        return icd10(name, values)
    if meaning == "postcode":
        return postcodes(name, values)
    if kind in ("integer", "continuous", "weight"):
        return ages(name, values, counts) if meaning == "age" else numbers(name, values, counts)
    if kind == "date":
        return dates(name, values)
    if kind == "code" and (found := prefixes(name, values)).height > 1:
        return found
    if kind == "ordinal" or (kind == "category" and scale_order(values) is not None):
        return ordinals(name, values, counts, company=company)
    if kind in ("code", "category"):
        return categories(name, values, counts, company)
    return assemble(name, sorted(values), ())
