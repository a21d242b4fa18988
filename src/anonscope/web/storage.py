"""Tables of users for as long as they are wanted: each user has a folder of their own in a private one that does not outlive the run."""

import secrets
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from anonscope.columns.roles import Acknowledgements, Roles
from anonscope.columns.suggestion.suggestion import Suggestion
from anonscope.engines.duckdb import UnreadableLine
from anonscope.engines.scratch import Scratch
from anonscope.errors import AnonscopeError, RequestRefused, SourceError, shown
from anonscope.io.formats import endings
from anonscope.io.sources.relation import Column, ReadOptions
from anonscope.io.sources.unreadable import unreadable
from anonscope.io.writing import write_text
from anonscope.operations.anonymise import Anonymisation
from anonscope.operations.audit import Audit
from anonscope.operations.plan import Plan
from anonscope.operations.read import Data, read
from anonscope.operations.verify import Verification
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.words import said
from anonscope.risk.policy import DEFAULT
from anonscope.transform.release.manifest import has_manifest, manifest_path
from anonscope.web.hostile import check_apart, check_kind, check_width
from anonscope.web.settings import ServerSettings

if TYPE_CHECKING:
    from anonscope.operations.attack import Attacks
    from anonscope.operations.compare import Comparison
    from anonscope.operations.explore import Exploration
    from anonscope.operations.unicity import Unicity
    from anonscope.transform.recipe import Recipe
    from anonscope.web.responses import Renders

_LONGEST_NAME = 120
_MOST_TABLES = 50


@dataclass(eq=False)
class StoredTable:
    """A table that was sent, and what was found out about it."""

    id: str
    name: str  # as its owner calls the file: text to show, never a path
    path: Path
    size: int
    columns: tuple[Column, ...]
    records: int
    notes: tuple[str, ...]
    reading: Reading = field(default_factory=Reading)  # how it is to be read
    perturbed: tuple[str, ...] = ()  # columns whose values a recipe made up, by the manifest that was sent
    suggestion: Suggestion | None = None
    roles: Roles | None = None
    acknowledged: Acknowledgements = field(default_factory=Acknowledgements)  # what was said of columns without a role
    policy: str = DEFAULT
    audit: Audit | None = field(default=None, repr=False)
    anonymisation: Anonymisation | None = field(default=None, repr=False)
    plan: Plan | None = field(default=None, repr=False)
    verification: Verification | None = field(default=None, repr=False)
    release: Path | None = None
    fragments: tuple[Path, ...] = ()
    exploration: "Exploration | None" = field(default=None, repr=False)
    forgotten: bool = False
    # Engines answer one question at a time.
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _data: Data | None = field(default=None, repr=False)

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def reads_itself(self) -> bool:
        """Whether the file tells how it is to be read, because its owner said nothing of that."""
        return said(self.reading, only=(Reading,)) == said(Reading())

    @contextmanager
    def opened(self, roles: Roles | None, memory_limit: str | None) -> Iterator[Data]:
        """Give the table to somebody who alone works on it; it is closed afterwards."""
        with self.lock:
            if self.forgotten:
                raise RequestRefused("The table was forgotten.", 404)
            with read_named(self.path, self.name, roles, memory_limit, self.reading) as data:
                yield data

    def keep(self, data: Data | None) -> None:
        """Keep an open table for questions about its last audit, instead of the one kept so far; the caller holds the lock."""
        if self._data is not None:
            self._data.close()
        self._data = data

    def forget(self) -> None:
        """Delete everything of the table; work under way finds nothing any more, and what it holds goes when it ends."""
        self.forgotten = True
        shutil.rmtree(self.folder, ignore_errors=True)
        self.forget_results()
        if self.lock.acquire(blocking=False):
            try:
                self.keep(None)
            finally:
                self.lock.release()

    def forget_results(self) -> None:
        """Let go of what was found out."""
        self.audit = self.verification = self.anonymisation = self.plan = self.exploration = self.suggestion = self.release = None
        self.fragments = ()


