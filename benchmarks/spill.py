"""How much an engine moves out of memory, watched from outside: it keeps no account of its own."""

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

_EVERY = 0.05  # seconds


class Spilled:
    """The most that lay in a folder at once."""

    def __init__(self) -> None:
        self.bytes = 0


@contextlib.contextmanager
def watching(folder: Path) -> Iterator[Spilled]:
    """Look again and again at how large DuckDB's temporary files in a folder are."""
    found, done = Spilled(), threading.Event()

    def watch() -> None:
        while not done.wait(_EVERY):
            found.bytes = max(found.bytes, _size(folder))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield found
    finally:
        done.set()
        watcher.join()


def _size(folder: Path) -> int:
    total = 0
    for file in folder.glob("duckdb_temp*"):
        with contextlib.suppress(FileNotFoundError):
            # What is allocated: blocks that were given back leave holes.
            total += file.stat().st_blocks * 512
    return total
