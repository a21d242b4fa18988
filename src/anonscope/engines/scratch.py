"""A private folder for temporary files that does not outlive the run.

It is readable by its owner only and deleted at the end. A run that was killed cannot delete its own, so
every new run sweeps the folders of runs that are dead, which it knows by their released lock.
"""

import contextlib
import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from anonscope.errors import OptionError, shown

try:
    import fcntl
except ImportError:  # Windows: folders are still deleted at the end, only the sweep is missing.
    fcntl = None  # type: ignore[assignment]  # a module that is not there; whoever uses it asks first

PREFIX = "anonscope-"
LOCK = "in-use"
# To lock a new folder takes no time; one that has files and no lock after so many seconds is nobody's.
_ABANDONED = 60


class Scratch:
    """One private folder, deleted by `close` and when the object goes away."""

    def __init__(self, parent: Path | None = None) -> None:
        try:
            # Absolute, so that a change of the working folder moves nothing.
            folder = Path(parent or tempfile.gettempdir()).resolve(strict=True)
            sweep(folder)
            self.path, self._lock = private_folder(folder, PREFIX)
        except OSError as error:
            where = shown(parent) if parent is not None else "the temporary folder of this machine"
            raise OptionError(f"Nothing can be written to {where}: {error.strerror}. Name another folder (--temp-folder).") from None
        self._finalizer = weakref.finalize(self, remove, self.path, self._lock)

    def close(self) -> None:
        """Delete the folder and everything in it."""
        self._finalizer()


def private_folder(parent: Path, prefix: str) -> tuple[Path, IO[bytes]]:
    """Make a folder that only its owner may enter, and return it with the lock that says it is in use."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        # Before it is locked, another run may take it for a dead one's and delete it; then another is made.
        with contextlib.suppress(FileNotFoundError, BlockingIOError):
            lock = _locked(folder / LOCK)
            if (folder / LOCK).exists():
                return folder, lock
            lock.close()


def sweep(parent: Path, prefix: str = PREFIX, before: Callable[[Path], None] | None = None) -> None:
    """Delete what killed runs of this user left behind; `before` is told of every such folder first."""
    for folder, lock in abandoned(parent, prefix):
        if before is not None:
            before(folder)
        remove(folder, lock)


def abandoned(parent: Path, prefix: str) -> Iterator[tuple[Path, IO[bytes] | None]]:
    """Yield the private folders of runs that are dead, each with its lock held, if it has one."""
    if fcntl is None:
        return
    for folder in sorted(parent.glob(prefix + "*")):
        with contextlib.suppress(OSError):
            about = folder.lstat()
            if about.st_uid != os.getuid() or not folder.is_dir() or folder.is_symlink():
                continue
            if not (folder / LOCK).exists():
                if time.time() - about.st_mtime > _ABANDONED:
                    yield folder, None
                else:
                    # Goes only if it is empty; a run that has just made it makes another.
                    folder.rmdir()
                continue
            # Opened for reading only: a lock that a run has just let go of must not come back.
            lock = open(folder / LOCK, "rb")  # noqa: SIM115 (closed by whoever deletes the folder)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                lock.close()
                continue
            yield folder, lock


def is_in_use(folder: Path) -> bool:
    """Return whether a run that is alive holds a private folder."""
    if fcntl is None:
        return True
    try:
        with open(folder / LOCK, "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _locked(path: Path) -> IO[bytes]:
    handle = open(path, "wb")  # noqa: SIM115 (held open for the life of the folder: it is the lock)
    if fcntl is not None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            handle.close()
            raise
    return handle


def remove(path: Path, lock: IO[bytes] | None) -> None:
    """Delete a private folder, its lock last: whatever is left if we are killed meanwhile can still be told to be nobody's."""
    with contextlib.suppress(OSError):
        for entry in list(path.iterdir()):
            if entry.name != LOCK:
                _delete(entry)
    shutil.rmtree(path, ignore_errors=True)
    if lock is not None:
        lock.close()


def _delete(entry: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            entry.unlink()
