"""The register of whoever runs the server: what went out of a population, and what a release made here adds to it."""

import shutil
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from anonscope.errors import OptionError, RequestRefused
from anonscope.io.progress import Progress
from anonscope.operations.register import register, register_budget, register_release
from anonscope.operations.wishes.registering import RegisteredTo
from anonscope.operations.wishes.words import said
from anonscope.transform.release.manifest import archive_path, file_hash, manifest_path
from anonscope.web import schemas as schema
from anonscope.web.asked import asked as body
from anonscope.web.rest import FAILURES, Mine, Table, Work, queued
from anonscope.web.settings import ServerSettings
from anonscope.web.storage import Workspace
from anonscope.web.stored import StoredTable
from anonscope.web.tasks import API, as_job, audited, own_release

router = APIRouter(prefix=API, responses=FAILURES)
# A release that a server forgets with its table would never be at hand again, so the register keeps it.
KEPT = "releases"


@body
class RegisterAsked(RegisteredTo):
    """As a release of whom it is registered, for whom, and until when."""

    version: Annotated[int | None, Field(ge=1, description="The number of the version that leaves; without it, the newest.")] = None


@body
class BudgetAsked:
    """What all releases of a population together may lose about a person."""

    population_name: Annotated[str, Field(max_length=2000, description="The population, as you call it.")]
    epsilon: Annotated[float, Field(gt=0, allow_inf_nan=False, description="The epsilon that may be spent.")]
    delta: Annotated[
        float | None, Field(ge=0, lt=1, allow_inf_nan=False, description="The delta that may be spent; without it, that has no limit.")
    ] = None


@router.get("/register")
def state(workspace: Mine) -> dict[str, Any]:
    """Return the register with what is wrong or due, as `anonscope register list --format json` prints it."""
    found: dict[str, Any] = register(_folder(workspace.settings)).to_dict()
    return found


@router.post("/register/budget")
def set_budget(workspace: Mine, asked: BudgetAsked) -> dict[str, Any]:
    """Set what all releases of a population together may lose about a person, and return the register."""
    folder = _folder(workspace.settings)
    register_budget(folder, asked.population_name, asked.epsilon, asked.delta)
    found: dict[str, Any] = register(folder).to_dict()
    return found


@router.post("/tables/{id}/register", status_code=202)
def ask_register(table: Table, workspace: Mine, jobs: Work, asked: RegisterAsked) -> schema.JobInfo:
    """Hold a release against the earlier ones of its population, and add it to the register; refused, it is not added."""
    folder = _folder(workspace.settings)
    if asked.population_name is None:
        raise OptionError("Say which population it is about: population_name.")
    audited(table)
    own_release(table, asked.version)
    return queued(jobs, "register", workspace, table, _registering(workspace, table, asked, folder))


@as_job
def _registering(progress: Progress, workspace: Workspace, table: StoredTable, asked: RegisterAsked, folder: Path) -> str:
    release = own_release(table, asked.version)
    kept = folder / KEPT / file_hash(release)[:16]
    known = kept.exists()
    progress("holding it against the earlier releases", 0, 1)
    with table.opened(audited(table), workspace.settings.memory_limit) as data:
        try:
            _copy(release, kept)
            register_release(folder, kept / release.name, data, **said(asked, only=(RegisteredTo,)))
        except BaseException:
            if not known:
                shutil.rmtree(kept, ignore_errors=True)
            raise
    return f"{API}/results/{workspace.keep_result(register(folder))}.json"


def _copy(release: Path, to: Path) -> None:
    """Put a release with its papers where the register finds it later, for its owner's eyes only."""
    to.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in (release, manifest_path(release), archive_path(release)):
        target = to / path.name
        if target.exists():
            continue
        if path.is_dir():
            shutil.copytree(path, target)
        elif path.exists():
            shutil.copy2(path, target)


def _folder(settings: ServerSettings) -> Path:
    if settings.register is None:
        raise RequestRefused("This server keeps no register. Whoever runs it gives it one: anonscope serve --register FOLDER.", 409)
    return settings.register
