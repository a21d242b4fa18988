"""Work that takes a while: queued, run by a few threads, one job a table at a time, watched, cancelled also amid a statement."""

import ctypes
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from anonscope.engines.duckdb import interrupt_in
from anonscope.errors import AnonscopeError, RequestRefused, lack
from anonscope.io.progress import Progress
from anonscope.report.words import without_options

State = Literal["queued", "running", "done", "failed", "cancelled"]
FINAL: tuple[State, ...] = ("done", "failed", "cancelled")
# So many of one user may wait at a time, and so many are remembered once they have ended.
_MOST_WAITING, _MOST_KEPT = 20, 100
_GRACE = 0.25  # seconds that work has to stop by itself
_DEFECT = "This is a defect in anonscope ({kind} in {place}). Please report it; no data is in this message."


class Cancelled(BaseException):
    """Raised in the middle of work that nobody waits for any more; no failure, which somebody might go on after."""


@dataclass(eq=False)
class Job:
    """One piece of work. `version` grows with every change, for those who watch."""

    id: str
    kind: str
    owner: str
    table: str | None
    work: Callable[[Progress], str | None] | None = field(repr=False)  # returns where the result is
    state: State = "queued"
    label: str = "waiting"
    done: int = 0
    of: int = 0
    error: str | None = None
    location: str | None = None
    version: int = 0
    expected: float | None = None  # seconds that the same took last time
    _begun: float | None = field(default=None, repr=False)
    _ended: float | None = field(default=None, repr=False)
    _thread: int | None = field(default=None, repr=False)
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def ended(self) -> bool:
        return self.state in FINAL

    @property
    def seconds(self) -> float:
        """How long it has been running, or ran."""
        if self._begun is None:
            return 0.0
        return (self._ended or time.monotonic()) - self._begun

    def advance(self, label: str, done: int, of: int) -> None:
        """Take a step, or stop if nobody waits any more: this is the callback that work is given."""
        if self._stop.is_set():
            raise Cancelled
        with self._lock:
            self.label, self.done, self.of = label, done, of
            self.version += 1

    def cancel(self) -> None:
        """Stop the work, at once: whatever statement an engine is at, and whatever it computes."""
        self._stop.set()
        with self._lock:
            if self.state == "queued":
                self._end("cancelled")
            elif self.state == "running" and self._thread is not None:
                # What an engine does, it does beyond the reach of exceptions.
                interrupt_in(self._thread)
                threading.Thread(target=self._insist, name="stopping", daemon=True).start()

    def _insist(self) -> None:
        """Stop work that does not look up, again and again: an exception that comes up amid tidying is lost there."""
        while not self.ended:
            # Most work ends by itself at its next step, which is the better end.
            time.sleep(_GRACE)
            with self._lock:
                if self._thread is None:
                    return
                _raise_in(self._thread, Cancelled)
                interrupt_in(self._thread)

    def run(self) -> None:
        """Do the work, and keep what became of it; whatever goes wrong is said without data."""
        with self._lock:
            if self.state != "queued":
                return
            assert self.work is not None, "work is let go of when it has ended"
            self.state, self.label, work = "running", "starting", self.work
            self._begun, self._thread = time.monotonic(), threading.get_ident()
            self.version += 1
        state: State = "failed"
        error = location = None
        try:
            location = work(self.advance)
            state = "done"
        except Cancelled:
            state = "cancelled"
        except AnonscopeError as problem:
            error = without_options(str(problem))
        except BaseException as problem:
            # Interruptions of a search look like this too.
            error = without_options(lack(problem) or defect(problem))
        if state == "failed" and self._stop.is_set():
            # What was pulled from under the work is why it failed.
            state, error = "cancelled", None
        with self._lock:
            self.error, self.location = error, location
            self._end(state)
            _raise_in(threading.get_ident(), None)

    def abandon(self) -> None:
        """Count as cancelled, where that came between the work and its end."""
        with self._lock:
            if not self.ended:
                self._end("cancelled")

    def _end(self, state: State) -> None:
        self.state, self._thread, self._ended = state, None, time.monotonic()
        self.work = None  # it may hold on to a table
        self.version += 1


