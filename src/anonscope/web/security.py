"""Who may come in: this machine's user by a token, others by a password; nobody by a page of another site.

* The Host header must be a name of ours, so that no foreign name can be bent to point here (DNS rebinding).
* The token in the address is exchanged for a cookie that scripts cannot read and that other sites cannot send.
* What changes anything must come from our own pages, as the browser itself says (Origin, Sec-Fetch-Site); or from a program that
  sends the token in a header, which no page of another site can.
* Every session has a workspace of its own, unless the server works in a project, which all who may come in share.
"""

import hmac
import logging
import secrets
import threading
import time
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anonscope.errors import AnonscopeError, RequestRefused, lack
from anonscope.report.words import without_options
from anonscope.web.failures import failure, failure_for
from anonscope.web.jobs import Jobs, defect
from anonscope.web.settings import ServerSettings
from anonscope.web.storage import Storage, Workspace

if TYPE_CHECKING:
    from anonscope.web.project.project import Project

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
OPEN = ("/enter", "/login", "/static/", "/favicon.ico")
_READING = ("GET", "HEAD", "OPTIONS")
# So many wrong passwords in a minute, from anybody, and the door is shut for the rest of it.
_MOST_FAILURES, _MINUTE = 10, 60.0
_LOG = logging.getLogger("anonscope.web")


class Sessions:
    """The cookies that are valid, and the workspace behind each."""

    def __init__(self, settings: ServerSettings, storage: Storage, jobs: Jobs, project: "Project | None" = None) -> None:
        self.settings, self.storage, self.jobs, self.project = settings, storage, jobs, project
        self._workspaces: dict[str, Workspace] = {}
        self._failures: list[float] = []
        self._lock = threading.Lock()

    def begin(self, secret: str | None = None) -> str:
        """Return the secret of a new session."""
        secret = secret or secrets.token_urlsafe(32)
        # Whoever may come in shares what a project keeps.
        workspace = self.project.workspace() if self.project is not None else self.storage.open()
        with self._lock:
            self._workspaces[secret] = workspace
        return secret

    def find(self, secret: str | None) -> Workspace | None:
        """Return the workspace of a session, which counts as used; None if there is no such session."""
        workspace = self._workspaces.get(secret) if secret else None
        if workspace is not None:
            workspace.last_used = time.monotonic()
        return workspace

    def by_token(self, token: str) -> Workspace | None:
        """Return the workspace of programs that send the token of this start in a header."""
        if not self.fits_token(token):
            return None
        return self.find(token) or self.find(self.begin(token))

    def fits_token(self, token: str) -> bool:
        """Return whether this is the token of this start; where there is a password, no token opens."""
        return self.settings.password is None and hmac.compare_digest(token.encode(), self.settings.token.encode())

    def fits_password(self, text: str) -> bool:
        """Return whether this is the password; after many wrong ones nobody is let in for a while."""
        now = time.monotonic()
        with self._lock:
            self._failures = [at for at in self._failures if now - at < _MINUTE]
            if len(self._failures) >= _MOST_FAILURES:
                raise RequestRefused("Too many wrong passwords. Try again in a minute.", 429)
        if self.settings.password is not None and self.settings.password.fits(text):
            return True
        with self._lock:
            self._failures.append(now)
        return False

    def end(self, secret: str | None) -> None:
        """End a session and delete its tables."""
        with self._lock:
            workspace = self._workspaces.pop(secret, None) if secret else None
        if workspace is not None and self.project is None:
            self.jobs.cancel_of(workspace.id)
            self.storage.end(workspace)

    def expire(self) -> None:
        """Delete what nobody has used for long."""
        expired = self.storage.expired(self.jobs.busy())
        if self.project is not None:
            self.project.expired(expired)
        gone = {workspace.id for workspace in expired}
        if gone:
            with self._lock:
                self._workspaces = {secret: w for secret, w in self._workspaces.items() if w.id not in gone}


class Guard:
    """The middleware around everything."""

    def __init__(self, app: ASGIApp, sessions: Sessions) -> None:
        self.app, self.sessions, self.settings = app, sessions, sessions.settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        begun = False

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            refusal = self._refusal(scope)
            if refusal is not None:
                await refusal(scope, receive, guarded)
                return
            await self.app(scope, receive, guarded)
        except Exception as error:
            # The message may quote data, so it goes neither to the user nor into a log.
            lacking = without_options(lack(error) or "")
            _LOG.error(lacking or defect(error))
            if not begun:
                await failure(lacking or defect(error), 503 if lacking else 500)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return why a request goes no further; otherwise put its workspace where handlers find it."""
        headers = Headers(scope=scope)
        if len(headers.getlist("host")) != 1 or headers["host"].lower() not in self.settings.hosts:
            return failure("This server does not answer to that name.", 421)
        path: str = scope["path"]
        workspace, by_header = self._known(headers)
        if scope["method"] not in _READING and not by_header and not _from_our_pages(headers):
            return failure("The request comes from another site.", 403)
        scope.setdefault("state", {})["workspace"] = workspace
        if workspace is not None or path in OPEN or path.startswith("/static/"):
            return None
        if self.settings.password is not None and scope["method"] == "GET" and not path.startswith("/api/"):
            return RedirectResponse("/login", 303)
        hint = "Log in first." if self.settings.password is not None else "Open the address that `anonscope serve` printed."
        return failure_for(scope["method"], path, headers, hint, 401)

    def _known(self, headers: Headers) -> tuple[Workspace | None, bool]:
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return self.sessions.by_token(token.strip()), True
        return self.sessions.find(cookie_of(headers, self.settings.cookie)), False


def cookie_of(headers: Headers, name: str) -> str | None:
    """Return the secret that a browser sent."""
    try:
        cookie: SimpleCookie = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return None
    return cookie[name].value if name in cookie else None


def let_in(request: Request, sessions: Sessions, target: str = "/") -> Response:
    """Return the way to a page, with the cookie of a session: the one there is, or a new one."""
    name = sessions.settings.cookie
    secret = cookie_of(request.headers, name)
    answer = RedirectResponse(target, 303)
    if sessions.find(secret) is None:
        secret = sessions.begin()
    assert secret is not None, "a session that was found has a secret"
    # Where TLS is in front, the browser says so; a cookie that it set there never travels in the open.
    secure = request.headers.get("origin", "").startswith("https://")
    answer.set_cookie(name, secret, httponly=True, samesite="strict", secure=secure, path="/")
    return answer


def told(error: AnonscopeError) -> JSONResponse:
    """Return one of our errors: it says what is wrong without quoting data."""
    return failure(str(error), error.status if isinstance(error, RequestRefused) else 422)


def _from_our_pages(headers: Headers) -> bool:
    """Whether a browser says that one of our own pages sent this; where it says nothing, it does not count."""
    site: Any = headers.get("sec-fetch-site")
    origin = headers.get("origin")
    if site is not None and site != "same-origin":
        return False
    if origin is not None:
        return urlsplit(origin).netloc.lower() == headers["host"].lower() and urlsplit(origin).scheme in ("http", "https")
    return site is not None
