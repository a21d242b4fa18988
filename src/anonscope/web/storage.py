"""Tables of users for as long as they are wanted: each user has a folder of their own in a private one that does not outlive the run."""

import secrets
import shutil
import threading
import time
from collections.abc import Collection
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from anonscope.engines.duckdb import UnreadableLine
from anonscope.engines.scratch import Scratch
from anonscope.errors import RequestRefused, shown
from anonscope.io.formats import endings
from anonscope.io.sources.parts import find_parts
from anonscope.io.sources.relation import ReadOptions
from anonscope.io.sources.unreadable import unreadable
from anonscope.io.writing import write_text
from anonscope.operations.wishes.reading import Reading
from anonscope.transform.release.manifest import has_manifest, manifest_path
from anonscope.web.desk import Desk
from anonscope.web.hostile import check_apart, check_kind, check_width
from anonscope.web.settings import ServerSettings
from anonscope.web.stored import StoredTable, read_named

if TYPE_CHECKING:
    from anonscope.operations.attack import Attacks
    from anonscope.operations.comparing.comparison import Comparison
    from anonscope.operations.unicity import Unicity
    from anonscope.transform.recipe import Recipe
    from anonscope.web.project.keeping import Keeper
    from anonscope.web.responses import Renders

_LONGEST_NAME = 120
_MOST_TABLES = 50
PLACES = ("comparisons", "attacks", "results")  # where results are found


class Workspace:
    """The tables and comparisons of one user."""

    def __init__(self, id: str, folder: Path, settings: ServerSettings) -> None:
        self.id, self.folder, self.settings = id, folder, settings
        self.keeper: Keeper | None = None  # writes down what becomes of the tables, where they are part of a project
        self.tables: dict[str, StoredTable] = {}
        self.waiting: Collection[str] = ()  # tables of a project whose files are not here
        # A project has those of an earlier run as documents only.
        self.comparisons: dict[str, Comparison | Renders] = {}
        self.attacks: dict[str, Attacks | Unicity | Renders] = {}
        self.results: dict[str, Renders] = {}
        self.recipes: dict[str, Recipe] = {}
        self.last_used = time.monotonic()
        self._lock = threading.Lock()
        folder.mkdir(mode=0o700)

    def table(self, id: str) -> StoredTable:
        """Return a table of this user; somebody else's is as good as none."""
        found = self.tables.get(id)
        if id in self.waiting:
            raise RequestRefused("The table waits for its file. Give the file on the first page.", 409)
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

    def take(
        self, file: Path, name: str, manifest: str | None = None, reading: Reading | None = None, *, origin: str | None = None
    ) -> StoredTable:
        """Take over a file that has come into one of our places, and the manifest that says how it was made."""
        table = self.look_at(file, name, manifest, reading or Reading())
        table.origin = origin
        self.add(table)
        return table

    def add(self, table: StoredTable) -> None:
        """Have a table from now on."""
        with self._lock:
            self.tables[table.id] = table
        if self.keeper is not None:
            self.keeper.watch(table)

    def keep(self, comparison: "Comparison") -> str:
        """Keep a comparison, and return what it is called by."""
        id = secrets.token_urlsafe(16)
        with self._lock:
            self.comparisons[id] = comparison
        return id

    def comparison(self, id: str) -> "Comparison | Renders":
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

    def attacked(self, id: str) -> "Attacks | Unicity | Renders":
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

    def kept_at(self, location: str) -> "Renders":
        """Return what an address of a result stands for: /api/v1/PLACE/ID.json."""
        place, id = location.removesuffix(".json").split("/")[-2:]
        found: Renders = self._placed(place)[id]
        return found

    def keep_as(self, place: str, result: "Renders") -> str:
        """Keep a result of an earlier run among those of its kind, and return its address."""
        id = secrets.token_urlsafe(16)
        with self._lock:
            self._placed(place)[id] = result
        return f"/api/v1/{place}/{id}.json"

    def _placed(self, place: str) -> "dict[str, Any]":
        return dict(zip(PLACES, (self.comparisons, self.attacks, self.results), strict=True))[place]

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
        if self.keeper is not None:
            self.keeper.forget(id)

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

    def read_again(self, table: StoredTable, reading: Reading) -> None:
        """Read a table as its owner says; what was found out about it before is about something else then, and goes, but for versions."""
        with table.lock:
            look = self._look(table.path, table.name, reading)
            before = table.desk
            table.keep(None)
            table.forget_results()
            table.desk = Desk(policy=before.policy, notes=before.notes, versions=before.versions, revision=before.revision + 1)
            for name, value in look.items():
                setattr(table, name, value)

    def look_at(self, file: Path, name: str, manifest: str | None, reading: Reading, id: str | None = None) -> StoredTable:
        """Return the table that a file in one of our places is; nobody has it yet."""
        name = shown_name(name)
        path = file.rename(file.with_name("table" + suffix_of(name)))
        for part in parts_of(path):
            check_kind(part, name)
            check_width(part, name, self.settings.column_limit)
        if manifest is not None:
            _keep_manifest(path, name, manifest)
        found = self._look(path, name, reading)
        return StoredTable(
            id=id or secrets.token_urlsafe(16), name=name, path=path, size=sum(part.stat().st_size for part in parts_of(path)), **found
        )

    def _look(self, path: Path, name: str, reading: Reading) -> dict[str, Any]:
        """Return what is known of a file that was read, within the limits of this server, or say why it cannot be."""
        settings = self.settings
        options = ReadOptions(reading.format, reading.delimiter, reading.quote, reading.encoding, reading.sheet, reading.header)
        check_apart(path, name, options, settings.reading_limits)
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
            return {
                "columns": relation.columns,
                "records": min(int(records), reading.rows or int(records)),
                "reading": reading,
                "delimiter": relation.delimiter if relation.delimited else None,
                "notes": relation.notes,
                "perturbed": data.perturbed,
            }


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


def parts_of(path: Path) -> list[Path]:
    """Return the files that a table is made of: itself, or the parts in its folder."""
    return [path] if path.is_file() else [part.path for part in find_parts(path).files]


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
