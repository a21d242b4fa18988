"""The same without a browser: the command and the lines of Python that do what a room shows."""

import shlex
from collections.abc import Mapping
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel

from anonscope.columns.roles import Roles
from anonscope.io.figures import typed
from anonscope.operations.wishes.policy import Excepting
from anonscope.operations.wishes.population import Drawn
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.roles import Acknowledging, ColumnRoles
from anonscope.operations.wishes.search import Interrupted, Trying
from anonscope.operations.wishes.words import AskedWish, said, wishes_of
from anonscope.web.desk import Version
from anonscope.web.rest import FAILURES, Mine, Table
from anonscope.web.storage import Workspace
from anonscope.web.stored import StoredTable
from anonscope.web.tasks import API

router = APIRouter(prefix=API, responses=FAILURES)
Room = Literal["data", "columns", "risk", "repair", "compare", "sign-off"]
_FILES = "Save the ladders that you changed first, by Export in Repair: each under the name that stands here."


class Lines(BaseModel):
    """What to type, under a title."""

    title: str
    text: str
    note: str | None = None


class CopiedInfo(BaseModel):
    """The command and the lines of Python for what a room shows."""

    lines: list[Lines]


@router.get("/tables/{id}/copy")
def copy_as(table: Table, workspace: Mine, room: Room = "risk") -> CopiedInfo:
    """Return what does the same at a prompt, and in Python."""
    desk = table.desk
    version = next((v for v in desk.kept if v.number == desk.shown), None)
    if room in ("compare", "sign-off") and version is not None:
        return CopiedInfo(lines=[*_made(table, workspace, version), *_after(table, workspace, room)])
    if room == "repair":
        return CopiedInfo(lines=_made(table, workspace, version) if version is not None else _tried(table, workspace))
    return CopiedInfo(lines=_audited(table, workspace))


def _opened(table: StoredTable, workspace: Workspace, roles_of: Roles | None) -> dict[str, Any]:
    """Return what is said when the table is opened with these roles, by the names of Python's keywords."""
    desk = table.desk
    roles = roles_of.to_dict() if roles_of is not None else {}
    reading = {name: value for name, value in said(table.reading).items() if value is not None}
    found = {**reading, **{name: value for name, value in roles.items() if name != "hierarchies"}}
    if desk.population in workspace.tables:
        found["population"] = workspace.tables[desk.population].name
        found |= {"population_columns": dict(desk.population_columns)} if desk.population_columns else {}
    if table.acknowledged.columns:
        found["acknowledge"] = dict(table.acknowledged.columns)
    rest = table.acknowledged.rest or desk.reason or None
    return found | ({"acknowledge_rest": rest} if rest is not None else {})


def _audited(table: StoredTable, workspace: Workspace) -> list[Lines]:
    opened = _opened(table, workspace, table.desk.roles)
    words = ["anonscope", "audit", table.name, *_options(opened), "--policy", table.desk.policy]
    python = [*_read(table, opened), f"    found = an.audit(data, {table.desk.policy!r})", "print(found)"]
    return _both(words, python)


def _tried(table: StoredTable, workspace: Workspace) -> list[Lines]:
    """Return the what-if that the sliders ask."""
    wished, opened = table.desk.wished, _opened(table, workspace, table.desk.roles)
    asked: dict[str, Any] = {"levels": dict(wished.levels), "suppression": wished.suppression}
    asked |= {"limits": dict(wished.limits)} if wished.limits else {}
    asked |= {} if wished.limits and wished.alone else {"policy": table.desk.policy}
    words = ["anonscope", "explore", table.name, *_options(opened), *_options(asked, Trying), *_ladders(table)]
    python = [*_read(table, opened), f"    found = an.explore(data, {_keywords(asked, table)})", "print(found)"]
    return _both(words, python, _FILES if table.desk.hierarchies else None)


