"""A project over REST: which tables it keeps, which of them wait for their file, and what a colleague may have of it."""

from typing import Annotated, Any, Literal

from anyio import to_thread
from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from anonscope.errors import RequestRefused
from anonscope.web import schemas as schema
from anonscope.web.project.export import exported_zip
from anonscope.web.project.project import Project
from anonscope.web.responses import attached, file_of
from anonscope.web.rest import FAILURES, Mine
from anonscope.web.tasks import API
from anonscope.web.upload import receive

router = APIRouter(prefix=f"{API}/project", responses=FAILURES)
_FILE: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary", "description": "The file of the table."},
                        "changed": {"type": "string", "enum": ["true"], "description": "That the file is another one than before."},
                    },
                }
            }
        },
    }
}


class ProjectTable(BaseModel):
    """A table of a project: whether it is open, and what it waits for if it is not."""

    id: str
    name: str
    state: Literal["open", "waiting"]
    reason: str | None = Field(description="Why it is not open.")
    sha256: str | None = Field(description="What its file is known by.")


class ProjectInfo(BaseModel):
    """The project of this server, if it was started with one."""

    name: str | None = Field(description="What its folder is called; none: nothing outlives the server.")
    problem: str | None = Field(description="Why changes may be lost, if they cannot be written.")
    tables: list[ProjectTable]

    @classmethod
    def of(cls, project: Project | None) -> "ProjectInfo":
        """Return what is told of a project."""
        if project is None:
            return cls(name=None, problem=None, tables=[])
        open_ones = list(project.workspace().tables.values())
        tables = [ProjectTable(id=one.id, name=one.name, state="open", reason=None, sha256=one.sha256) for one in open_ones]
        waiting = list(project.waiting.values())
        tables += [ProjectTable(id=one.id, name=one.name, state="waiting", reason=one.reason, sha256=one.sha256) for one in waiting]
        return cls(name=project.folder.name, problem=project.keeper.problem, tables=tables)


def project_of(request: Request) -> Project:
    """Return the project of the server; raise if it has none."""
    found: Project | None = request.app.state.project
    if found is None:
        raise RequestRefused("The server was started without a project: `anonscope serve --project FOLDER`.", 409)
    return found


Ours = Annotated[Project, Depends(project_of)]


@router.get("")
def project_info(request: Request) -> ProjectInfo:
    """Say which tables the project of this server keeps."""
    return ProjectInfo.of(request.app.state.project)


@router.post("/tables/{id}/file", status_code=201, openapi_extra=_FILE)
async def give_file(request: Request, workspace: Mine, project: Ours, id: str) -> schema.TableInfo:
    """Give the file of a table that waits for it. Another file than before is refused, unless `changed` says that this is known."""
    project.waits(id)
    place = await run_in_threadpool(workspace.place)
    try:
        form = await receive(request, place / "incoming", workspace.settings.upload_limit)
        if form.file_name is None:
            raise RequestRefused("The form has no file in its field 'file'.", 422)
        changed = form.fields.get("changed") == "true"
        table = await to_thread.run_sync(lambda: project.give(id, place / "incoming", changed=changed), limiter=request.app.state.intake)
    except BaseException:
        await run_in_threadpool(workspace.clear, place)
        raise
    return schema.TableInfo.of(table)


@router.delete("/tables/{id}", status_code=204)
def forget_waiting(project: Ours, id: str) -> Response:
    """Delete what the project keeps of a table that waits for its file."""
    project.forget(id)
    return Response(status_code=204)


@router.get("/export.zip", response_class=Response, responses=file_of("application/zip"))
def export(project: Ours) -> Response:
    """Return the project without hierarchies, recipes, hashes and data: for a colleague, or a repository."""
    project.keeper.save()
    return attached(exported_zip(project.folder.path), "application/zip", f"{project.folder.name}.zip")
