"""A server of the web app for tests: a real one, on a free port, with a client that may come in."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

from anonscope.web.app import create_app
from anonscope.web.settings import ServerSettings

API = "/api/v1"


@dataclass
class Served:
    """A server that runs, and what a test needs of it."""

    app: FastAPI
    settings: ServerSettings
    base: str
    clients: list[httpx.Client] = field(default_factory=list)

    def client(self, **options: Any) -> httpx.Client:
        """Return a client without any right to come in."""
        self.clients.append(httpx.Client(base_url=self.base, timeout=60, **options))
        return self.clients[-1]

    def browser(self) -> httpx.Client:
        """Return a client that has come in as a browser does, and whose requests come from our own pages."""
        client = self.client(headers={"Origin": self.base})
        assert client.get("/enter", params={"token": self.settings.token}).status_code == 303
        return client


@contextmanager
def served(**options: Any) -> Iterator[Served]:
    """Give a server on a free port of this machine; it is shut down properly afterwards."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    settings = ServerSettings(port=listening.getsockname()[1], **options)
    try:
        app = create_app(settings)
    except BaseException:
        listening.close()
        raise
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", access_log=False, timeout_graceful_shutdown=2, ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        found = Served(app, settings, f"http://127.0.0.1:{settings.port}")
        try:
            yield found
        finally:
            for client in found.clients:
                client.close()
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()


def sent(client: httpx.Client, content: bytes, name: str = "people.csv") -> httpx.Response:
    """Send a file."""
    return client.post(f"{API}/tables", files={"file": (name, content)})


def finished(client: httpx.Client, answer: httpx.Response, patience: float = 60) -> dict[str, Any]:
    """Wait for a job, and return what became of it."""
    assert answer.status_code == 202, answer.text
    job: dict[str, Any] = answer.json()
    end = time.monotonic() + patience
    while job["state"] in ("queued", "running"):
        assert time.monotonic() < end, job
        time.sleep(0.02)
        job = client.get(f"{API}/jobs/{job['id']}").json()
    return job


def result(client: httpx.Client, answer: httpx.Response) -> dict[str, Any]:
    """Wait for a job, and return its result."""
    job = finished(client, answer)
    assert job["state"] == "done", job
    found: dict[str, Any] = client.get(job["location"]).json()
    return found
