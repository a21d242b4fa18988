"""How the values of columns coarsen, over REST: looked at, changed group by group, brought in and taken out as ARX writes it."""

from typing import Annotated, Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from anonscope.columns.hierarchy import Hierarchy, changes, parse_hierarchy
from anonscope.columns.hierarchy.for_columns import check_coverage
from anonscope.errors import HierarchyError, OptionError, RequestRefused
from anonscope.operations.hierarchy import build_hierarchies
from anonscope.report.words import level_words
from anonscope.web import schemas as schema
from anonscope.web.responses import attached, file_of
from anonscope.web.rest import FAILURES, Mine, Table
from anonscope.web.stored import StoredTable
from anonscope.web.tasks import API, audited

router = APIRouter(prefix=f"{API}/tables/{{id}}/hierarchies", responses=FAILURES)
Label = Annotated[str, Field(max_length=2000)]


class GroupInfo(BaseModel):
    """A group of a level: its label, and what the level below calls its members."""

    label: str
    members: list[str]
    group_of: str = Field(description="The group of the level above that it belongs to.")


class RungInfo(BaseModel):
    """A level: how many groups it has, what it does, and the groups themselves if values may be shown."""

    level: int
    groups: int
    words: str
    labels: list[GroupInfo] | None


class LadderInfo(BaseModel):
    """How the values of a column coarsen."""

    column: str
    automatic: bool = Field(description="Whether it was made from the data, and not given or changed by somebody.")
    levels: list[RungInfo]

    @classmethod
    def of(cls, hierarchy: Hierarchy, column: str, *, automatic: bool, values: bool) -> "LadderInfo":
        """Return what is told of a hierarchy; its labels are values of the table, and are told only where that was confirmed."""
        rungs = [
            RungInfo(
                level=level,
                groups=groups,
                words=level_words(level, hierarchy.height, hierarchy.words),
                labels=_groups(hierarchy, level) if values and level > 0 else None,
            )
            for level, groups in enumerate(hierarchy.cardinalities)
        ]
        return cls(column=column, automatic=automatic, levels=rungs)


class LadderSent(schema.Asked):
    """A hierarchy as ARX writes it: a line a value, from the value to its coarsest label."""

    csv: Annotated[str, Field(max_length=4_000_000, description="The text of the file.")]


class LadderChange(schema.Asked):
    """One change of a level: groups are merged or renamed, members split off, a group moved."""

    change: Annotated[Literal["merge", "split", "rename", "move"], Field(description="What is done.")]
    level: Annotated[int, Field(ge=1, le=1000, description="Which level; 1 is the finest that is made.")]
    labels: Annotated[list[Label], Field(min_length=1, description="The groups that are merged; else the one that is changed.")]
    members: Annotated[list[Label], Field(description="What is split off, as the level below calls it.", default_factory=list)]
    name: Annotated[Label, Field(description="What the new group is called.")] = ""
    by: Annotated[int, Field(ge=-1000, le=1000, description="How many places a group moves down.")] = 0


@router.get("/{position}")
def ladder(table: Table, workspace: Mine, position: int, values: bool = False, confirm: bool = False) -> LadderInfo:
    """Return the levels of a column; their labels are values, which must be confirmed."""
    if values and not confirm:
        raise OptionError("Labels are made of values of the table. Say confirm as well if they are meant to be shown.")
    column = _column(table, position)
    return _told(table, column, ladder_of(table, column, workspace.settings.memory_limit), values)


@router.get("/{position}/hierarchy.csv", response_class=Response, responses=file_of("text/csv"))
def ladder_file(table: Table, workspace: Mine, position: int) -> Response:
    """Return the hierarchy as ARX reads it; it has all values of the column, so it is not for others."""
    found = ladder_of(table, _column(table, position), workspace.settings.memory_limit)
    return attached(found.to_csv(), "text/csv; charset=utf-8", "hierarchy.csv")


@router.put("/{position}")
def give_ladder(table: Table, workspace: Mine, position: int, asked: LadderSent) -> LadderInfo:
    """Take over a hierarchy; it must cover every value of the column."""
    column = _column(table, position)
    made = ladder_of(table, column, workspace.settings.memory_limit)
    given = parse_hierarchy(asked.csv, column)
    check_coverage(column, given, _own(table, column, made).leaves)
    return _kept(table, column, given)


@router.post("/{position}/change")
def change_ladder(table: Table, workspace: Mine, position: int, asked: LadderChange) -> LadderInfo:
    """Change a level of a hierarchy: merge, split, rename or move groups."""
    column = _column(table, position)
    found, first = ladder_of(table, column, workspace.settings.memory_limit), asked.labels[0]
    try:
        if asked.change == "merge":
            found = changes.merged(found, asked.level, asked.labels, asked.name)
        elif asked.change == "split":
            found = changes.split(found, asked.level, first, asked.members, asked.name)
        elif asked.change == "rename":
            found = changes.renamed(found, asked.level, first, asked.name)
        else:
            found = changes.moved(found, asked.level, first, asked.by)
    except HierarchyError as error:
        raise RequestRefused(str(error), 422) from None
    return _kept(table, column, found)


@router.delete("/{position}")
def forget_ladder(table: Table, workspace: Mine, position: int) -> LadderInfo:
    """Go back to the hierarchy that is made from the data."""
    column = _column(table, position)
    with table.desk.lock:
        table.desk.hierarchies.pop(column, None)
        table.exploration = None
        table.desk.changed()
    return _told(table, column, ladder_of(table, column, workspace.settings.memory_limit), False)


def ladder_of(table: StoredTable, column: str, memory_limit: str | None) -> Hierarchy:
    """Return the hierarchy that searches go by: the one that was given or changed, or the one that is made from the data."""
    roles = audited(table)
    if column not in roles.attributes:
        raise RequestRefused("Only quasi-identifiers have a hierarchy.", 404)
    if column in table.desk.hierarchies:
        return table.desk.hierarchies[column]
    if column not in table.ladders:
        with table.opened(roles, memory_limit) as data:
            table.ladders |= build_hierarchies(data)
    return table.ladders[column]


def _column(table: StoredTable, position: int) -> str:
    """Return the column at a position: what columns are called may hold any sign, and so no address does."""
    if not 0 <= position < len(table.columns):
        raise RequestRefused("There is no such column.", 404)
    return table.columns[position].name


def _own(table: StoredTable, column: str, fallback: Hierarchy) -> Hierarchy:
    """Return the hierarchy whose leaves are the values of the column themselves."""
    return table.ladders.get(column, fallback)


def _kept(table: StoredTable, column: str, hierarchy: Hierarchy) -> LadderInfo:
    with table.desk.lock:
        table.desk.hierarchies[column] = hierarchy
        # What-ifs were counted with the ladder of before.
        table.exploration = None
        table.desk.changed()
    return _told(table, column, hierarchy, True)


def _told(table: StoredTable, column: str, hierarchy: Hierarchy, values: bool) -> LadderInfo:
    return LadderInfo.of(hierarchy, column, automatic=column not in table.desk.hierarchies, values=values)


def _groups(hierarchy: Hierarchy, level: int) -> list[GroupInfo]:
    above = hierarchy.labels(min(level + 1, hierarchy.height))
    members: dict[str, dict[str, None]] = {}
    parent: dict[str, str] = {}
    for below, label, over in zip(hierarchy.labels(level - 1), hierarchy.labels(level), above, strict=True):
        members.setdefault(label, {})[below] = None
        parent[label] = over
    return [GroupInfo(label=label, members=list(found), group_of=parent[label]) for label, found in members.items()]
