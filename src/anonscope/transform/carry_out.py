"""Carry out a recipe, and count what it changed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from anonscope.columns.images import EVERYTHING
from anonscope.engines import Engine
from anonscope.engines.values import FLOATS, canonical
from anonscope.errors import OptionError, RecipeError, shown
from anonscope.io.sources import Relation
from anonscope.risk.counting import in_other_form
from anonscope.transform.recipe import Recipe
from anonscope.transform.steps.recode import Recode
from anonscope.transform.table import Table
from anonscope.transform.transformation import Transformation


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """What became of a column: how many of its cells differ from the original, and how many were suppressed."""

    column: str
    changed: int
    suppressed: int


@dataclass(frozen=True, slots=True)
class Changes:
    """What a recipe did to a table, in counts."""

    records_before: int
    records_after: int
    columns: tuple[ColumnChange, ...]
    dropped: tuple[str, ...]
    one_form: tuple[str, ...] = ()  # columns in which values took another form: empty text and NaN became missing, minus zero zero
    records_starred: int = 0  # that are "*" in every quasi-identifier, while others are not

    @property
    def records_removed(self) -> int:
        """Records that left."""
        return self.records_before - self.records_after

    @property
    def records_suppressed(self) -> int:
        """Records that say nothing of what outsiders know: they left, or are starred where others are not."""
        return self.records_removed + self.records_starred

    def sentences(self) -> list[str]:
        """Return it in words: the records, then a sentence a column."""
        removed = f"; {self.records_removed:,} were removed" if self.records_removed else ""
        starred = f'; {self.records_starred:,} are "*" in every quasi-identifier' if self.records_starred else ""
        lines = [f"{self.records_after:,} of {self.records_before:,} records are in the release{removed}{starred}."]
        lines += [f"Column {column!r} was dropped." for column in self.dropped]
        for column in self.columns:
            suppressed = f", {column.suppressed:,} of them suppressed" if column.suppressed else ""
            lines.append(f"Column {column.column!r}: {column.changed:,} cells changed{suppressed}.")
        return lines


def carry_out(
    engine: Engine,
    relation: Relation,
    recipe: Recipe,
    *,
    rows: int | None = None,
    quasi_identifiers: Sequence[str] = (),
    progress: Callable[[str, int, int], None] | None = None,
) -> tuple[Table, Changes]:
    """Return the table that a recipe makes of a relation, with everything checked and counted; nothing is written.

    `quasi_identifiers` are those by which records are counted that say nothing; without them, those of its `recode` steps.
    """
    check_engine(engine, recipe.steps)
    start = table = Table.of(engine, relation, rows, recipe.folder)
    _check_records_per_person(start, recipe)
    for i, step in enumerate(recipe.steps):
        if progress is not None:
            progress(step.words, i, len(recipe.steps) + 1)
        table = step.apply(table)
    if progress is not None:
        progress("counting what changed", len(recipe.steps), len(recipe.steps) + 1)
    known = quasi_identifiers or [column for step in recipe.steps if isinstance(step, Recode) for column in step.roles.attributes]
    return table, counted(start, table, in_other_form(engine, relation, rows), known)


def _check_records_per_person(table: Table, recipe: Recipe) -> None:
    """Raise if somebody has more records than the recipe allows; records without a person may all be one's."""
    person, bound = recipe.person, recipe.records_per_person
    if person is None or bound is None:
        return
    table.at(person)
    counts = f"SELECT COUNT(*) AS n FROM {table.origin} GROUP BY {table.text(person)}"
    over = int(table.engine.rows(f"SELECT COUNT(*) FROM ({counts}) AS t WHERE n > {bound}")[0][0])
    if over:
        raise RecipeError(
            f"{over:,} of the values of {shown(person)} (a missing one counts as one) have more than {bound:,} records, which is what "
            "the recipe allows one person (records_per_person). Raise the bound, at the price of a larger epsilon, or take records out."
        )


