"""Writing a file whole or not at all."""

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from anonscope.errors import OutputError, shown

# How the names begin of what Spark writes into a folder of parts.
_OF_PARTS = ("part-", "_SUCCESS", ".part-", "._SUCCESS")


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


@contextlib.contextmanager
def replacing_folder(path: Path, *, force: bool) -> Iterator[Path]:
    """Give the name of a new folder beside the target; it takes the target's place when all went well, and vanishes when not."""
    check_folder(path, force=force)
    temporary, before = (path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}") for _ in range(2))
    try:
        yield temporary
        if path.exists():
            path.rename(before)
        temporary.rename(path)
    except OSError as error:
        raise OutputError(f"{shown(path)} cannot be written: {error.strerror}.") from None
    finally:
        if before.exists() and not path.exists():
            before.rename(path)
        for left in (temporary, before):
            _remove(left)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


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
