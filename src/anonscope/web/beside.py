"""Tables beside a table, over REST: the population its rows were drawn from, and an outside table that somebody may match."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from anonscope.errors import ColumnNotFound
from anonscope.web import schemas as schema
from anonscope.web.rest import FAILURES, Mine, Table
from anonscope.web.storage import Workspace
from anonscope.web.stored import Beside, StoredTable
from anonscope.web.tasks import API

router = APIRouter(prefix=f"{API}/tables/{{id}}", responses=FAILURES)


class MappingInfo(BaseModel):
    """Which column of another table holds what a quasi-identifier holds, as it is proposed; none where no name is like it."""

    table: str
    name: str
    columns: dict[str, str | None]
    there: list[str] = Field(description="The columns of the other table.")


class BesideAsked(schema.Asked):
    """A table that stands beside this one, and what quasi-identifiers are called there."""

    table: Annotated[str | None, Field(description="The id of the other table; none takes it away.")] = None
    columns: Annotated[dict[str, str], Field(description="Quasi-identifiers by what they are called there.", default_factory=dict)]


class BesideInfo(BaseModel):
    """What stands beside a table."""

    population: str | None
    population_columns: dict[str, str]
    outside: str | None
    outside_columns: dict[str, str]

    @classmethod
    def of(cls, table: StoredTable, workspace: Workspace) -> "BesideInfo":
        """Return what is told of it; what was forgotten meanwhile stands there no more."""
        desk = table.desk
        population = desk.population if desk.population in workspace.tables else None
        outside = desk.outside if desk.outside in workspace.tables else None
        return cls(population=population, population_columns=desk.population_columns, outside=outside, outside_columns=desk.outside_columns)


@router.get("/mapping/{other}")
def propose_mapping(table: Table, workspace: Mine, other: str) -> MappingInfo:
    """Propose which columns of another table hold the same as the quasi-identifiers of this one."""
    there = workspace.table(other)
    names = [column.name for column in there.columns]
    known = table.desk.roles.attributes if table.desk.roles is not None else ()
    return MappingInfo(table=other, name=there.name, columns=_proposed(known, names), there=names)


@router.get("/beside")
def what_stands_beside(table: Table, workspace: Mine) -> BesideInfo:
    """Say which tables stand beside this one."""
    return BesideInfo.of(table, workspace)


@router.put("/beside/population")
def give_population(table: Table, workspace: Mine, asked: BesideAsked) -> BesideInfo:
    """Say of whom the rows may be; the next audit counts them there, and releases are searched with them."""
    people = workspace.table(asked.table) if asked.table is not None else None
    with table.desk.lock:
        _check(asked, people)
        table.beside = Beside(people.path, asked.columns) if people is not None else None
        table.desk.population, table.desk.population_columns = asked.table, dict(asked.columns)
        table.desk.stale = table.audit is not None
        table.desk.changed()
    return BesideInfo.of(table, workspace)


@router.put("/beside/outside")
def give_outside(table: Table, workspace: Mine, asked: BesideAsked) -> BesideInfo:
    """Say which table somebody else may hold."""
    found = workspace.table(asked.table) if asked.table is not None else None
    with table.desk.lock:
        _check(asked, found)
        table.desk.outside, table.desk.outside_columns = asked.table, dict(asked.columns)
        table.desk.changed()
    return BesideInfo.of(table, workspace)


def _check(asked: BesideAsked, other: StoredTable | None) -> None:
    names = [column.name for column in other.columns] if other is not None else []
    for column in asked.columns.values():
        if column not in names:
            raise ColumnNotFound(column, names)


def _proposed(known: Sequence[str], there: Sequence[str]) -> dict[str, str | None]:
    """Return for every column the one that is called the same, but for case and signs, or nearly so; each is taken once."""
    left = {_plain(name): name for name in reversed(there)}
    found: dict[str, str | None] = {}
    for cutoff in (1.0, 0.75):
        for column in known:
            if found.get(column) is None:
                near = get_close_matches(_plain(column), left, n=1, cutoff=cutoff)
                found[column] = left.pop(near[0]) if near else None
    return {column: found[column] for column in known}


def _plain(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())
