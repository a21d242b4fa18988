"""The versions that a comparison is about: where each stands, and how two of them are put side by side.

On one machine both are read into an engine of their own, whatever they came from. On Spark they stay there, on the engine of the
original, and nothing but distinct pairs of what records were and became leaves it.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard

import numpy as np

from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.images import Exactly, Image, Values
from anonscope.columns.readings import BESIDE, BLANKED, ITSELF, OBSERVED, UNREAD, ToldLabels
from anonscope.engines import DuckDB, Engine
from anonscope.engines.spark.engine import Spark
from anonscope.errors import AlignmentError, OptionError
from anonscope.io.sources import Relation, open_source
from anonscope.io.sources.frames import is_frame
from anonscope.operations.apply import Release
from anonscope.operations.read import Data, engine_limits, read
from anonscope.transform.recipe import Recipe, recipe_of
from anonscope.transform.release.beside import hierarchies_in, recipe_beside
from anonscope.transform.release.manifest import told_in
from anonscope.utility import ALTERED, AlignedColumn, settled

if TYPE_CHECKING:
    from anonscope.operations.anonymise import Anonymisation

ORIGINAL = "original"
Compared: TypeAlias = "Data | Release | Anonymisation | str | Path"


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A version that was opened: what to read it from, the recipe that made it if it is known, and hierarchies that explain its labels."""

    source: Any
    recipe: Recipe | None
    hierarchies: dict[str, Hierarchy]
    perturbed: tuple[str, ...] = ()  # as its manifest says, where it is a table that was read before

    def data(self, read: Data) -> Data:
        """Return the version as it was read, with what its manifest says."""
        read.perturbed = read.perturbed or self.perturbed
        return read


class Versions(Protocol):
    """How versions are read and put side by side."""

    def original(self, columns: Sequence[str]) -> Any:
        """Return some columns of the original, as `side_by_side` takes them."""
        ...

    def read(self, opened: Opened) -> Data:
        """Open a version as a table to be audited; close it after use."""
        ...

    def released(self, data: Data) -> Any:
        """Return a version that was read, as `side_by_side` takes it; it outlives the table."""
        ...

    def opened(self, released: Any) -> Any:
        """Return a context with the engine on which a version stands alone, and the version as a relation."""
        ...

    def side_by_side(self, table: Any, released: Any, name: str) -> Any:
        """Return a context with the engine on which both stand, the original and the version as relations."""
        ...


def versions_of(original: Data, releases: Sequence[Compared], key: str | None) -> Versions:
    """Return how the versions of a table are compared, by where it stands; raise where they cannot be."""
    for release in releases:
        engine = _engine_of(release)
        if engine is not None and engine.remote and not original.engine.remote:
            raise OptionError(
                f"The original is read by {original.engine.title}, and a release stands on {engine.title}, which does not hand records "
                f"out. Open the original on {engine.title} too."
            )
    if not original.engine.remote:
        return _Here(original)
    title = original.engine.title
    if not isinstance(original.engine, Spark):
        raise OptionError(f"Versions are compared by DuckDB or Spark; {title} only counts. Export the table, and compare that.")
    if key is None:
        raise AlignmentError(
            f"Records have no order on {title}, so which record became which must be told by a column that all versions have and that "
            "tells records apart. Name it (--key COLUMN, key=...)."
        )
    return _OnSpark(original, original.engine)


def opened(release: Compared, recipe: Recipe | None = None) -> Opened:
    """Return what can be read of a release; a `recipe` that is given comes before the one beside it."""
    if _is_anonymisation(release):
        if release.release is None:
            raise OptionError("An anonymisation that does not meet its policy has no release to compare.")
        return Opened(release.release.table, recipe or release.release.recipe, dict(release.hierarchies))
    if isinstance(release, Release):
        made_by = recipe or release.recipe
        return Opened(release.table, made_by, _explaining(made_by))
    if isinstance(release, Data):
        made = recipe or release.recipe or recipe_beside(release.path)
        return Opened(fetched(release, release.columns), made, _explaining(made), release.perturbed)
    if is_frame(release):
        return Opened(release, recipe, _explaining(recipe))
    if not isinstance(release, str | Path):
        raise OptionError("A release to compare is a path, a frame, what read() or apply() returns, or an anonymisation.")
    path = Path(release)
    beside = recipe or recipe_beside(path)
    return Opened(path, beside, _explaining(beside))


def told_beside(column: AlignedColumn, told: ToldLabels | None) -> ToldLabels:
    """Return what is known of a column's labels once they stand beside the original: which are values, and which are not."""
    if told is not None and told.whole:
        return told
    labels, held = column.labels, column.domain.values
    order = np.argsort(column.label, kind="stable")
    ends = np.searchsorted(column.label[order], np.arange(len(labels.texts) + 1))
    seen: dict[str, Image] = {}
    doubted: set[str] = set()
    for place, (text, how) in enumerate(zip(labels.texts, labels.how, strict=True)):
        if text is None:
            continue
        if how == ITSELF:
            seen[text] = Values(frozenset([text]), text)
        elif how == OBSERVED:
            replaced = column.place[order[ends[place] : ends[place + 1]]]
            seen[text] = Values(frozenset(held[i] for i in replaced.tolist()), text)
        elif how in (UNREAD, ALTERED):
            doubted.add(text)

    def image(label: str) -> Image:
        known = told.image(label) if told is not None else Exactly(label)
        return seen.get(label, known) if isinstance(known, Exactly) else known

    blanks = next((how == BLANKED for text, how in zip(labels.texts, labels.how, strict=True) if text is None), False)
    return ToldLabels(image, told.by if told is not None else BESIDE, whole=False, doubted=frozenset(doubted), blanks=blanks)


