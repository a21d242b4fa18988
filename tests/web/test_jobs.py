"""Jobs run one after the other, tell how far they are, stop when asked, and say nothing of data when they fail."""

import threading
import time
from contextlib import closing

import pytest

from anonscope.engines.duckdb import DuckDB
from anonscope.errors import OptionError, RequestRefused
from anonscope.web.jobs import Jobs


@pytest.fixture
def jobs():
    found = Jobs(at_once=1)
    yield found
    found.close(1.0)


def ended(job):
    until = time.monotonic() + 10
    while not job.ended and time.monotonic() < until:
        time.sleep(0.005)
    return job


def test_a_job_tells_how_far_it_is_and_where_its_result_is(jobs):
    """Its last step stays, and whoever watches sees its version grow."""

    def work(progress):
        progress("measuring", 3, 4)
        return "/result"

    job = ended(jobs.submit("audit", "me", "t", work))
    assert (job.state, job.label, job.done, job.of, job.location, job.error) == ("done", "measuring", 3, 4, "/result", None)
    assert job.version >= 3


def test_cancelling_stops_work_at_its_next_step(jobs):
    """Work that was begun ends as cancelled, and work that waits never begins."""
    begun, go_on = threading.Event(), threading.Event()

    def work(progress):
        begun.set()
        go_on.wait(10)
        progress("next", 1, 2)
        return "/never"

    first, second = jobs.submit("audit", "me", "t", work), jobs.submit("audit", "me", "t", lambda progress: "/never")
    assert begun.wait(10)
    second.cancel()
    first.cancel()
    go_on.set()
    assert (ended(first).state, second.state, first.location, second.location) == ("cancelled", "cancelled", None, None)


def test_our_errors_are_told_and_others_are_not(jobs):
    """The message of an error that we did not foresee may quote data."""

    def refused(progress):
        raise OptionError("The limit means nothing.")

    def broken(progress):
        raise ValueError("Jane Doe")

    told, untold = ended(jobs.submit("a", "me", None, refused)), ended(jobs.submit("a", "me", None, broken))
    assert (told.state, told.error) == ("failed", "The limit means nothing.")
    assert untold.state == "failed" and "ValueError" in untold.error and "Jane" not in untold.error


def test_an_interrupted_search_does_not_end_the_worker(jobs):
    """The next job runs."""

    def interrupted(progress):
        raise KeyboardInterrupt

    assert ended(jobs.submit("a", "me", None, interrupted)).state == "failed"
    assert ended(jobs.submit("a", "me", None, lambda progress: None)).state == "done"


def test_somebody_elses_job_is_none(jobs):
    """Nobody finds it by its name."""
    job = jobs.submit("a", "me", None, lambda progress: None)
    with pytest.raises(RequestRefused, match="no such job"):
        jobs.find(job.id, "you")
    assert jobs.find(job.id, "me") is job


def test_one_user_cannot_queue_without_end(jobs):
    """The twenty-first is refused, while another user's is taken."""
    go_on = threading.Event()
    for _ in range(20):
        jobs.submit("a", "me", None, lambda progress: str(go_on.wait(10)))
    with pytest.raises(RequestRefused) as refusal:
        jobs.submit("a", "me", None, lambda progress: None)
    assert refusal.value.status == 429
    assert not jobs.submit("a", "you", None, lambda progress: None).ended
    assert jobs.busy() == {"me", "you"}
    jobs.cancel_of("me")
    go_on.set()


def test_ended_jobs_let_go_of_their_work(jobs):
    """Work may hold on to a table."""
    assert ended(jobs.submit("a", "me", None, lambda progress: None)).work is None


@pytest.mark.parametrize("busy", ["in a statement", "in a loop"])
def test_work_is_stopped_within_a_second_wherever_it_is(jobs, busy):
    """In the middle of a statement of an engine, and in the middle of a computation that never looks up."""
    begun = threading.Event()

    def statement(progress):
        with closing(DuckDB()) as engine:
            begun.set()
            engine.rows("SELECT count(*) FROM range(1000000000000) AS t(a) WHERE hash(a) % 7 = 3")
        return "/never"

    def loop(progress):
        begun.set()
        while True:
            sum(range(1000))

    job = jobs.submit("a", "me", "t", statement if busy == "in a statement" else loop)
    assert begun.wait(10)
    time.sleep(0.1)
    asked = time.monotonic()
    job.cancel()
    ended(job)
    assert time.monotonic() - asked < 1.0
    assert (job.state, job.error) == ("cancelled", None)
    assert ended(jobs.submit("a", "me", "t", lambda progress: "/next")).state == "done"


def test_two_jobs_about_one_table_queue():
    """The second waits for the first, though a worker is free, which takes a job about another table."""
    jobs, go_on, seen = Jobs(at_once=2), threading.Event(), []

    def slow(progress):
        go_on.wait(10)
        seen.append("first")

    first = jobs.submit("a", "me", "t", slow)
    second = jobs.submit("a", "me", "t", lambda progress: seen.append("second"))
    other = jobs.submit("a", "me", "u", lambda progress: seen.append("other"))
    assert ended(other).state == "done" and second.state == "queued"
    assert [job.id for job in jobs.about("me", "t")] == [first.id, second.id]
    go_on.set()
    ended(second)
    assert seen == ["other", "first", "second"]
    jobs.close(1.0)


def test_how_long_the_same_took_is_told(jobs):
    """Whoever asks again knows about how long it takes."""
    first = ended(jobs.submit("a", "me", "t", lambda progress: time.sleep(0.05)))
    assert first.expected is None and first.seconds >= 0.05
    assert jobs.submit("a", "me", "t", lambda progress: None).expected == pytest.approx(first.seconds)
