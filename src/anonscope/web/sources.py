"""Tables that the server can reach, over REST: below the folders and in the databases that it was started with, and nowhere else."""

from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from anonscope.web import schemas as schema
from anonscope.web.allowed import Roots, copied
from anonscope.web.databases import Tables
from anonscope.web.lakes import Lake
from anonscope.web.rest import FAILURES, Mine
from anonscope.web.tasks import API

router = APIRouter(prefix=f"{API}/sources", responses=FAILURES)
Below = Annotated[str, Field(max_length=4000, description="A path below the folder, with slashes; empty: the folder itself.")]


class RootList(BaseModel):
    """Folders below which tables may be opened, by their last names, databases, and tables on Spark; a root is called by its place."""

    roots: list[str]


class EntryInfo(BaseModel):
    """A file, a folder, or a table of a database."""

    name: str
    kind: Literal["file", "folder", "table"]
    bytes: int | None


class EntryList(BaseModel):
    """What lies in a folder."""

    entries: list[EntryInfo]


class OpenAsked(schema.Asked):
    """A file, or a folder of parts that are one table, below a root; or a table of a database."""

    root: Annotated[int, Field(ge=0, description="The place of the root in the list.")]
    path: Annotated[str, Field(max_length=4000, description="The file or the folder of parts below it, or the name of the table.")]


def roots_of(request: Request) -> Roots:
    """Return what the server may read."""
    found: Roots = request.app.state.roots
    return found


def database_of(request: Request, root: int) -> Tables | Lake | None:
    """Return the database, or the table on Spark, that a root is; none where it is a folder."""
    databases: tuple[Tables | Lake, ...] = request.app.state.databases
    at = root - len(roots_of(request).folders)
    return databases[at] if 0 <= at < len(databases) else None


@router.get("")
def roots(request: Request) -> RootList:
    """List the folders and databases whose tables may be opened; none, unless the server was started with some."""
    folders = [folder.name or str(folder) for folder in roots_of(request).folders]
    return RootList(roots=[*folders, *(database.name for database in request.app.state.databases)])


@router.get("/{root}")
def list_folder(request: Request, root: int, path: Below = "") -> EntryList:
    """List the tables and folders in a folder below a root, or the tables of a database."""
    database = database_of(request, root)
    if database is not None:
        return EntryList(entries=[EntryInfo(name=name, kind="table", bytes=None) for name in database.listed()])
    found = roots_of(request).listed(root, path)
    return EntryList(entries=[EntryInfo(name=one.name, kind=one.kind, bytes=one.bytes) for one in found])


@router.post("", status_code=201)
def open_source(request: Request, workspace: Mine, asked: OpenAsked) -> schema.TableInfo:
    """Open a table that lies below a root: a copy of it is read, so that it does not change under way."""
    database = database_of(request, asked.root)
    source = roots_of(request).place(asked.root, asked.path) if database is None else None
    place, settings = workspace.place(), workspace.settings
    try:
        if database is not None:
            file = database.copied(asked.path, place / "incoming", settings.upload_limit, settings.row_limit)
            return schema.TableInfo.of(workspace.take(file, f"{asked.path}.parquet"))
        assert source is not None
        file = copied(source, place / "incoming", settings.upload_limit)
        return schema.TableInfo.of(workspace.take(file, source.name, origin=str(source)))
    except BaseException:
        workspace.clear(place)
        raise
