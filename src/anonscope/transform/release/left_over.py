"""What is left of a direct identifier in a release: judged by the values that are there, not by whether a step names the column."""

import re
from dataclasses import replace

from anonscope.columns.suggestion.identifiers import identifier
from anonscope.columns.suggestion.profile import Profile
from anonscope.columns.suggestion.terms import placeholders
from anonscope.columns.suggestion.types import type_of
from anonscope.columns.suggestion.unassigned import profiles_of
from anonscope.engines.values import canonical
from anonscope.io.sources import Relation
from anonscope.transform.table import Table

# Coarse values may happen to be somebody's value too; with more than this share of them the values were only moved to others.
_BY_CHANCE = 0.1
# What a masked value has in it; it is told by its form no more.
_MASKED = re.compile(r"(.)\1\1")
# Classes that a pseudonym has as well.
_CODES = ("other_unique", "record_id", "event_id", "account", "device")


def left_over(table: Table, source: Relation, column: str) -> str | None:
    """Return what is left of a column of the source, in words without any value; None if nothing tells who somebody is."""
    if column not in table.originals:
        return "it is as it was"
    kept, moved, records = _counted(table, source, column)
    if kept:
        return f"{kept:,} values are as they were" if kept > 1 else "1 value is as it was"
    if moved > _BY_CHANCE * records:
        return f"{moved:,} values are those of other records"
    if table.engine.remote:
        return None
    relation = table.relation(source.name)
    profiles, _ = profiles_of(table.engine, relation, [column], None)
    like = _like(profiles[0]) if profiles else None
    return f"its values still are {like}" if like is not None else None


def _counted(table: Table, source: Relation, column: str) -> tuple[int, int, int]:
    """Return how many cells hold their original, how many hold an original of any record, and how many hold something."""
    kind = source.columns[source.position(column)].type
    now, before = table.text(column), canonical(table.originals[column], kind, column)
    nothing = ", ".join(f"'{word.replace(chr(39), chr(39) * 2)}'" for word in sorted(placeholders()))
    cells = f"SELECT {now} AS v, {before} AS o FROM {table.origin}"
    told = f"SELECT v, o FROM ({cells}) AS cells WHERE v IS NOT NULL AND LOWER(v) NOT IN ({nothing})"
    ((records, kept),) = table.engine.rows(
        f"SELECT COUNT(*) AS n, COALESCE(SUM(CASE WHEN v = o THEN 1 ELSE 0 END), 0) AS k FROM ({told}) AS told"
    )
    originals = f"SELECT o FROM ({cells}) AS originals WHERE o IS NOT NULL"
    ((moved,),) = table.engine.rows(f"SELECT COUNT(*) AS n FROM ({told}) AS told WHERE v IN ({originals})")
    return int(kept), int(moved), int(records)


def _like(profile: Profile) -> str | None:
    """Return which identifiers the values of a column look like whatever it is called, masked ones aside."""
    bare = replace(profile, looked=tuple(v for v in profile.looked if _MASKED.search(v.text) is None))
    if len(bare.looked) < len(profile.looked) / 2:
        return None
    found = identifier(bare, type_of(bare), None, None)
    return found.concept.title if found is not None and found.by_form is not None and found.concept.name not in _CODES else None
