"""A table that somebody opened: where it is, on which engine, and which column is what."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar
from weakref import WeakSet

from anonscope.columns.roles import Acknowledgements, Roles, dropped_from, filled, merged, without
from anonscope.columns.roles import load as load_roles
from anonscope.engines import DuckDB, Engine
from anonscope.engines.choice import EngineOptions, is_database_url, open_engine
from anonscope.errors import OptionError, SourceError, shown, without_credentials
from anonscope.io.placing import unfinished
from anonscope.io.sources import ReadOptions, Relation, open_source
from anonscope.io.sources.frames import frame_kind
from anonscope.operations.wishes.engine import Elsewhere, Resources
from anonscope.operations.wishes.population import Drawn
from anonscope.operations.wishes.reading import InRegister, MadeBy, Reading
from anonscope.operations.wishes.roles import Acknowledging, RoleWishes
from anonscope.operations.wishes.words import taking, wishes_of
from anonscope.risk.counting import read_population
from anonscope.risk.counting.population import Outside
from anonscope.risk.policy.guarantee import StatedGuarantee
from anonscope.risk.privacy_loss import PrivacyLoss
from anonscope.transform.release.manifest import dropped_in, guaranteed_in, told_in

if TYPE_CHECKING:
    from anonscope.columns.suggestion.suggestion import Suggestion
    from anonscope.transform.recipe import Recipe

_SMALL = 4 * 2**20


class Data:
    """A table on an engine, with the roles of its columns. Close it, or use it in a `with` block."""

    def __init__(self, relation: Relation, engine: Engine, roles: Roles, rows: int | None = None, outside: Outside | None = None) -> None:
        self.relation = relation
        self.engine = engine
        self.roles = roles
        self.rows = rows
        self.outside = outside or Outside()
        self.path: Path | None = None  # the file it was read from
        self.frame_kind: str | None = None  # the library of the frame that it was
        self.perturbed: tuple[str, ...] = ()  # columns whose values a recipe made up
        self.guarantee: StatedGuarantee | None = None  # what whoever drew the table states of all of it
        self.privacy_loss: PrivacyLoss | None = None  # what differentially private steps of that recipe lose
        self.recipe: Recipe | None = None  # what made it, if that was said
        self.acknowledged = Acknowledgements()  # what was said of columns without a role
        self.named: tuple[str, ...] | None = None  # direct identifiers that somebody named, where others are only to be dropped
        self.notices: tuple[str, ...] = ()  # what was noticed when it was opened
        self.in_order: dict[str, bool] = {}  # columns that were looked at, and whether the records stand in their order
        self.population: Population | None = None  # where the people stand whom the records may belong to
        self.suggestion: Suggestion | None = None
        self.said: Mapping[str, Any] = {}  # how it was opened, for a command that opens it again
        self.asked_roles = roles  # roles that were named one by one, not by a file or a suggestion
        # Audits made of this table may ask it more questions until it is closed; they must not keep it alive any longer.
        self._links: WeakSet[Link] = WeakSet()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return self.relation.names

    @property
    def decided_by(self) -> dict[str, str]:
        """Who said of each column with a role which it has."""
        named = self.roles.assigned if self.suggestion is None else self.asked_roles.assigned
        by = ("proposed by anonscope, and accepted", "named by a person")
        return {column: by[column in named] for column in sorted(self.roles.assigned)}

    def accept(self, suggestion: "Suggestion") -> None:
        """Take over the roles of a suggestion; roles that were given stay as they are, and reports say where the rest came from."""
        self.roles = filled(self.roles, suggestion.roles)
        self.suggestion = suggestion

    def check_ids(self, person: str | None) -> None:
        """Raise if one person's id stands in several writings in this column, and nobody said why these are different people."""
        if person is not None and person in self.columns:
            from anonscope.columns.written_ids import check_written_ids  # late: few tables name the person

            check_written_ids(self.engine, self.relation, person, self.acknowledged.columns.get(person), self.rows)

    def close(self) -> None:
        """Let go of the engine and of every temporary file."""
        for link in self._links:
            link.data = None
        self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<anonscope.Data {self.relation.name!r}: {len(self.columns)} columns>"


@dataclass(frozen=True, slots=True)
class Population:
    """The table of everybody, as it was given, and what quasi-identifiers are called there where that differs."""

    source: Any
    columns: Mapping[str, str]


class Link:
    """What ties an audit to its table; cut when the table is closed."""

    def __init__(self, data: Data, seconds: float | None = None, *, in_parts: bool = False) -> None:
        self.data: Data | None = data
        self.in_parts = in_parts  # then the table is a part of what was audited
        self.seconds = seconds  # that the audit took
        self.plan: Any = None  # once it was worked out
        self.file = _stamp(data.path) if not in_parts else None
        data._links.add(self)


