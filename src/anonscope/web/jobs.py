"""Work that takes a while: queued, run by a few threads, watched, cancelled."""

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Literal

from anonscope.errors import AnonscopeError, RequestRefused
from anonscope.io.progress import Progress

State = Literal["queued", "running", "done", "failed", "cancelled"]
FINAL: tuple[State, ...] = ("done", "failed", "cancelled")
# So many of one user may wait at a time, and so many are remembered once they have ended.
_MOST_WAITING, _MOST_KEPT = 20, 100
_DEFECT = "This is a defect in anonscope ({kind} in {place}). Please report it; no data is in this message."


class Cancelled(Exception):
    """Raised in the middle of work that nobody waits for any more."""


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
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def ended(self) -> bool:
        return self.state in FINAL

    def advance(self, label: str, done: int, of: int) -> None:
        """Take a step, or stop if nobody waits any more: this is the callback that work is given."""
        if self._stop.is_set():
            raise Cancelled
        with self._lock:
            self.label, self.done, self.of = label, done, of
            self.version += 1

    def cancel(self) -> None:
        """Ask the work to stop; it does so at its next step, and at once if it has not begun."""
        self._stop.set()
        with self._lock:
            if self.state == "queued":
                self._end("cancelled")

    def run(self) -> None:
        """Do the work, and keep what became of it; whatever goes wrong is said without data."""
        with self._lock:
            if self.state != "queued":
                return
            assert self.work is not None, "work is let go of when it has ended"
            self.state, self.label, work = "running", "starting", self.work
            self.version += 1
        state: State = "failed"
        error = location = None
        try:
            location = work(self.advance)
            state = "done"
        except Cancelled:
            state = "cancelled"
        except AnonscopeError as problem:
            error = str(problem)
        except BaseException as problem:
            # Interruptions of a search look like this too.
            error = defect(problem)
        if state == "failed" and self._stop.is_set():
            # What was pulled from under the work is why it failed.
            state, error = "cancelled", None
        with self._lock:
            self.error, self.location = error, location
            self._end(state)

    def _end(self, state: State) -> None:
        self.state = state
        self.work = None  # it may hold on to a table
        self.version += 1


class Jobs:
    """All jobs of a server, and the threads that run them."""

    def __init__(self, at_once: int) -> None:
        self._jobs: dict[str, Job] = {}
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._lock = threading.Lock()
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
        self._queue.put(job)
        return job

    def find(self, id: str, owner: str) -> Job:
        """Return a job of this owner; somebody else's is as good as none."""
        job = self._jobs.get(id)
        if job is None or job.owner != owner:
            raise RequestRefused("There is no such job.", 404)
        return job

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
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join(patience / len(self._threads))

    def _run(self) -> None:
        while (job := self._queue.get()) is not None:
            job.run()


def defect(error: BaseException) -> str:
    """Return what may be said of an error that is not ours: its kind and the place, as its message may quote data."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f"{place.tb_frame.f_code.co_qualname} line {place.tb_lineno}" if place else "an unknown place"
    return _DEFECT.format(kind=type(error).__name__, place=where)
