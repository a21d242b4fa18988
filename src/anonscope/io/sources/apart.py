"""Files that may be hostile, read by a process that can be spared: it has limits, and its death is a sentence.

A process that has loaded the readers and nothing else waits for requests and forks for each. The fork limits itself, reads the file to
its last cell, and writes what it found to a file of our own (`kept`); that is what is opened where the work is done.
"""

import atexit
import json
import os
import secrets
import subprocess
import sys
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from anonscope.errors import NoRecords, OptionError, SourceError, shown
from anonscope.io.figures import decimals
from anonscope.io.sources.kept import KeptRelation
from anonscope.io.sources.parts import find_parts, is_pattern
from anonscope.io.sources.relation import ReadOptions
from anonscope.io.sources.workbook import TooLarge

# What the reading process may know of its surroundings; passwords are not among it.
_ENVIRONMENT = ("PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "LD_LIBRARY_PATH")
_QUIET = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system", "RUST_BACKTRACE": "0"}
_KINDS: dict[str, type[SourceError] | type[OptionError]] = {
    "TooLarge": TooLarge,
    "NoRecords": NoRecords,
    "OptionError": OptionError,
}


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What a file may cost to read: bytes of memory beyond what the readers themselves take, seconds, and bytes once unpacked."""

    memory: int = 4 * 2**30
    seconds: float = 600.0
    unpacked: int | None = None
    output: int = 16 * 2**30  # the longest file that may be written on the way
    files: int = 256  # that may be open at once


def read_apart(path: Path, options: ReadOptions, limits: ReadingLimits, *, name: str | None = None, scratch: Path | None = None) -> None:
    """Raise what is wrong with a file, a folder or a pattern, found out by a process that can be spared."""
    _asked(path, options, limits, name, scratch)


def keep_apart(path: Path, options: ReadOptions, limits: ReadingLimits, *, name: str | None = None, folder: Path) -> KeptRelation:
    """Return a table as a process that can be spared has read it, and kept it in a folder; what has not changed since is read once."""
    asked = str(path.absolute()), options
    stamp = _stamp(path)
    with _LOCK:
        known = _KEPT.get(asked)
    if known is not None and known[0] == stamp and known[1].file.exists():
        return known[1]
    file = folder.absolute() / f"read-{secrets.token_hex(8)}.duckdb"
    try:
        found = KeptRelation(file, _asked(path, options, limits, name, folder, file)["kept"])
    except BaseException:
        for left in (file, file.with_name(file.name + ".wal")):
            left.unlink(missing_ok=True)
        raise
    with _LOCK:
        for other in [key for key, (_, kept) in _KEPT.items() if not kept.file.exists()]:
            del _KEPT[other]
        _KEPT[asked] = stamp, found
    return found


def _stamp(path: Path) -> tuple[tuple[int, ...], ...]:
    """Return what tells whether files are still those that were read."""
    files = [part.path for part in find_parts(path).files] if path.is_dir() or is_pattern(path) else [path]
    return tuple((about.st_size, about.st_mtime_ns, about.st_ino) for about in (file.stat() for file in files))


def _asked(
    path: Path, options: ReadOptions, limits: ReadingLimits, name: str | None, scratch: Path | None, keep: Path | None = None
) -> dict[str, Any]:
    request = {
        "path": str(path.absolute()),
        "options": asdict(options),
        "limits": asdict(limits),
        "scratch": str(scratch) if scratch is not None else None,
        "keep": str(keep) if keep is not None else None,
    }
    reader = _reader()
    try:
        reply = reader.ask(request)
    except (OSError, ValueError):
        reader.close()
        raise SourceError(f"{shown(name or path.name)} could not be read: the process that reads files has died.") from None
    _return(reader)
    if reply["ended"] != "fine":
        raise SourceError(f"{shown(name or path.name)} could not be read: {_ending(reply['ended'], limits)}. It is damaged, or too large.")
    answer: dict[str, Any] = reply["answer"]
    if "error" in answer:
        raise _KINDS.get(answer["error"], SourceError)(answer["message"])
    return answer


def _ending(how: str, limits: ReadingLimits) -> str:
    if how == "time":
        return f"after {decimals(limits.seconds, 0)} seconds there was no end of it"
    if how == "memory":
        return f"it takes more than {limits.memory:,} bytes of memory"
    return f"whoever reads it dies of it ({how})"


class _Reader:
    """The process that forks for every file."""

    def __init__(self) -> None:
        known = {key: os.environ[key] for key in _ENVIRONMENT if key in os.environ}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "anonscope.io.sources.apart_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=known | _QUIET,
        )

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for what came of it."""
        assert self._process.stdin is not None and self._process.stdout is not None, "made with both"
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        reply: dict[str, Any] = json.loads(self._process.stdout.readline())
        return reply

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        """End the process; it has nothing that must be kept."""
        self._process.kill()
        self._process.communicate()


_WAITING: list[_Reader] = []
_LOCK = threading.Lock()
_KEPT: dict[tuple[str, ReadOptions], tuple[tuple[tuple[int, ...], ...], KeptRelation]] = {}


def _reader() -> _Reader:
    """Return a process that waits, or a new one."""
    with _LOCK:
        while _WAITING:
            reader = _WAITING.pop()
            if reader.alive:
                return reader
            reader.close()
    return _Reader()


def _return(reader: _Reader) -> None:
    with _LOCK:
        _WAITING.append(reader)


@atexit.register
def close_readers() -> None:
    """End all processes that wait."""
    with _LOCK:
        while _WAITING:
            _WAITING.pop().close()
