"""The pages of the web app: a first one, and six rooms for every table. Their heads are written here; small scripts fill the rest."""

from functools import cache
from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from anonscope.columns.roles import MEANINGS, SINGLES, TITLES
from anonscope.columns.suggestion.evidence import CERTAINTY
from anonscope.io.formats import format_titles
from anonscope.report import words
from anonscope.risk.policy import load, preset_names
from anonscope.risk.policy.questions import QUESTIONS, contexts
from anonscope.version import VERSION
from anonscope.web.concerned import terms
from anonscope.web.told import WorkspaceInfo

router = APIRouter(include_in_schema=False)
Room = Literal["data", "columns", "risk", "repair", "compare", "sign-off"]
ROOMS: dict[Room, str] = {
    "data": "Data",
    "columns": "Columns",
    "risk": "Risk",
    "repair": "Repair",
    "compare": "Compare",
    "sign-off": "Sign-off",
}


@router.get("/")
def start(request: Request) -> HTMLResponse:
    """Choose a table."""
    return page("start.html.jinja", formats=format_titles(), kept=_kept(request))


@router.get("/glossary")
def words_explained() -> HTMLResponse:
    """What words mean, as the documentation and reports say it."""
    return page("glossary.html.jinja", terms=terms().terms)


@router.get("/w/{table}")
def enter_workspace(request: Request, table: str) -> Response:
    """Go to the room in which there is something to do next."""
    found = request.state.workspace.table(table)
    room = "risk" if found.audit is not None else "columns" if found.desk.row is not None else "data"
    return RedirectResponse(f"/w/{table}/{room}", 303)


@router.get("/w/{table}/{room}")
def workspace_room(request: Request, table: str, room: Room) -> HTMLResponse:
    """One room of the workspace of a table."""
    workspace = request.state.workspace
    found = workspace.table(table)  # a page about somebody else's table must not exist
    state = WorkspaceInfo.of(found, workspace, request.app.state.jobs)
    policies = [load(name) for name in preset_names()]
    return page(
        f"{room.replace('-', '_')}.html.jinja",
        table=table,
        kept=_kept(request),
        room=room,
        rooms=ROOMS,
        state=state.model_dump(),
        policies=policies,
        **(_columns(policies) if room == "columns" else {}),
        words={"tones": words.TONES, "signs": words.SIGNS, "headlines": words.WHAT_IF},
    )


@router.get("/table/{table}")
def old_columns(request: Request, table: str) -> Response:
    """Where the columns were before there were rooms."""
    request.state.workspace.table(table)
    return RedirectResponse(f"/w/{table}/columns", 301)


@router.get("/table/{table}/results")
def old_results(request: Request, table: str) -> Response:
    """Where the results were before there were rooms."""
    request.state.workspace.table(table)
    return RedirectResponse(f"/w/{table}/risk", 301)


@router.get("/static/report.css")
def report_style() -> Response:
    """The style of the report, which the pages share."""
    from anonscope.report.html import environment

    return Response(environment().get_template("style.css").render(), media_type="text/css")


def _kept(request: Request) -> str | None:
    """Return what outlives the server: nothing, a project, or one with the data."""
    settings = request.app.state.settings
    if settings.project is None:
        return None
    # An earlier run may have kept data that are still there.
    return "data" if settings.keep_data or any(settings.project.glob("tables/*/data/*")) else "project"


def _columns(policies: list[Any]) -> dict[str, Any]:
    """Return what only the room of the columns needs."""
    return {
        "questions": QUESTIONS,
        "roles": role_words(),
        "certainty": certainty_words(),
        "contexts": contexts(),
        "summaries": {policy.name: policy.summary for policy in policies},
    }


def role_words() -> list[dict[str, Any]]:
    """Return the roles as the page shows and sends them; the last is that nobody said any."""
    known = [
        {
            "name": name,
            "title": name.capitalize(),
            "meaning": MEANINGS[key],
            "key": key,
            "letter": name[0],
            "single": key in SINGLES,
            "rare": key in SINGLES,
        }
        for key, name in TITLES.items()
    ]
    unsaid = "Nobody can tell. It is in no measurement, and a release needs a reason from you."
    return [*known, {"name": "unknown", "title": "Not said", "meaning": unsaid, "key": None, "letter": "n", "single": False, "rare": True}]


def certainty_words() -> dict[str, dict[str, Any]]:
    """Return how sure a suggestion is, as the page shows it."""
    return {
        confidence: {"words": words, "tone": "none" if confidence == "high" else "mid", "look": confidence == "low"}
        for confidence, words in CERTAINTY.items()
    }


def page(template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """Return a page."""
    return HTMLResponse(page_environment().get_template(template).render(version=VERSION, **context), status)


@cache
def page_environment() -> Any:
    """Return what turns the templates of the web app into pages."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader("anonscope.web"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
