"""Several statements at once: Spark plans each of them on one processor, and its workers wait meanwhile."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import current_thread, local, main_thread
from typing import Any

from anonscope.engines.engine import Made, Statement


class Log:
    """The statements that were run: those of one thread together, whatever the others did meanwhile."""

    def __init__(self) -> None:
        self._all: list[Statement] = []
        self._here = local()

    @property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(self._all)

    def add(self, *statements: Statement) -> None:
        getattr(self._here, "statements", self._all).extend(statements)

    def apart(self, task: Callable[[], Made]) -> tuple[Made, list[Statement]]:
        """Return what a task gives in a thread of its own, and what it ran."""
        self._here.statements = []
        made = task()
        return made, self._here.statements


def at_once(session: Any, log: Log, tasks: Sequence[Callable[[], Made]]) -> list[Made]:
    """Return what tasks give, in their order; the first is done here and the others in threads of their own."""
    from pyspark.util import inheritable_thread_target

    if len(tasks) < 2:
        return [task() for task in tasks]
    with quiet(), ThreadPoolExecutor(len(tasks) - 1) as pool:
        # What somebody set for this thread (a group of jobs, a pool) holds for all that is done for it; each needs a copy of its own.
        others = [pool.submit(inheritable_thread_target(session)(log.apart), task) for task in tasks[1:]]
        found = [tasks[0]()]
    for other in others:
        made, statements = other.result()
        log.add(*statements)
        found.append(made)
    return found


@contextmanager
def quiet() -> Iterator[None]:
    """Keep pyspark from warning about versions of pandas, which nothing here passes through."""
    if current_thread() is not main_thread():
        # Filters belong to the whole process: whoever started this thread has set them, and must be the one to take them back.
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield
