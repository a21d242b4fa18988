"""The dossier behind a release that was made here."""

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from anonscope.errors import RequestRefused
from anonscope.io.progress import Progress
from anonscope.operations.sign_off import sign_off
from anonscope.operations.signing.questions import SignOffAnswers, parse_answers, questions_text
from anonscope.operations.wishes.signing import SigningOff
from anonscope.operations.wishes.words import said
from anonscope.web import schemas as schema
from anonscope.web.asked import asked as body
from anonscope.web.desk import Signed
from anonscope.web.intruding import test_of
from anonscope.web.responses import Ending, attached, document, documents, file_of
from anonscope.web.rest import FAILURES, Mine, Table, Work, queued
from anonscope.web.storage import Workspace
from anonscope.web.stored import StoredTable
from anonscope.web.tasks import API, as_job, audited, own_release, policy_of, source_of

router = APIRouter(prefix=API, responses=FAILURES)


@body
class SignOffAsked(SigningOff):
    """What only people know, and for whose eyes the dossier is. Tables are named by their ids, texts and policies by their names."""

    answers: Annotated[str | None, Field(max_length=200_000, description="The answers, as their TOML file has them.")] = None
    control: str | None = None
    external: str | None = None
    policy: str | None = None
    version: Annotated[int | None, Field(ge=1, description="The number of the version that leaves; without it, the newest.")] = None
    intruder_test: Annotated[bool, Field(description="With the motivated intruder test of that version, which must be judged.")] = False


@router.post("/tables/{id}/sign-off", status_code=202)
def ask_sign_off(table: Table, workspace: Mine, jobs: Work, asked: SignOffAsked | None = None) -> schema.JobInfo:
    """Make the dossier of the table's release: measured before and after, by which rules, and what people stated."""
    asked = asked or SignOffAsked()
    audited(table)
    own_release(table, asked.version)
    if asked.intruder_test:
        test_of(table, asked.version)
    for id in (asked.control, asked.external):
        if id is not None:
            workspace.table(id)
    if asked.policy is not None:
        policy_of(asked.policy)
    answers = parse_answers(asked.answers) if asked.answers is not None else SignOffAnswers()
    return queued(jobs, "sign-off", workspace, table, _signing(workspace, table, asked, answers))


@router.get("/tables/{id}/questions.toml", response_class=Response, responses=file_of("application/toml"))
def sign_off_questions(table: Table) -> Response:
    """Return the file that asks what only people know, with the attackers of the last audit; filled in, it is the answers of a dossier."""
    text = questions_text([scenario.name for scenario in audited(table).attackers])
    return attached(text, "application/toml; charset=utf-8", "questions.toml")


@router.get("/tables/{id}/signed/{number}.{ending}", responses=documents("The dossier; JSON as `anonscope sign-off` prints it."))
def signed_dossier(table: Table, number: int, ending: Ending) -> Response:
    """Return a dossier that was written of one of the table's versions, the first by the number 1."""
    if not 1 <= number <= len(table.desk.signed):
        raise RequestRefused("There is no such dossier.", 404)
    return document(table.desk.signed[number - 1].dossier, ending, f"dossier-{number}")


@as_job
def _signing(progress: Progress, workspace: Workspace, table: StoredTable, asked: SignOffAsked, answers: SignOffAnswers) -> str:
    release = own_release(table, asked.version)
    tables = {name: source_of(workspace, getattr(asked, name)) for name in ("control", "external")}
    with table.opened(audited(table), workspace.settings.memory_limit) as data:
        data.acknowledged = table.acknowledged
        wishes = said(asked, only=(SigningOff,), without=("answers", "control", "external", "policy"))
        judged = policy_of(asked.policy) if asked.policy is not None else None
        tried = test_of(table, asked.version) if asked.intruder_test else None
        found = sign_off(release, data, **wishes, **tables, answers=answers, policy=judged, intruder_test=tried, progress=progress)
    if not table.forgotten:
        newest = table.desk.newest
        number = asked.version or (newest.number if newest is not None else None)
        table.desk.sign(Signed(number, asked.answers, found))
    return f"{API}/results/{workspace.keep_result(found)}.json"
