"""The application: the guard around it, the REST interface, the pages, and what goes on between requests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from copy import deepcopy
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from anyio import CapacityLimiter
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from anonscope.errors import AnonscopeError
from anonscope.version import VERSION
from anonscope.web import (
    alone,
    beside,
    concerned,
    copied,
    intruding,
    ladders,
    pages,
    projects,
    questions,
    reading,
    registering,
    releases,
    rest,
    rooms,
    sealing,
    signing,
    sources,
    synthesis,
)
from anonscope.web.allowed import Roots
from anonscope.web.databases import Tables, is_address
from anonscope.web.examples import with_examples
from anonscope.web.failures import failure, failure_for
from anonscope.web.jobs import Jobs
from anonscope.web.lakes import Lake, is_lake
from anonscope.web.links import with_links
from anonscope.web.project.project import Project
from anonscope.web.security import Guard, Sessions, cookie_of, let_in, told
from anonscope.web.settings import ServerSettings
from anonscope.web.storage import Storage
from anonscope.web.tasks import API

_SWEEP = 30.0  # seconds between looks for what has expired
_LONGEST_PASSWORD = 4096


def _operation(route: APIRoute) -> str:
    """Return what an operation is called in the document, and by clients that are made from it."""
    return route.name


class _Documented(FastAPI):
    """An application whose document has an example of every body."""

    def openapi(self) -> dict[str, Any]:
        """Return the document that describes the interface."""
        return with_examples(super().openapi())


def create_app(settings: ServerSettings | None = None) -> FastAPI:
    """Return the application; its private folder is there from now on, and goes when the application is shut down."""
    settings = settings or ServerSettings()
    roots = Roots.of(Path(source) for source in settings.sources if not (is_address(source) or is_lake(source)))
    databases: tuple[Tables | Lake, ...] = tuple(
        Lake.of(str(source), settings.spark_master) if is_lake(source) else Tables.of(str(source))
        for source in settings.sources
        if is_address(source) or is_lake(source)
    )
    storage, jobs = Storage(settings), Jobs(settings.jobs_at_once)
    project = _opened(settings.project, storage, jobs, roots) if settings.project is not None else None
    sessions = Sessions(settings, storage, jobs, project)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        sweeper = asyncio.create_task(_sweep(sessions))
        try:
            yield
        finally:
            sweeper.cancel()
            with suppress(asyncio.CancelledError):
                await sweeper
            await run_in_threadpool(jobs.close)
            if project is not None:
                await run_in_threadpool(project.close)
            await run_in_threadpool(storage.close)

    # The documentation that comes with the framework loads scripts from elsewhere.
    app = _Documented(
        title="anonscope",
        version=VERSION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        generate_unique_id_function=_operation,
    )
    app.state.settings, app.state.storage, app.state.jobs, app.state.sessions = settings, storage, jobs, sessions
    app.state.project, app.state.roots, app.state.databases = project, roots, databases
    app.state.intake = CapacityLimiter(settings.jobs_at_once)
    app.add_middleware(Guard, sessions=sessions)
    app.add_exception_handler(AnonscopeError, _told)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(HTTPException, _no_such)
    _add_doors(app, sessions)
    for part in (
        rest,
        projects,
        sources,
        rooms,
        alone,
        concerned,
        reading,
        beside,
        ladders,
        copied,
        questions,
        releases,
        signing,
        registering,
        sealing,
        intruding,
        synthesis,
    ):
        app.include_router(part.router)
    app.include_router(pages.router, include_in_schema=False)
    app.mount("/static", StaticFiles(packages=[("anonscope.web", "static")]))
    return app


def _opened(folder: Path, storage: Storage, jobs: Jobs, roots: Roots) -> Project:
    """Return a project with its workspace open; what is wrong with it is said before anybody comes."""
    try:
        project = Project(folder, storage, jobs, roots)
        project.workspace()
    except BaseException:
        jobs.close()
        storage.close()
        raise
    return project


def _add_doors(app: FastAPI, sessions: Sessions) -> None:
    """Add the ways in, and what the interface says of itself."""

    @app.get("/enter", include_in_schema=False)
    def enter(request: Request, token: str = "") -> Response:
        if not sessions.fits_token(token):
            sentence = "The address is not valid any more. Open the one that `anonscope serve` printed last."
            return failure_for(request.method, request.url.path, request.headers, sentence, 401)
        return let_in(request, sessions)

    @app.get("/login", include_in_schema=False)
    def login_page() -> Response:
        return pages.page("login.html.jinja", wrong=False)

    @app.post("/login", include_in_schema=False)
    async def login(request: Request) -> Response:
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _LONGEST_PASSWORD:
                return failure("The form is too long.", 413)
        given = parse_qs(body.decode("utf-8", "replace")).get("password", [""])[0]
        if await run_in_threadpool(sessions.fits_password, given):
            return let_in(request, sessions)
        return pages.page("login.html.jinja", wrong=True, status=401)

    @app.post("/leave", include_in_schema=False)
    def leave(request: Request) -> Response:
        sessions.end(cookie_of(request.headers, sessions.settings.cookie))
        return Response(status_code=204)

    @app.get(f"{API}/openapi.json", include_in_schema=False)
    def openapi() -> JSONResponse:
        return JSONResponse(with_links(deepcopy(app.openapi()), API))

    @app.get(f"{API}/docs", include_in_schema=False)
    def docs() -> Response:
        return pages.page("operations.html.jinja", operations=_operations(app.openapi()), document=f"{API}/openapi.json")


def _operations(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the operations of an OpenAPI document, as a page lists them."""
    found = []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            body = operation.get("requestBody", {}).get("content", {})
            fine = next(code for code in operation["responses"] if code.startswith("2"))
            found.append(
                {
                    "method": method.upper(),
                    "path": path,
                    "summary": operation.get("description") or operation["summary"],
                    "takes": _named([content.get("schema", {}) for content in body.values()]),
                    "status": fine,
                }
            )
    return found


def _named(schemas: list[dict[str, Any]]) -> str:
    references = [part.get("$ref", "") for schema in schemas for part in (schema, *schema.get("anyOf", ()))]
    return next((reference.rpartition("/")[2] for reference in references if reference), "form" if schemas else "")


async def _sweep(sessions: Sessions) -> None:
    while True:
        await asyncio.sleep(_SWEEP)
        await run_in_threadpool(sessions.expire)


async def _told(request: Request, error: Exception) -> Response:
    assert isinstance(error, AnonscopeError), "registered for these only"
    return failure_for(request.method, request.url.path, request.headers, str(error), told(error).status_code)


async def _not_understood(_: Request, error: Exception) -> Response:
    """Say where a request is wrong, and never what it said there: that may be data."""
    assert isinstance(error, RequestValidationError), "registered for these only"
    places = [(".".join(str(part) for part in found["loc"]), str(found["type"])) for found in error.errors()]
    where = "; ".join(f"{place} ({kind.replace('_', ' ')})" for place, kind in places[:5])
    return failure(f"The request is not understood: {where}.", 422)


async def _no_such(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "registered for these only"
    sentence = {404: "There is nothing here.", 405: "This cannot be done here."}.get(error.status_code, "The request cannot be done.")
    return failure_for(request.method, request.url.path, request.headers, sentence, error.status_code)