def check_engine(engine: Engine, steps: Sequence[Transformation]) -> None:
    """Raise, before any work is done, if an engine cannot carry out all steps."""
    if engine.remote and engine.title != "Spark":
        raise OptionError(f"A recipe is carried out by DuckDB or Spark; {engine.title} only counts. Export the table first.")
    for step in steps:
        step.check_engine(engine)


def counted(start: Table, table: Table, one_form: Sequence[str] = (), quasi_identifiers: Sequence[str] = ()) -> Changes:
    """Count in one pass over the result; only where records went missing is the beginning counted too.

    `one_form` are columns of the source in which values took another form before any step, `quasi_identifiers` those by which records
    are counted that say nothing.
    """
    touched = [column for column in table.names if column in table.originals]
    wanted = ["COUNT(*)", *(f"COALESCE(SUM({fault.mark}), 0)" for fault in table.faults)]
    for column in touched:
        changed, suppressed = _conditions(column, start, table)
        wanted += [f"COALESCE(COUNT_IF({changed}), 0)", f"COALESCE(COUNT_IF({suppressed}), 0)"]
    counts = [int(count) for count in table.engine.rows(f"SELECT {', '.join(wanted)} FROM {table.origin}")[0]]
    after, faulty, cells = counts[0], counts[1 : 1 + len(table.faults)], counts[1 + len(table.faults) :]
    for fault, count in zip(table.faults, faulty, strict=True):
        if count:
            raise table.failure(fault, count)
    before = int(table.engine.rows(f"SELECT COUNT(*) FROM {start.origin}")[0][0]) if table.shortened or not after else after
    if not before:
        raise RecipeError("The table has no records, so there is nothing to transform.")
    if not after:
        raise RecipeError("The recipe suppresses every record; nothing would be left to release.")
    columns = tuple(ColumnChange(column, cells[2 * i], cells[2 * i + 1]) for i, column in enumerate(touched))
    dropped = tuple(name for name in start.names if name not in table.names)
    starred = _starred(table, [column for column in dict.fromkeys(quasi_identifiers) if column in table.names], after)
    return Changes(before, after, columns, dropped, tuple(name for name in one_form if name in table.names), starred)


def _starred(table: Table, columns: Sequence[str], records: int) -> int:
    """Return how many records are "*" in all columns but those that are so for everybody, which were generalised."""
    # Only text holds a star, and only a column that was changed holds one where others do not.
    if not columns or any(column not in table.originals or table.at(column)[1] != "VARCHAR" for column in columns):
        return 0
    stars = [f"COALESCE({table.at(column)[0]} = '{EVERYTHING}', FALSE)" for column in columns]
    everybody = table.engine.rows(f"SELECT {', '.join(f'COUNT_IF({star})' for star in stars)} FROM {table.origin}")[0]
    telling = [star for star, count in zip(stars, everybody, strict=True) if int(count) < records]
    if not telling:
        return 0
    return int(table.engine.rows(f"SELECT COUNT_IF({' AND '.join(telling)}) FROM {table.origin}")[0][0])


def _conditions(column: str, start: Table, table: Table) -> tuple[str, str]:
    """Return the SQL that tells whether a cell of a column differs from its original, and whether it was suppressed."""
    (now, kind), (old, before) = table.at(column), (table.originals[column], start.at(column)[1])
    known = f"{old} IS NOT NULL" + (f" AND NOT ISNAN({old})" if before in FLOATS else "")
    if kind == before and kind in FLOATS:
        changed = f"{now} IS DISTINCT FROM CASE WHEN ISNAN({old}) THEN NULL ELSE {old} END"
    elif kind == before:
        changed = f"{now} IS DISTINCT FROM {old}"
    else:
        # By canonical text, or a number that became text would count as changed.
        changed = f"{table.text(column)} IS DISTINCT FROM {canonical(old, before, column)}"
    if kind != "VARCHAR":
        return changed, f"{now} IS NULL AND {known}"
    starred = f" AND {old} <> '{EVERYTHING}'" if before == "VARCHAR" else ""
    return changed, f"({now} IS NULL OR {now} = '{EVERYTHING}') AND {known}{starred}"
