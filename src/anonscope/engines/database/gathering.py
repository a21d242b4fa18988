"""Several questions in one statement, where every statement counts everything anew.

Without temporary tables a statement brings its tables along as common table expressions, and most of its time goes into those that
others need as well. So tasks that do not need one another run until each of them asks something; then all that was asked becomes one
statement, in which a table that several of them read is made once. Only one task runs at a time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Condition, Thread, local
from typing import Any, TypeVar

Made = TypeVar("Made")
Rows = list[tuple[Any, ...]]


class _Abandoned(Exception):
    """Something failed elsewhere, so nobody waits for this task any more."""


@dataclass(slots=True)
class _Question:
    """What a task waits for."""

    select: Any
    rows: Rows | None = None


@dataclass(slots=True)
class _Tasks:
    """Everything under way below one call. Whoever holds the lock is the one that runs; `busy` counts those that could."""

    lock: Condition = field(default_factory=Condition)
    busy: int = 0
    questions: list[_Question] = field(default_factory=list)
    errors: list[BaseException] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)

    def fail(self, error: BaseException) -> None:
        """Remember what went wrong, and send everybody home who waits for an answer."""
        self.errors.append(error)
        self.busy += len(self.questions)
        self.questions.clear()
        self.lock.notify_all()


class Gathering:
    """Runs tasks, and has what they ask answered together: `answer` returns the rows of several SELECTs."""

    def __init__(self, answer: Callable[[Sequence[Any]], list[Rows]]) -> None:
        self._answer, self._here = answer, local()

    @property
    def under_way(self) -> bool:
        """Whether the thread that asks is at one of the tasks."""
        return getattr(self._here, "tasks", None) is not None

    def ask(self, select: Any) -> Rows:
        """Return the rows of a SELECT, asked together with what the other tasks ask."""
        tasks: _Tasks = self._here.tasks
        if tasks.errors:
            raise _Abandoned
        question = _Question(select)
        tasks.questions.append(question)
        tasks.busy -= 1
        tasks.lock.notify_all()
        while question.rows is None and not tasks.errors:
            tasks.lock.wait()
        if question.rows is None:
            raise _Abandoned
        return question.rows

    def run(self, tasks: Sequence[Callable[[], Made]]) -> list[Made]:
        """Return what tasks give, in their order; they may run further ones themselves."""
        if len(tasks) < 2:
            return [task() for task in tasks]
        if self.under_way:
            return self._within(self._here.tasks, tasks)
        every = _Tasks()
        with every.lock:
            made, left = self._begin(every, tasks, awaited=0)
            while left:
                try:
                    while every.busy:
                        every.lock.wait()
                    if every.questions:
                        asked, every.questions = every.questions, []
                        every.busy += len(asked)
                        for question, rows in zip(asked, self._answer([question.select for question in asked]), strict=True):
                            question.rows = rows
                        every.lock.notify_all()
                except BaseException as error:
                    every.fail(error)
        for thread in every.threads:
            thread.join()
        if every.errors:
            raise every.errors[0]
        return made

    def _within(self, every: _Tasks, tasks: Sequence[Callable[[], Made]]) -> list[Made]:
        """Run tasks of a task, which waits for them."""
        every.busy -= 1
        made, left = self._begin(every, tasks, awaited=1)
        while left:
            every.lock.wait()
        if every.errors:
            raise _Abandoned
        return made

    def _begin(self, every: _Tasks, tasks: Sequence[Callable[[], Made]], *, awaited: int) -> tuple[list[Any], list[int]]:
        """Give every task a thread; return where their results will be, and which are not there yet.

        Whoever ends last is followed by the task that `awaited` them all, if there is one.
        """
        made: list[Any] = [None] * len(tasks)
        left = list(range(len(tasks)))

        def work(place: int, task: Callable[[], Made]) -> None:
            with every.lock:
                self._here.tasks = every
                try:
                    if not every.errors:
                        made[place] = task()
                except _Abandoned:
                    pass
                except BaseException as error:
                    every.fail(error)
                finally:
                    left.remove(place)
                    every.busy += (0 if left else awaited) - 1
                    every.lock.notify_all()

        every.busy += len(tasks)
        for place, task in enumerate(tasks):
            every.threads.append(Thread(target=work, args=(place, task), daemon=True))
            every.threads[-1].start()
        return made, left
