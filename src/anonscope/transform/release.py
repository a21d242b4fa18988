"""Carry out a recipe, count what it changed, and write the table that it made."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from anonscope.count import in_other_form
from anonscope.engines import Engine
from anonscope.engines.spark import Spark
from anonscope.errors import OptionError, OutputError, RecipeError, shown
from anonscope.images import EVERYTHING
from anonscope.manifest import HIERARCHIES, MANIFEST, RECIPE, archive_path, manifest_path
from anonscope.output import check_folder, check_writable
from anonscope.sources import Relation
from anonscope.transform.recipe import Recipe
from anonscope.transform.table import PrivateFile, Table
from anonscope.transform.transformation import Transformation
from anonscope.values import FLOATS, canonical

FORMATS_BY_SUFFIX = {".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow"}


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

    @property
    def records_suppressed(self) -> int:
        return self.records_before - self.records_after


def carry_out(
    engine: Engine,
    relation: Relation,
    recipe: Recipe,
    *,
    rows: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> tuple[Table, Changes]:
    """Return the table that a recipe makes of a relation, with everything checked and counted; nothing is written."""
    check_engine(engine, recipe.steps)
    start = table = Table.of(engine, relation, rows, recipe.folder)
    _check_records_per_person(start, recipe)
    for i, step in enumerate(recipe.steps):
        if progress is not None:
            progress(step.words, i, len(recipe.steps) + 1)
        table = step.apply(table)
    if progress is not None:
        progress("counting what changed", len(recipe.steps), len(recipe.steps) + 1)
    return table, counted(start, table, in_other_form(engine, relation, rows))


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


def counted(start: Table, table: Table, one_form: Sequence[str] = ()) -> Changes:
    """Count in one pass over the result; only where records went missing is the beginning counted too.

    `one_form` are columns of the source in which values took another form before any step.
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
    return Changes(before, after, columns, dropped, tuple(name for name in one_form if name in table.names))


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


def format_of(path: Path | str, *, parts: bool = False) -> str:
    """Return the format that the ending of a release's name asks for; in `parts` not every one can be written."""
    form = FORMATS_BY_SUFFIX.get(PurePath(path).suffix.lower())
    if form is None:
        raise OutputError(f"The ending of {shown(path)} does not tell the format of a release. Use {', '.join(FORMATS_BY_SUFFIX)}.")
    if parts and form == "arrow":
        raise OutputError(f"{shown(path)} cannot be written by Spark, which has no such format. Use .parquet, .csv or .tsv.")
    return form


def is_elsewhere(path: Path | str) -> bool:
    """Return whether a release goes to a storage that only Spark reaches, such as s3a://bucket/release.parquet."""
    return isinstance(path, str) and "://" in path


def check_release(path: Path | str, *, force: bool, parts: bool) -> None:
    """Raise now if a release and its papers could not be written later, or would replace what nobody asked to replace."""
    format_of(path, parts=parts)
    if is_elsewhere(path):
        if not parts:
            raise OutputError(f"{shown(path)} is on a storage that only Spark reaches. Say --engine spark, or write to a file.")
        return
    target = Path(path)
    if parts:
        check_folder(target, force=force)
    else:
        check_targets(target, force=force)
    check_targets(manifest_path(target), force=force)
    check_archive(archive_path(target), force=force)


def check_archive(folder: Path, *, force: bool) -> None:
    """Raise if what only its owner may see could not be written, or would replace something else."""
    if not folder.exists():
        return
    if not force:
        raise OutputError(f"{shown(folder)} exists. Say --force (force=True) to replace it, or give another name.")
    if not folder.is_dir() or any(entry.name not in (MANIFEST, RECIPE, HIERARCHIES) for entry in folder.iterdir()):
        raise OutputError(f"{shown(folder)} holds other things than the papers of a release, so it is not replaced.")


def write_release(table: Table, path: Path | str, *, delimiter: str = ",", form: str | None = None) -> None:
    """Write the table to a new file, or on Spark to a new folder of parts; nothing else, and not in one step."""
    form = form or format_of(path, parts=table.engine.remote)
    written, sign = ("csv", "\t") if form == "tsv" else (form, delimiter)
    select = table.select(text=written == "csv")
    if isinstance(table.engine, Spark):
        table.engine.write(select, path, written, sign)
        if isinstance(path, Path) and not any(part.name.startswith("part-") for part in (path.iterdir() if path.is_dir() else ())):
            raise OutputError(f"The workers of Spark wrote {shown(path)} where this machine does not see it. Give a folder that all see.")
        return
    table.engine.write(select, Path(path), written, sign)


def write_private(file: PrivateFile, table: Table, path: Path) -> None:
    """Write rows that are kept apart from the release to a new file that only its owner may read."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    _write_private(table.engine.batches(file.select), path)


def _write_private(reader: Any, path: Path) -> None:
    """Write rows as CSV through a file that is private already; an engine would make one of its own for a moment."""
    from pyarrow import csv

    with open(path, "wb") as file, csv.CSVWriter(file, reader.schema, write_options=csv.WriteOptions(quoting_style="needed")) as writer:
        for batch in reader:
            writer.write_batch(batch)


def check_targets(*paths: Path, force: bool) -> None:
    """Raise now if a file could not be written later, or would replace one that nobody asked to replace."""
    for path in paths:
        check_writable(path)
        if path.exists() and not force:
            raise OutputError(f"{shown(path)} exists. Say --force (force=True) to replace it, or give another name.")
