"""A progress bar for work that takes long enough to want one."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Advance = Callable[[str, int, int], None]
_PATIENCE = 1.0  # seconds


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Advance | None]:
    """Give a callback that draws on standard error, from the first step that begins after a second of work."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    started = time.monotonic()
    bar: Any = None

    def advance(label: str, done: int, of: int) -> None:
        nonlocal bar
        if bar is None and (time.monotonic() - started > _PATIENCE or done == 0):
            bar = _bar()
            bar.start()
            bar.add_task(label, total=of)
        if bar is not None:
            bar.update(bar.task_ids[0], description=label, completed=done)

    try:
        yield advance
    finally:
        if bar is not None:
            bar.stop()


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn(), console=Console(stderr=True), transient=True
    )
