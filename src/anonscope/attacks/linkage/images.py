"""What the values of a release stand for when it is linked."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from anonscope.attacks.linkage import hierarchy_images
from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.images import Everything, Exactly, Image
from anonscope.columns.readings import MADE_UP, ToldLabels
from anonscope.transform.recipe import Recipe
from anonscope.transform.release.beside import hierarchies_in, hierarchies_of


def images_of(
    columns: Sequence[str], recipe: Recipe | None, ladders: Mapping[str, Hierarchy], perturbed: Sequence[str] = ()
) -> dict[str, ToldLabels]:
    """Return what tells the values that released labels may stand for, column by column, where more than notation is known.

    `ladders` are hierarchies that were given; they come before those that the recipe names. What is `perturbed` by a recipe that is
    not at hand may stand for anything, and nobody can say how likely for what.
    """
    found: dict[str, ToldLabels] = dict.fromkeys(perturbed, ToldLabels(_anything, MADE_UP, read=False))
    if recipe is not None:
        own = hierarchies_in(recipe)
        named = {column for step in recipe.steps for column in hierarchies_of(step)}
        # Where a recipe sends to a file that is not there, it explains nothing.
        for column in (column for column in columns if column not in named or column in own):
            image = partial(recipe.image, column, named=hierarchy_images(own[column]).image if column in own else None)
            found[column] = ToldLabels(image, MADE_UP, read=False) if column in recipe.perturbed else ToldLabels(image)
    return found | {column: _first(hierarchy_images(ladder), found.get(column)) for column, ladder in ladders.items()}


def _first(given: ToldLabels, other: ToldLabels | None) -> ToldLabels:
    """Return what is told of labels, and of those that it does not know what somebody else tells."""
    if other is None:
        return given

    def image(label: str) -> Image:
        found = given.image(label)
        return other.image(label) if isinstance(found, Exactly) else found

    return replace(other, image=image)


def _anything(released: str) -> Image:
    return Everything()
