"""Several statements at once on Spark: in order, with the settings of whoever asked, and over as soon as one fails."""

import signal
import warnings
from collections.abc import Iterator
from threading import Event, main_thread
from typing import Any

import pytest

from anonscope.engines.spark.engine import Spark
from anonscope.errors import EngineError

LATE = 30


@pytest.fixture
def engine(spark: Any) -> Iterator[Spark]:
    made = Spark(spark)
    yield made
    made.close()


def test_results_and_statements_keep_their_order(engine: Spark) -> None:
    """Whoever is first done: the second task waits for the third."""
    third = Event()

    def waits() -> Any:
        assert third.wait(LATE)
        return [engine.rows("SELECT 2 AS x"), engine.together([lambda: engine.rows("SELECT 3 AS x"), lambda: engine.rows("SELECT 4 AS x")])]

    def last() -> Any:
        found = engine.rows("SELECT 5 AS x")
        third.set()
        return found

    found = engine.together([lambda: engine.rows("SELECT 1 AS x"), waits, last])

    assert found == [[(1,)], [[(2,)], [[(3,)], [(4,)]]], [(5,)]]
    assert [statement.sql for statement in engine.statements] == [f"SELECT {i} AS x" for i in (1, 2, 3, 4, 5)]


def test_a_failure_ends_the_others(engine: Spark) -> None:
    """The error of the one that failed is told; the first task, which would go on for ever, gives up at its next statement."""
    failed = Event()
    asked = 0

    def endless() -> None:
        nonlocal asked
        while asked < 1_000:
            engine.rows("SELECT 1 AS x")
            asked += 1
            assert failed.wait(LATE)

    def fails() -> None:
        try:
            engine.rows("SELECT x FROM no_such_table")
        finally:
            failed.set()

    with pytest.raises(EngineError):
        engine.together([endless, fails])

    assert asked < 1_000
    assert engine.rows("SELECT 1 AS x") == [(1,)]


def test_an_interrupt_ends_the_others(engine: Spark) -> None:
    """Ctrl-C reaches the first task, and nothing goes on behind its back."""
    began, asked = Event(), []

    def interrupted() -> None:
        assert began.wait(LATE)
        raise KeyboardInterrupt

    def endless() -> None:
        while len(asked) < 1_000:
            asked.append(engine.rows("SELECT 1 AS x"))
            began.set()

    with pytest.raises(KeyboardInterrupt):
        engine.together([interrupted, endless])

    assert len(asked) < 1_000


def test_an_interrupt_while_the_others_are_waited_for_ends_them(engine: Spark) -> None:
    """The first task is done long ago; what the others would still store must not get in the way of what comes next."""
    asked = []

    def endless() -> None:
        while len(asked) < 1_000:
            asked.append(engine.rows("SELECT 1 AS x"))
            if len(asked) == 2:
                signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        engine.together([lambda: None, endless])

    assert len(asked) < 1_000
    assert engine.rows("SELECT 2 AS x") == [(2,)]


def test_tasks_have_the_settings_of_whoever_asked(engine: Spark) -> None:
    """A group of jobs can be cancelled as one, and filters of warnings are as they were."""
    context = engine.session.sparkContext
    context.setLocalProperty("spark.jobGroup.id", "audit of the board")
    filters = list(warnings.filters)
    try:
        found = engine.together([lambda: context.getLocalProperty("spark.jobGroup.id")] * 3)
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)

    assert found == ["audit of the board"] * 3
    assert warnings.filters == filters
