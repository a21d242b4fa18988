"""The REST interface under /api/v1: the same JSON as the command line, for tables that were sent."""

import time
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import FileResponse, StreamingResponse
from pydantic import TypeAdapter
from starlette.concurrency import run_in_threadpool

from anonscope.errors import RequestRefused
from anonscope.io.samples import write_hospital
from anonscope.operations.explore import Exploration
from anonscope.operations.signing.seal_file import seal_path
from anonscope.risk.policy import load, preset_names
from anonscope.transform.release.manifest import archive_path, manifest_path, recipe_path
from anonscope.web import schemas as schema
from anonscope.web import tasks as work
from anonscope.web import what_if
from anonscope.web.jobs import Jobs
from anonscope.web.lasting import shown_afterwards
from anonscope.web.responses import Ending, attached, document, documents, events, file_of, packed, plain
from anonscope.web.storage import Workspace
from anonscope.web.stored import StoredTable
from anonscope.web.upload import receive
from anonscope.web.written import Format, release_of

FAILURES: dict[int | str, dict[str, Any]] = {
    code: {"model": schema.Failure} for code in (400, 401, 403, 404, 409, 413, 415, 421, 422, 429, 500, 503)
}
router = APIRouter(prefix=work.API, responses=FAILURES)
SAMPLES = ("hospital", "visits")
_UPLOAD = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "file": {"type": "string", "format": "binary", "description": "The table."},
                        "manifest": {"type": "string", "description": "The manifest of a release, as it stands beside the file."},
                        "sample": {"type": "string", "enum": list(SAMPLES), "description": "Or a bundled sample."},
                        **TypeAdapter(schema.ReadingSent).json_schema()["properties"],
                    },
                }
            }
        },
    }
}


def workspace_of(request: Request) -> Workspace:
    """Return the workspace of the session; the guard has put it there."""
    found: Workspace = request.state.workspace
    return found


def jobs_of(request: Request) -> Jobs:
    """Return the jobs of the server."""
    found: Jobs = request.app.state.jobs
    return found


Mine = Annotated[Workspace, Depends(workspace_of)]
Work = Annotated[Jobs, Depends(jobs_of)]


def table_of(id: str, workspace: Mine) -> StoredTable:
    """Return a table of the session."""
    return workspace.table(id)


Table = Annotated[StoredTable, Depends(table_of)]


@router.get("/policies")
def policies() -> schema.PolicyList:
    """List the policies that come with the package."""
    found = [load(name) for name in preset_names()]
    return schema.PolicyList(
        policies=[schema.PolicyInfo(name=p.name, title=p.title, summary=p.summary, jurisdiction=p.jurisdiction) for p in found]
    )


@router.post("/tables", status_code=201, openapi_extra=_UPLOAD)
async def upload(request: Request, workspace: Mine) -> schema.TableInfo:
    """Send a table, or ask for a bundled sample."""
    folder = await run_in_threadpool(workspace.place)
    try:
        form = await receive(request, folder / "incoming", workspace.settings.upload_limit)
        file, name = folder / "incoming", form.file_name
        reading = schema.ReadingSent.of(form.fields)
        if name is None:
            sample = form.fields.get("sample")
            if sample not in SAMPLES:
                raise RequestRefused(f"The form has no file in its field 'file', and no sample: {' or '.join(SAMPLES)}.", 422)
            made = await run_in_threadpool(write_hospital, folder)
            file, name = (made.patients, "patients.csv") if sample == "hospital" else (made.visits, "visits.csv")
        # Reading takes memory as uploading does not, so only a few are read at once.
        table = await to_thread.run_sync(workspace.take, file, name, form.fields.get("manifest"), reading, limiter=request.app.state.intake)
    except BaseException:
        await run_in_threadpool(workspace.clear, folder)
        raise
    return schema.TableInfo.of(table)


@router.get("/tables")
def tables(workspace: Mine) -> schema.TableList:
    """List the tables of this session."""
    return schema.TableList(tables=[schema.TableInfo.of(table) for table in list(workspace.tables.values())])


@router.get("/tables/{id}")
def table_info(table: Table) -> schema.TableInfo:
    """Say what is known of a table."""
    return schema.TableInfo.of(table)


@router.delete("/tables/{id}", status_code=204)
def forget(id: str, workspace: Mine, jobs: Work) -> Response:
    """Forget a table: its file and everything that was found out."""
    workspace.table(id)
    jobs.cancel_of(workspace.id, id)
    workspace.forget(id)
    return Response(status_code=204)