class Workspace:
    """The tables and comparisons of one user."""

    def __init__(self, id: str, folder: Path, settings: ServerSettings) -> None:
        self.id, self.folder, self.settings = id, folder, settings
        self.tables: dict[str, StoredTable] = {}
        self.comparisons: dict[str, Comparison] = {}
        self.attacks: dict[str, Attacks | Unicity] = {}
        self.results: dict[str, Renders] = {}
        self.recipes: dict[str, Recipe] = {}
        self.last_used = time.monotonic()
        self._lock = threading.Lock()
        folder.mkdir(mode=0o700)

    def table(self, id: str) -> StoredTable:
        """Return a table of this user; somebody else's is as good as none."""
        found = self.tables.get(id)
        if found is None:
            raise RequestRefused("There is no such table. It may have been forgotten, or have expired.", 404)
        return found

    def place(self) -> Path:
        """Return a new private folder for a table that is coming in."""
        with self._lock:
            if len(self.tables) >= _MOST_TABLES:
                raise RequestRefused(f"There are {_MOST_TABLES} tables already. Forget one of them first.", 409)
        folder = self.folder / secrets.token_hex(8)
        folder.mkdir(mode=0o700)
        return folder

    def clear(self, folder: Path) -> None:
        """Delete a place whose table did not come in."""
        shutil.rmtree(folder, ignore_errors=True)

    def take(self, file: Path, name: str, manifest: str | None = None, reading: Reading | None = None) -> StoredTable:
        """Take over a file that has come into one of our places, and the manifest that says how it was made."""
        return self._taken(file, shown_name(name), manifest, reading or Reading())

    def keep(self, comparison: "Comparison") -> str:
        """Keep a comparison, and return what it is called by."""
        id = secrets.token_urlsafe(16)
        with self._lock:
            self.comparisons[id] = comparison
        return id

    def comparison(self, id: str) -> "Comparison":
        """Return a comparison of this user."""
        if id not in self.comparisons:
            raise RequestRefused("There is no such comparison.", 404)
        return self.comparisons[id]

    def keep_attacks(self, attacks: "Attacks | Unicity") -> str:
        """Keep what attacks achieved, and return what it is called by."""
        id = secrets.token_urlsafe(16)
        with self._lock:
            self.attacks[id] = attacks
        return id

    def attacked(self, id: str) -> "Attacks | Unicity":
        """Return what attacks of this user achieved."""
        if id not in self.attacks:
            raise RequestRefused("There is no such attack.", 404)
        return self.attacks[id]

    def keep_result(self, result: "Renders") -> str:
        """Keep the answer to a question, and return what it is called by."""
        id = secrets.token_urlsafe(16)
        with self._lock:
            self.results[id] = result
        return id

    def result(self, id: str) -> "Renders":
        """Return an answer to a question of this user."""
        if id not in self.results:
            raise RequestRefused("There is no such result.", 404)
        return self.results[id]

    def keep_recipe(self, recipe: "Recipe") -> str:
        """Keep a ready recipe, and return what it is called by."""
        id = secrets.token_urlsafe(16)
        with self._lock:
            self.recipes[id] = recipe
        return id

    def recipe(self, id: str) -> "Recipe":
        """Return a ready recipe of this user."""
        if id not in self.recipes:
            raise RequestRefused("There is no such recipe.", 404)
        return self.recipes[id]

    def forget(self, id: str) -> None:
        """Delete a table."""
        table = self.table(id)
        with self._lock:
            self.tables.pop(id, None)
        table.forget()

    def close(self) -> None:
        """Delete everything."""
        for table in list(self.tables.values()):
            table.forget()
        self.tables.clear()
        self.comparisons.clear()
        self.attacks.clear()
        self.results.clear()
        self.recipes.clear()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _taken(self, file: Path, name: str, manifest: str | None, reading: Reading) -> StoredTable:
        settings = self.settings
        path = file.rename(file.with_name("table" + suffix_of(name)))
        check_kind(path, name)
        check_width(path, name, settings.column_limit)
        options = ReadOptions(reading.format, reading.delimiter, reading.quote, reading.encoding, reading.sheet)
        check_apart(path, name, options, settings.reading_limits)
        if manifest is not None:
            _keep_manifest(path, name, manifest)
        with read_named(path, name, None, settings.memory_limit, reading) as data:
            relation = data.relation
            if len(relation.columns) > settings.column_limit:
                raise RequestRefused(f"{shown(name)} has {len(relation.columns):,} columns; the limit is {settings.column_limit:,}.", 413)
            try:
                ((records,),) = data.engine.rows(
                    f"SELECT COUNT(*) FROM (SELECT c0 FROM {relation.origin} LIMIT {settings.row_limit + 1}) AS x"
                )
            except UnreadableLine as error:
                raise unreadable(relation, error) from None
            if records > settings.row_limit:
                limit = f"{settings.row_limit:,} records; `anonscope serve --row-limit` sets it"
                raise RequestRefused(f"{shown(name)} has more than the limit of {limit}.", 413)
            table = StoredTable(
                id=secrets.token_urlsafe(16),
                name=name,
                path=path,
                size=path.stat().st_size,
                columns=relation.columns,
                records=min(int(records), reading.rows or int(records)),
                reading=reading,
                notes=relation.notes,
                perturbed=data.perturbed,
            )
        with self._lock:
            self.tables[table.id] = table
        return table


