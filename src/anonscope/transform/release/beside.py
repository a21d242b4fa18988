"""The files that a recipe names: hierarchies wait in a private folder, and come into the archive of the release that they made."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonscope.columns.hierarchy import Hierarchy, read_hierarchy
from anonscope.errors import OutputError, shown
from anonscope.transform.recipe import Recipe, load_recipe
from anonscope.transform.release.manifest import HIERARCHIES, archive_path, recipe_path
from anonscope.transform.steps.generalise_hierarchy import GeneraliseHierarchy
from anonscope.transform.steps.recode import Recode
from anonscope.transform.transformation import Transformation

# The settings of steps that name files which stay where they are: keys, who is who, a population.
_ELSEWHERE = ("key_file", "mapping_file", "population")


def file_names(columns: Iterable[str]) -> dict[str, str]:
    """Return the name of the file that each column's hierarchy has: a column may be called anything, a file may not."""
    return {column: f"{i:02d}-{_slug(column)}.csv" for i, column in enumerate(columns, start=1)}


def save_all(hierarchies: Mapping[str, Hierarchy], folder: Path) -> dict[str, str]:
    """Write hierarchies into a folder, and return the names of the files."""
    named = file_names(hierarchies)
    for column, name in named.items():
        hierarchies[column].save(folder / name)
    return named


def with_files(recipe: Recipe, named: Mapping[str, str]) -> Recipe:
    """Return a recipe whose steps find their hierarchies in these files."""
    return _renamed(recipe, lambda column, _: named[column], lambda name: name)


def hierarchy_files(recipe: Recipe, further: Mapping[str, str | Path] | None = None) -> dict[Path, str]:
    """Return the files of hierarchies that a recipe names, and further ones of columns, with the name that each has in an archive."""
    found: dict[Path, str] = {}

    def take(column: str, path: Path) -> None:
        if path not in found:
            found[path] = f"{len(found) + 1:02d}-{_slug(column)}{path.suffix.lower() or '.csv'}"

    for step in recipe.steps:
        for column, name in hierarchies_of(step).items():
            take(column, _found(recipe, name))
    for column, path in (further or {}).items():
        take(column, Path(path))
    return found


def archived(recipe: Recipe, release: Path) -> Recipe:
    """Return a recipe as it stands in the archive of a release: its hierarchies are beside it, and its other files where they were."""
    files, folder = hierarchy_files(recipe), archive_path(release)
    moved = _renamed(recipe, lambda _, name: f"{HIERARCHIES}/{files[_found(recipe, name)]}", lambda name: _seen_from(folder, recipe, name))
    return replace(moved, folder=folder)


def without_seeds(recipe: Recipe) -> Recipe:
    """Return a recipe that may be shown: whoever has a seed can undo what it made, so seeds stay in the archive."""
    nothing: dict[str, Any] = {"seed": None}
    kept = (replace(step, **nothing) if getattr(step, "seed", None) is not None else step for step in recipe.steps)
    return replace(recipe, steps=tuple(kept))


def printed(recipe: Recipe, release: Path) -> Recipe:
    """Return a recipe as a report prints it: saved beside the release, it finds the files in the archive; seeds are not in it."""
    files, folder = hierarchy_files(recipe), archive_path(release)
    moved = _renamed(
        recipe,
        lambda _, name: f"{folder.name}/{HIERARCHIES}/{files[_found(recipe, name)]}",
        lambda name: _seen_from(release.parent, recipe, name),
    )
    return replace(without_seeds(moved), folder=release.parent)


def copy_hierarchies(files: Mapping[Path, str], folder: Path) -> None:
    """Copy hierarchies into a new folder that only its owner may look into: they are made of values of the original."""
    folder.mkdir(mode=0o700)
    for path, name in files.items():
        try:
            write_private_bytes(folder / name, path.read_bytes())
        except OSError as error:
            raise OutputError(f"The hierarchy {shown(path)} cannot be copied: {error.strerror}.") from None


def write_private_bytes(path: Path, content: bytes) -> None:
    """Write a new file that only its owner may read."""
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(content)


def _renamed(recipe: Recipe, hierarchy: Callable[[str, str], str], other: Callable[[str], str]) -> Recipe:
    """Return a recipe whose steps call their files by other names."""
    return replace(recipe, steps=tuple(_with_names(step, hierarchy, other) for step in recipe.steps))


def _with_names(step: Transformation, hierarchy: Callable[[str, str], str], other: Callable[[str], str]) -> Transformation:
    if isinstance(step, Recode):
        step = replace(step, hierarchies={column: hierarchy(column, name) for column, name in step.hierarchies.items()})
    elif isinstance(step, GeneraliseHierarchy):
        step = replace(step, file=hierarchy(step.column, step.file))
    changes = {key: other(name) for key in _ELSEWHERE if (name := getattr(step, key, None))}
    return replace(step, **changes) if changes else step


def hierarchies_of(step: Transformation) -> Mapping[str, str]:
    """Return the files of hierarchies that a step names, by column."""
    if isinstance(step, Recode):
        return step.hierarchies
    return {step.column: step.file} if isinstance(step, GeneraliseHierarchy) else {}


def _found(recipe: Recipe, name: str) -> Path:
    return (recipe.folder or Path()) / name


def _seen_from(folder: Path, recipe: Recipe, name: str) -> str:
    """Return the name of a file as seen from another folder than that of its recipe."""
    return name if Path(name).is_absolute() else Path(os.path.relpath(_found(recipe, name).absolute(), folder.absolute())).as_posix()


def _slug(column: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", column).strip("-")[:40] or "column"


def recipe_beside(path: Path | None) -> Recipe | None:
    """Return the recipe in the archive beside a release, if there is one."""
    file = recipe_path(path) if path is not None else None
    return load_recipe(file) if file is not None and file.is_file() else None


def hierarchies_in(recipe: Recipe) -> dict[str, Hierarchy]:
    """Return the hierarchies that the steps of a recipe name, as far as their files are there."""
    found: dict[str, Hierarchy] = {}
    for step in recipe.steps:
        for column, name in hierarchies_of(step).items():
            file = (recipe.folder or Path()) / name
            if file.is_file():
                found[column] = read_hierarchy(file, column)
    return found