@router.post("/tables/{id}/suggest", status_code=202)
def suggest(table: Table, workspace: Mine, jobs: Work, asked: schema.SuggestAsked | None = None) -> schema.JobInfo:
    """Suggest the role of every column."""
    return queued(
        jobs, "suggest", workspace, table, work.suggesting(table, asked or schema.SuggestAsked(), workspace.settings.memory_limit)
    )


@router.get("/tables/{id}/suggestion")
def suggestion(table: Table) -> dict[str, Any]:
    """Return the suggestion as `anonscope suggest --format json` prints it."""
    if table.suggestion is None:
        raise RequestRefused("No roles were suggested yet.", 409)
    return table.suggestion.to_dict()


@router.post("/tables/{id}/audit", status_code=202)
def audit(table: Table, workspace: Mine, jobs: Work, asked: schema.AuditAsked | None = None) -> schema.JobInfo:
    """Audit the table by roles and a policy; with an original, as a release of it that is attacked."""
    asked = asked or schema.AuditAsked()
    for id in (asked.original, asked.control):
        if id is not None:
            workspace.table(id)
    if asked.control is not None and asked.original is None:
        raise RequestRefused("A control is for attacks, and these need the table that the release was made of: name its original.", 422)
    asked.acknowledged()  # what is wrong with it is said now, not when the job runs
    roles = asked.roles.given() if asked.roles is not None else None
    if roles is not None:
        roles.check([column.name for column in table.columns])
    work.policy_of(asked.policy)
    return queued(jobs, "audit", workspace, table, work.auditing(workspace, table, asked, roles))


@router.get("/tables/{id}/audit.{ending}", responses=documents("The report; JSON as `anonscope audit --format json` prints it."))
def audit_report(table: Table, ending: Ending) -> Response:
    """Return the report of the last audit."""
    if table.audit is None:
        raise RequestRefused("The table was not audited yet.", 409)
    return document(table.audit, ending, "audit")


@router.get("/tables/{id}/roles.toml", response_class=Response, responses=file_of("application/toml"))
def roles(table: Table) -> Response:
    """Return the roles of the last audit as the file that the command line reads."""
    return attached(work.audited(table).to_toml(), "application/toml; charset=utf-8", "roles.toml")


@router.post("/tables/{id}/records")
def records(table: Table, asked: schema.RecordsAsked) -> schema.RecordList:
    """List the records at most risk by their row numbers; their values only if that is asked for and confirmed."""
    with table.lock:
        if table.audit is None:
            raise RequestRefused("The table was not audited yet.", 409)
        found = table.audit.records(
            asked.top,
            scenario=asked.scenario,
            rule=asked.rule,
            values=asked.values,
            confirm=asked.confirm,
            largest_set=asked.largest_set,
        )
    columns = [[plain(value) for value in column.to_pylist()] for column in found.columns]
    return schema.RecordList(columns=found.column_names, records=[list(row) for row in zip(*columns, strict=True)])


@router.post("/tables/{id}/explorer", status_code=202)
def prepare_explorer(table: Table, workspace: Mine, jobs: Work, asked: what_if.ExplorerAsked | None = None) -> schema.JobInfo:
    """Prepare the table for what-if questions, by the roles of its audit and by a policy, limits or the policy of the audit."""
    asked = asked or what_if.ExplorerAsked()
    work.audited(table)
    if asked.policy is not None:
        work.policy_of(asked.policy)
    return queued(jobs, "explorer", workspace, table, work.preparing(table, asked, workspace.settings.memory_limit))


@router.get("/tables/{id}/explorer")
def explorer(table: Table) -> what_if.ExplorerInfo:
    """Return what can be chosen: columns, their levels, where to begin, and what the policy says of the table as it is."""
    found = _exploration(table)
    return what_if.ExplorerInfo.of(found, what_if.begun(table, found))


@router.post("/tables/{id}/explore")
def explore(table: Table, asked: what_if.ExploreAsked) -> what_if.Explored:
    """Say what a release at some levels would be like, without reading the table again: `anonscope explore --format json` prints it."""
    started = time.perf_counter()
    found = _exploration(table).at(asked.levels or {}, asked.suppression)
    return what_if.Explored.of(found, 1000 * (time.perf_counter() - started))


