"""A project that a server works in: one workspace that all who may come in share, and the folder that keeps it."""

import threading
from pathlib import Path

from anonscope.errors import AnonscopeError, RequestRefused, shown
from anonscope.web.allowed import Roots, copied
from anonscope.web.jobs import Jobs
from anonscope.web.project.folder import ProjectFolder
from anonscope.web.project.keeping import Keeper
from anonscope.web.project.reopening import Waiting, linked, resume, taken_up, waiting_in
from anonscope.web.storage import Storage, Workspace
from anonscope.web.stored import StoredTable


class Project:
    """The workspace of a project; its tables wait until their files are here."""

    def __init__(self, folder: Path, storage: Storage, jobs: Jobs, roots: Roots) -> None:
        self.folder = ProjectFolder(folder)
        self.keeper = Keeper(self.folder, data=storage.settings.keep_data)
        self.waiting: dict[str, Waiting] = {}
        self._storage, self._jobs, self._roots = storage, jobs, roots
        self._workspace: Workspace | None = None
        self._lock = threading.RLock()

    def workspace(self) -> Workspace:
        """Return the workspace, opened if it is not."""
        with self._lock:
            if self._workspace is None:
                self._workspace = self._storage.open()
                self._workspace.keeper = self.keeper
                self._reopen(self._workspace)
            return self._workspace

    def give(self, id: str, file: Path, *, changed: bool) -> StoredTable:
        """Take the file of a table that waits for it."""
        workspace = self.workspace()
        with self._lock:
            table = taken_up(workspace, self.waits(id), file, changed=changed)
            del self.waiting[id]
        linked(workspace)
        self._resume(workspace, table)
        return table

    def waits(self, id: str) -> Waiting:
        """Return a table that waits for its file."""
        if id not in self.waiting:
            raise RequestRefused("There is no such table that waits for its file.", 404)
        return self.waiting[id]

    def forget(self, id: str) -> None:
        """Delete what is kept of a table that waits for its file."""
        with self._lock:
            self.waits(id)
            del self.waiting[id]
        self.keeper.forget(id)

    def expired(self, workspaces: list[Workspace]) -> None:
        """Let go of the workspace if it is among those that were closed because nobody used them; the folder stays."""
        with self._lock:
            if self._workspace in workspaces:
                self._workspace = None
                self.keeper.release()

    def close(self) -> None:
        """Write down the last changes."""
        self.keeper.close()

    def _reopen(self, workspace: Workspace) -> None:
        workspace.waiting = self.waiting = {found.id: found for found in map(waiting_in, self.folder.tables())}
        for found in list(self.waiting.values()):
            kept = next(iter(sorted((found.folder / "data").glob("*"))), None)
            if kept is None and (path := found.record["data"]["path"]) is not None:
                kept = self._roots.known(path)
                told = f"Its file was {shown(path)}"
                found.reason = f"{told}, which is not there any more, or not below --allow-sources. Give the file, or allow it."
            if kept is not None:
                self._take(workspace, found, kept)
        linked(workspace)
        for table in list(workspace.tables.values()):
            self._resume(workspace, table)

    def _take(self, workspace: Workspace, waiting: Waiting, file: Path) -> None:
        """Take a file of this machine, from a copy that nobody changes meanwhile; where that cannot be, the table waits."""
        place = workspace.place()
        try:
            taken_up(workspace, waiting, copied(file, place / "incoming", workspace.settings.upload_limit))
            del self.waiting[waiting.id]
        except (AnonscopeError, OSError) as error:
            workspace.clear(place)
            waiting.reason = str(error) if isinstance(error, AnonscopeError) else "Its file cannot be read."

    def _resume(self, workspace: Workspace, table: StoredTable) -> None:
        if table.desk.row is None and table.unmeasured is None and not table.desk.versions:
            return
        work = resume(workspace, table, self.folder.table(table.id))
        self._jobs.submit("reopen", workspace.id, table.id, work)
