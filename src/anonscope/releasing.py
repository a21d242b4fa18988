"""Apply a recipe to a table, and hold what comes out: the public function and its result."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from anonscope.data import Data, read
from anonscope.engines import DuckDB, Engine
from anonscope.engines.spark import Spark
from anonscope.errors import OptionError, shown
from anonscope.findings import Progress
from anonscope.hierarchy import Hierarchy, read_hierarchy
from anonscope.manifest import file_hash, manifest_path, manifest_text, write_manifest
from anonscope.roles import Roles
from anonscope.sources.parts import would_be_part
from anonscope.transform.recipe import Recipe, load_recipe, recipe_of
from anonscope.transform.release import (
    Changes,
    carry_out,
    check_engine,
    check_release,
    counted,
    is_elsewhere,
    manifest,
    write_release,
)
from anonscope.transform.table import Table
from anonscope.transform.transformation import Transformation


@dataclass(frozen=True, slots=True)
class Release:
    """A table that a recipe made: look at it, audit it, write it. It needs the table it was made from to stay open."""

    recipe: Recipe
    changes: Changes
    roles: Roles
    _table: Table = field(repr=False)
    _data: Data = field(repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that are left."""
        return self._table.names

    @property
    def perturbed(self) -> tuple[str, ...]:
        """The columns whose values were made up: by this recipe, or by the one that made the table it was made from."""
        made_up = {*self._data.perturbed, *self.recipe.perturbed}
        return tuple(column for column in self.columns if column in made_up)

    @property
    def engine(self) -> Engine:
        """The engine on which it stands."""
        return self._table.engine

    @property
    def table(self) -> Any:
        """The release as an Arrow table; on Spark, where its records stay, as a data frame of Spark."""
        engine, select = self._table.engine, self._table.select()
        return engine.frame(select) if isinstance(engine, Spark) else engine.batches(select).read_all()

    def manifest(self, release: Path | str | None = None) -> dict[str, Any]:
        """Return what a reader needs to know, and to prove, of how the release was made, as plain data."""
        path, engine = self._data.path, self._data.engine
        source_hash = file_hash(path) if path is not None else None
        named = self._data.relation.name
        return manifest(
            self.recipe, self.changes, source=named, source_hash=source_hash, release=release, engine=engine, perturbed=self.perturbed
        )

    def save(self, path: str | Path, *, force: bool = False) -> Path | str:
        """Write the release (.csv, .tsv, .parquet or .arrow) and its manifest beside it; existing files stay unless `force` says so.

        Spark writes .parquet, .csv and .tsv as a folder of parts, also to a storage that it reaches (s3a://bucket/release.parquet).
        """
        engine, delimiter = self._table.engine, self._data.relation.delimiter
        if is_elsewhere(path):
            check_release(path, None, force=force, parts=engine.remote)
            write_release(self._table, path, delimiter=delimiter, force=force)
            assert isinstance(engine, Spark)
            engine.put(f"{str(path).rstrip('/')}.manifest.json", manifest_text(self.manifest(path)))
            return path
        target = Path(path)
        check_release(target, manifest_path(target), force=force, parts=engine.remote)
        if self._data.path is not None and would_be_part(target, self._data.path):
            raise OptionError("A release must not replace the table it was made from, or become a part of it. Give another name.")
        write_release(self._table, target, delimiter=delimiter, force=force)
        write_manifest(self.manifest(target), manifest_path(target))
        return target

    def then(self, *steps: Transformation) -> "Release":
        """Return the release with further steps carried out; its recipe has them too."""
        table = self._table
        check_engine(table.engine, steps)
        for step in steps:
            table = step.apply(table)
        recipe, start = self.recipe, Table.of(self._data.engine, self._data.relation, self._data.rows)
        comments = (*recipe.comments, *("" for _ in steps)) if recipe.comments else ()
        recipe = replace(recipe, steps=(*recipe.steps, *steps), comments=comments)
        return Release(recipe, counted(start, table, self.changes.one_form), left_of(self.roles, table.names), table, self._data)

    def to_text(self) -> str:
        """Return what the recipe did, in counts."""
        changes = self.changes
        records = f"{changes.records_after:,} of {changes.records_before:,} records are in the release"
        lines = [records + (f"; {changes.records_suppressed:,} were suppressed." if changes.records_suppressed else ".")]
        lines += [f"Column {column!r} was dropped." for column in changes.dropped]
        for column in changes.columns:
            suppressed = f", {column.suppressed:,} of them suppressed" if column.suppressed else ""
            lines.append(f"Column {column.column!r}: {column.changed:,} cells changed{suppressed}.")
        lines += forms_note(changes)
        if self.perturbed:
            listed = ", ".join(repr(column) for column in self.perturbed)
            lines.append(f"Perturbed: {listed}. An audit will not measure what rests on groups of equal values there.")
        return "\n".join(lines) + "\n"

    def read(self, **options: Any) -> Data:
        """Open the release as a table of its own, with the roles of the columns that are left; close it after use."""
        given: dict[str, Any] = {"roles": self.roles, "recipe": self.recipe, **engine_limits(self._data)} | options
        opened = read(self.table, **given)
        opened.perturbed = self.perturbed
        return opened