@router.post("/tables/{id}/plan", status_code=202)
def plan(table: Table, workspace: Mine, jobs: Work, asked: schema.PlanAsked | None = None) -> schema.JobInfo:
    """Say how the table can be released: the best recodings found, or what would have to give."""
    asked = asked or schema.PlanAsked()
    work.audited(table)
    if asked.policy is not None:
        work.policy_of(asked.policy)
    like = recipe_path(release_of(workspace.table(asked.like))) if asked.like is not None else None
    return queued(jobs, "plan", workspace, table, work.planning(table, asked, like, workspace.settings.memory_limit))


@router.get("/tables/{id}/plan.{ending}", responses=documents("The plan; JSON as `anonscope plan --format json` has it."))
def plan_report(table: Table, ending: Ending) -> Response:
    """Return the last plan: that of the audit, or the one that was asked for since."""
    if table.plan is None:
        raise RequestRefused("There is no plan yet.", 409)
    return document(table.plan, ending, "plan")


@router.post("/tables/{id}/anonymise", status_code=202)
def anonymise(table: Table, workspace: Mine, jobs: Work, asked: schema.AnonymiseAsked | None = None) -> schema.JobInfo:
    """Search the release that meets a policy at the least loss, and make it."""
    asked = asked or schema.AnonymiseAsked()
    asked.acknowledged()
    work.audited(table)
    if asked.policy is not None:
        work.policy_of(asked.policy)
    return queued(jobs, "anonymise", workspace, table, work.anonymising(workspace, table, asked))


@router.get("/tables/{id}/anonymisation.{ending}", responses=documents("The report; JSON as `anonscope anonymise --format json` has it."))
def anonymisation_report(table: Table, ending: Ending) -> Response:
    """Return the report of the last anonymisation."""
    if table.anonymisation is None:
        raise RequestRefused("The table was not anonymised yet.", 409)
    return document(table.anonymisation, ending, "anonymisation")


@router.get("/tables/{id}/release.csv", response_class=FileResponse, responses=file_of("text/csv"))
def release(table: Table) -> FileResponse:
    """Return the release as CSV."""
    return FileResponse(release_of(table), media_type="text/csv", filename="release.csv")


@router.get("/tables/{id}/release.parquet", response_class=FileResponse, responses=file_of("application/vnd.apache.parquet"))
def release_as_parquet(table: Table) -> FileResponse:
    """Return the release as Parquet, which was read back and judged by itself."""
    return FileResponse(release_of(table, "parquet"), media_type="application/vnd.apache.parquet", filename="release.parquet")


@router.get("/tables/{id}/release.recipe.toml", response_class=FileResponse, responses=file_of("application/toml"))
def recipe(table: Table) -> FileResponse:
    """Return the recipe that reproduces the release, as it stands in the archive; not for others."""
    path = recipe_path(release_of(table))
    if not path.is_file():
        raise RequestRefused("The release was drawn, not recoded: no recipe makes it again.", 409)
    return FileResponse(path, media_type="application/toml", filename="release.csv.recipe.toml")


@router.get("/tables/{id}/release.manifest.json", response_class=FileResponse, responses=file_of("application/json"))
def manifest(table: Table, format: Format = "csv") -> FileResponse:
    """Return the manifest of the release, for whoever receives it."""
    path = manifest_path(release_of(table, format))
    return FileResponse(path, media_type="application/json", filename=path.name)


@router.get("/tables/{id}/release-for-recipient.zip", response_class=Response, responses=file_of("application/zip"))
def recipient_bundle(table: Table, format: Format = "csv") -> Response:
    """Return the release with its manifest, and its seal if it has one: what others may have."""
    path = release_of(table, format)
    sealed = [found for found in (seal_path(manifest_path(path)),) if found.is_file()]
    return attached(packed(path.parent, (path, manifest_path(path), *sealed)), "application/zip", "release-for-recipient.zip")


@router.get("/tables/{id}/release-for-archive.zip", response_class=Response, responses=file_of("application/zip"))
def archive_bundle(table: Table, format: Format = "csv") -> Response:
    """Return everything: the release, both manifests, the recipe and its hierarchies; these hold original values, so not for others."""
    path = release_of(table, format)
    return attached(packed(path.parent, (path, manifest_path(path), archive_path(path))), "application/zip", "release-for-archive.zip")


