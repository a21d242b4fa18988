"""Tables of a project that are there again after a restart: their file is held against its hash, and what was found is found anew."""

import shutil
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from anonscope.columns.roles import left_of
from anonscope.errors import AnonscopeError, OptionError, RequestRefused, shown
from anonscope.io.progress import Progress
from anonscope.operations.apply import apply
from anonscope.transform.release.manifest import archive_path, file_hash, has_manifest, manifest_path
from anonscope.web.desk import Desk, Version
from anonscope.web.project.folder import read_json
from anonscope.web.project.record import desk_of, reading_of, roles_of, version_of, versions_in
from anonscope.web.project.results import check_results, show_again
from anonscope.web.schemas import AuditAsked, SuggestAsked
from anonscope.web.storage import Workspace
from anonscope.web.stored import Beside, StoredTable
from anonscope.web.tasks import API, as_job, auditing, suggesting
from anonscope.web.versions import judge, place

_AGAIN = "It is being made again from its recipe."
_OTHER = "It was made of the file as it was before, which is not here any more."
_DRAWN = "It was drawn, not recoded, so no recipe makes it again; its release was not kept."
_NO_RECIPE = "Its recipe was left out of the project, so it cannot be made again."


@dataclass
class Waiting:
    """A table of a project whose file is not here: not given yet, not found, or not the one that it was."""

    id: str
    name: str
    folder: Path
    record: dict[str, Any] = field(repr=False)
    reason: str = ""

    @property
    def sha256(self) -> str | None:
        """What the file is known by."""
        found: str | None = self.record["data"]["sha256"]
        return found


def waiting_in(folder: Path) -> Waiting:
    """Return a table that a project keeps; raise if what is kept cannot be understood."""
    try:
        if any(path.is_symlink() for path in folder.rglob("*")):
            raise ValueError("a link may lead to anything")
        record = read_json(folder / "table.json")
        found = Waiting(str(record["id"]), str(record["name"]), folder, record)
        if found.id != folder.name:
            raise ValueError("another id than its folder")
        # Whatever is wrong is said when the project is opened, not when somebody comes to it.
        desk_of(record, folder)
        for told, at in versions_in(folder):
            version_of(told, at, Path(), _AGAIN)
        reading_of(record)
        check_results(record)
    except (AnonscopeError, OSError, ValueError, KeyError, TypeError, AttributeError):
        raise OptionError(f"The table {shown(folder.name)} of the project cannot be read: what is kept of it is damaged.") from None
    found.reason = "The project does not hold its file. Give the file."
    return found


def taken_up(workspace: Workspace, waiting: Waiting, file: Path, *, changed: bool = False) -> StoredTable:
    """Make a table of a file that came into one of our places; one that is not what it was is refused, unless that was said to be known."""
    record, sha256 = waiting.record, file_hash(file)
    same = sha256 == waiting.sha256
    if not same and not changed:
        raise RequestRefused(_not_the_same(waiting), 409)
    manifest = waiting.folder / "manifest.json"
    papers = manifest.read_text(encoding="utf-8") if same and manifest.is_file() else None
    table = workspace.look_at(file, waiting.name, papers, reading_of(record), waiting.id)
    table.sha256, table.origin = sha256, record["data"]["path"] if same else None
    desk = desk_of(record, waiting.folder)
    if not same:
        desk = _of_another_file(desk, [column.name for column in table.columns])
        shutil.rmtree(waiting.folder / "data", ignore_errors=True)
    else:
        show_again(workspace, desk, record, waiting.folder)
    desk.versions = [_version(table, told, at) for told, at in versions_in(waiting.folder)]
    table.desk, table.unmeasured = desk, record["measured"] if same else None
    workspace.add(table)
    return table


def _not_the_same(waiting: Waiting) -> str:
    if waiting.sha256 is None:
        return f"Whether this is the file of {shown(waiting.name)} cannot be told: the project does not say its hash. Confirm that it is."
    return f"This is not the file that {shown(waiting.name)} was: its SHA-256 is another. Versions and verdicts are about the file before."


def _of_another_file(desk: Desk, columns: list[str]) -> Desk:
    """Return what still holds when the data are others: what people said, of columns that are still there."""
    desk.roles = left_of(desk.roles, columns) if desk.roles is not None else None
    desk.hierarchies, desk.shown = {}, None
    desk.notice = "The file is another one than before. Roles, policy and notes were kept; nothing of it was measured yet."
    return desk


