"""What is left of a direct identifier in a release: judged by the values that are there, not by whether a step names the column.

A digit before every number, two halves swapped, a letter covered: whoever has the identifier still finds its record. No list of
disguises is complete, so nothing is looked for. What is left may stay only if it is the same for everybody, if it is a pseudonym whose
key is a secret, or if every value of it is shared by a group of people.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from anonscope.columns.suggestion.by_values import form_of_texts
from anonscope.columns.suggestion.terms import placeholders
from anonscope.engines.values import canonical
from anonscope.io.sources import Relation
from anonscope.transform.steps.permute_column import PermuteColumn
from anonscope.transform.steps.pseudonymise import Pseudonymise
from anonscope.transform.steps.sort_records import SortRecords
from anonscope.transform.steps.suppress_cells import SuppressCells
from anonscope.transform.steps.suppress_column import SuppressColumn
from anonscope.transform.steps.suppress_records import SuppressRecords
from anonscope.transform.table import Table
from anonscope.transform.transformation import Transformation

# So many people are a group where no policy says how large groups are, as in policies that state no size.
GROUP = 11
# Coarse values may happen to be somebody's value too; with more than this share of them the values were only moved to others.
_BY_CHANCE = 0.1
# So many values, and so much of each, are looked at for names that stand in groups.
_TRIED, _CUT = 200, 4_000
# What leaves a pseudonym one, or takes it away.
_LEAVING = (PermuteColumn, Pseudonymise, SortRecords, SuppressCells, SuppressColumn, SuppressRecords)


Kind = Literal["nothing", "pseudonym", "groups", "refused"]


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of a column that says who somebody is, and why that is refused, in words without any value."""

    kind: Kind
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Counted:
    """Cells of a column that hold something, and what they are like."""

    records: int  # of the release
    told: int  # that hold something
    kept: int  # that hold their original
    moved: int  # that hold an original of any record
    values: int
    originals: int
    smallest: int  # the fewest people who share a value
    telling: bool  # whether some value is more than one character, repeated


def left_over(
    table: Table, source: Relation, column: str, steps: Sequence[Transformation], *, person: str | None = None, least: int = GROUP
) -> Left:
    """Return what is left of a column of the source: nothing, pseudonyms, groups of people, or what tells who somebody is.

    Fewer than `least` people are no group. People are told apart by the identifier itself and, where there is one, by the `person`.
    """
    if column not in table.originals:
        return Left("refused", "it is as it was")
    counted = _counted(table, source, column, person)
    if counted.kept:
        return Left("refused", f"{counted.kept:,} values are as they were" if counted.kept > 1 else "1 value is as it was")
    if counted.moved > _BY_CHANCE * counted.told:
        return Left("refused", f"{counted.moved:,} values are those of other records")
    if not counted.told or _same_for_all(counted):
        return Left("nothing")
    made = [step for step in steps if column in step.columns]
    keyed = max((i for i, step in enumerate(made) if isinstance(step, Pseudonymise)), default=None)
    if keyed is not None and all(isinstance(step, _LEAVING) for step in made[keyed:]):
        tried = "its pseudonyms are made with a seed for tests, which can be tried"
        return Left("refused", tried) if made[keyed].for_tests else Left("pseudonym")
    if person is not None and person not in table.names and person not in table.originals:
        return Left("refused", f"its {counted.values:,} values cannot be counted in people, because the id of the person is dropped")
    if counted.smallest < least:
        people = "a single person" if counted.smallest <= 1 else f"only {counted.smallest:,} people"
        return Left("refused", f"it is changed, but {people} may stand behind a value of it, and {least:,} are a group")
    if (told := told_by(table, column)) is not None:
        return Left("refused", f"its values are shared, and still are {told}")
    return Left("groups")


def told_by(table: Table, column: str) -> str | None:
    """Return which direct identifiers the values of a column are or hold as they are now, in words; None if they have no such form."""
    if table.engine.remote:
        return None
    text = table.text(column)
    found = table.engine.rows(f"SELECT DISTINCT SUBSTR({text}, 1, {_CUT}) AS v FROM {table.origin} WHERE {text} IS NOT NULL LIMIT {_TRIED}")
    form = form_of_texts([str(value) for (value,) in found])
    return form.title if form is not None else None


def _same_for_all(counted: _Counted) -> bool:
    """Whether every record has the same value, which says nothing: of a single original it would still be that."""
    return counted.values == 1 and counted.told == counted.records and (counted.originals > 1 or not counted.telling)


def _counted(table: Table, source: Relation, column: str, person: str | None) -> _Counted:
    now, before = table.text(column), _original(table, source, column)
    nothing = ", ".join(f"'{word.replace(chr(39), chr(39) * 2)}'" for word in sorted(placeholders()))
    who = _original(table, source, person) if person is not None and (person in table.names or person in table.originals) else before
    cells = f"SELECT {now} AS v, {before} AS o, {who} AS w FROM {table.origin}"
    told = f"SELECT v, o, w FROM ({cells}) AS cells WHERE v IS NOT NULL AND LOWER(v) NOT IN ({nothing})"
    ((cells_told, kept, originals, rest),) = table.engine.rows(
        "SELECT COUNT(*) AS n, COALESCE(SUM(CASE WHEN v = o THEN 1 ELSE 0 END), 0) AS k, COUNT(DISTINCT o) AS o, "
        f"COALESCE(MAX(LENGTH(REPLACE(v, SUBSTR(v, 1, 1), ''))), 0) AS l FROM ({told}) AS told"
    )
    ((moved,),) = table.engine.rows(
        f"SELECT COUNT(*) AS n FROM ({told}) AS told WHERE v IN (SELECT o FROM ({cells}) AS originals WHERE o IS NOT NULL)"
    )
    groups = f"SELECT v, COUNT(DISTINCT o) AS o, COUNT(DISTINCT w) AS w FROM ({told}) AS told GROUP BY v"
    ((values, smallest),) = table.engine.rows(
        f"SELECT COUNT(*) AS n, COALESCE(MIN(CASE WHEN o < w THEN o ELSE w END), 0) AS s FROM ({groups}) AS grouped"
    )
    ((records,),) = table.engine.rows(f"SELECT COUNT(*) AS n FROM {table.origin}")
    return _Counted(int(records), int(cells_told), int(kept), int(moved), int(values), int(originals), int(smallest), bool(rest))


def _original(table: Table, source: Relation, column: str) -> str:
    """Return the SQL for the text of a column as it was in the source."""
    if column not in table.originals:
        return table.text(column)
    return canonical(table.originals[column], source.columns[source.position(column)].type, column)
