"""Synthetic tables over REST: drawn from a domain that was sent, published like every release."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from anonscope.columns.roles import Roles
from anonscope.io.progress import Progress
from anonscope.operations.synthesise import draft_domain, synthesise
from anonscope.operations.wishes.roles import Acknowledging
from anonscope.operations.wishes.synthesis import Synthesising
from anonscope.operations.wishes.words import said
from anonscope.synthesis.domain import Domain
from anonscope.synthesis.domain_file import domain_text, parse_domain
from anonscope.synthesis.methods import METHODS
from anonscope.web import schemas as schema
from anonscope.web.asked import asked as body
from anonscope.web.drawn import NO_PROMISE
from anonscope.web.responses import attached, file_of
from anonscope.web.rest import FAILURES, Mine, Table, Work, queued
from anonscope.web.storage import Workspace
from anonscope.web.stored import StoredTable
from anonscope.web.tasks import API, as_job, sent_of
from anonscope.web.versions import keep
from anonscope.web.written import written

router = APIRouter(prefix=API, responses=FAILURES)


@body
class SynthesiseAsked(Synthesising, Acknowledging):
    """How a synthetic table is made. Roles are those of the audit, if there was one."""

    domain: Annotated[str | None, Field(max_length=1_000_000)] = None


class MethodInfo(BaseModel):
    """A method of synthesis, with its parameters as they are unless somebody says otherwise."""

    name: str
    title: str
    source: str
    private: bool = Field(description="Whether it is differentially private.")
    promise: str
    parameters: dict[str, float]


@router.post("/tables/{id}/synthesise", status_code=202)
def ask_synthesise(table: Table, workspace: Mine, jobs: Work, asked: SynthesiseAsked) -> schema.JobInfo:
    """Draw a synthetic table, say what it guarantees, and make the release. The domain is sent as the text of its file."""
    asked.acknowledged()  # what is wrong with it is said now, not when the job runs
    domain = parse_domain(asked.domain) if asked.domain is not None else None
    return queued(jobs, "synthesise", workspace, table, _synthesising(workspace, table, domain, asked))


@router.get("/synthesis/methods")
def synthesis_methods() -> list[MethodInfo]:
    """List the methods of synthesis: what each is, and whether it guarantees anything."""
    return [
        MethodInfo(
            name=name,
            title=kind.title,
            source=kind.source,
            private=kind.private,
            promise="epsilon and delta" if kind.private else NO_PROMISE,
            parameters=kind().parameters,
        )
        for name, kind in METHODS.items()
    ]


@router.get("/tables/{id}/domain.toml", response_class=Response, responses=file_of("application/toml"))
def drafted_domain(table: Table, workspace: Mine) -> Response:
    """Return a draft of a domain as the data suggest it, marked as such."""
    with table.opened(table.roles or Roles(), workspace.settings.memory_limit) as data:
        text = domain_text(draft_domain(data))
    return attached(text, "application/toml; charset=utf-8", "domain.toml")


@as_job
def _synthesising(progress: Progress, workspace: Workspace, table: StoredTable, domain: Domain | None, asked: SynthesiseAsked) -> str:
    with table.opened(table.roles or Roles(), workspace.settings.memory_limit) as data:
        data.acknowledged = asked.acknowledged() or table.acknowledged
        found = synthesise(data, domain, **said(asked, only=(Synthesising,), without=("domain",)), progress=progress)
        release = written(table, lambda path: found.write(path, formulas="mark"))
        limit, name = workspace.settings.memory_limit, table.desk.policy
        told, said_of = replace(found, table=None), data.acknowledged
        keep(table, release, how="synthesise", asked=sent_of(asked), policy=name, memory_limit=limit, acknowledged=said_of, report=told)
    table.anonymisation = None
    return f"{API}/results/{workspace.keep_result(told)}.json"