@dataclass(frozen=True, slots=True)
class Stamp:
    """A file as it was when it was audited: enough to tell whether it still is."""

    path: Path
    size: int
    changed: int

    @property
    def unchanged(self) -> bool:
        return _stamp(self.path) == self


def _stamp(path: Path | None) -> Stamp | None:
    if path is None or not path.is_file():
        return None
    found = path.stat()
    return Stamp(path, found.st_size, found.st_mtime_ns)


def check_opened(data: object, call: str) -> None:
    """Raise unless an operation got what `read` returns; `call` is how it is called."""
    if not isinstance(data, Data):
        raise OptionError(f"This takes what read() returns: {call}")


@dataclass(frozen=True, kw_only=True)
class ReadWishes(InRegister, MadeBy, Drawn, Elsewhere, Resources, Reading, Acknowledging, RoleWishes):
    """Everything that can be said of a table when it is opened."""

    def given(self) -> Roles:
        """Return the roles that were said column by column, with their hierarchies."""
        return replace(super().given(), hierarchies={column: str(path) for column, path in (self.hierarchies or {}).items()})


@taking(ReadWishes)
def read(source: Any, asked: ReadWishes) -> "Data":
    """Open a table and say which column is what.

    `source` is a path, '-' for standard input, a pandas, polars or Spark frame, an Arrow table, or the URL of a database with a
    `table`. Roles come from the arguments, from a roles file, or from both; an argument replaces what the file says of that role.
    `rows` takes the first records only. What somebody names as `direct_identifiers` or `insensitive` is added to what the file has.

    Columns without a role are looked at: those that look like direct identifiers withhold a release until they are named as direct
    identifiers or as `insensitive`, of the others somebody must say that they are insensitive or why they may be released as they are:
    `acknowledge` maps columns to reasons, `acknowledge_rest` is one reason for all the rest.

    Columns that a roles file names and a release has no more are left out, with a notice: direct identifiers and insensitive columns,
    and whatever the manifest beside it says was dropped.

    A database and a Spark frame are counted where they are, and nothing but counts comes back. With `engine="spark"` Spark also
    reads paths and tables of its catalogue, in a session that `spark_master` and `spark_conf` describe; `spark_staging` is a folder
    that all its workers see, for what is computed on the way.

    `population` is a table of everybody the records may belong to, one row a person; its columns are named like the
    quasi-identifiers, or as `population_columns` says. `sampling_fraction` or `population_size` is for when there is no such table.

    `recipe` is what made this table, if it is a release: what rests on columns that it perturbed is then not measured. The manifest
    that stands beside a release says the same by itself. `registered_in` is the folder of a register that has this release: rules about
    differential privacy are then about all releases of its people.
    """
    kept, proposed = _roles_of(asked.roles)
    given = asked.given()
    merged(kept, given)  # what contradicts itself is said before anything is opened
    acknowledged = asked.acknowledged()
    outside = Outside(sampling_fraction=asked.sampling_fraction, population_size=asked.population_size)
    population, population_columns = asked.population, asked.population_columns or {}
    if population_columns and population is None:
        raise OptionError("Columns of a population are named, but no population is given.")
    if isinstance(population, str) and isinstance(source, str) and population == source == "-":
        raise OptionError("The table and its population cannot both come from standard input.")
    _check_finished(source)
    opened = open_engine(source, _engine_options(asked, source))
    try:
        path = _file_of(source, opened)
        dropped = dropped_in(path, kept.assigned)
        if population is not None:
            # Counted before the table itself is opened: sources share the names under which an engine knows them.
            everybody = open_source(population, opened)
            counted = merged(without(kept, dropped), given).attributes
            outside = replace(outside, population=read_population(opened, everybody, counted, population_columns))
        relation = open_source(source, opened, ReadOptions(**{f.name: getattr(asked, f.name) for f in fields(ReadOptions)}))
        # Options are about this table, a file may be about the one it was made from.
        gone = dropped_from(kept, relation.names, dropped)
        data = Data(relation, opened, merged(without(kept, gone), given), asked.rows, outside)
        data.acknowledged, data.notices = acknowledged, _noticed(gone)
        data.suggestion = proposed
        opening = ("roles", "rows", "population", "format", "delimiter", "quote", "encoding", "sheet", "header", "engine", "table")
        # What is copied into a command: no frame is kept alive for it, and no password.
        said = {"source": source} | {name: getattr(asked, name) for name in opening}
        said = {name: without_credentials(value) if isinstance(value, str) else value for name, value in said.items()}
        data.said = {name: value for name, value in said.items() if isinstance(value, str | Path | int)}
        data.asked_roles = given
        data.population = Population(population, dict(population_columns)) if population is not None else None
        data.path, data.frame_kind = path, frame_kind(source)
        data.recipe = _made_by(asked.recipe) if asked.recipe is not None else None
        told = told_in(data.path) if data.recipe is None else (data.recipe.perturbed, data.recipe.privacy_loss())
        data.perturbed, data.privacy_loss = told
        data.guarantee = guaranteed_in(data.path)
        if asked.registered_in is not None:
            from anonscope.operations.registering.losses import stated_in  # late: most tables are in no register

            summed = stated_in(Path(asked.registered_in), data.path)
            data.guarantee = replace(data.guarantee, together=summed) if data.guarantee is not None else None
    except BaseException:
        opened.close()
        raise
    return data


