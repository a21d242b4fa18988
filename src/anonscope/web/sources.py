"""Tables on the machine of the server, over REST: below the folders that it was started with, and nowhere else."""

from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from anonscope.web import schemas as schema
from anonscope.web.allowed import Roots, copied
from anonscope.web.rest import FAILURES, Mine
from anonscope.web.tasks import API

router = APIRouter(prefix=f"{API}/sources", responses=FAILURES)
Below = Annotated[str, Field(max_length=4000, description="A path below the folder, with slashes; empty: the folder itself.")]


class RootList(BaseModel):
    """The folders below which tables may be opened, by their last names; a root is called by its place in this list."""

    roots: list[str]


class EntryInfo(BaseModel):
    """A table or a folder."""

    name: str
    kind: Literal["file", "folder"]
    bytes: int | None


class EntryList(BaseModel):
    """What lies in a folder."""

    entries: list[EntryInfo]


class OpenAsked(schema.Asked):
    """A file, or a folder of parts that are one table, below a root."""

    root: Annotated[int, Field(ge=0, description="The place of the root in the list.")]
    path: Annotated[str, Field(max_length=4000, description="The file or the folder of parts below it.")]


def roots_of(request: Request) -> Roots:
    """Return what the server may read."""
    found: Roots = request.app.state.roots
    return found


@router.get("")
def roots(request: Request) -> RootList:
    """List the folders below which tables may be opened; none, unless the server was started with some."""
    return RootList(roots=[folder.name or str(folder) for folder in roots_of(request).folders])


@router.get("/{root}")
def list_folder(request: Request, root: int, path: Below = "") -> EntryList:
    """List the tables and folders in a folder below a root."""
    found = roots_of(request).listed(root, path)
    return EntryList(entries=[EntryInfo(name=one.name, kind=one.kind, bytes=one.bytes) for one in found])


@router.post("", status_code=201)
def open_source(request: Request, workspace: Mine, asked: OpenAsked) -> schema.TableInfo:
    """Open a table that lies below a root: a copy of it is read, so that it does not change under way."""
    source = roots_of(request).place(asked.root, asked.path)
    place = workspace.place()
    try:
        file = copied(source, place / "incoming", workspace.settings.upload_limit)
        return schema.TableInfo.of(workspace.take(file, source.name, origin=str(source)))
    except BaseException:
        workspace.clear(place)
        raise
