"""Releases that are made otherwise than by a search over the whole table: by a recipe, by a pipeline, in fragments."""

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import Field

from anonscope.columns.roles import Roles
from anonscope.errors import RequestRefused
from anonscope.io.progress import Progress
from anonscope.operations.apply import apply
from anonscope.operations.describe import describe
from anonscope.operations.fragment import fragment
from anonscope.operations.pipeline import pipeline
from anonscope.operations.wishes.columns import Fragmenting
from anonscope.operations.wishes.describing import Describing
from anonscope.operations.wishes.policy import Publishing
from anonscope.operations.wishes.roles import Acknowledging
from anonscope.operations.wishes.search import Search
from anonscope.operations.wishes.suggestion import Stages
from anonscope.operations.wishes.words import said
from anonscope.transform.recipe import Recipe
from anonscope.transform.release.manifest import archive_path, manifest_path
from anonscope.web import schemas as schema
from anonscope.web.asked import asked as body
from anonscope.web.responses import attached, file_of, packed
from anonscope.web.rest import FAILURES, Mine, Table, Work, queued
from anonscope.web.storage import Workspace
from anonscope.web.stored import StoredTable
from anonscope.web.tasks import API, as_job, audited, policy_of, recipe_sent, sent_of
from anonscope.web.versions import keep, place
from anonscope.web.written import written

router = APIRouter(prefix=API, responses=FAILURES)


@body
class ApplyAsked(Publishing, Acknowledging):
    """A recipe to carry out, as a document that names no files. Roles are those of the audit, if there was one."""

    recipe: Annotated[str, Field(max_length=200_000, description="The recipe, as its TOML file says it.")]
    policy: str | None = None


@body
class PipelineAsked(Stages, Acknowledging):
    """What the stages go by. Roles that are given stay whatever the rate."""

    roles: Annotated[schema.RolesGiven | None, Field(description="Roles that stay whatever the rate.")] = None
    policy: str = "pipeline"


@body
class FragmentAsked(Fragmenting, Search, Acknowledging):
    """How quasi-identifiers are split, and what every fragment must meet. Without policy or limits, the policy of the audit."""

    policy: str | None = None
    levels: dict[str, schema.Level | tuple[schema.Level, schema.Level]] | None = None


@body
class DescribeAsked(Describing):
    """In which standard the release is described, and what only its publisher knows."""


@router.post("/tables/{id}/describe")
def ask_describe(table: Table, asked: DescribeAsked | None = None) -> dict[str, Any]:
    """Describe the release that was made of the table, and its verdict, to catalogues and search engines."""
    if table.release is None:
        raise RequestRefused("There is no release: the table was not anonymised yet, or the policy was not met.", 409)
    return describe(table.release, **said(asked or DescribeAsked()))


@router.post("/tables/{id}/apply", status_code=202)
def ask_apply(table: Table, workspace: Mine, jobs: Work, asked: ApplyAsked) -> schema.JobInfo:
    """Carry out a recipe, and make the release."""
    asked.acknowledged()  # what is wrong with it is said now, not when the job runs
    if asked.policy is not None:
        policy_of(asked.policy)
    return queued(jobs, "apply", workspace, table, _applying(workspace, table, recipe_sent(asked.recipe), asked))


@router.post("/tables/{id}/pipeline", status_code=202)
def ask_pipeline(table: Table, workspace: Mine, jobs: Work, asked: PipelineAsked | None = None) -> schema.JobInfo:
    """Identify roles by risk rates, and find the fewest quasi-identifiers whose de-identification meets a policy."""
    asked = asked or PipelineAsked()
    asked.acknowledged()
    policy_of(asked.policy)
    return queued(jobs, "pipeline", workspace, table, _piping(workspace, table, asked))


