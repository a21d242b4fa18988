"""Releases whose records were sorted, put back beside the records that they were made of.

The order of a file would say which records are one person's, so some releases are sorted by what they say. Whoever has the recipe with
its seeds can make the same records again, in the order of the original: these stand in for the file, if they are the same records.
"""

from dataclasses import replace
from typing import Any

from anonscope.engines import DuckDB
from anonscope.engines.values import canonical
from anonscope.errors import AnonscopeError
from anonscope.io.sources import Relation, open_source
from anonscope.operations.apply import apply
from anonscope.operations.read import Data
from anonscope.transform.recipe import Recipe
from anonscope.transform.steps.sort_records import SortRecords

# Fewer values stand in their order by chance, or because there is hardly another.
_SEVERAL = 3
# Most tables that are in no order show it in their first records.
_FIRST = 1_000


def was_sorted(recipe: Recipe | None) -> bool:
    """Whether a recipe puts the records into another order than the original's."""
    return recipe is not None and any(isinstance(step, SortRecords) for step in recipe.steps)


def seems_sorted(original: Any, released: Any) -> bool:
    """Whether a release of which no recipe is known stands in the order of its values, and the original does not."""
    name = released.column_names[0]
    if name not in original.column_names or len(original) != len(released) or len(released[name].unique()) < _SEVERAL:
        return False
    if not _in_order(released.slice(0, _FIRST)) or not _in_order(released):
        return False
    return not _in_order(original.select([name]))


def _in_order(table: Any) -> bool:
    """Whether records never fall: by the first column, then by the second, and so on; missing values come first."""
    import numpy as np

    open_ = np.ones(max(0, len(table) - 1), dtype=bool)
    for column in table.columns:
        values = _comparable(column)
        if bool((open_ & (values[1:] < values[:-1])).any()):
            return False
        open_ &= values[1:] == values[:-1]
    return True


def _comparable(column: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return column.cast("float64").fill_null(float("-inf")).to_numpy()
    return column.cast("string").fill_null("").to_numpy().astype(str)


def in_original_order(original: Data, recipe: Recipe, released: Any) -> Any | None:
    """Return the records of a sorted release in the order of the original; None if the recipe does not make the very same ones."""
    steps = tuple(step for step in recipe.steps if not isinstance(step, SortRecords))
    if not steps:
        return None
    try:
        made = apply(replace(recipe, steps=steps, comments=()), original).table
    except AnonscopeError:
        return None  # it was made of another table, or its files are not there
    return made if _same_records(original, made, released) else None


def _same_records(original: Data, made: Any, released: Any) -> bool:
    """Whether two tables have the same records, each as often."""
    if len(made) != len(released) or set(made.column_names) != set(released.column_names):
        return False
    engine = DuckDB.like(original.engine)
    try:
        one, other = (open_source(table, engine) for table in (made, released))
        texts = [", ".join(_text(relation, name) for name in made.column_names) for relation in (one, other)]
        ((differing,),) = engine.rows(
            f"SELECT COUNT(*) FROM ((SELECT {texts[0]} FROM {one.origin}) EXCEPT ALL (SELECT {texts[1]} FROM {other.origin})) AS d"
        )
        return int(differing) == 0
    finally:
        engine.close()


def _text(relation: Relation, name: str) -> str:
    place = relation.position(name)
    return canonical(f"c{place}", relation.columns[place].type, name)
