"""Several statements at once: Spark plans each of them on one processor, and its workers wait meanwhile."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, local
from typing import Any

from anonscope.engines.engine import Made, Statement


class Abandoned(Exception):
    """Another task failed, so what this one would find is of no use any more."""


@dataclass(slots=True)
class _Thread:
    """What one thread ran, and what may make it give up."""

    statements: list[Statement] = field(default_factory=list)
    failures: tuple[Event, ...] = ()


class Log:
    """The statements that were run: those of one task together, whatever the others did meanwhile."""

    def __init__(self) -> None:
        self._first = _Thread()
        self._here = local()

    @property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(self._first.statements)

    @property
    def thread(self) -> _Thread:
        """What is known of the thread that asks."""
        return getattr(self._here, "thread", self._first)

    @property
    def apart_here(self) -> bool:
        """Whether this is a thread of ours."""
        return hasattr(self._here, "thread")

    def add(self, *statements: Statement) -> None:
        """Remember what is about to be run, if that still makes sense."""
        if any(failure.is_set() for failure in self.thread.failures):
            raise Abandoned
        self.thread.statements += statements

    def apart(self, task: Callable[[], Made], failures: tuple[Event, ...]) -> tuple[Made, list[Statement]]:
        """Return what a task gives in a thread of its own, and what it ran."""
        self._here.thread = _Thread(failures=failures)
        return task(), self.thread.statements


def at_once(session: Any, log: Log, tasks: Sequence[Callable[[], Made]]) -> list[Made]:
    """Return what tasks give, in their order; the first is done here and the others in threads of their own.

    When one fails, the others give up at their next statement.
    """
    from pyspark.util import inheritable_thread_target

    if len(tasks) < 2:
        return [task() for task in tasks]
    failure, here = Event(), log.thread
    before, failures = here.failures, (*here.failures, failure)

    def tried(work: Callable[[], Any]) -> tuple[Any, BaseException | None]:
        try:
            return work(), None
        except BaseException as error:
            failure.set()
            return None, error

    def apart(task: Callable[[], Made]) -> tuple[Any, BaseException | None]:
        return tried(lambda: log.apart(task, failures))

    here.failures = failures
    try:
        with quiet(log), ThreadPoolExecutor(len(tasks) - 1) as pool:
            try:
                # What somebody set for this thread (a group of jobs, a pool) holds for all that is done for it; each needs its own copy.
                others = [pool.submit(inheritable_thread_target(session)(apart), task) for task in tasks[1:]]
                ended = [tried(tasks[0]), *(other.result() for other in others)]
            except BaseException:
                # Interrupted while the others were waited for: the pool is left only when they have given up.
                failure.set()
                raise
    finally:
        here.failures = before
    if errors := sorted((error for _, error in ended if error is not None), key=lambda error: isinstance(error, Abandoned)):
        raise errors[0]
    found: list[Made] = [ended[0][0]]
    for (made, statements), _ in ended[1:]:
        found.append(made)
        log.add(*statements)
    return found


@contextmanager
def quiet(log: Log) -> Iterator[None]:
    """Keep pyspark from warning about versions of pandas, which nothing here passes through."""
    if log.apart_here:
        # Filters belong to the whole process: `at_once` has set them for the threads that it started, and takes them back.
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield
