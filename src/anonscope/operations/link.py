"""A release against a table that an attacker may hold: the public function and its result."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from anonscope.attacks.linkage import (
    THRESHOLD,
    Linkage,
    LinkedColumn,
    ProbabilisticLinkage,
    left_out,
    link_probably,
    link_tables,
    match_tables,
    pair_columns,
)
from anonscope.attacks.linkage.images import images_of
from anonscope.columns.hierarchy import Hierarchy, read_hierarchy
from anonscope.columns.readings import ToldLabels, Unknown
from anonscope.engines import DuckDB, Engine
from anonscope.engines.choice import is_spark_frame
from anonscope.errors import OptionError
from anonscope.io.sources import Relation, open_source
from anonscope.operations.read import Data, Population, opening
from anonscope.operations.result import Result
from anonscope.operations.wishes.versions import Likeness, Linking
from anonscope.operations.wishes.words import said
from anonscope.risk.counting.population import Matched
from anonscope.transform.recipe import Recipe, recipe_of
from anonscope.transform.release.beside import recipe_beside


@dataclass(frozen=True, slots=True)
class LinkedRelease(Linkage, Result):
    """What an external table tells about a release; renders itself as text, JSON, Markdown or HTML."""


@dataclass(frozen=True, slots=True)
class ProbablyLinkedRelease(ProbabilisticLinkage, Result):
    """Which records Splink takes for the same people; renders itself as text, JSON, Markdown or HTML."""

    left_out: tuple[LinkedColumn, ...]  # pairs that names suggest, and that were not linked


@opening
def link(
    release: Data,
    external: Any,
    *,
    columns: Mapping[str, str] | None = None,
    only: bool = False,
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    recipe: Recipe | str | Path | None = None,
    missing: Literal["value", "anything"] = "value",
    unknown: Unknown | Mapping[str, Unknown] = "anything",
    weights: Mapping[str, float] | None = None,
) -> LinkedRelease:
    """Return what somebody who holds an external table learns about the people in a release.

    `columns` maps columns of the release to those of the external table; for the others, names and meanings suggest it among the
    quasi-identifiers of the release, or among all its columns if it has none. With `only`, nothing but what `columns` names is linked;
    `left_out` of the result are the pairs that names suggest and that were not linked. A released value matches every external value
    that it may stand for: by its notation, by one of the `hierarchies`, or by the `recipe` that made it; the one in its archive is read
    by itself. With missing="anything" a missing value may be anything.

    A label that nothing explains may be anything: figures that hang on such labels are None, and `average_risk_range` says between
    which ends they lie. With unknown="observed" it is what it stands for in the external table, which must then be the original of
    the release, record by record; with "itself" it is a value that the external table lacks; with "prefix" it is the beginning of
    values. A mapping says so by column.
    """
    _check(release)
    asked = Linking(columns=columns, only=only, missing=missing)
    made_by = recipe_of(recipe) if recipe is not None else release.recipe or recipe_beside(release.path)
    ladders = {c: h if isinstance(h, Hierarchy) else read_hierarchy(Path(h), c) for c, h in (hierarchies or {}).items()}
    with beside(release.engine, external) as (engine, other):
        found = link_tables(
            release.engine,
            release.relation,
            other,
            columns,
            only=only,
            among=release.roles.attributes or None,
            images=images_of(release.columns, made_by, ladders, release.perturbed),
            missing=asked.missing,
            unknown=unknown,
            weights=weights,
            rows=release.rows,
            external_engine=engine,
        )
    return LinkedRelease.of(found)


@contextmanager
def beside(engine: Engine, external: Any) -> Iterator[tuple[Engine, Relation]]:
    """Return a context with a table to be linked, and what reads it: a data frame of Spark stays there, anything else gets a DuckDB."""
    if engine.remote and is_spark_frame(external):
        yield engine, open_source(external, engine)
        return
    own = DuckDB.like(engine)
    try:
        yield own, open_source(external, own)
    finally:
        own.close()


def link_by_likeness(
    release: Data,
    external: Any,
    *,
    columns: Mapping[str, str] | None = None,
    only: bool = False,
    threshold: float = THRESHOLD,
    overlap: float = 1.0,
    seed: int = 1,
) -> ProbablyLinkedRelease:
    """Return whom Splink takes for the same people in a release and an external table whose keys have errors in them.

    Pairs with a match probability of at least `threshold` are matches; `overlap` is the share of released people who are taken to be
    in the external table at all. Needs the extra `linkage`.
    """
    _check(release)
    asked = Likeness(threshold=threshold, overlap=overlap, seed=seed)
    engine = DuckDB.like(release.engine)
    try:
        other = open_source(external, engine)
        pairs = pair_columns(release.columns, other.names, columns, release.roles.attributes or None, only=only)
        found = link_probably(release.engine, release.relation, other, pairs, **said(asked), external_engine=engine)
        unlinked = left_out(release.columns, other.names, pairs)
    finally:
        engine.close()
    return ProbablyLinkedRelease.of(found, left_out=unlinked)


def matched_population(release: Data, population: Population, images: Mapping[str, ToldLabels]) -> Matched:
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
        pairs = pair_columns(release.columns, people.names, linked, only=True)
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


def _check(release: Data) -> None:
    if not isinstance(release, Data):
        raise OptionError("This takes what read() returns first: an.link(an.read(release), external)")
