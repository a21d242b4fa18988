"""The tables of a repository: which there are, their roles and policies, from anonscope.toml or pyproject.toml."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonscope.engines.choice import is_database_url
from anonscope.errors import OptionError, shown, without_credentials
from anonscope.io.toml_file import TomlFile, read_toml
from anonscope.operations.wishes.engine import DatabaseTable
from anonscope.operations.wishes.policy import Gating, Judging
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.roles import Acknowledging
from anonscope.operations.wishes.words import wishes_of
from anonscope.risk.policy import preset_names

OWN, SHARED = "anonscope.toml", "pyproject.toml"
_OPTIONS = tuple(asked.name for group in (Reading, DatabaseTable, Acknowledging) for asked in wishes_of(group))
_GATING = tuple(asked.name for asked in wishes_of(Gating))
KEYS = ("source", "roles", "policy", "exceptions", *_GATING, *_OPTIONS)
_NAMED = ("acknowledge", "exceptions")
_POLICY = str(Judging().policy)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEntry:
    """One table of a repository: where it is, what it is judged by, and how it is read."""

    name: str  # as the file says it
    source: str
    policy: str
    exceptions: Mapping[str, str] | None = None
    roles: str | None = None
    before_release: bool = False  # whether a release is yet to be made of it
    reading: Mapping[str, Any] = field(default_factory=dict)  # as `read` takes it


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """All tables that a file names."""

    file: Path
    tables: tuple[TableEntry, ...]


def find_repository(folder: Path) -> Path:
    """Return the file that names the tables: in a folder, or in the nearest one above it."""
    for place in (folder, *folder.parents):
        if (place / OWN).is_file():
            return place / OWN
        if (place / SHARED).is_file() and _section(read_toml(place / SHARED, OptionError), place / SHARED) is not None:
            return place / SHARED
    raise OptionError(
        f"Nothing says which tables to check. Name one (anonscope check SOURCE --roles FILE), or list them in {OWN}, or under "
        f"[tool.anonscope] in {SHARED}."
    )


def read_repository(path: Path) -> Repository:
    """Return the tables that a file names, or say what is wrong with it by its line."""
    document = read_toml(path, OptionError)
    content = _section(document, path)
    if content is None:
        raise OptionError(f"{shown(path)} has no [tool.anonscope].")
    prefix = "" if path.name != SHARED else "tool.anonscope."
    for key in content:
        if key not in ("policy", "tables"):
            raise document.fail("no such key; known are policy and tables", f"{prefix}{key}")
    usual = _text(document, content, "policy", prefix, None) or _POLICY
    entries = content.get("tables")
    if not isinstance(entries, list) or not entries:
        raise document.fail(f"there must be at least one; write [[{prefix}tables]] with a source and its roles", f"{prefix}tables")
    return Repository(file=path, tables=tuple(_entry(document, path.parent, prefix, i, entry, usual) for i, entry in enumerate(entries)))


def _section(document: TomlFile, path: Path) -> dict[str, Any] | None:
    """Return what a file says to us: all of it, or its table [tool.anonscope]."""
    if path.name != SHARED:
        return document.content
    tools = document.content.get("tool")
    found = tools.get("anonscope") if isinstance(tools, dict) else None
    if found is not None and not isinstance(found, dict):
        raise document.fail("must be a table", "tool.anonscope")
    return found


def _entry(document: TomlFile, folder: Path, prefix: str, position: int, content: Any, usual: str) -> TableEntry:
    if not isinstance(content, dict):
        raise document.fail(f"must be tables; write [[{prefix}tables]]", f"{prefix}tables")
    told = f"table {position + 1}: "
    for key, value in content.items():
        if key not in KEYS:
            raise document.fail(f"{told}no such key; known are {', '.join(KEYS)}", key)
        if key in _NAMED and not (isinstance(value, dict) and all(isinstance(reason, str) and reason.strip() for reason in value.values())):
            raise document.fail(f"{told}must be a table of reasons in words", key)
        if key in _GATING and not isinstance(value, bool):
            raise document.fail(f"{told}must be true or false", key)
    source = _text(document, content, "source", told, None)
    if source is None:
        raise document.fail(f"{told}names no source", f"{prefix}tables")
    roles = _text(document, content, "roles", told, None)
    policy = _text(document, content, "policy", told, usual) or usual
    return TableEntry(
        name=without_credentials(source),
        source=source if is_database_url(source) else str(folder / source),
        policy=policy if policy in preset_names() or not (folder / policy).exists() else str(folder / policy),
        exceptions=content.get("exceptions"),
        roles=str(folder / roles) if roles is not None else None,
        before_release=content.get("before_release", False),
        reading={key: content[key] for key in _OPTIONS if key in content},
    )


def _text(document: TomlFile, content: Mapping[str, Any], key: str, told: str, default: str | None) -> str | None:
    value = content.get(key, default)
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise document.fail(f"{told}must be text", key)
    return value
