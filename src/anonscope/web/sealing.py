"""The seal of whoever runs the server under a release that was made here. A private key is never sent."""

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import FileResponse
from pydantic import Field

from anonscope.errors import RequestRefused
from anonscope.operations.seal import seal
from anonscope.operations.signing.seal_file import SealRead, seal_path
from anonscope.transform.release.manifest import manifest_path
from anonscope.web import schemas as schema
from anonscope.web.asked import asked as body
from anonscope.web.responses import file_of
from anonscope.web.rest import FAILURES, Mine, Table
from anonscope.web.tasks import API, own_release
from anonscope.web.written import Format, release_of

router = APIRouter(prefix=API, responses=FAILURES)


@body
class SealAsked:
    """Which release is sealed."""

    version: Annotated[int | None, Field(ge=1, description="The number of the version that leaves; without it, the newest.")] = None


@router.post("/tables/{id}/seal")
def ask_seal(table: Table, workspace: Mine, asked: SealAsked | None = None) -> schema.SealInfo:
    """Put the key of the server under a release and its manifest, in every format; a release that was changed is refused."""
    settings = workspace.settings
    if settings.seal_key is None or settings.seal_name is None:
        raise RequestRefused("This server has no key to seal with. Whoever runs it gives it one: anonscope serve --seal-key FILE.", 409)
    release = own_release(table, (asked or SealAsked()).version)
    with table.lock:
        found = [seal(path, settings.seal_key, settings.seal_name, force=True) for path in _formats(release)]
    return _told(found[-1])


@router.get("/tables/{id}/release.manifest.json.sig", response_class=FileResponse, responses=file_of("application/json"))
def seal_of(table: Table, format: Format = "csv") -> FileResponse:
    """Return the seal of the release, for whoever receives it: it stands beside the manifest."""
    path = seal_path(manifest_path(release_of(table, format)))
    if not path.is_file():
        raise RequestRefused("The release was not sealed yet.", 409)
    return FileResponse(path, media_type="application/json", filename=path.name)


def _formats(release: Path) -> list[Path]:
    """Return the files of a release, as CSV last; each has a manifest of its own."""
    return [path for path in (release.with_suffix(".parquet"), release) if path.exists()]


def _told(found: SealRead) -> schema.SealInfo:
    return schema.SealInfo(by=found.by, fingerprint=found.fingerprint, public_key=found.key, sealed=found.sealed, files=sorted(found.files))
