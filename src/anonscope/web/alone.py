"""What the roles as they stand mean for the people in a table: how many are alone with what an outsider may know, at every click."""

import threading
import time
from typing import TYPE_CHECKING

from fastapi import APIRouter
from pydantic import BaseModel, Field

from anonscope.columns.roles import Roles
from anonscope.errors import AnonscopeError
from anonscope.operations.read import Data
from anonscope.report.words import share
from anonscope.web.rest import FAILURES, Mine, Table
from anonscope.web.tasks import API

if TYPE_CHECKING:
    from anonscope.web.stored import StoredTable

router = APIRouter(prefix=API, responses=FAILURES)
# Larger tables are counted when they are audited; a click must not wait for them.
MOST_RECORDS = 2_000_000
_TABLE = "said_so_far"


class AloneInfo(BaseModel):
    """How many people are alone with what an outsider may know of them."""

    words: str
    people: int | None = Field(description="How many people there are; none where nothing was counted.")
    alone: int | None = Field(description="How many of them share their values with nobody.")
    milliseconds: float


class Counting:
    """A table that stands open for such questions, one at a time."""

    def __init__(self, data: Data) -> None:
        self._data = data
        self._lock = threading.Lock()
        first = f" LIMIT {data.rows}" if data.rows is not None else ""
        data.engine.materialise(_TABLE, f"SELECT * FROM {data.relation.origin}{first}")

    def close(self) -> None:
        """Let go of the table."""
        with self._lock:
            self._data.close()

    def alone(self, roles: Roles) -> tuple[int, int]:
        """Return how many people there are, and how many are alone with all that any attacker knows."""
        relation = self._data.relation
        known = ", ".join(f"c{relation.position(column)}" for column in roles.attributes)
        if roles.person is None:
            wanted = f"SELECT count(*) FROM (SELECT 1 FROM {_TABLE} GROUP BY {known} HAVING count(*) = 1) AS g"
            everybody = f"SELECT count(*) FROM {_TABLE}"
        else:
            person = f"c{relation.position(roles.person)}"
            groups = f"SELECT min({person}) AS p FROM {_TABLE} GROUP BY {known} HAVING count(DISTINCT {person}) = 1"
            wanted = f"SELECT count(DISTINCT p) FROM ({groups}) AS g"
            everybody = f"SELECT count(DISTINCT {person}) FROM {_TABLE}"
        with self._lock:
            (((alone,),), ((people,),)) = (self._data.engine.rows(wanted), self._data.engine.rows(everybody))
        return int(people), int(alone)


@router.get("/tables/{id}/alone")
def how_many_are_alone(table: Table, workspace: Mine) -> AloneInfo:
    """Count who is alone with the quasi-identifiers as they are said now; nothing is judged by it."""
    started = time.perf_counter()
    roles = table.desk.roles
    if roles is None or not roles.attributes:
        return _said("Nothing is known outside yet, so nobody can be told apart.", started)
    if table.records > MOST_RECORDS:
        return _said(f"Tables of more than {MOST_RECORDS:,} rows are counted when they are measured.", started)
    try:
        people, alone = _counting(table, workspace.settings.memory_limit).alone(roles)
    except AnonscopeError as error:
        return _said(f"Not counted: {error}", started)
    if not alone:
        return _said("Nobody is alone with these columns.", started, people, alone)
    return _said(f"{share(alone, people)} of people are alone with these columns ({alone:,} of {people:,}).", started, people, alone)


def _counting(table: "StoredTable", memory_limit: str | None) -> Counting:
    """Return what counts of a table, opened at the first question."""
    with table.desk.lock:
        if table.counting is None:
            with_rows = table.open_apart(memory_limit)
            try:
                table.counting = Counting(with_rows)
            except BaseException:
                with_rows.close()
                raise
        return table.counting


def _said(words: str, started: float, people: int | None = None, alone: int | None = None) -> AloneInfo:
    return AloneInfo(words=words, people=people, alone=alone, milliseconds=round(1000 * (time.perf_counter() - started), 1))
