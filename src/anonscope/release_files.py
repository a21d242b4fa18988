"""What stands beside a release: the recipe that reproduces it, and the hierarchies that the recipe names."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from anonscope.hierarchy import Hierarchy
from anonscope.output import write_text
from anonscope.releasing import Release
from anonscope.transform.generalise_hierarchy import GeneraliseHierarchy
from anonscope.transform.recipe import Recipe
from anonscope.transform.recode import Recode
from anonscope.transform.release import check_release, check_targets
from anonscope.transform.transformation import Transformation


def file_names(columns: Iterable[str]) -> dict[str, str]:
    """Return the name of the file that each column's hierarchy has: a column may be called anything, a file may not."""
    slugs = ((column, re.sub(r"[^A-Za-z0-9]+", "-", column).strip("-")[:40] or "column") for column in columns)
    return {column: f"{i:02d}-{slug}.csv" for i, (column, slug) in enumerate(slugs, start=1)}


def save_all(hierarchies: Mapping[str, Hierarchy], folder: Path) -> dict[str, str]:
    """Write hierarchies into a folder, and return the names of the files."""
    named = file_names(hierarchies)
    for column, name in named.items():
        hierarchies[column].save(folder / name)
    return named


def write_with_papers(release: Release, hierarchies: Mapping[str, Hierarchy], path: str | Path, *, force: bool = False) -> Path:
    """Write a release, and beside it its manifest, its recipe and the hierarchies that the recipe names."""
    target = Path(path)
    folder = target.with_name(target.name + ".hierarchies")
    recipe_file = target.with_name(target.name + ".recipe.toml")
    check_release(target, recipe_file, force=force, parts=release.engine.remote)
    if hierarchies:
        folder.mkdir(exist_ok=True)
        check_targets(*(folder / name for name in file_names(hierarchies).values()), force=force)
    named = {column: f"{folder.name}/{name}" for column, name in save_all(hierarchies, folder).items()}
    recipe = with_files(replace(release.recipe, folder=target.parent), named)
    replace(release, recipe=recipe).save(target, force=force)
    write_text(recipe_file, recipe.to_toml())
    return target


def with_files(recipe: Recipe, named: Mapping[str, str]) -> Recipe:
    """Return a recipe whose steps find their hierarchies in these files."""
    return replace(recipe, steps=tuple(_with_files(step, named) for step in recipe.steps))


def _with_files(step: Transformation, named: Mapping[str, str]) -> Transformation:
    if isinstance(step, Recode):
        return replace(step, hierarchies={column: named[column] for column in step.hierarchies})
    if isinstance(step, GeneraliseHierarchy):
        return replace(step, file=named[step.column])
    return step