class Storage:
    """The workspaces of all users, in one locked private folder that the next start sweeps if this one is killed."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self._scratch = Scratch(settings.folder)
        self._workspaces: dict[str, Workspace] = {}
        self._lock = threading.Lock()

    @property
    def path(self) -> Path:
        return self._scratch.path

    def open(self) -> Workspace:
        """Return a new workspace."""
        id = secrets.token_hex(8)
        workspace = Workspace(id, self._scratch.path / id, self.settings)
        with self._lock:
            self._workspaces[id] = workspace
        return workspace

    def expired(self, busy: frozenset[str] = frozenset()) -> list[Workspace]:
        """Close workspaces that nobody has used for long, and return them; those with work under way are in use."""
        oldest = time.monotonic() - 60 * self.settings.expiry
        with self._lock:
            old = [w for w in self._workspaces.values() if w.last_used < oldest and w.id not in busy]
            for workspace in old:
                del self._workspaces[workspace.id]
        for workspace in old:
            workspace.close()
        return old

    def end(self, workspace: Workspace) -> None:
        """Delete one workspace."""
        with self._lock:
            self._workspaces.pop(workspace.id, None)
        workspace.close()

    def close(self) -> None:
        """Delete everything."""
        with self._lock:
            left, self._workspaces = list(self._workspaces.values()), {}
        for workspace in left:
            workspace.close()
        self._scratch.close()


def _keep_manifest(path: Path, name: str, text: str) -> None:
    """Put a manifest where whoever opens the table looks for it; one about another file is worse than none."""
    write_text(manifest_path(path), text)
    if not has_manifest(path):
        raise RequestRefused(f"The manifest is not one of {shown(name)}: it cannot be read, or it is about another file.", 422)


def read_named(path: Path, name: str, roles: Roles | None, memory_limit: str | None, reading: Reading) -> Data:
    """Open a stored table under the name that its owner knows."""
    try:
        data = read(path, roles=roles, memory_limit=memory_limit, **said(reading, only=(Reading,)))
    except AnonscopeError as error:
        message = str(error).replace(shown(path.name), shown(name))
        if isinstance(error, RequestRefused):
            raise
        raise SourceError(message) from None
    data.relation = replace(data.relation, name=name)
    # A command to copy names the file as its owner does, and never where it lies here.
    data.said = {**data.said, "source": name}
    return data


def shown_name(name: str) -> str:
    """Return the last part of a file name that somebody sent, as text that is safe to show and to offer for download."""
    last = PurePosixPath(name.replace("\\", "/").replace("\x00", "")).name
    text = "".join(c for c in last if c.isprintable() and c not in '<>:"|?*').strip(". ")
    if len(text) > _LONGEST_NAME:
        suffix = suffix_of(text)
        text = text[: _LONGEST_NAME - len(suffix)] + suffix
    return text or "table"


def suffix_of(name: str) -> str:
    """Return the ending by which a format is known, or none."""
    lower = name.lower()
    packed = ".gz" if lower.endswith(".gz") else ""
    ending = next((s for s in endings() if lower.removesuffix(".gz").endswith(s)), "")
    return ending + packed
