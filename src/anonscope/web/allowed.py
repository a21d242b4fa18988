"""What a server may read of its own machine: nothing but what lies below the folders that it was started with."""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from anonscope.errors import OptionError, RequestRefused, shown
from anonscope.io.formats import endings
from anonscope.io.sources.parts import find_parts

_MOST_LISTED = 1000
_PIECE = 2**20
NOTHING = "There is nothing at this place."


@dataclass(frozen=True)
class Entry:
    """A file or a folder below a root."""

    name: str
    kind: Literal["file", "folder"]
    bytes: int | None  # of a file


@dataclass(frozen=True)
class Roots:
    """Folders below which tables may be opened, by what they are called."""

    folders: tuple[Path, ...]

    @classmethod
    def of(cls, given: Iterable[Path]) -> "Roots":
        """Return the folders that a server was started with; raise if one is none."""
        found = []
        for path in given:
            try:
                folder = path.resolve(strict=True)
            except OSError:
                raise OptionError(f"--allow-sources {shown(path)}: there is no such folder.") from None
            if not folder.is_dir():
                raise OptionError(f"--allow-sources {shown(path)}: this is no folder.")
            found.append(folder)
        return cls(tuple(dict.fromkeys(found)))

    def place(self, root: int, below: str) -> Path:
        """Return a path below a root; whatever leads out of it, by dots or by links, is as good as nothing."""
        if not 0 <= root < len(self.folders):
            raise RequestRefused("There is no such place.", 404)
        return self._inside(self.folders[root] / below, self.folders[root])

    def known(self, path: str) -> Path | None:
        """Return a path if it lies below one of the roots, as a project says it; None if it does not."""
        for folder in self.folders:
            if Path(path).is_relative_to(folder):
                try:
                    return self._inside(Path(path), folder)
                except RequestRefused:
                    return None
        return None

    def listed(self, root: int, below: str) -> list[Entry]:
        """Return what lies in a folder: tables by their endings, and folders. Names that hold a value are not told."""
        folder = self.place(root, below)
        if not folder.is_dir():
            raise RequestRefused("This is no folder.", 422)
        found = []
        with os.scandir(folder) as entries:
            for entry in entries:
                # Partitioned tables have folders called by a column and one of its values.
                if entry.name.startswith((".", "_")) or "=" in entry.name or entry.is_symlink():
                    continue
                if entry.is_dir():
                    found.append(Entry(entry.name, "folder", None))
                elif entry.name.lower().removesuffix(".gz").endswith(tuple(endings())):
                    found.append(Entry(entry.name, "file", entry.stat().st_size))
        return sorted(found, key=lambda one: (one.kind == "file", one.name))[:_MOST_LISTED]

    @staticmethod
    def _inside(path: Path, folder: Path) -> Path:
        try:
            found = path.resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            raise RequestRefused(NOTHING, 404) from None
        if not found.is_relative_to(folder):
            raise RequestRefused(NOTHING, 404)
        return found


def copied(source: Path, target: Path, limit: int) -> Path:
    """Copy a file, or the parts of a folder, to where nobody changes it; more bytes than the limit are refused."""
    if source.is_file():
        _copied(source, target, limit)
        return target
    left = limit
    top = source.resolve()
    for part in find_parts(source).files:
        if not part.path.resolve().is_relative_to(top):
            raise RequestRefused("A link in this folder leads out of it, so it is not read.", 422)
        place = target / part.name
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        left -= _copied(part.path, place, left)
    return target


def _copied(source: Path, target: Path, limit: int) -> int:
    try:
        with open(source, "rb") as file, open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            if os.fstat(file.fileno()).st_size > limit:
                raise too_large()
            shutil.copyfileobj(file, out, _PIECE)
            if out.tell() > limit:
                raise too_large()
            return out.tell()
    except OSError as error:
        raise RequestRefused(f"The file cannot be read: {error.strerror}.", 422) from None


def too_large() -> RequestRefused:
    return RequestRefused("The table is larger than the server takes: `anonscope serve --upload-limit` sets that.", 413)
