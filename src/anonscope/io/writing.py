"""Writing a file whole or not at all."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from anonscope.engines.scratch import private_folder, remove, sweep
from anonscope.errors import OutputError, shown

# How the names of private folders begin in which files are written.
WRITING = ".anonscope-writing-"
# How the names begin of what Spark writes into a folder of parts.
_OF_PARTS = ("part-", "_SUCCESS", ".part-", "._SUCCESS")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


# Asked once: to ask is to change it for a moment, for all threads, and two that ask at once could leave it changed.
_UMASK = _umask()


def check_writable(path: Path) -> None:
    """Raise now if the file could not be written later, after the work."""
    folder = path.parent
    if path.is_dir():
        raise OutputError(f"{shown(path)} is a folder. Give the name of a file.")
    if not folder.is_dir():
        raise OutputError(f"The folder {shown(folder)} does not exist, so {shown(path.name)} cannot be written.")
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise OutputError(f"{shown(path)} cannot be written: permission denied.")


def write_text(path: Path, text: str) -> None:
    """Write a text file in one step: readers see the old file or the new one, never a part."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file in one step; a private one only its owner may read."""
    with replacing(path, private=private) as temporary:
        temporary.write_bytes(content)


@contextlib.contextmanager
def replacing(path: Path, *, private: bool = False) -> Iterator[Path]:
    """Give a private file beside the target to write to; it takes the target's place when all went well, and vanishes when not."""
    check_writable(path)
    try:
        parent = path.parent.resolve()
        # A run that was killed here cannot have taken its file away.
        sweep(parent, WRITING)
        folder, lock = private_folder(parent, WRITING)
        try:
            yield folder / path.name
            if private:
                (folder / path.name).chmod(0o600)
            else:
                open_mode(folder / path.name)
            (folder / path.name).replace(path)
        finally:
            remove(folder, lock)
    except OSError as error:
        raise OutputError(f"{shown(path)} cannot be written: {error.strerror}.") from None


def check_folder(path: Path, *, force: bool) -> None:
    """Raise now if a folder of parts could not be written later, or would replace what nobody asked to replace."""
    if not path.parent.is_dir():
        raise OutputError(f"The folder {shown(path.parent)} does not exist, so {shown(path.name)} cannot be written.")
    if not os.access(path.parent, os.W_OK):
        raise OutputError(f"{shown(path)} cannot be written: permission denied.")
    if path.exists() and not force:
        raise OutputError(f"{shown(path)} exists. Say --force (force=True) to replace it, or give another name.")
    if path.is_dir() and not all(part.is_file() and part.name.startswith(_OF_PARTS) for part in path.iterdir()):
        raise OutputError(f"{shown(path)} is a folder that holds other things than the parts of a table, so it is not replaced.")


def check_absent(path: Path) -> None:
    """Raise if a file could not be written, or is there already."""
    check_writable(path)
    if path.exists():
        raise OutputError(f"{shown(path)} exists, and is never replaced. Move it away, or give another name.")


def open_mode(path: Path) -> None:
    """Let others read a file or a folder of files as the user's settings say; until then it is private."""
    for entry in (path, *(path.rglob("*") if path.is_dir() else ())):
        entry.chmod((0o777 if entry.is_dir() else 0o666) & ~_UMASK)
