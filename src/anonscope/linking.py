"""A release against a table that an attacker may hold: the public function and its result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from anonscope.data import Data, Population
from anonscope.engines import DuckDB
from anonscope.errors import OptionError
from anonscope.hierarchy import Hierarchy, read_hierarchy
from anonscope.images import Everything, Exactly, Image
from anonscope.linkage import (
    THRESHOLD,
    Composition,
    Linkage,
    ProbabilisticLinkage,
    hierarchy_images,
    link_probably,
    link_tables,
    match_tables,
    pair_columns,
)
from anonscope.linkage import compose as composed
from anonscope.metrics.attack import Matched
from anonscope.readings import MADE_UP, Told, Unknown
from anonscope.release_files import hierarchies_of
from anonscope.releasing import hierarchies_in, recipe_beside
from anonscope.rendered import Rendered
from anonscope.report.linkage import (
    composition_sheet,
    composition_to_dict,
    linkage_sheet,
    linkage_to_dict,
    probabilistic_sheet,
    probabilistic_to_dict,
)
from anonscope.report.sheet import Sheet
from anonscope.sources import open_source
from anonscope.transform.recipe import Recipe, recipe_of


@dataclass(frozen=True, slots=True)
class LinkedRelease(Linkage, Rendered):
    """What an external table tells about a release; renders itself as text, JSON, Markdown or HTML."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape of the JSON contract."""
        return linkage_to_dict(self)

    def _sheet(self) -> Sheet:
        return linkage_sheet(self)


