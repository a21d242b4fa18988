"""Tasks that do not need one another ask in one statement, and none of them waits for ever."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from anonscope.engines.database.gathering import Gathering


class Asked:
    """Answers every question with itself, and remembers what was asked together."""

    def __init__(self) -> None:
        self.rounds: list[list[str]] = []
        self.gathering = Gathering(self.answer)

    def answer(self, selects: Sequence[str]) -> list[list[tuple[Any, ...]]]:
        self.rounds.append(sorted(selects))
        if "refused" in selects:
            raise ValueError("refused")
        return [[(select,)] for select in selects]

    def asking(self, *selects: str) -> Callable[[], list[Any]]:
        """Return a task that asks one after the other."""
        return lambda: [self.gathering.ask(select)[0][0] for select in selects]


def test_what_tasks_ask_is_asked_together() -> None:
    """One statement for what all of them wait for, tasks of tasks included; results come in the order of the tasks."""
    asked = Asked()

    def nested() -> list[Any]:
        first = asked.gathering.ask("c")
        return [first[0][0], *asked.gathering.run([asked.asking("d"), asked.asking("e", "f")])]

    found = asked.gathering.run([asked.asking("a", "b"), nested, lambda: ["nothing"]])

    assert found == [["a", "b"], ["c", ["d"], ["e", "f"]], ["nothing"]]
    assert asked.rounds == [["a", "c"], ["b", "d", "e"], ["f"]]
    assert not asked.gathering.under_way


def test_one_task_needs_no_thread() -> None:
    """It runs where it is, and asks nobody."""
    here = threading.get_ident()
    assert Asked().gathering.run([threading.get_ident]) == [here]


@pytest.mark.parametrize("depth", [0, 1])
def test_a_fault_ends_them_all(depth: int) -> None:
    """Of a task, of a task of a task, and of the statement itself: it is raised, and no thread is left."""
    asked, before = Asked(), threading.active_count()

    def broken() -> Any:
        asked.gathering.ask("a")
        raise KeyError("broken")

    def deep(task: Callable[[], Any]) -> Callable[[], Any]:
        return (lambda: asked.gathering.run([task, asked.asking("x", "y", "z")])) if depth else task

    with pytest.raises(KeyError, match="broken"):
        asked.gathering.run([asked.asking("b", "c", "d"), deep(broken), deep(asked.asking("e", "f"))])
    with pytest.raises(ValueError, match="refused"):
        asked.gathering.run([asked.asking("b", "c"), deep(asked.asking("g", "refused"))])
    assert asked.gathering.run([asked.asking("b"), asked.asking("c")]) == [["b"], ["c"]]
    assert threading.active_count() == before
