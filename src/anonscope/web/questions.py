"""Questions about a table that change nothing: a look before, associations, fragmentations, hierarchies, ready recipes."""

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from anonscope.columns.roles import Roles
from anonscope.errors import RequestRefused
from anonscope.io.progress import Progress
from anonscope.operations.answer import answer
from anonscope.operations.approximate import approximate
from anonscope.operations.associations import associations
from anonscope.operations.check import check
from anonscope.operations.fragmentation import fragmentation
from anonscope.operations.hierarchy import build_hierarchies
from anonscope.operations.precheck import precheck
from anonscope.operations.recipe import level_recipe, safe_harbor_recipe
from anonscope.operations.wishes.columns import Alike, Chosen, Ready, Splitting
from anonscope.operations.wishes.policy import Excepting, Gating, Judging
from anonscope.operations.wishes.roles import Acknowledging
from anonscope.operations.wishes.sketching import Sketching
from anonscope.operations.wishes.words import said
from anonscope.report.hierarchies import Ladders
from anonscope.synthesis.queries import Asked, parse_queries
from anonscope.transform.recipe import Recipe
from anonscope.web import schemas as schema
from anonscope.web.asked import asked as body
from anonscope.web.lasting import shown_afterwards
from anonscope.web.responses import Ending, attached, document, documents, file_of
from anonscope.web.rest import FAILURES, Mine, Table, Work, queued
from anonscope.web.storage import Workspace
from anonscope.web.stored import StoredTable
from anonscope.web.tasks import API, as_job, audited, policy_of

router = APIRouter(prefix=API, responses=FAILURES)
_WITHOUT = "Roles of the columns; without them, those of the audit."


@body
class PrecheckAsked(Alike):
    """What columns are like, where their names do not say it."""

    roles: Annotated[schema.RolesGiven | None, Field(description=_WITHOUT)] = None


@body
class CheckAsked(Judging, Excepting, Gating, Acknowledging):
    """The policy to judge by, and what was said of columns and limits."""

    roles: Annotated[schema.RolesGiven | None, Field(description=_WITHOUT)] = None
    policy: str = "scorr"


@body
class ApproximateAsked(Sketching):
    """How many groups are drawn, and by which seed."""

    roles: Annotated[schema.RolesGiven | None, Field(description=_WITHOUT)] = None


@body
class AssociationsAsked(Chosen):
    """Which columns are compared with each other."""


@body
class FragmentationAsked(Chosen, Splitting):
    """Fragments to score, or how many to propose."""


@body
class HierarchyAsked:
    """Whose quasi-identifiers are made coarser."""

    roles: Annotated[schema.RolesGiven | None, Field(description=_WITHOUT)] = None


@body
class RecipeAsked(Alike, Ready):
    """Which ready recipe: a level, or Safe Harbor."""

    roles: Annotated[schema.RolesGiven | None, Field(description=_WITHOUT)] = None


@body
class AnswerAsked:
    """Queries, with the domain and the budget that they declare."""

    queries: Annotated[
        Annotated[str, Field(max_length=200_000)], Field(description="The queries, as a document in TOML that names no files.")
    ]


def roles_of(table: StoredTable, given: schema.RolesGiven | None) -> Roles:
    """Return the roles that were sent, which must fit the table, or else those of its audit."""
    if given is None:
        return audited(table)
    roles = given.given()
    roles.check([column.name for column in table.columns])
    return roles


@router.post("/tables/{id}/precheck", status_code=202)
def ask_precheck(table: Table, workspace: Mine, jobs: Work, asked: PrecheckAsked | None = None) -> schema.JobInfo:
    """Show how columns are spread, how small groups are, and what pseudonymisation levels would cost."""
    asked = asked or PrecheckAsked()
    return queued(jobs, "precheck", workspace, table, _prechecking(workspace, table, roles_of(table, asked.roles), asked))


@router.post("/tables/{id}/check", status_code=202)
def ask_check(table: Table, workspace: Mine, jobs: Work, asked: CheckAsked | None = None) -> schema.JobInfo:
    """Say whether the table meets a policy, rule by rule and without numbers, as a pipeline wants it."""
    asked = asked or CheckAsked()
    asked.acknowledged()  # what is wrong with it is said now, not when the job runs
    policy_of(asked.policy)
    return queued(jobs, "check", workspace, table, _checking(workspace, table, roles_of(table, asked.roles), asked))


@router.post("/tables/{id}/approximate", status_code=202)
def ask_approximation(table: Table, workspace: Mine, jobs: Work, asked: ApproximateAsked | None = None) -> schema.JobInfo:
    """Estimate how many records are alone or in small groups. This is no verdict."""
    asked = asked or ApproximateAsked()
    return queued(jobs, "approximate", workspace, table, _approximating(workspace, table, roles_of(table, asked.roles), asked))


@router.post("/tables/{id}/associations", status_code=202)
def ask_associations(table: Table, workspace: Mine, jobs: Work, asked: AssociationsAsked | None = None) -> schema.JobInfo:
    """Measure how much columns say about each other."""
    return queued(jobs, "associations", workspace, table, _associating(workspace, table, asked or AssociationsAsked()))


