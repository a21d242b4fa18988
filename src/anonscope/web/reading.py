"""How a file was read, over REST: what was found, what its owner says instead, and a look at the first rows."""

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from anonscope.errors import OptionError
from anonscope.io.formats import format_of
from anonscope.io.sources.encoding import detect, head_of
from anonscope.operations.wishes.words import said
from anonscope.web import schemas as schema
from anonscope.web.responses import plain
from anonscope.web.rest import FAILURES, Mine, Table
from anonscope.web.storage import parts_of
from anonscope.web.stored import StoredTable
from anonscope.web.tasks import API

router = APIRouter(prefix=f"{API}/tables/{{id}}", responses=FAILURES)


class ReadingInfo(BaseModel):
    """How the file of a table was read: what it is, how it is written, what was noticed, and what its owner said of it."""

    format: str
    delimiter: str | None
    encoding: str | None
    records: int
    columns: list[schema.ColumnInfo]
    notes: list[str]
    said: dict[str, Any] = Field(description="What its owner said, by the names of the options.")

    @classmethod
    def of(cls, table: StoredTable) -> "ReadingInfo":
        """Return what is told of the reading."""
        first = parts_of(table.path)[0]
        head, name = head_of(first), table.name if table.path.is_file() else first.name
        found = table.reading.format or format_of(first, head, name)
        return cls(
            format=found,
            delimiter=table.delimiter,
            encoding=(table.reading.encoding or detect(first, head, name)) if table.delimiter is not None else None,
            records=table.records,
            columns=[schema.ColumnInfo(name=column.name, type=column.type) for column in table.columns],
            notes=list(table.notes),
            said={name: value for name, value in said(table.reading).items() if value is not None},
        )


class PreviewAsked(schema.Asked):
    """How many rows to look at. Values show people, which must be confirmed."""

    rows: Annotated[int, Field(ge=1, le=50, description="How many rows.")] = 8
    values: Annotated[bool, Field(description="Whether values are shown.")] = False
    confirm: Annotated[bool, Field(description="That they are meant to be shown.")] = False


class PreviewInfo(BaseModel):
    """The first rows: of every cell whether there is a value, or the value itself."""

    columns: list[str]
    rows: list[list[Any]]


@router.get("/reading")
def how_it_was_read(table: Table) -> ReadingInfo:
    """Say how the file was read."""
    return ReadingInfo.of(table)


@router.put("/reading")
def read_again(table: Table, workspace: Mine, asked: schema.ReadingSent) -> ReadingInfo:
    """Read the file anew, as its owner says; roles are proposed anew then. A file that cannot be read so stays as it was read."""
    workspace.read_again(table, asked)
    return ReadingInfo.of(table)


@router.post("/preview")
def preview(table: Table, workspace: Mine, asked: PreviewAsked | None = None) -> PreviewInfo:
    """Look at the first rows."""
    asked = asked or PreviewAsked()
    if asked.values and not asked.confirm:
        raise OptionError("Values of rows show people. Say confirm as well if that is meant.")
    with table.open_apart(workspace.settings.memory_limit) as data:
        found = data.engine.rows(f"SELECT * FROM {data.relation.origin} LIMIT {asked.rows}")
        names = list(data.relation.names)
    show = plain if asked.values else _veiled
    return PreviewInfo(columns=names, rows=[[show(cell) for cell in row] for row in found])


def _veiled(cell: Any) -> str | None:
    """Return whether there is a value, and nothing of it, not even its length."""
    return None if cell is None else "•••"
