"""Writing down what changes in the workspaces of a project, soon after it has changed."""

import shutil
import threading
from typing import Any

from anonscope.errors import AnonscopeError
from anonscope.transform.release.manifest import archive_path, file_hash, manifest_path
from anonscope.web.desk import Desk, Signed, Version
from anonscope.web.project.folder import TABLES, ProjectFolder, as_json
from anonscope.web.project.record import FORMATS, HIERARCHIES, SIGNED, VERSIONS, table_record, version_record
from anonscope.web.project.results import forget_results, keep_results
from anonscope.web.stored import StoredTable

_SOON = 0.3  # seconds between looks for what has changed


class Keeper:
    """Keeps tables in the folder of a project. What cannot be written is said to whoever looks at a room, and tried again."""

    def __init__(self, folder: ProjectFolder, *, data: bool = False) -> None:
        self.folder, self.data = folder, data
        self.problem: str | None = None
        self.tables: dict[str, StoredTable] = {}
        self._seen: dict[str, tuple[Desk, int]] = {}
        self._shown: dict[str, dict[str, str]] = {}  # which results of a table are written, by their kinds
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="project", daemon=True)
        self._thread.start()

    def watch(self, table: StoredTable) -> None:
        """Keep a table from now on."""
        self.tables[table.id] = table

    def forget(self, id: str) -> None:
        """Delete what is kept of a table, because its owner forgets it."""
        with self._lock:
            self.tables.pop(id, None)
            self._seen.pop(id, None)
            self._shown.pop(id, None)
            self.folder.forget(id)

    def release(self) -> None:
        """Write down what has changed, and watch the tables no more: their private copies go."""
        self.save()
        with self._lock:
            self.tables, self._seen, self._shown = {}, {}, {}

    def save(self) -> None:
        """Write down what has changed since last time."""
        with self._lock:
            problem = None
            for table in list(self.tables.values()):
                try:
                    self._save(table)
                except (AnonscopeError, OSError) as error:
                    # An error of the system names the file, which is a place of this machine only.
                    told = str(error) if isinstance(error, AnonscopeError) else f"{error.strerror}."
                    problem = f"The project cannot be written, so changes may be lost: {told}"
            self.problem = problem

    def close(self) -> None:
        """Write down the last changes, and let go of the folder."""
        self._ended.set()
        self._thread.join(5)
        self.save()
        self.folder.close()

    def _run(self) -> None:
        while not self._ended.wait(_SOON):
            self.save()

    def _save(self, table: StoredTable) -> None:
        desk = table.desk
        now = (desk, desk.revision)
        if table.forgotten or self._seen.get(table.id) == now:
            return
        if table.sha256 is None:
            table.sha256 = file_hash(table.path)
        with desk.lock:
            now = (desk, desk.revision)
            for version in desk.versions:
                version.data = version.data or table.sha256
            record, versions, signed = table_record(table), list(desk.versions), list(desk.signed)
            results, written = dict(desk.results), self._shown.setdefault(table.id, {})
            ladders = {file: desk.hierarchies[column].to_csv() for column, file in record["hierarchies"].items()}
        at = f"{TABLES}/{table.id}"
        if table.forgotten:
            return
        if manifest_path(table.path).is_file():
            self.folder.write(f"{at}/manifest.json", manifest_path(table.path).read_bytes())
        if self.data:
            self.folder.copy(table.path, f"{at}/data/{table.path.name}")
        for version in versions:
            self._save_version(f"{at}/{VERSIONS}/{version.number}", version)
        for number, one in enumerate(signed, start=1):
            self._save_signed(f"{at}/{SIGNED}/{number}", one)
        for file, text in ladders.items():
            self.folder.write(f"{at}/{HIERARCHIES}/{file}", text.encode())
        keep_results(self.folder, at, results, written)
        # Last: a table that is told of has all that it tells of.
        self.folder.write(f"{at}/table.json", as_json(record))
        for path in (self.folder.table(table.id) / HIERARCHIES).glob("*"):
            if path.name not in ladders:
                path.unlink()
        forget_results(self.folder.table(table.id), results, written)
        self._seen[table.id] = now
        if table.forgotten:
            shutil.rmtree(self.folder.table(table.id), ignore_errors=True)

    def _save_version(self, at: str, version: Version) -> None:
        place = self.folder.path / at
        if version.absent is None and not (place / "version.json").is_file():
            self.folder.write(f"{at}/{manifest_path(version.release).name}", manifest_path(version.release).read_bytes())
            if archive_path(version.release).is_dir():
                self.folder.copy(archive_path(version.release), f"{at}/{archive_path(version.release).name}")
            if version.report is not None:
                self._save_report(f"{at}/report", version.report)
        if version.absent is None and self.data:
            parquet = version.release.with_suffix(".parquet")
            for path in (version.release, parquet, manifest_path(parquet)):
                if path.is_file():
                    self.folder.copy(path, f"{at}/{path.name}")
        self.folder.write(f"{at}/version.json", as_json(version_record(version)))

    def _save_signed(self, at: str, signed: Signed) -> None:
        if (self.folder.path / at / "signed.json").is_file():
            return
        self._save_report(f"{at}/dossier", signed.dossier)
        edition = getattr(signed.dossier, "edition", "internal")
        self.folder.write(f"{at}/signed.json", as_json({"version": signed.version, "answers": signed.answers, "edition": edition}))

    def _save_report(self, at: str, report: Any) -> None:
        for ending, format in FORMATS.items():
            self.folder.write(f"{at}.{ending}", report.render(format).encode())
