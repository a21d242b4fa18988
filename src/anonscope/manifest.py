"""The manifest beside a release: where it stands, how it is written, and what a later audit reads from it."""

import hashlib
import json
from pathlib import Path
from typing import Any

from anonscope.output import write_text
from anonscope.sources.parts import find_parts

SCHEMA = "anonscope/manifest/1"
_CHUNK = 2**20


def manifest_path(release: Path) -> Path:
    """Return where the manifest of a release stands: beside it."""
    return release.with_name(release.name + ".manifest.json")


def write_manifest(document: dict[str, Any], path: Path) -> None:
    """Write a manifest in one step."""
    write_text(path, manifest_text(document))


def manifest_text(document: dict[str, Any]) -> str:
    """Return a manifest as it is written."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def perturbed_in(release: Path | None) -> tuple[str, ...]:
    """Return the columns that were perturbed according to the manifest beside a file, if there is one and it is about this file."""
    document = _manifest_of(release)
    perturbed = document["perturbed"] if document is not None else ()
    return tuple(perturbed) if perturbed and release is not None and _is_about(document, release) else ()


def has_manifest(release: Path) -> bool:
    """Return whether a manifest stands beside a file, and is about this file."""
    document = _manifest_of(release)
    return document is not None and _is_about(document, release)


def _manifest_of(release: Path | None) -> dict[str, Any] | None:
    """Return the manifest beside a file, whatever file it is about."""
    if release is None or not manifest_path(release).is_file():
        return None
    try:
        document: dict[str, Any] = json.loads(manifest_path(release).read_text(encoding="utf-8"))
        if document["schema"] == SCHEMA and isinstance(document["release"]["sha256"], str):
            return document | {"perturbed": [str(column) for column in document["perturbed"]]}
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def _is_about(document: Any, release: Path) -> bool:
    return bool(document["release"]["sha256"] == file_hash(release))


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file; of a folder or a pattern, that of the list of its parts as `sha256sum` prints it."""
    if path.is_file():
        return _digest(path)
    listed = "".join(f"{_digest(part.path)}  {part.name}\n" for part in find_parts(path).files)
    return hashlib.sha256(listed.encode(errors="surrogateescape")).hexdigest()


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
