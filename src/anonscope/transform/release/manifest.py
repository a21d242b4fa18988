"""The papers of a release: where they stand, how a manifest is sealed and read, and what a later audit takes from it.

release.csv                   the release
release.csv.manifest.json     for whoever receives it
release.csv.archive/          for its owner only: manifest.json, recipe.toml, hierarchies/
"""

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from anonscope.errors import SourceError, shown
from anonscope.io.rounding import fraction_of
from anonscope.io.sources.parts import find_parts
from anonscope.risk.policy.guarantee import StatedGuarantee, stated_of
from anonscope.risk.privacy_loss import PrivacyLoss, privacy_loss_of

SCHEMA = "anonscope/manifest/2"
ARCHIVE_SCHEMA = "anonscope/archive/2"
# What earlier versions wrote is read as well: a release outlives the program that made it.
READABLE = ("anonscope/manifest/1", SCHEMA)
READABLE_ARCHIVES = ("anonscope/archive/1", ARCHIVE_SCHEMA)
MANIFEST, RECIPE, HIERARCHIES, DOMAIN = "manifest.json", "recipe.toml", "hierarchies", "domain.toml"
_CHUNK = 2**20
_SEAL = re.compile(rb'"sealed": "([0-9a-f]{64})"')
_UNSEALED = "0" * 64


def manifest_path(release: Path) -> Path:
    """Return where the manifest of a release stands: beside it."""
    return release.with_name(release.name + ".manifest.json")


def archive_path(release: Path) -> Path:
    """Return the folder of what is not for others: the whole manifest, the recipe, the hierarchies."""
    return release.with_name(release.name + ".archive")


def recipe_path(release: Path) -> Path:
    """Return where the recipe stands that reproduces a release."""
    return archive_path(release) / RECIPE


def sealed(text: str) -> str:
    """Return a JSON object with a hash of its own text as its last entry: any change of a byte shows."""
    opened = text.rstrip().removesuffix("}").rstrip() + f',\n  "sealed": "{_UNSEALED}"\n}}\n'
    return opened.replace(f'"sealed": "{_UNSEALED}"', f'"sealed": "{hashlib.sha256(opened.encode()).hexdigest()}"')


def is_sealed(content: bytes) -> bool:
    """Return whether the bytes of a manifest are those that were sealed."""
    seals = list(_SEAL.finditer(content))
    if not seals:
        return False
    start, end = seals[-1].span(1)
    opened = content[:start] + _UNSEALED.encode() + content[end:]
    return hashlib.sha256(opened).hexdigest().encode() == seals[-1].group(1)


def read_manifest(release: Path) -> dict[str, Any] | None:
    """Return the manifest beside a release, if there is one that can be read."""
    try:
        document = json.loads(manifest_path(release).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) and document.get("schema") in READABLE else None


def told_in(release: Path | None) -> tuple[tuple[str, ...], PrivacyLoss | None]:
    """Return which columns were perturbed, and what differentially private steps lose, by the manifest beside a file.

    Of a file that was changed since, values may still be made up, but nothing is promised any more.
    """
    document = read_manifest(release) if release is not None else None
    if release is None or document is None:
        return (), None
    try:
        perturbed = tuple(str(column) for column in document["perturbed"])
        promised = document.get("privacy_loss") and document["release"]["sha256"] == file_hash(release)
        return perturbed, privacy_loss_of(document["privacy_loss"]) if promised else None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return (), None


def guaranteed_in(release: Path | None) -> StatedGuarantee | None:
    """Return what the manifest beside a file guarantees of all of it; None where that was changed, or the file was, since."""
    document = read_manifest(release) if release is not None else None
    if release is None or document is None or "synthesis" not in document:
        return None
    try:
        if not is_sealed(manifest_path(release).read_bytes()) or document["release"]["sha256"] != file_hash(release):
            return None
        return stated_of(document["synthesis"]["guarantee"], document.get("composition"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, ZeroDivisionError):
        return None


def has_manifest(release: Path) -> bool:
    """Return whether a manifest stands beside a file, and is about this file."""
    document = read_manifest(release)
    try:
        return document is not None and isinstance(document["perturbed"], list) and document["release"]["sha256"] == file_hash(release)
    except (KeyError, TypeError):
        return False


def dropped_in(release: Path | None, columns: Collection[str]) -> tuple[str, ...]:
    """Return which of these columns were dropped according to the manifest beside a file, if there is one and it is about this file."""
    # The file is hashed only if it matters.
    document = read_manifest(release) if release is not None and columns else None
    told = document.get("dropped") if document is not None else None
    dropped = tuple(column for column in told if column in columns) if isinstance(told, list) else ()
    return dropped if dropped and release is not None and has_manifest(release) else ()


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file; of a folder or a pattern, that of the list of its parts as `sha256sum` prints it."""
    if path.is_file():
        return digest(path)
    listed = "".join(f"{digest(part.path)}  {part.name}\n" for part in find_parts(path).files)
    return hashlib.sha256(listed.encode(errors="surrogateescape")).hexdigest()


def files_of(release: Path) -> dict[str, str]:
    """Return the SHA-256 of every file of a release by its name: its own, or those of its parts."""
    if release.is_file():
        return {release.name: digest(release)}
    return {f"{release.name}/{part.name}": digest(part.path) for part in find_parts(release).files}


def epsilon_in(document: Mapping[str, Any]) -> Fraction | None:
    """Return what a manifest says is lost about a person at most, exactly; None where nothing is guaranteed."""
    loss, drawn = document.get("privacy_loss"), document.get("synthesis")
    exact = drawn["guarantee"]["epsilon"] if drawn else loss["exact"] if loss else None
    return fraction_of(exact) if exact is not None else None


def delta_in(document: Mapping[str, Any]) -> str | None:
    """Return what a manifest says is lost beyond its epsilon, exactly; None where nothing is guaranteed."""
    if epsilon_in(document) is None:
        return None
    drawn = document.get("synthesis")
    # The mechanisms of single columns have none.
    return str(fraction_of(drawn["guarantee"]["delta"])) if drawn else "0"


def unit_in(document: Mapping[str, Any]) -> str | None:
    """Return whom the epsilon of a manifest protects: a record, a person or a household; None where nothing is guaranteed."""
    if epsilon_in(document) is None:
        return None
    loss, drawn = document.get("privacy_loss"), document.get("synthesis")
    if not drawn:
        return "person" if loss and loss["person"] is not None else "record"
    told = drawn["guarantee"]
    # Manifests of earlier versions do not say whether somebody stated that a record is a person.
    return str(told.get("protects") or (told["unit_kind"] if told["unit"] is not None else "record"))


def digest(path: Path) -> str:
    """Return the SHA-256 of one file."""
    if path.exists() and not path.is_file():
        # Papers of others name files, and a device or a pipe may have no end.
        raise SourceError(f"{shown(path)} is no file that could be compared.")
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
