"""What a colleague or a repository may have of a project: what was said and measured, and nothing from which a value could be guessed.

Left out are hierarchies and recipes (they hold original values and seeds; what the recipes do stands in the manifests), the data, paths,
the hash of the data (one unknown cell is found by trying all of them), reports, which have that hash, and dossiers for their owner's eyes.
"""

import io
import zipfile
from pathlib import Path
from typing import Any

from anonscope.errors import OptionError, OutputError, shown
from anonscope.web.project.folder import MARKER, SCHEMA, TABLES, as_json, read_json, write_private
from anonscope.web.project.record import SIGNED, VERSIONS

_SECRET = ("seed", "key", "recipe", "domain", "hierarch")
_PAPERS = ("release.csv.manifest.json",)  # reports have the hash of the data
_DOSSIERS = ("dossier.json", "dossier.html", "dossier.md")


def exported(folder: Path) -> dict[str, bytes]:
    """Return the files of an export by their names; together they are a project, too."""
    found: dict[str, bytes] = {MARKER: (folder / MARKER).read_bytes()}
    for table in sorted(path.parent for path in (folder / TABLES).glob("*/table.json")):
        at = f"{TABLES}/{table.name}"
        found[f"{at}/table.json"] = as_json(_table(read_json(table / "table.json")))
        for path in sorted((table / VERSIONS).glob("*/version.json")):
            place = f"{at}/{VERSIONS}/{path.parent.name}"
            found[f"{place}/version.json"] = as_json(_version(read_json(path)))
            found |= {f"{place}/{name}": (path.parent / name).read_bytes() for name in _PAPERS if (path.parent / name).is_file()}
        for path in sorted((table / SIGNED).glob("*/signed.json")):
            if read_json(path)["edition"] == "publishable":
                place = f"{at}/{SIGNED}/{path.parent.name}"
                found[f"{place}/signed.json"] = path.read_bytes()
                found |= {f"{place}/{name}": (path.parent / name).read_bytes() for name in _DOSSIERS}
    return found


def exported_zip(folder: Path) -> bytes:
    """Return an export as one file; the same project gives the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in exported(folder).items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr, entry.compress_type = 0o600 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return buffer.getvalue()


def export(folder: Path, target: Path) -> int:
    """Write an export into a new folder, and return how many tables it has."""
    try:
        if read_json(folder / MARKER).get("schema") != SCHEMA:
            raise ValueError("another schema")
        files = exported(folder)
    except (OSError, ValueError, KeyError):
        raise OptionError(f"{shown(folder)} is no project that can be read.") from None
    try:
        target.mkdir(mode=0o700)
    except FileExistsError:
        raise OutputError(f"{shown(target)} exists. Name a new folder to export to.") from None
    except OSError as error:
        raise OutputError(f"{shown(target)} cannot be written: {error.strerror}.") from None
    for name, content in files.items():
        write_private(target, name, content)
    return sum(name.endswith("/table.json") for name in files)


def _table(record: dict[str, Any]) -> dict[str, Any]:
    return record | {"data": record["data"] | {"path": None, "sha256": None}, "hierarchies": {}, "results": {}}


def _version(record: dict[str, Any]) -> dict[str, Any]:
    asked = {name: value for name, value in record["asked"].items() if not any(word in name for word in _SECRET)}
    return record | {"asked": asked, "data": None}
