"""The state of a workspace over REST: what is said about a table, its versions, and what is shown of them."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse
from pydantic import Field

from anonscope.errors import RequestRefused
from anonscope.io.progress import Progress
from anonscope.operations.verify import verify
from anonscope.risk.policy.questions import policy_chosen_by
from anonscope.transform.release.manifest import archive_path, manifest_path, recipe_path
from anonscope.web import schemas as schema
from anonscope.web.desk import Desk, Row, Version, assigned
from anonscope.web.responses import Ending, attached, document, documents, file_of, packed
from anonscope.web.rest import FAILURES, Mine, Table, Work, queued
from anonscope.web.storage import Workspace
from anonscope.web.stored import StoredTable
from anonscope.web.tasks import API, as_job, policy_of
from anonscope.web.told import VersionInfo, WorkspaceInfo

router = APIRouter(prefix=f"{API}/tables/{{id}}", responses=FAILURES)
_LONGEST_NOTE = 20_000
Number = Annotated[int, Field(ge=1)]


class WishedAsked(schema.Asked):
    """How the table is to be repaired; what is left out stays."""

    levels: dict[str, schema.Level] | None = None
    suppression: schema.Share | None = None
    limits: dict[str, Annotated[float, Field(allow_inf_nan=False)]] | None = None
    alone: bool | None = None
    untouched: list[str] | None = None
    weights: dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]] | None = None


class WorkspaceAsked(schema.Asked):
    """What is changed in a workspace; what is left out stays. Nothing is measured by that: ask for an audit."""

    assign: Annotated[
        dict[str, str | None] | None, Field(description="Roles of some columns, by the keys of roles; null takes the role away.")
    ] = None
    scenarios: Annotated[dict[str, list[str]] | None, Field(description="Further attackers, and what each knows.")] = None
    distance: Annotated[dict[str, str] | None, Field(description="Sensitive columns by whether their values are ordered or equal.")] = None
    row: Annotated[Row | None, Field(description="What a row is: a person, or an event of somebody.")] = None
    person: Annotated[str | None, Field(description="The column that says whose event a row is.")] = None
    policy: Annotated[str | None, Field(description="The policy that judges.")] = None
    answers: Annotated[
        dict[str, str] | None, Field(description="Answers to the questions that choose a policy; they choose it, unless one is named.")
    ] = None
    notes: Annotated[str | None, Field(max_length=_LONGEST_NOTE, description="What somebody wrote down.")] = None
    reason: Annotated[str | None, Field(max_length=2000, description="Why a release is made all the same.")] = None
    shown: Annotated[int | None, Field(ge=0, description="The number of the version to show; 0 is the table as it is.")] = None
    added: Annotated[list[str] | None, Field(max_length=100, description="Tables to be compared as further versions, by their ids.")] = None
    left_out: Annotated[list[int] | None, Field(max_length=1000, description="Versions that are not compared.")] = None
    control: Annotated[str | None, Field(description="A table of people who are not in this one, by its id; empty for none.")] = None
    wished: Annotated[WishedAsked | None, Field(description="What is wished of a release, as anonymise takes it.")] = None


@router.get("/workspace")
def workspace_state(table: Table, workspace: Mine, jobs: Work) -> WorkspaceInfo:
    """Return all that the rooms of the table show."""
    return WorkspaceInfo.of(table, workspace, jobs)


@router.patch("/workspace")
def change_workspace(table: Table, workspace: Mine, jobs: Work, asked: WorkspaceAsked) -> WorkspaceInfo:
    """Change what is said of the table, or what is shown; all of it or, if a part is wrong, nothing."""
    desk = table.desk
    with desk.lock:
        if asked.policy is not None:
            policy_of(asked.policy)
        answered = policy_chosen_by(asked.answers) if asked.answers else None
        if asked.answers and answered is None:
            raise RequestRefused("Not all questions are answered, or there is no such question or answer.", 422)
        if asked.shown and desk.version(asked.shown).removed:
            raise RequestRefused("The version was removed. Bring it back first.", 409)
        for id in (*(asked.added or ()), *([asked.control] if asked.control else [])):
            workspace.table(id)
        roles = _roles(table, asked)
        if roles is not None:
            desk.say(roles)
        for name in ("row", "policy", "notes", "reason"):
            if getattr(asked, name) is not None:
                setattr(desk, name, getattr(asked, name))
        if asked.answers is not None:
            desk.answers, desk.policy = dict(asked.answers), asked.policy or answered or desk.policy
        if asked.shown is not None:
            desk.shown = asked.shown or None
        if asked.added is not None:
            desk.added = tuple(dict.fromkeys(asked.added))
        if asked.left_out is not None:
            desk.left_out = tuple(dict.fromkeys(asked.left_out))
        if asked.control is not None:
            desk.control = asked.control or None
        if asked.wished is not None:
            told = asked.wished.model_dump(exclude_none=True)
            desk.wished = replace(desk.wished, **told | ({"untouched": tuple(told["untouched"])} if "untouched" in told else {}))
        desk.changed()
    return WorkspaceInfo.of(table, workspace, jobs)


@router.post("/workspace/undo")
def undo_roles(table: Table, workspace: Mine, jobs: Work) -> WorkspaceInfo:
    """Take back the last change of roles."""
    table.desk.undo()
    return WorkspaceInfo.of(table, workspace, jobs)


@router.get("/versions")
def versions(table: Table) -> list[VersionInfo]:
    """List the releases that were made of the table, those that were removed among them."""
    return [VersionInfo.of(version, table.desk) for version in table.desk.versions]


@router.delete("/versions/{number}")
def remove_version(table: Table, workspace: Mine, jobs: Work, number: int) -> WorkspaceInfo:
    """Take a version out of the list; it can be brought back for as long as the table is there."""
    return _removed(table, workspace, jobs, number, removed=True)


@router.post("/versions/{number}/restore")
def restore_version(table: Table, workspace: Mine, jobs: Work, number: int) -> WorkspaceInfo:
    """Bring a version back that was removed."""
    return _removed(table, workspace, jobs, number, removed=False)


@router.get("/versions/{number}/report.{ending}", responses=documents("How the version was made; JSON as `anonscope anonymise` has it."))
def version_report(table: Table, number: int, ending: Ending) -> Response:
    """Return how a version was made, and what it is like."""
    found = table.desk.version(number).report
    if found is None:
        raise RequestRefused("Of this version there is no report: it was not searched for, but made otherwise.", 409)
    return document(found, ending, f"version-{number}")


@router.get("/versions/{number}/audit.{ending}", responses=documents("The version by the policy of the workspace; as `audit` has it."))
def version_audit(table: Table, number: int, ending: Ending) -> Response:
    """Return what was measured of a version by the policy of the workspace."""
    version = table.desk.version(number)
    found = version.audits.get(table.desk.policy) if version.judged_by(table.desk.roles) else None
    if found is None:
        raise RequestRefused("This version was not measured by the policy and the roles of the workspace.", 409)
    return document(found, ending, f"version-{number}-audit")


@router.get("/versions/{number}/release.csv", response_class=FileResponse, responses=file_of("text/csv"))
def version_release(table: Table, number: int) -> FileResponse:
    """Return the release of a version."""
    return FileResponse(table.desk.version(number).file, media_type="text/csv", filename="release.csv")


@router.get("/versions/{number}/release.parquet", response_class=FileResponse, responses=file_of("application/vnd.apache.parquet"))
def version_as_parquet(table: Table, number: int) -> FileResponse:
    """Return the release of a version as Parquet, which was read back and judged by itself."""
    path = table.desk.version(number).file.with_suffix(".parquet")
    if not path.is_file():
        raise RequestRefused("The version was not written as Parquet.", 409)
    return FileResponse(path, media_type="application/vnd.apache.parquet", filename="release.parquet")


@router.get("/versions/{number}/release.manifest.json", response_class=FileResponse, responses=file_of("application/json"))
def version_manifest(table: Table, number: int) -> FileResponse:
    """Return the manifest of a version, for whoever receives it."""
    path = manifest_path(table.desk.version(number).file)
    return FileResponse(path, media_type="application/json", filename=path.name)


@router.get("/versions/{number}/release.recipe.toml", response_class=FileResponse, responses=file_of("application/toml"))
def version_recipe(table: Table, number: int) -> FileResponse:
    """Return the recipe that reproduces a version, as it stands in the archive; not for others."""
    path = recipe_path(table.desk.version(number).file)
    if not path.is_file():
        raise RequestRefused("The version was drawn, not recoded: no recipe makes it again.", 409)
    return FileResponse(path, media_type="application/toml", filename="release.csv.recipe.toml")


@router.get("/versions/{number}/release-for-recipient.zip", response_class=Response, responses=file_of("application/zip"))
def version_for_recipient(table: Table, number: int) -> Response:
    """Return a version with its manifest: what others may have."""
    path = table.desk.version(number).file
    return _bundle(path, (path, manifest_path(path)), "release-for-recipient.zip")


@router.get("/versions/{number}/release-for-archive.zip", response_class=Response, responses=file_of("application/zip"))
def version_for_archive(table: Table, number: int) -> Response:
    """Return everything about a version; its archive holds original values, so not for others."""
    path = table.desk.version(number).file
    return _bundle(path, (path, manifest_path(path), archive_path(path)), "release-for-archive.zip")


@router.post("/versions/{number}/verify", status_code=202)
def verify_version(table: Table, workspace: Mine, jobs: Work, number: int) -> schema.JobInfo:
    """Read a version anew, compare it with its manifest, and measure its verdict again."""
    return queued(jobs, "verify", workspace, table, _verifying(workspace, table, table.desk.version(number)))


@as_job
def _verifying(progress: Progress, workspace: Workspace, table: StoredTable, version: Version) -> str:
    progress("reading the release anew", 0, 1)
    found = verify(version.file, memory_limit=workspace.settings.memory_limit)
    return f"{API}/results/{workspace.keep_result(replace(found, release=f'version {version.number} of {table.name}'))}.json"


def _bundle(path: Path, entries: tuple[Path, ...], name: str) -> Response:
    return attached(packed(path.parent, entries), "application/zip", name)


def _removed(table: StoredTable, workspace: Mine, jobs: Work, number: int, *, removed: bool) -> WorkspaceInfo:
    desk = table.desk
    with desk.lock:
        version = desk.version(number)
        version.removed = removed
        desk.shown = _shown_instead(desk, version) if removed else number
        desk.changed()
    return WorkspaceInfo.of(table, workspace, jobs)


def _shown_instead(desk: Desk, gone: Version) -> int | None:
    """Return what is shown when a version goes: what was shown, or the newest of those that are left."""
    if desk.shown != gone.number:
        return desk.shown
    return desk.newest.number if desk.newest is not None else None


def _roles(table: StoredTable, asked: WorkspaceAsked) -> Any:
    """Return the roles that a change leads to, None if it changes none."""
    if all(part is None for part in (asked.assign, asked.scenarios, asked.distance, asked.row)):
        return None
    roles = table.desk.roles
    if roles is None:
        raise RequestRefused("No roles were suggested yet.", 409)
    columns = tuple(column.name for column in table.columns)
    if asked.row == "person" and roles.person is not None:
        # An id of people of whom each has one row is a name by itself.
        roles = assigned(roles, {roles.person: "direct_identifiers"}, columns)
    if asked.row == "event" and asked.person is not None:
        roles = assigned(roles, {asked.person: "person"}, columns)
    if asked.assign:
        roles = assigned(roles, asked.assign, columns)
    given = schema.RolesGiven(
        **{name: value for name, value in roles.to_dict().items() if name not in ("scenarios", "distance", "hierarchies")},
        scenarios=asked.scenarios if asked.scenarios is not None else {s.name: list(s.quasi_identifiers) for s in roles.scenarios},
        distance=asked.distance if asked.distance is not None else dict(roles.distance),
    ).given()
    for column in (*given.attributes, *given.distance):
        assigned(given, {column: None}, columns)  # says which column there is not
    return given
