"""A private folder for temporary files that does not outlive the run.

It is readable by its owner only and deleted at the end. A run that was killed cannot delete its own, so
every new run sweeps the folders of runs that are dead, which it knows by their released lock.
"""

import contextlib
import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import IO

from anonscope.errors import OptionError, shown

try:
    import fcntl
except ImportError:  # Windows: folders are still deleted at the end, only the sweep is missing.
    fcntl = None  # type: ignore[assignment]

PREFIX = "anonscope-"
UNNAMED = "."
LOCK = "in-use"


class Scratch:
    """One private folder, deleted by `close` and when the object goes away."""

    def __init__(self, parent: Path | None = None) -> None:
        try:
            # Absolute, so that a change of the working folder moves nothing.
            folder = Path(parent or tempfile.gettempdir()).resolve(strict=True)
            sweep(folder)
            self._make(folder)
        except OSError as error:
            where = shown(parent) if parent is not None else "the temporary folder of this machine"
            raise OptionError(f"Nothing can be written to {where}: {error.strerror}. Name another folder with --temp-folder.") from None
        self._finalizer = weakref.finalize(self, _remove, self.path, self._lock)

    def _make(self, folder: Path) -> None:
        # It gets the name that others sweep by only once it is locked, or another run could take it for a dead one's.
        unnamed = Path(tempfile.mkdtemp(prefix=UNNAMED + PREFIX, dir=folder))
        self._lock = _locked(unnamed / LOCK)
        self.path = unnamed.rename(unnamed.with_name(unnamed.name.removeprefix(UNNAMED)))

    def close(self) -> None:
        """Delete the folder and everything in it."""
        self._finalizer()


def sweep(parent: Path | None = None) -> None:
    """Delete what killed runs of this user left behind."""
    if fcntl is None:
        return
    for folder in Path(parent or tempfile.gettempdir()).glob(PREFIX + "*"):
        with contextlib.suppress(OSError):
            if folder.stat().st_uid != os.getuid() or not (folder / LOCK).exists():
                continue
            with open(folder / LOCK, "rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)


def _locked(path: Path) -> IO[bytes]:
    handle = open(path, "wb")  # noqa: SIM115 (held open for the life of the folder: it is the lock)
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return handle


def _remove(path: Path, lock: IO[bytes]) -> None:
    shutil.rmtree(path, ignore_errors=True)
    lock.close()