def apply(
    recipe: Recipe | Transformation | Sequence[Transformation] | str | Path, data: Data, *, progress: Progress | None = None
) -> Release:
    """Return the release that a recipe makes of a table: a recipe, a file, one transformation or several in order.

    Everything is checked and counted; nothing is written before `Release.save`.
    """
    if not isinstance(data, Data):
        raise OptionError("apply() takes what read() returns: an.apply(recipe, an.read(source))")
    steps = recipe_of(recipe)
    table, changes = carry_out(data.engine, data.relation, steps, rows=data.rows, progress=progress)
    return Release(steps, changes, left_of(data.roles, table.names), table, data)


def check_unperturbed(data: Data, roles: Roles) -> None:
    """Raise if a recipe made up values that groups are made of: then no search for larger groups protects anybody."""
    judged = (*roles.attributes, *roles.sensitive, roles.person)
    if made_up := [column for column in data.perturbed if column in judged]:
        raise OptionError(
            f"A recipe made up values of {', '.join(map(shown, made_up))}, so groups of equal values do not mean what they say, and no "
            "recoding of them meets a policy. Use the table as it was before that, or leave these columns out of the roles."
        )


def left_of(roles: Roles, columns: Sequence[str]) -> Roles:
    """Return the roles of the columns that a release still has."""

    def kept(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name in columns)

    scenarios = tuple(replace(s, quasi_identifiers=kept(s.quasi_identifiers)) for s in roles.scenarios if kept(s.quasi_identifiers))
    return Roles(
        direct_identifiers=kept(roles.direct_identifiers),
        quasi_identifiers=kept(roles.quasi_identifiers),
        sensitive=kept(roles.sensitive),
        person=roles.person if roles.person in columns else None,
        household=roles.household if roles.household in columns else None,
        weight=roles.weight if roles.weight in columns else None,
        scenarios=scenarios,
        distance={c: d for c, d in roles.distance.items() if c in columns},
        # A hierarchy is about the original values; generalised ones are not among its leaves.
        hierarchies={c: h for c, h in roles.hierarchies.items() if c in kept(roles.sensitive)},
    )


def forms_note(changes: Changes) -> list[str]:
    """Return what to say of values that took another form, if there are any."""
    if not changes.one_form:
        return []
    listed = ", ".join(repr(column) for column in changes.one_form)
    return [f"In {listed} empty text and NaN became missing values, and minus zero became 0: not every file could tell them apart."]


def engine_limits(data: Data) -> dict[str, Any]:
    """Return the limits that the engine of a table keeps, as `read` takes them, for another table beside it."""
    return dict(data.engine.limits) if isinstance(data.engine, DuckDB) else {}


def recipe_beside(path: Path | None) -> Recipe | None:
    """Return the recipe that stands beside a release, if there is one."""
    file = path.with_name(path.name + ".recipe.toml") if path is not None else None
    return load_recipe(file) if file is not None and file.is_file() else None


def hierarchies_in(recipe: Recipe) -> dict[str, Hierarchy]:
    """Return the hierarchies that the steps of a recipe name, as far as their files are there."""
    found: dict[str, Hierarchy] = {}
    for step in recipe.steps:
        named = getattr(step, "hierarchies", None) or ({step.columns[0]: step.hierarchy} if hasattr(step, "hierarchy") else {})
        for column, name in named.items():
            file = (recipe.folder or Path()) / name
            if file.is_file():
                found[column] = read_hierarchy(file)
    return found