class Jobs:
    """All jobs of a server, and the threads that run them."""

    def __init__(self, at_once: int) -> None:
        self._jobs: dict[str, Job] = {}
        self._waiting: list[Job] = []
        self._running: set[str] = set()  # tables that are worked on
        self._took: dict[tuple[str, str | None], float] = {}
        self._lock = threading.Condition()
        self._closed = False
        # Daemons: a search that does not look up must not keep a server from ending.
        self._threads = [threading.Thread(target=self._run, name=f"job-{i}", daemon=True) for i in range(at_once)]
        for thread in self._threads:
            thread.start()

    def submit(self, kind: str, owner: str, table: str | None, work: Callable[[Progress], str | None]) -> Job:
        """Queue work and return its job."""
        job = Job(secrets.token_urlsafe(16), kind, owner, table, work)
        with self._lock:
            if self._closed:
                raise RequestRefused("The server is shutting down.", 503)
            if sum(other.owner == owner and not other.ended for other in self._jobs.values()) >= _MOST_WAITING:
                raise RequestRefused(f"{_MOST_WAITING} jobs are waiting already. Wait for one of them, or cancel it.", 429)
            self._jobs[job.id] = job
            ended = [old for old in self._jobs.values() if old.ended]
            for old in ended[: max(0, len(ended) - _MOST_KEPT)]:
                del self._jobs[old.id]
            job.expected = self._took.get((kind, table))
            self._waiting.append(job)
            self._lock.notify()
        return job

    def find(self, id: str, owner: str) -> Job:
        """Return a job of this owner; somebody else's is as good as none."""
        job = self._jobs.get(id)
        if job is None or job.owner != owner:
            raise RequestRefused("There is no such job.", 404)
        return job

    def about(self, owner: str, table: str) -> list[Job]:
        """Return the jobs about a table that have not ended, in the order in which they were asked for."""
        with self._lock:
            return [job for job in self._jobs.values() if job.owner == owner and job.table == table and not job.ended]

    def cancel_of(self, owner: str, table: str | None = None) -> None:
        """Cancel all jobs of an owner, or those about one table."""
        with self._lock:
            mine = [job for job in self._jobs.values() if job.owner == owner and (table is None or job.table == table)]
        for job in mine:
            job.cancel()

    def busy(self) -> frozenset[str]:
        """Return the owners of work that has not ended."""
        with self._lock:
            return frozenset(job.owner for job in self._jobs.values() if not job.ended)

    def close(self, patience: float = 5.0) -> None:
        """Cancel everything, and wait a little for what is under way."""
        with self._lock:
            self._closed = True
            left = list(self._jobs.values())
        for job in left:
            job.cancel()
        with self._lock:
            self._lock.notify_all()
        for thread in self._threads:
            thread.join(patience / len(self._threads))

    def _run(self) -> None:
        while (job := self._next()) is not None:
            try:
                job.run()
            except Cancelled:
                job.abandon()
            finally:
                self._done(job)

    def _next(self) -> Job | None:
        """Return the first job whose table nobody works on, and wait for one; None when the server ends."""
        with self._lock:
            while not self._closed:
                found = next((job for job in self._waiting if job.table is None or job.table not in self._running), None)
                if found is not None:
                    self._waiting.remove(found)
                    if found.table is not None:
                        self._running.add(found.table)
                    return found
                self._lock.wait()
        return None

    def _done(self, job: Job) -> None:
        with self._lock:
            if job.table is not None:
                self._running.discard(job.table)
            if job.state == "done":
                self._took[job.kind, job.table] = job.seconds
            self._lock.notify_all()


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Let an exception come up in a thread at its next step, or take back one that has not come up yet."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error) if error is not None else None)


def defect(error: BaseException) -> str:
    """Return what may be said of an error that is not ours: its kind and the place, as its message may quote data."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f"{place.tb_frame.f_code.co_qualname} line {place.tb_lineno}" if place else "an unknown place"
    return _DEFECT.format(kind=type(error).__name__, place=where)
