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
    if release is None or not manifest_path(release).is_file():
        return ()
    try:
        document = json.loads(manifest_path(release).read_text(encoding="utf-8"))
        known = document["schema"] == SCHEMA and document["release"]["sha256"]
        perturbed = tuple(str(column) for column in document["perturbed"])
    except (OSError, ValueError, KeyError, TypeError):
        return ()
    return perturbed if perturbed and known == file_hash(release) else ()


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
