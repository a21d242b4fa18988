"""The folder of a project: whose it is, what lies where in it, and that only one server works in it at a time.

project.json                              says that it is one
tables/ID/table.json                      roles, policy, notes, what was wished; the data by path and hash
tables/ID/hierarchies/                    ladders that somebody gave or changed: original values
tables/ID/versions/N/version.json         how a version was made, and what policies said of it
tables/ID/versions/N/release.csv.archive/ its recipe with its hierarchies: original values
tables/ID/sign-off/N/                     dossiers
tables/ID/results/                        what rooms showed last: a comparison, a linkage, attacks, noisy answers
tables/ID/data/                           the table itself, only if that was asked for
"""

import json
import os
import shutil
import stat
from pathlib import Path
from typing import IO, Any

from anonscope.errors import OptionError, shown
from anonscope.io.writing import WRITING, write_bytes
from anonscope.version import VERSION

try:
    import fcntl
except ImportError:  # Windows: two servers in one folder are not told from each other.
    fcntl = None  # type: ignore[assignment]  # a module that is not there; whoever uses it asks first

SCHEMA = "anonscope/project/1"
MARKER, TABLES, IN_USE = "project.json", "tables", ".in-use"
# What others may keep beside it: a project may be under version control.
_NOT_OURS = (".git", ".gitignore", ".gitattributes", "README.md")


class ProjectFolder:
    """A folder that only its owner may enter, held by one server at a time."""

    def __init__(self, path: Path) -> None:
        self.path = _made(path)
        self._lock = _held(self.path)
        (self.path / TABLES).mkdir(mode=0o700, exist_ok=True)
        self.write(MARKER, as_json({"schema": SCHEMA, "software": VERSION}))

    @property
    def name(self) -> str:
        """What the folder is called."""
        return self.path.name

    def tables(self) -> list[Path]:
        """Return the folders of the tables that are kept, in a lasting order."""
        return sorted(path.parent for path in (self.path / TABLES).glob("*/table.json") if not path.parent.is_symlink())

    def table(self, id: str) -> Path:
        """Return where a table is kept."""
        return self.path / TABLES / id

    def write(self, name: str, content: bytes) -> None:
        """Write a file that only its owner may read, whole or not at all; one that says the same already is left alone."""
        write_private(self.path, name, content)

    def copy(self, source: Path, name: str) -> None:
        """Copy a file or a folder, for the eyes of its owner only; what is there already is as good."""
        target = self.path / name
        if target.exists():
            return
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        making = target.with_name(WRITING + target.name)
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir(mode=0o700)
        copied = making / target.name
        if source.is_dir():
            shutil.copytree(source, copied, copy_function=shutil.copyfile)
        else:
            shutil.copyfile(source, copied)
        private(copied)
        copied.replace(target)
        making.rmdir()

    def forget(self, id: str) -> None:
        """Delete what is kept of a table."""
        shutil.rmtree(self.table(id), ignore_errors=True)

    def close(self) -> None:
        """Let another server have it."""
        if self._lock is not None:
            self._lock.close()


def write_private(root: Path, name: str, content: bytes) -> None:
    """Write a file into a folder that is there, with folders on the way, for the eyes of its owner only."""
    target = root / name
    for folder in reversed(target.relative_to(root).parents[:-1]):
        (root / folder).mkdir(mode=0o700, exist_ok=True)
    if not target.is_file() or target.read_bytes() != content:
        write_bytes(target, content, private=True)


def read_json(path: Path) -> dict[str, Any]:
    """Return what a file of a project says; raise ValueError if it says nothing that can be understood."""
    found = json.loads(path.read_bytes())
    if not isinstance(found, dict):
        raise ValueError("no object")
    return found


def as_json(document: dict[str, Any]) -> bytes:
    """Return a document in lines that can be compared by people and by version control."""
    return (json.dumps(document, indent=2, ensure_ascii=False, sort_keys=True, allow_nan=False) + "\n").encode()


def private(path: Path) -> None:
    """Take a file, or a folder with all that is in it, from everybody but its owner."""
    path.chmod(0o700 if path.is_dir() else 0o600)
    for inside in path.rglob("*") if path.is_dir() else ():
        inside.chmod(0o700 if inside.is_dir() else 0o600)


def _made(path: Path) -> Path:
    """Return the folder, made if it is not there; one that holds something else is no place for people's data."""
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        folder = path.resolve(strict=True)
        if not stat.S_ISDIR(folder.stat().st_mode):
            raise OptionError(f"The project {shown(path)} is no folder.")
        others = [entry.name for entry in folder.iterdir() if entry.name not in (*_NOT_OURS, MARKER, TABLES, IN_USE)]
        if not (folder / MARKER).is_file() and others:
            raise OptionError(f"The folder {shown(path)} holds other things and is no project. Name an empty folder, or a new one.")
        if (folder / MARKER).is_file() and read_json(folder / MARKER).get("schema") != SCHEMA:
            raise OptionError(f"The project {shown(path)} was made by another version of anonscope, which this one cannot read.")
        # A copy that came by mail or from a repository has whatever rights it came with.
        folder.chmod(0o700)
    except OSError as error:
        raise OptionError(f"The project {shown(path)} cannot be used: {error.strerror}.") from None
    except ValueError:
        raise OptionError(f"The project {shown(path)} cannot be read: its {MARKER} is damaged.") from None
    return folder


def _held(folder: Path) -> IO[bytes] | None:
    if fcntl is None:
        return None
    handle = os.fdopen(os.open(folder / IN_USE, os.O_WRONLY | os.O_CREAT, 0o600), "wb")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        handle.close()
        raise OptionError(f"Another server works in the project {shown(folder.name)}. End that one first.") from None
    return handle
