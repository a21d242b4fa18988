"""Which files a folder or a pattern stands for: the parts of one table, in order.

Names that begin with a dot or an underscore are not parts: that is how Hadoop, Spark and their kin mark what is not data, such as
`_SUCCESS`. Folders named `key=value` say what all their records have in common, as these tools write partitioned tables.
"""

import glob
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from urllib.parse import unquote

from anonscope.errors import SourceError, shown

# What Hive, and Spark after it, call the folder of records that lack a value.
_MISSING = "__HIVE_DEFAULT_PARTITION__"
_ANY_DEPTH = "**"
# What tells that a folder is kept by software that marks records as deleted instead of rewriting files.
_STORAGE = {"Delta": ("_delta_log",), "Hudi": (".hoodie",), "Iceberg": ("metadata/*.metadata.json",)}


@dataclass(frozen=True, slots=True)
class PartFile:
    """One file of several that make up a table."""

    path: Path
    name: str  # as seen from the folder, with slashes
    number: int  # from 1, in the order in which parts are read
    keys: tuple[tuple[str, str | None], ...] = ()  # what the folders above it say of its records

    @property
    def shown(self) -> str:
        """Its name fit for a message. A value that a folder's name holds is left out, because it is a cell like any other."""
        *folders, file = self.name.split("/")
        hidden = [f"{folder.partition('=')[0]}=…" if "=" in folder else folder for folder in folders]
        named = shown("/".join([*hidden, file]))
        return f"{named} (part {self.number:,})" if hidden != folders else named


@dataclass(frozen=True, slots=True)
class PartFiles:
    """The files of one table, sorted by name."""

    name: str
    root: Path  # the folder, or where a pattern starts from
    files: tuple[PartFile, ...]


def is_pattern(source: str | Path) -> bool:
    """Return whether this is a pattern such as 'parts/*.csv'; a file that is really called so goes first."""
    return glob.has_magic(str(source)) and not Path(source).exists()


def find_parts(source: str | Path) -> PartFiles:
    """Return the parts that a folder holds, nested folders included, or that a pattern stands for."""
    path = Path(source)
    if not is_pattern(path):
        return _parts(path, _within(path, frozenset()), path.name or path.resolve().name)
    root, pattern = _split(path)
    if not root.is_dir():
        raise SourceError(f"No such folder: {shown(root)}.")
    name = (PurePath(root.resolve().name) / PurePath(*pattern)).as_posix()
    # With ** one file may be found in two ways.
    found = set(_matching(root, pattern, hidden=pattern[-1].startswith((".", "_"))))
    if not found:
        raise SourceError(f"No file matches {shown(path)}; names that begin with a dot or an underscore do not count.")
    return _parts(root, found, name)


def check_plain(found: PartFiles) -> None:
    """Raise if the files are only the storage of a table, some of whose records were deleted since."""
    folders = {found.root, *(folder for part in found.files for folder in part.path.parents if folder.is_relative_to(found.root))}
    # The folder itself may be one partition of such a table.
    top = found.root.resolve()
    while "=" in top.name:
        top = top.parent
        folders.add(top)
    for kind, marks in _STORAGE.items():
        if any(next(folder.glob(mark), None) is not None for folder in folders for mark in marks):
            how = "Read it with --engine spark, or export" if kind == "Delta" else "Export"
            raise SourceError(
                f"{shown(found.name)} is a {kind} table, or a piece of one: its files also hold records that were deleted or replaced "
                f"since. {how} it as plain Parquet first."
            )


def would_be_part(target: Path, source: Path) -> bool:
    """Return whether a file of this name would be read together with the parts of a source from then on."""
    if source.is_dir():
        return target.resolve().is_relative_to(source.resolve()) and not _ignored(target.name)
    if not is_pattern(source):
        return target.exists() and source.exists() and target.samefile(source)
    root, pattern = _split(source)
    resolved, top = target.resolve(), root.resolve()
    if not resolved.is_relative_to(top):
        return False
    below = resolved.relative_to(top)
    if _ANY_DEPTH in pattern:
        return fnmatchcase(below.name, pattern[-1] if pattern[-1] != _ANY_DEPTH else "*")
    return len(below.parts) >= len(pattern) and all(fnmatchcase(part, wanted) for part, wanted in zip(below.parts, pattern, strict=False))


def _split(path: Path) -> tuple[Path, tuple[str, ...]]:
    """Return the folder that a pattern starts from, and what may vary below it."""
    first = next(i for i, part in enumerate(path.parts) if glob.has_magic(part))
    return Path(*path.parts[:first]), path.parts[first:]


def _parts(root: Path, found: Iterable[Path], name: str) -> PartFiles:
    named = sorted((path.relative_to(root).as_posix(), path) for path in found)
    if not named:
        raise SourceError(f"{shown(root)} is a folder without parts of a table; names that begin with a dot or an underscore do not count.")
    return PartFiles(name, root, tuple(PartFile(path, below, i, _keys(below)) for i, (below, path) in enumerate(named, start=1)))


def _keys(name: str) -> tuple[tuple[str, str | None], ...]:
    pairs = (folder.partition("=") for folder in name.split("/")[:-1] if folder.find("=") > 0)
    return tuple((unquote(key), None if value == _MISSING else unquote(value)) for key, _, value in pairs)


def _within(folder: Path, above: frozenset[str]) -> Iterator[Path]:
    """Yield every part in a folder and below; a link that leads back up is not followed again."""
    here = os.path.realpath(folder)
    if here in above:
        return
    for entry in _listed(folder):
        if _ignored(entry.name):
            continue
        if entry.is_dir():
            yield from _within(Path(entry.path), above | {here})
        elif entry.is_file():
            yield Path(entry.path)


def _matching(folder: Path, pattern: tuple[str, ...], *, hidden: bool, above: frozenset[str] = frozenset()) -> Iterator[Path]:
    """Yield what matches. Unlike `glob`, a folder that may not be listed is an error: its records would be missing silently."""
    wanted, rest = pattern[0], pattern[1:]
    here = os.path.realpath(folder)
    if here in above:
        return
    if wanted == _ANY_DEPTH:
        if not rest:
            yield from _within(folder, frozenset())
            return
        yield from _matching(folder, rest, hidden=hidden)
    for entry in _listed(folder):
        last = not rest
        if _ignored(entry.name) and not (last and hidden):
            continue
        if wanted == _ANY_DEPTH:
            if entry.is_dir():
                yield from _matching(Path(entry.path), pattern, hidden=hidden, above=above | {here})
        elif fnmatchcase(entry.name, wanted):
            if entry.is_dir():
                yield from _within(Path(entry.path), frozenset()) if last else _matching(Path(entry.path), rest, hidden=hidden)
            elif last and entry.is_file():
                yield Path(entry.path)


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except PermissionError:
        raise SourceError(f"The folder {shown(folder.name)} may not be listed: permission denied.") from None


def _ignored(name: str) -> bool:
    # A folder such as _year=2026 is a partition nevertheless: so Spark decides.
    return name.startswith(".") or (name.startswith("_") and "=" not in name)