@router.post("/tables/{id}/answer", status_code=202)
def ask_answer(table: Table, workspace: Mine, jobs: Work, asked: AnswerAsked) -> schema.JobInfo:
    """Answer queries with noise that hides every person; what is over budget is refused before the table is opened."""
    return queued(
        jobs,
        "answer",
        workspace,
        table,
        shown_afterwards(workspace, table, "answer", _answering(workspace, table, parse_queries(asked.queries))),
    )


@router.post("/tables/{id}/fragmentation", status_code=202)
def ask_fragmentation(table: Table, workspace: Mine, jobs: Work, asked: FragmentationAsked | None = None) -> schema.JobInfo:
    """Score a vertical fragmentation of the columns, or propose one."""
    return queued(jobs, "fragmentation", workspace, table, _fragmenting(workspace, table, asked or FragmentationAsked()))


@router.post("/tables/{id}/hierarchy", status_code=202)
def ask_hierarchy(table: Table, workspace: Mine, jobs: Work, asked: HierarchyAsked | None = None) -> schema.JobInfo:
    """Show how quasi-identifiers can be made coarser, level by level."""
    roles = roles_of(table, asked.roles if asked is not None else None)
    return queued(jobs, "hierarchy", workspace, table, _coarsening(workspace, table, roles))


@router.post("/tables/{id}/recipe", status_code=202)
def ask_recipe(table: Table, workspace: Mine, jobs: Work, asked: RecipeAsked) -> schema.JobInfo:
    """Make a ready recipe for the table: a pseudonymisation level, or HIPAA's Safe Harbor. The table is not changed."""
    if (asked.level is None) != asked.safe_harbor:
        raise RequestRefused("Say which recipe: either a level, P1, P2 or P3, or safe_harbor.", 422)
    # Safe Harbor looks at all columns, whatever their roles.
    roles = Roles() if asked.safe_harbor and asked.roles is None else roles_of(table, asked.roles)
    return queued(jobs, "recipe", workspace, table, _making(workspace, table, roles, asked))


@router.get("/results/{id}.{ending}", responses=documents("The result; JSON as the command prints it with --format json."))
def result_report(id: str, ending: Ending, workspace: Mine) -> Response:
    """Return the result of a precheck, of associations, of a fragmentation, of hierarchies, or of another release."""
    return document(workspace.result(id), ending, "result")


@router.get("/recipes/{id}.toml", response_class=Response, responses=file_of("application/toml"))
def recipe_file(id: str, workspace: Mine) -> Response:
    """Return a ready recipe, to read, change and apply."""
    return attached(workspace.recipe(id).to_toml(), "application/toml; charset=utf-8", "recipe.toml")


@as_job
def _prechecking(progress: Progress, workspace: Workspace, table: StoredTable, roles: Roles, asked: PrecheckAsked) -> str:
    with table.opened(roles, workspace.settings.memory_limit) as data:
        return _at(workspace.keep_result(precheck(data, **said(asked), progress=progress)))


@as_job
def _checking(progress: Progress, workspace: Workspace, table: StoredTable, roles: Roles, asked: CheckAsked) -> str:
    with table.opened(roles, workspace.settings.memory_limit) as data:
        data.acknowledged = asked.acknowledged() or table.acknowledged
        policy = policy_of(asked.policy)
        found = check(data, policy, exceptions=asked.exceptions, before_release=asked.before_release, progress=progress)
    return _at(workspace.keep_result(found))


@as_job
def _approximating(progress: Progress, workspace: Workspace, table: StoredTable, roles: Roles, asked: ApproximateAsked) -> str:
    with table.opened(roles, workspace.settings.memory_limit) as data:
        return _at(workspace.keep_result(approximate(data, **said(asked))))


@as_job
def _associating(progress: Progress, workspace: Workspace, table: StoredTable, asked: AssociationsAsked) -> str:
    with table.opened(None, workspace.settings.memory_limit) as data:
        return _at(workspace.keep_result(associations(data, **said(asked), progress=progress)))


@as_job
def _answering(progress: Progress, workspace: Workspace, table: StoredTable, asked: Asked) -> str:
    with table.opened(None, workspace.settings.memory_limit) as data:
        return _at(workspace.keep_result(answer(data, asked, progress=progress)))


@as_job
def _fragmenting(progress: Progress, workspace: Workspace, table: StoredTable, asked: FragmentationAsked) -> str:
    with table.opened(None, workspace.settings.memory_limit) as data:
        return _at(workspace.keep_result(fragmentation(data, **said(asked), progress=progress)))


@as_job
def _coarsening(progress: Progress, workspace: Workspace, table: StoredTable, roles: Roles) -> str:
    with table.opened(roles, workspace.settings.memory_limit) as data:
        progress("reading and counting records", 0, 1)
        return _at(workspace.keep_result(Ladders(table.name, build_hierarchies(data))))


@as_job
def _making(progress: Progress, workspace: Workspace, table: StoredTable, roles: Roles, asked: RecipeAsked) -> str:
    with table.opened(roles, workspace.settings.memory_limit) as data:
        progress("reading and counting records", 0, 1)
        made: Recipe = level_recipe(data, asked.level, like=asked.like) if asked.level is not None else safe_harbor_recipe(data)
    return f"{API}/recipes/{workspace.keep_recipe(made)}.toml"


def _at(id: str) -> str:
    return f"{API}/results/{id}.json"
