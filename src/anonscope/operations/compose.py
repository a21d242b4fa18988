"""What two releases give away together: the public function and its result."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anonscope.attacks.composition import Composition
from anonscope.attacks.composition import compose as composed
from anonscope.attacks.linkage import LinkedColumn, left_out, match_tables, pair_columns
from anonscope.attacks.linkage.images import images_of
from anonscope.columns.readings import Unknown, check_unknown
from anonscope.engines import DuckDB
from anonscope.io.sources import open_source
from anonscope.operations.link import _check
from anonscope.operations.read import Data
from anonscope.operations.result import Result
from anonscope.transform.release.beside import recipe_beside


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposedReleases(Composition, Result):
    """What two releases tell together; renders itself as text, JSON, Markdown or HTML."""

    releases: tuple[str, str]
    people: str
    # Pairs that names suggest, and that were not linked.
    first_left_out: tuple[LinkedColumn, ...]
    second_left_out: tuple[LinkedColumn, ...]


def compose(
    first: Data,
    second: Data,
    people: Any,
    *,
    first_columns: Mapping[str, str] | None = None,
    second_columns: Mapping[str, str] | None = None,
    only: bool = False,
    unknown: Unknown | Mapping[str, Unknown] = "anything",
) -> ComposedReleases:
    """Return what two releases about the same people tell together: how few candidates fit both.

    `people` is a table of those whom the records may belong to, such as the original; whatever `read` takes. The columns of each
    release are mapped to its columns, and names suggest the others; with `only`, not where a release has columns that were mapped.
    `unknown` is as in `link`: people whose values fit no label of a release, and are not shown to be written as those that fit, may be
    anybody in it, unless it is "itself"; then they are not in it.
    """
    _check(first)
    _check(second)
    check_unknown(unknown, (*first.columns, *second.columns))
    engine = DuckDB.like(first.engine)
    try:
        other = open_source(people, engine)
        matches, unlinked = [], []
        for release, columns in ((first, first_columns), (second, second_columns)):
            recipe = release.recipe or recipe_beside(release.path)
            pairs = pair_columns(release.columns, other.names, columns, release.roles.attributes or None, only=only and bool(columns))
            unlinked.append(left_out(release.columns, other.names, pairs))
            images = images_of(release.columns, recipe, {}, release.perturbed)
            matches.append(
                match_tables(
                    release.engine,
                    release.relation,
                    other,
                    pairs,
                    images=images,
                    unknown=_of(unknown, release),
                    rows=release.rows,
                    external_engine=engine,
                    doubt_others=True,
                )
            )
        found = composed(*matches)
    finally:
        engine.close()
    return ComposedReleases.of(
        found,
        releases=(first.relation.name, second.relation.name),
        people=other.name,
        first_left_out=unlinked[0],
        second_left_out=unlinked[1],
    )


def _of(unknown: Unknown | Mapping[str, Unknown], release: Data) -> Unknown | Mapping[str, Unknown]:
    """Return what was said of the columns of one release."""
    return {column: word for column, word in unknown.items() if column in release.columns} if isinstance(unknown, Mapping) else unknown