def _version(table: StoredTable, told: Mapping[str, Any], at: Path) -> Version:
    release = place(table)
    absent = _AGAIN
    if told["data"] != table.sha256:
        absent = _OTHER
    elif not (at / archive_path(release).name / "recipe.toml").is_file() and not (at / release.name).is_file():
        absent = _DRAWN if told["how"] == "synthesise" else _NO_RECIPE
    return version_of(told, at, release, absent)


def linked(workspace: Workspace) -> None:
    """Put tables beside each other that stood so."""
    for table in list(workspace.tables.values()):
        people = workspace.tables.get(table.desk.population or "")
        if people is not None and table.beside is None:
            table.beside = Beside(people.path, table.desk.population_columns)


def resume(workspace: Workspace, table: StoredTable, folder: Path) -> Callable[[Progress], str]:
    """Return the work that finds out again what was known of a table."""
    return _resuming(workspace, table, folder)


@as_job
def _resuming(progress: Progress, workspace: Workspace, table: StoredTable, folder: Path) -> str:
    limit, desk, measured = workspace.settings.memory_limit, table.desk, table.unmeasured
    suggesting(table, SuggestAsked(), limit)(progress)
    missing = desk.population is not None and table.beside is None
    if missing:
        desk.notice = "The population that stood beside it is not here, so it was not measured again."
    elif measured is not None:
        said, policy, results = desk.roles, desk.policy, dict(desk.results)
        told = {
            **measured["asked"],
            "roles": {k: v for k, v in measured["roles"].items() if k != "hierarchies"},
            "policy": measured["policy"],
        }
        asked = TypeAdapter(AuditAsked).validate_python(told)
        auditing(workspace, table, asked, roles_of(measured["roles"]))(progress)
        # What was said since the audit is what stands on the desk.
        desk.roles, desk.policy = said, policy
        outcome = table.audit.verdict.outcome if table.audit is not None else None
        if outcome == measured["outcome"]:
            desk.results.update(results)
        else:
            desk.notice = f"Measured again, the verdict is “{outcome}”; in the project it was “{measured['outcome']}”."
        table.unmeasured = None
    for version in desk.versions:
        if version.absent == _AGAIN:
            progress(f"making version {version.number} again", 0, 1)
            _made_again(workspace, table, version, folder / "versions" / str(version.number))
    desk.changed()
    return f"{API}/tables/{table.id}/workspace"


def _made_again(workspace: Workspace, table: StoredTable, version: Version, kept: Path) -> None:
    """Make the release of a version again, and hold it against its manifest; it comes back only if it is the same to the byte."""
    limit, release = workspace.settings.memory_limit, version.release
    try:
        if (kept / release.name).is_file():
            for path in (release, release.with_suffix(".parquet"), manifest_path(release.with_suffix(".parquet"))):
                if (kept / path.name).is_file():
                    shutil.copyfile(kept / path.name, path)
        else:
            recipe = _own_recipe(kept / archive_path(release).name)
            with table.opened(table.roles, limit) as data:
                data.acknowledged = version.acknowledged
                made = apply(recipe, data).looked_at(None)
                for path in (release.with_suffix(".parquet"), release):
                    made.save(path, formulas="mark")
    except AnonscopeError as error:
        version.absent = f"It could not be made again: {error}"
        return
    # The papers are those that were signed, not new ones.
    shutil.rmtree(archive_path(release), ignore_errors=True)
    if (kept / archive_path(release).name).is_dir():
        shutil.copytree(kept / archive_path(release).name, archive_path(release))
    shutil.copyfile(kept / manifest_path(release).name, manifest_path(release))
    if not has_manifest(release):
        version.absent = "Made again from its recipe, it is not what its manifest says, so it is not offered."
        return
    version.absent = None
    judge(table, version, table.desk.policy, limit)
    verdict, before = version.verdicts.get(table.desk.policy), version.recorded.get(table.desk.policy)
    if verdict is not None and before is not None and verdict.outcome != before:
        table.desk.notice = (
            f"Measured again, version {version.number} is “{verdict.outcome}”; when the project was kept, it was “{before}”."
        )


def _own_recipe(archive: Path) -> Path:
    """Return the recipe of an archive; one that names files elsewhere on this machine is not carried out."""
    with open(archive / "recipe.toml", "rb") as file:
        named = list(_texts(tomllib.load(file)))
    if any(not (archive / text).resolve().is_relative_to(archive) for text in named if "/" in text or text.startswith("..")):
        raise OptionError("its recipe names files outside its archive.")
    return archive / "recipe.toml"


def _texts(part: Any) -> Iterator[str]:
    """Yield every text of a document."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        for value in part.values():
            yield from _texts(value)
    elif isinstance(part, list):
        for value in part:
            yield from _texts(value)
