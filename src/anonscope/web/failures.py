"""What is said when something cannot be done: a page for people who look for one, JSON for programs."""

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response

from anonscope.report.words import without_options


def failure(sentence: str, status: int) -> JSONResponse:
    """Return an error as every error is told to programs."""
    return JSONResponse({"error": without_options(sentence)}, status)


def failure_for(method: str, path: str, headers: Headers, sentence: str, status: int) -> Response:
    """Return an error in the form in which it was asked for: a page, if a browser wanted one."""
    if method == "GET" and not path.startswith("/api/") and "text/html" in headers.get("accept", ""):
        from anonscope.web.pages import page  # late: whoever is refused at the door needs no page in most cases

        return page("failure.html.jinja", status=status, sentence=without_options(sentence), inside=status != 401)
    return failure(sentence, status)
