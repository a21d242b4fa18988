"""Answers that are not plain JSON: reports, files to keep, streams of events."""

import asyncio
import io
import json
import zipfile
from collections.abc import AsyncIterator, Iterable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, Protocol

from fastapi import Response

from anonscope.web.jobs import Job
from anonscope.web.schemas import JobInfo

Ending = Literal["json", "html", "md"]
# How often an event stream looks for news, and how often it shows that it is alive; seconds.
_LOOK, _ALIVE = 0.05, 10.0
_MEDIA = {"html": "text/html; charset=utf-8", "md": "text/markdown; charset=utf-8", "json": "application/json"}
_FORMATS = {"html": "html", "md": "markdown", "json": "json"}


class Renders(Protocol):
    """A result that writes itself."""

    def render(self, format: str = "text") -> str: ...


def documents(words: str) -> dict[int | str, dict[str, Any]]:
    """Return how the OpenAPI document speaks of a report."""
    content: dict[str, Any] = {"application/json": {"schema": {"type": "object"}}}
    content |= {kind: {"schema": {"type": "string"}} for kind in ("text/html", "text/markdown")}
    return {200: {"description": words, "content": content}}


def file_of(kind: str) -> dict[int | str, dict[str, Any]]:
    """Return how the OpenAPI document speaks of a file."""
    # Clients that are made from the document read text as text.
    schema = {"type": "string"} if kind.startswith("text/") else {"type": "string", "format": "binary"}
    return {200: {"description": "The file.", "content": {kind: {"schema": schema}}}}


def document(result: Renders, ending: Ending, name: str) -> Response:
    """Return a report; what is not JSON is a file to keep, because its style is its own and not this site's."""
    text = result.render(_FORMATS[ending])
    return Response(text, media_type=_MEDIA[ending]) if ending == "json" else attached(text, _MEDIA[ending], f"{name}.{ending}")


def attached(content: str | bytes, kind: str, name: str) -> Response:
    """Return a file to keep."""
    return Response(content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def packed(folder: Path, entries: Iterable[Path]) -> bytes:
    """Return files and folders, as seen from a folder, as a zip archive; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        files = [path for entry in entries for path in ([entry] if entry.is_file() else entry.rglob("*")) if path.is_file()]
        for path in sorted(files):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix())
            entry.external_attr, entry.compress_type = 0o600 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return buffer.getvalue()


async def events(job: Job) -> AsyncIterator[str]:
    """Yield a job whenever it has changed, until it has ended, as server-sent events."""
    seen, silent = -1, 0.0
    while True:
        version, ended = job.version, job.ended
        if version != seen:
            seen, silent = version, 0.0
            yield f"event: job\ndata: {json.dumps(JobInfo.of_job(job).model_dump(), ensure_ascii=False)}\n\n"
        if ended:
            return
        await asyncio.sleep(_LOOK)
        silent += _LOOK
        if silent > _ALIVE:
            silent = 0.0
            yield ": still at it\n\n"


def plain(value: Any) -> Any:
    """Return a cell as JSON has it."""
    if isinstance(value, date | datetime | Decimal | bytes):
        return str(value)
    return [plain(item) for item in value] if isinstance(value, list) else value
