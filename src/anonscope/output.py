"""Writing a file whole or not at all."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from anonscope.errors import OutputError, shown


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


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file in one step."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary file beside the target to write to; it takes the target's place when all went well, and vanishes when not."""
    check_writable(path)
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise OutputError(f"{shown(path)} cannot be written: {error.strerror}.") from None
    finally:
        if temporary is not None:
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()


@contextlib.contextmanager
def creating_private(path: Path) -> Iterator[Path]:
    """Give a temporary file beside the target that only its owner may read; it becomes a new file, and never replaces one."""
    check_absent(path)
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        yield temporary
        check_absent(path)
        temporary.replace(path)
    except OSError as error:
        raise OutputError(f"{shown(path)} cannot be written: {error.strerror}.") from None
    finally:
        if temporary is not None:
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()


def check_absent(path: Path) -> None:
    """Raise if a file could not be written, or is there already."""
    check_writable(path)
    if path.exists():
        raise OutputError(f"{shown(path)} exists, and is never replaced. Move it away, or give another name.")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
