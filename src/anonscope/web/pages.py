"""The pages of the web app: shells that our own small scripts fill through the REST API."""

from functools import cache
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from anonscope.columns.roles import MEANINGS, SINGLES, TITLES
from anonscope.columns.suggestion.evidence import CERTAINTY
from anonscope.io.formats import format_titles
from anonscope.report import words
from anonscope.risk.policy import load, preset_names
from anonscope.risk.policy.questions import QUESTIONS, contexts
from anonscope.version import VERSION

router = APIRouter(include_in_schema=False)


@router.get("/")
def start() -> HTMLResponse:
    """Choose a table."""
    return _page("start.html.jinja", step=1, formats=format_titles())


@router.get("/table/{table}")
def columns(request: Request, table: str) -> HTMLResponse:
    """Say which column is what, and what the release is for."""
    request.state.workspace.table(table)  # a page about somebody else's table must not exist
    policies = [load(name) for name in preset_names()]
    chosen = contexts()
    return _page(
        "roles.html.jinja",
        table,
        step=2,
        questions=QUESTIONS,
        roles=role_words(),
        certainty=certainty_words(),
        contexts=chosen,
        chosen=chosen[0]["policy"],
        policies=policies,
        summaries={policy.name: policy.summary for policy in policies},
    )


@router.get("/table/{table}/results")
def results(request: Request, table: str) -> HTMLResponse:
    """See the verdict, why, and what could be changed."""
    request.state.workspace.table(table)
    return _page("results.html.jinja", table, step=3, words={"tones": words.TONES, "signs": words.SIGNS, "headlines": words.WHAT_IF})


@router.get("/static/report.css")
def report_style() -> Response:
    """The style of the report, which the pages share."""
    from anonscope.report.html import environment

    return Response(environment().get_template("style.css").render(), media_type="text/css")


def role_words() -> list[dict[str, Any]]:
    """Return the roles as the page shows and sends them; the last is that nobody said any."""
    known = [
        {"name": name, "title": name.capitalize(), "meaning": MEANINGS[key], "key": key, "single": key in SINGLES, "rare": key in SINGLES}
        for key, name in TITLES.items()
    ]
    unsaid = "Nobody can tell. It is in no measurement, and a release needs a reason from you."
    return [*known, {"name": "unknown", "title": "Not said", "meaning": unsaid, "key": None, "single": False, "rare": True}]


def certainty_words() -> dict[str, dict[str, Any]]:
    """Return how sure a suggestion is, as the page shows it."""
    return {
        confidence: {"words": words, "tone": "none" if confidence == "high" else "mid", "look": confidence == "low"}
        for confidence, words in CERTAINTY.items()
    }


def _page(template: str, table: str = "", **context: Any) -> HTMLResponse:
    addresses = {"columns_address": f"/table/{table}", "results_address": f"/table/{table}/results"}
    page = page_environment().get_template(template)
    return HTMLResponse(page.render(table=table, version=VERSION, **addresses, **context))


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