@dataclass(frozen=True, slots=True)
class ProbablyLinkedRelease(ProbabilisticLinkage, Rendered):
    """Which records Splink takes for the same people; renders itself as text, JSON, Markdown or HTML."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape of the JSON contract."""
        return probabilistic_to_dict(self)

    def _sheet(self) -> Sheet:
        return probabilistic_sheet(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposedReleases(Composition, Rendered):
    """What two releases tell together; renders itself as text, JSON, Markdown or HTML."""

    releases: tuple[str, str]
    people: str

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape of the JSON contract."""
        return composition_to_dict(self, self.releases, self.people)

    def _sheet(self) -> Sheet:
        return composition_sheet(self, self.releases, self.people)


def link(
    release: Data,
    external: Any,
    *,
    columns: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    recipe: Recipe | str | Path | None = None,
    missing: Literal["value", "anything"] = "value",
    unknown: Unknown | Mapping[str, Unknown] = "anything",
    weights: Mapping[str, float] | None = None,
) -> LinkedRelease:
    """Return what somebody who holds an external table learns about the people in a release.

    `columns` maps columns of the release to those of the external table; left out, names and meanings suggest it among the
    quasi-identifiers of the release, or among all its columns if it has none. A released value matches every external value that it
    may stand for: by its notation, by one of the `hierarchies`, or by the `recipe` that made it; the one in its archive is read by
    itself. With missing="anything" a missing value may be anything.

    A label that nothing explains may be anything: figures that hang on such labels are None, and `average_risk_range` says between
    which ends they lie. With unknown="observed" it is what it stands for in the external table, which must then be the original of
    the release, record by record; with "itself" it is a value that the external table lacks; with "prefix" it is the beginning of
    values. A mapping says so by column.
    """
    _check(release)
    made_by = recipe_of(recipe) if recipe is not None else release.recipe or recipe_beside(release.path)
    ladders = {c: h if isinstance(h, Hierarchy) else read_hierarchy(Path(h)) for c, h in (hierarchies or {}).items()}
    engine = DuckDB.like(release.engine)
    try:
        found = link_tables(
            release.engine,
            release.relation,
            open_source(external, engine),
            columns,
            among=release.roles.attributes or None,
            images=images_of(release.columns, made_by, ladders, release.perturbed),
            missing=missing,
            unknown=unknown,
            weights=weights,
            rows=release.rows,
            external_engine=engine,
        )
    finally:
        engine.close()
    return LinkedRelease(**{f.name: getattr(found, f.name) for f in fields(found)})


def link_by_likeness(
    release: Data,
    external: Any,
    *,
    columns: Mapping[str, str] | None = None,
    threshold: float = THRESHOLD,
    overlap: float = 1.0,
    seed: int = 1,
) -> ProbablyLinkedRelease:
    """Return whom Splink takes for the same people in a release and an external table whose keys have errors in them.

    Pairs with a match probability of at least `threshold` are matches; `overlap` is the share of released people who are taken to be
    in the external table at all. Needs the extra `linkage`.
    """
    _check(release)
    engine = DuckDB.like(release.engine)
    try:
        other = open_source(external, engine)
        pairs = pair_columns(release.columns, other.names, columns, release.roles.attributes or None)
        found = link_probably(
            release.engine, release.relation, other, pairs, threshold=threshold, overlap=overlap, seed=seed, external_engine=engine
        )
    finally:
        engine.close()
    return ProbablyLinkedRelease(**{f.name: getattr(found, f.name) for f in fields(found)})


def compose(
    first: Data,
    second: Data,
    people: Any,
    *,
    first_columns: Mapping[str, str] | None = None,
    second_columns: Mapping[str, str] | None = None,
) -> ComposedReleases:
    """Return what two releases about the same people tell together: how few candidates fit both.

    `people` is a table of those whom the records may belong to, such as the original; whatever `read` takes. The columns of each
    release are mapped to its columns, or names suggest them.
    """
    _check(first)
    _check(second)
    engine = DuckDB.like(first.engine)
    try:
        other = open_source(people, engine)
        matches = []
        for release, columns in ((first, first_columns), (second, second_columns)):
            recipe = release.recipe or recipe_beside(release.path)
            pairs = pair_columns(release.columns, other.names, columns, release.roles.attributes or None)
            images = images_of(release.columns, recipe, {}, release.perturbed)
            matches.append(
                match_tables(release.engine, release.relation, other, pairs, images=images, rows=release.rows, external_engine=engine)
            )
        found = composed(*matches)
    finally:
        engine.close()
    return ComposedReleases(
        **{f.name: getattr(found, f.name) for f in fields(found)},
        releases=(first.relation.name, second.relation.name),
        people=other.name,
    )


def matched_population(release: Data, population: Population, images: Mapping[str, Told]) -> Matched:
    """Return what holding a release against the table of everybody tells: how many people each record may be, and where they lack."""
    attributes = release.roles.attributes
    engine = DuckDB.like(release.engine)
    try:
        people = open_source(population.source, engine)
        named = {column: population.columns.get(column, column) for column in attributes}
        lacking = tuple(column for column, theirs in named.items() if theirs not in people.names)
        linked = {column: theirs for column, theirs in named.items() if column not in lacking}
        if not linked:
            return Matched(
                name=people.name, kind="population", columns=(), lacking=lacking, people={}, short=0, undecided=0, fewest_released=None
            )
        pairs = pair_columns(release.columns, people.names, linked, attributes)
        found = match_tables(release.engine, release.relation, people, pairs, images=images, rows=release.rows, external_engine=engine)
    finally:
        engine.close()
    n, persons = found.release.n, found.external_records
    different, place = np.unique(persons, return_inverse=True)
    # Several records may be one person's: then a class may have more records than people, but never no people.
    short = persons < (1 if release.roles.event_level else n)
    return Matched(
        name=people.name,
        kind="population",
        columns=tuple(linked),
        lacking=lacking,
        people=dict(zip(different.tolist(), np.bincount(place, weights=n).astype(int).tolist(), strict=True)),
        short=int(n[short].sum()),
        undecided=int(n[found.unread].sum()),
        fewest_released=None,
    )


def matched_external(found: Linkage) -> Matched:
    """Return what a linkage with an external table tells an audit of the release."""
    back = found.prosecutor.maximum
    return Matched(
        name=found.external,
        kind="external",
        columns=tuple(column.release for column in found.columns),
        lacking=(),
        people={count.external_records: count.records for count in found.counts},
        short=0,
        undecided=found.undecided_records,
        fewest_released=round(1 / back) if back else None,
    )


def images_of(
    columns: Sequence[str], recipe: Recipe | None, ladders: Mapping[str, Hierarchy], perturbed: Sequence[str] = ()
) -> dict[str, Told]:
    """Return what tells the values that released labels may stand for, column by column, where more than notation is known.

    `ladders` are hierarchies that were given; they come before those that the recipe names. What is `perturbed` by a recipe that is
    not at hand may stand for anything, and nobody can say how likely for what.
    """
    found: dict[str, Told] = dict.fromkeys(perturbed, Told(_anything, MADE_UP, read=False))
    if recipe is not None:
        own = hierarchies_in(recipe)
        named = {column for step in recipe.steps for column in hierarchies_of(step)}
        # Where a recipe sends to a file that is not there, it explains nothing.
        for column in (column for column in columns if column not in named or column in own):
            image = partial(recipe.image, column, named=hierarchy_images(own[column]).image if column in own else None)
            found[column] = Told(image, MADE_UP, read=False) if column in recipe.perturbed else Told(image)
    return found | {column: _first(hierarchy_images(ladder), found.get(column)) for column, ladder in ladders.items()}


def _first(given: Told, other: Told | None) -> Told:
    """Return what is told of labels, and of those that it does not know what somebody else tells."""
    if other is None:
        return given

    def image(label: str) -> Image:
        found = given.image(label)
        return other.image(label) if isinstance(found, Exactly) else found

    return replace(other, image=image)


def _anything(released: str) -> Image:
    return Everything()


def _check(release: Data) -> None:
    if not isinstance(release, Data):
        raise OptionError("This takes what read() returns first: an.link(an.read(release), external)")