def _explaining(recipe: Recipe | None) -> dict[str, Hierarchy]:
    """Return the hierarchies of a recipe that are about original values: those of columns that no other step changes."""
    if recipe is None:
        return {}
    changes = Counter(column for step in recipe.steps for column in step.columns)
    return {column: hierarchy for column, hierarchy in hierarchies_in(recipe).items() if changes[column] == 1}


def _engine_of(release: Compared) -> Engine | None:
    if _is_anonymisation(release):
        return release.release.engine if release.release is not None else None
    return release.engine if isinstance(release, Release | Data) else None


def fetched(data: Data, columns: Sequence[str]) -> Any:
    """Return columns of a table as an Arrow table or, if they stay on Spark, as a data frame."""
    listed = ", ".join(f"c{data.relation.position(column)} AS {data.engine.quote(column)}" for column in columns if column in data.columns)
    limit = f" LIMIT {data.rows}" if data.rows is not None else ""
    select = f"SELECT {listed} FROM {data.relation.origin}{limit}"
    return data.engine.frame(select) if isinstance(data.engine, Spark) else data.engine.batches(select).read_all()


@dataclass(frozen=True, slots=True, eq=False)
class _Here:
    """Versions as Arrow tables: what stands on one engine can then be put beside what stands on another."""

    data: Data

    def original(self, columns: Sequence[str]) -> Any:
        return fetched(self.data, columns)

    def read(self, opened: Opened) -> Data:
        return opened.data(read(opened.source, recipe=opened.recipe, **engine_limits(self.data)))

    def released(self, data: Data) -> Any:
        return fetched(data, data.columns)

    @contextmanager
    def opened(self, released: Any) -> "Iterator[tuple[Engine, Relation]]":
        engine = DuckDB.like(self.data.engine)
        try:
            yield engine, open_source(released, engine)
        finally:
            engine.close()

    @contextmanager
    def side_by_side(self, table: Any, released: Any, name: str) -> "Iterator[tuple[Engine, Relation, Relation]]":
        engine = DuckDB.like(self.data.engine)
        try:
            before = replace(settled(engine, open_source(table, engine)), name=self.data.relation.name)
            yield engine, before, replace(open_source(released, engine), name=name)
        finally:
            engine.close()


@dataclass(frozen=True, slots=True, eq=False)
class _OnSpark:
    """Versions as data frames of Spark. An audit has an engine of its own, in the same session."""

    data: Data
    engine: Spark

    def original(self, columns: Sequence[str]) -> Any:
        return fetched(self.data, columns)

    def read(self, opened: Opened) -> Data:
        if not isinstance(opened.source, Path):
            return opened.data(read(opened.source, recipe=opened.recipe))
        relation = open_source(opened.source, self.engine)
        listed = ", ".join(f"c{i} AS {self.engine.quote(column.name)}" for i, column in enumerate(relation.columns))
        data = read(self.engine.frame(f"SELECT {listed} FROM {relation.origin}"), recipe=opened.recipe)
        data.relation = replace(data.relation, name=opened.source.name)
        if opened.recipe is None:
            data.perturbed, data.privacy_loss = told_in(opened.source)
        return data

    def released(self, data: Data) -> Any:
        return fetched(data, data.columns)

    @contextmanager
    def opened(self, released: Any) -> "Iterator[tuple[Engine, Relation]]":
        yield self.engine, open_source(released, self.engine)

    @contextmanager
    def side_by_side(self, table: Any, released: Any, name: str) -> "Iterator[tuple[Engine, Relation, Relation]]":
        before = replace(open_source(table, self.engine), name=self.data.relation.name)
        yield self.engine, before, replace(open_source(released, self.engine), name=name)


def _is_anonymisation(release: object) -> TypeGuard["Anonymisation"]:
    """Whether it came of `anonymise`; if nobody has loaded that, it did not, and the search stays unloaded."""
    module = sys.modules.get("anonscope.operations.anonymise")
    return module is not None and isinstance(release, module.Anonymisation)


def names_of(releases: Sequence[Compared], names: Sequence[str] | None) -> list[str]:
    """Return what versions are called: as somebody said, else as their files are."""
    if names is not None:
        if len(names) != len(releases) or len({ORIGINAL, *names}) != len(names) + 1:
            raise OptionError(f"There are {len(releases)} releases, so there must be as many different names, none of them {ORIGINAL!r}.")
        return list(names)
    found: list[str] = []
    for i, release in enumerate(releases, start=1):
        path = release.path if isinstance(release, Data) else release if isinstance(release, str | Path) else None
        name = Path(path).name if path is not None else f"release {i}"
        found.append(name if name not in (ORIGINAL, *found) else f"{name} ({i})")
    return found


def recipes_of(given: Recipe | str | Path | Sequence[Recipe | str | Path | None] | None, releases: int) -> list[Recipe | None]:
    """Return the recipe of every release: one for all, or one each."""
    each = [given] * releases if given is None or isinstance(given, Recipe | str | Path) else list(given)
    if len(each) == 1:
        each *= releases
    if len(each) != releases:
        raise OptionError(f"There are {releases} releases and {len(each)} recipes. Give one recipe for all, or one a release.")
    return [recipe_of(recipe) if recipe is not None else None for recipe in each]


@dataclass(frozen=True, slots=True)
class KnownLabels:
    """What is known of the labels of a version, column by column."""

    images: Mapping[str, ToldLabels]
    ladders: Mapping[str, Hierarchy]

    def image(self, column: str, label: str | None) -> Image:
        """Return what a label stands for; itself where nothing is known of it."""
        told = self.images.get(column)
        return told.image(label) if told is not None and label is not None else Exactly(label)