def _made(table: StoredTable, workspace: Workspace, version: Version) -> list[Lines]:
    """Return what makes a version."""
    if version.how != "anonymise":
        return _audited(table, workspace)
    opened = _opened(table, workspace, version.roles)
    asked = {name: value for name, value in version.asked.items() if name not in ("acknowledge", "acknowledge_rest", "attack", "control")}
    if "alternatives" in asked:
        asked["explain"] = asked.pop("alternatives")
    if "limits" not in asked:
        asked.setdefault("policy", version.policy)
    words = ["anonscope", "anonymise", table.name, *_options(opened), *_options(asked, Interrupted), *_ladders(table)]
    words += [*_options({"exceptions": asked.get("exceptions", {})}, Excepting), "-o", "release.csv"]
    python = [*_read(table, opened), f"    found = an.anonymise(data, {_keywords(asked, table)})", '    found.write("release.csv")']
    return _both(words, python, _FILES if table.desk.hierarchies else None)


def _after(table: StoredTable, workspace: Workspace, room: Room) -> list[Lines]:
    if room == "sign-off":
        text = 'import anonscope as an\n\nprint(an.verify("release.csv"))'
        return [Lines(title="Then, to verify it", text="anonscope verify release.csv"), Lines(title="In Python", text=text)]
    opened = _opened(table, workspace, table.desk.roles)
    words = ["anonscope", "compare", table.name, "release.csv", *_options(opened), "--policy", table.desk.policy]
    python = [*_read(table, opened), f'    found = an.compare(data, "release.csv", policy={table.desk.policy!r})', "print(found)"]
    return [Lines(title=f"Then: {line.title}", text=line.text) for line in _both(words, python)]


def _both(words: list[str], python: list[str], note: str | None = None) -> list[Lines]:
    return [
        Lines(title="At a prompt", text=shlex.join(words), note=note),
        Lines(title="In Python", text="\n".join(["import anonscope as an", "", *python])),
    ]


def _read(table: StoredTable, opened: Mapping[str, Any]) -> list[str]:
    told = "".join(f", {name}={value!r}" for name, value in opened.items())
    return [f"with an.read({table.name!r}{told}) as data:"]


def _keywords(asked: Mapping[str, Any], table: StoredTable) -> str:
    told = [f"{name}={value!r}" for name, value in asked.items()]
    ladders = {column: _file(column) for column in table.desk.hierarchies}
    return ", ".join([*told, *([f"hierarchies={ladders!r}"] if ladders else [])])


def _ladders(table: StoredTable) -> list[str]:
    return [part for column in table.desk.hierarchies for part in ("--hierarchy", f"{column}={_file(column)}")]


def _file(column: str) -> str:
    return f"{''.join(c if c.isalnum() else '_' for c in column)}.csv"


def _options(said_so: Mapping[str, Any], *groups: type) -> list[str]:
    """Return values by the names of wishes as the options that say the same."""
    known = groups or (Reading, ColumnRoles, Drawn, Acknowledging)
    found: list[str] = []
    for wish in (wish for group in known for wish in wishes_of(group)):
        if wish.name in said_so:
            found += _option(wish, said_so[wish.name])
    return found


def _option(wish: AskedWish, value: Any) -> list[str]:
    flag = (wish.words.flags or (f"--{wish.name.replace('_', '-')}",))[0]
    if wish.words.each:
        return [part for column, word in value.items() for part in (f"--{word}", column)]
    if isinstance(value, bool):
        return [flag] if value else []
    if isinstance(value, Mapping):
        return [part for name, one in value.items() for part in (flag, f"{name}={_text(one)}")]
    if isinstance(value, list | tuple):
        return [part for one in value for part in (flag, str(one))]
    return [flag, _text(value)]


def _text(value: Any) -> str:
    """Return a value as an option has it: a range of levels, columns of an attacker, a number."""
    if isinstance(value, list | tuple):
        return "-".join(map(str, value)) if all(isinstance(one, int) for one in value) else ",".join(value)
    return typed(value) if isinstance(value, float) else str(value)