@router.post("/tables/{id}/fragment", status_code=202)
def ask_fragment(table: Table, workspace: Mine, jobs: Work, asked: FragmentAsked | None = None) -> schema.JobInfo:
    """Split the quasi-identifiers into fragments, and recode each until it meets a policy."""
    asked = asked or FragmentAsked()
    asked.acknowledged()
    audited(table)
    if asked.policy is not None:
        policy_of(asked.policy)
    return queued(jobs, "fragment", workspace, table, _fragmenting(workspace, table, asked))


@router.get("/tables/{id}/fragments-for-recipient.zip", response_class=Response, responses=file_of("application/zip"))
def fragments_for_recipient(table: Table) -> Response:
    """Return the fragments with their manifests: what others may have."""
    paths = _fragments(table)
    entries = [entry for path in paths for entry in (path, manifest_path(path))]
    return attached(packed(paths[0].parent, entries), "application/zip", "fragments-for-recipient.zip")


@router.get("/tables/{id}/fragments-for-archive.zip", response_class=Response, responses=file_of("application/zip"))
def fragments_for_archive(table: Table) -> Response:
    """Return everything about the fragments; archives hold original values, so not for others."""
    paths = _fragments(table)
    entries = [entry for path in paths for entry in (path, manifest_path(path), archive_path(path))]
    return attached(packed(paths[0].parent, entries), "application/zip", "fragments-for-archive.zip")


@as_job
def _applying(progress: Progress, workspace: Workspace, table: StoredTable, recipe: Recipe, asked: ApplyAsked) -> str:
    with table.opened(table.roles, workspace.settings.memory_limit) as data:
        data.acknowledged = asked.acknowledged() or table.acknowledged
        judged_by = policy_of(asked.policy) if asked.policy is not None else None
        made = apply(recipe, data, progress=progress).looked_at(judged_by)
        release = written(table, lambda path: made.save(path, policy=judged_by, formulas="mark"))
        limit, name = workspace.settings.memory_limit, asked.policy or table.desk.policy
        keep(table, release, how="apply", asked=sent_of(asked), policy=name, memory_limit=limit, acknowledged=data.acknowledged)
    table.anonymisation = None
    return f"{API}/tables/{table.id}/release.manifest.json"


@as_job
def _piping(progress: Progress, workspace: Workspace, table: StoredTable, asked: PipelineAsked) -> str:
    with table.opened(asked.roles.given() if asked.roles is not None else Roles(), workspace.settings.memory_limit) as data:
        data.acknowledged = asked.acknowledged()
        wishes = said(asked, only=(Stages,), without=("policy",))
        found = pipeline(data, policy_of(asked.policy), **wishes, progress=progress)
        if found.met:
            release = written(table, lambda path: found.write(path, formulas="mark"))
            keep(
                table,
                release,
                how="pipeline",
                asked=sent_of(asked),
                policy=asked.policy,
                memory_limit=workspace.settings.memory_limit,
                acknowledged=data.acknowledged,
                roles=found.release.roles if found.release is not None else None,
            )
    table.anonymisation = None
    return f"{API}/results/{workspace.keep_result(found)}.json"


@as_job
def _fragmenting(progress: Progress, workspace: Workspace, table: StoredTable, asked: FragmentAsked) -> str:
    policy = None if asked.limits is not None and asked.policy is None else policy_of(asked.policy or table.policy)
    with table.opened(audited(table), workspace.settings.memory_limit) as data:
        data.acknowledged = asked.acknowledged() or table.acknowledged
        found = fragment(data, policy, **said(asked, only=(Search, Fragmenting), without=("policy",)), progress=progress)
        files: tuple[Path, ...] = ()
        if found.met:
            release = place(table)
            files = found.write(release if asked.assemble else release.parent, formulas="mark")
    if not table.forgotten:
        table.fragments = files
    return f"{API}/results/{workspace.keep_result(found)}.json"


def _fragments(table: StoredTable) -> tuple[Path, ...]:
    if not table.fragments:
        raise RequestRefused("There are no fragments: the table was not split yet, or the policy was not met.", 409)
    return table.fragments