@router.post("/tables/{id}/verify", status_code=202)
def verify(table: Table, workspace: Mine, jobs: Work) -> schema.JobInfo:
    """Compare a release with the manifest that was sent with it, and measure its verdict again."""
    if not manifest_path(table.path).is_file():
        raise RequestRefused("The table came without a manifest. Send a release and its manifest together.", 409)
    return queued(jobs, "verify", workspace, table, work.verifying(table, workspace.settings.memory_limit))


@router.get("/tables/{id}/verification.{ending}", responses=documents("The result; JSON as `anonscope verify --format json` prints it."))
def verification_report(table: Table, ending: Ending) -> Response:
    """Return whether the release is what was published."""
    if table.verification is None:
        raise RequestRefused("The release was not verified yet.", 409)
    return document(table.verification, ending, "verification")


@router.post("/compare", status_code=202)
def compare(workspace: Mine, jobs: Work, asked: schema.CompareAsked) -> schema.JobInfo:
    """Put an original and its releases side by side."""
    original = workspace.table(asked.original)
    work.audited(original)
    for id in (*asked.releases, *([asked.external] if asked.external is not None else [])):
        workspace.table(id)
    if not asked.releases and not asked.own_release and not asked.versions:
        raise RequestRefused("There is nothing to compare the original with. Add at least one release.", 422)
    return queued(jobs, "compare", workspace, original, shown_afterwards(workspace, original, "compare", work.comparing(workspace, asked)))


@router.get("/comparisons/{id}.{ending}", responses=documents("The report; JSON as `anonscope compare --format json` prints it."))
def comparison_report(id: str, ending: Ending, workspace: Mine) -> Response:
    """Return a comparison."""
    return document(workspace.comparison(id), ending, "comparison")


@router.post("/link", status_code=202)
def link(workspace: Mine, jobs: Work, asked: schema.LinkAsked) -> schema.JobInfo:
    """Say what somebody who holds another table learns about the people in a release."""
    table = workspace.table(asked.release)
    workspace.table(asked.external)
    return queued(jobs, "link", workspace, table, shown_afterwards(workspace, table, "link", work.linking(workspace, asked)))


@router.post("/attack", status_code=202)
def attack(workspace: Mine, jobs: Work, asked: schema.AttackAsked) -> schema.JobInfo:
    """Attack a release with the people of its original and of a control."""
    original = workspace.table(asked.original)
    work.audited(original)
    for id in (asked.release, asked.control, asked.external, *asked.also):
        if id is not None:
            workspace.table(id)
    return queued(jobs, "attack", workspace, original, shown_afterwards(workspace, original, "attack", work.attacking(workspace, asked)))


@router.post("/tables/{id}/unicity", status_code=202)
def unicity(table: Table, workspace: Mine, jobs: Work, asked: schema.UnicityAsked) -> schema.JobInfo:
    """Say how many points of somebody's events single them out."""
    return queued(jobs, "unicity", workspace, table, work.counting_points(workspace, table, asked))


@router.get("/attacks/{id}.{ending}", responses=documents("The report; JSON as `anonscope attack --format json` prints it."))
def attack_report(id: str, ending: Ending, workspace: Mine) -> Response:
    """Return what attacks achieved."""
    return document(workspace.attacked(id), ending, "attacks")


@router.get("/jobs/{id}")
def job(id: str, workspace: Mine, jobs: Work) -> schema.JobInfo:
    """Say how far a job is."""
    return schema.JobInfo.of_job(jobs.find(id, workspace.id))


@router.get("/jobs/{id}/events", response_class=StreamingResponse, responses=file_of("text/event-stream"))
async def job_events(id: str, workspace: Mine, jobs: Work) -> StreamingResponse:
    """Follow a job: an event `job` at every change, until it has ended."""
    return StreamingResponse(events(jobs.find(id, workspace.id)), media_type="text/event-stream")


@router.post("/jobs/{id}/cancel")
def cancel(id: str, workspace: Mine, jobs: Work) -> schema.JobInfo:
    """Cancel a job; it stops at its next step."""
    found = jobs.find(id, workspace.id)
    found.cancel()
    return schema.JobInfo.of_job(found)


def queued(jobs: Jobs, kind: str, workspace: Workspace, table: StoredTable, asked: work.Work) -> schema.JobInfo:
    """Put work in line, and return the job."""
    return schema.JobInfo.of_job(jobs.submit(kind, workspace.id, table.id, asked))


def _exploration(table: StoredTable) -> Exploration:
    if table.exploration is None:
        raise RequestRefused("The table is not prepared for what-if questions yet.", 409)
    return table.exploration
