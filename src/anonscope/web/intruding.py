"""A motivated intruder test of a release that was made here: set up, handed on, and judged."""

import secrets
import shutil
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import Field

from anonscope.errors import RequestRefused
from anonscope.io.progress import Progress
from anonscope.io.writing import write_text
from anonscope.operations.intruder_test import intruder_test, judge_intruder_test
from anonscope.operations.signing.intruding import FORM, PROTOCOL, SEALED, SHEET
from anonscope.operations.wishes.intruding import Intruding
from anonscope.operations.wishes.words import said
from anonscope.web import schemas as schema
from anonscope.web.asked import asked as body
from anonscope.web.responses import attached, file_of, packed
from anonscope.web.rest import FAILURES, Mine, Table, Work, queued
from anonscope.web.storage import Workspace
from anonscope.web.stored import StoredTable
from anonscope.web.tasks import API, as_job, audited, own_release

router = APIRouter(prefix=API, responses=FAILURES)
_Number = Annotated[int | None, Field(ge=1, description="The number of the version that is tested; without it, the newest.")]


@body
class IntruderTestAsked(Intruding):
    """How a test of a release is drawn."""

    version: _Number = None


@body
class OutcomeSent:
    """The form of a test, filled in by whoever holds the sealed answers."""

    form: Annotated[str, Field(max_length=200_000, description="The form, as its TOML file has it.")]
    version: _Number = None


@router.post("/tables/{id}/intruder-test", status_code=202)
def ask_intruder_test(table: Table, workspace: Mine, jobs: Work, asked: IntruderTestAsked | None = None) -> schema.JobInfo:
    """Set up a motivated intruder test of the release; a new one takes the place of the one before."""
    asked = asked or IntruderTestAsked()
    audited(table)
    own_release(table, asked.version)
    return queued(jobs, "intruder-test", workspace, table, _setting_up(workspace, table, asked))


@router.get("/tables/{id}/intruder-test-for-intruder.zip", response_class=Response, responses=file_of("application/zip"))
def for_intruder(table: Table, version: int | None = None) -> Response:
    """Return what the intruder gets beside the release: protocol and sheet, without any value."""
    return _zip(table, version, (PROTOCOL, SHEET), "intruder-test-for-intruder.zip")


@router.get("/tables/{id}/intruder-test-for-archive.zip", response_class=Response, responses=file_of("application/zip"))
def for_archive(table: Table, version: int | None = None) -> Response:
    """Return everything: also the form, and the sealed answers, which hold original values and are not for others."""
    return _zip(table, version, (PROTOCOL, SHEET, FORM, SEALED), "intruder-test-for-archive.zip")


@router.post("/tables/{id}/intruder-test/judge")
def judge(table: Table, asked: OutcomeSent) -> dict[str, Any]:
    """Say what came of a test whose form was filled in, as `anonscope intruder-test --judge --format json` prints it."""
    folder = test_of(table, asked.version)
    with table.lock:
        before = (folder / FORM).read_text(encoding="utf-8")
        write_text(folder / FORM, asked.form)
        try:
            found: dict[str, Any] = judge_intruder_test(folder).to_dict()
        except BaseException:
            # A form that says nothing takes the place of none.
            write_text(folder / FORM, before)
            raise
    return found


def test_of(table: StoredTable, version: int | None = None) -> Path:
    """Return the folder of the test of a release; raise if there is none."""
    found = _place(own_release(table, version))
    if not found.is_dir():
        raise RequestRefused("There is no intruder test of this release yet.", 409)
    return found


@as_job
def _setting_up(progress: Progress, workspace: Workspace, table: StoredTable, asked: IntruderTestAsked) -> str:
    release = own_release(table, asked.version)
    made = release.parent / f"test-{secrets.token_hex(4)}"
    progress("drawing questions", 0, 1)
    with table.opened(audited(table), workspace.settings.memory_limit) as data:
        data.acknowledged = table.acknowledged
        found = intruder_test(release, data, made, **said(asked, only=(Intruding,)))
        shutil.rmtree(_place(release), ignore_errors=True)
        made.rename(_place(release))
    return f"{API}/results/{workspace.keep_result(found)}.json"


def _place(release: Path) -> Path:
    return release.parent / "intruder-test"


def _zip(table: StoredTable, version: int | None, names: tuple[str, ...], called: str) -> Response:
    folder = test_of(table, version)
    return attached(packed(folder, [folder / name for name in names]), "application/zip", called)