_Found = TypeVar("_Found")


def opening(function: Callable[..., _Found]) -> Callable[..., _Found]:
    """Let a function of `Data` take what `read` takes instead, with the keywords of `read`; the table is closed afterwards.

    Where what was made still needs its table (a release), that stays open until nobody holds it any more.
    """
    own = set(signature(function).parameters)
    reading = tuple(asked.name for asked in wishes_of(ReadWishes) if asked.name not in own)

    @wraps(function)
    def call(data: Any, *others: Any, **asked: Any) -> _Found:
        said = {name: asked.pop(name) for name in reading if name in asked}
        if isinstance(data, Data):
            if said:
                raise OptionError(f"The table is open already; {', '.join(sorted(said))} must be said when it is read.")
            return function(data, *others, **asked)
        opened = read(data, **said)
        kept = False
        try:
            found = function(opened, *others, **asked)
            kept = getattr(found, "release", None) is not None and not isinstance(getattr(found, "release", None), str)
            return found
        finally:
            if not kept:
                opened.close()

    return call


def _roles_of(given: "Roles | Suggestion | str | Path | None") -> "tuple[Roles, Suggestion | None]":
    """Return roles that were given as a whole, and the suggestion if they were suggested."""
    if given is None:
        return Roles(), None
    if isinstance(given, Roles):
        return given, None
    return (load_roles(Path(given)), None) if isinstance(given, str | Path) else (given.roles, given)


def _engine_options(asked: ReadWishes, source: Any) -> EngineOptions:
    threads = 1 if asked.threads is None and asked.engine != "spark" and _is_small(source) else asked.threads
    staging = str(asked.spark_staging) if asked.spark_staging is not None else None
    return EngineOptions(
        asked.engine,
        asked.memory_limit,
        threads,
        asked.table,
        asked.spark_master,
        asked.spark_conf or {},
        staging,
        asked.temp_folder,
        asked.isolate,
    )


def _noticed(gone: tuple[str, ...]) -> tuple[str, ...]:
    """Say which columns of the roles were left out."""
    if not gone:
        return ()
    listed = ", ".join(map(shown, gone[:12])) + (f" and {len(gone) - 12} more" if len(gone) > 12 else "")
    return (f"The roles name {listed}, which this table does not have: left out, as in a release from which they were dropped.",)


def _file_of(source: Any, engine: Engine) -> Path | None:
    """Return the file or folder that a table was read from, if it is one of this machine."""
    on_disk = isinstance(source, str | Path) and str(source) != "-" and not is_database_url(source)
    # Spark also reads tables of its catalogue, and files that only its workers see.
    if not on_disk or (engine.remote and not Path(source).exists()):
        return None
    # A folder may be given as '.', which has no name that files beside it could be called after.
    return Path(source) if Path(source).name else Path(source).resolve()


def _check_finished(source: Any) -> None:
    """Raise if a file belongs to a release that is not in place as a whole: what is there may be of two releases."""
    if not isinstance(source, str | Path) or str(source) == "-" or "://" in str(source) or not Path(source).name:
        return
    path = Path(source)
    state = unfinished(path)
    if state is None:
        return
    raise SourceError(
        f"{shown(path)} belongs to a release that is being put in place at this moment. Try again."
        if state == "being written"
        else f"{shown(path)} belongs to a release that is unfinished: a run was interrupted while it was put in place. "
        f"Finish it, or have the old one back, with: anonscope verify {path}"
    )


def _made_by(recipe: "Recipe | str | Path") -> "Recipe":
    from anonscope.transform.recipe import recipe_of  # late: most tables were made by no recipe of ours

    return recipe_of(recipe)


def _is_small(source: Any) -> bool:
    """Whether a file is so small that handing pieces of it to several threads costs more than it saves."""
    path = Path(source) if isinstance(source, str | Path) and str(source) != "-" else None
    return path is not None and path.is_file() and path.stat().st_size < _SMALL


def engine_limits(data: Data) -> dict[str, Any]:
    """Return the limits that the engine of a table keeps, as `read` takes them, for another table beside it."""
    return dict(data.engine.limits) if isinstance(data.engine, DuckDB) else {}
