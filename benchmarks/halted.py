"""Commands run in forks that have everything loaded, and commands that stand still before they write and go on in a fork of their own.

Most of a command's time is gone before it first touches the folder it writes to, and a disturbance before that finds nothing there to
spoil. So the command is run to that point once, and from there on as often as it is to be disturbed.
"""

import fcntl
import importlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType, TracebackType

Point = tuple[int, int]  # an access to a file, and a number of calls after it
_EVENTS = ("open", "os.rename", "os.mkdir", "os.rmdir", "os.remove", "os.chmod", "shutil.rmtree", "tempfile.mkdtemp")
SECONDS = 300
HUNG = 1000  # no status that a process can have


def forked(said: Sequence[str], prepare: Callable[[], None] = lambda: None) -> tuple[int, str]:
    """Run a command in a fork, so that nothing is loaded again; return its status (negative: a signal) and its errors."""
    importlib.import_module("anonscope.cli")
    importlib.import_module("anonscope.operations.verify")
    with tempfile.TemporaryFile() as errors:
        child = os.fork()
        if not child:
            os.dup2(errors.fileno(), 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            _run(said, prepare)
        status = waited(child)
        errors.seek(0)
        return status, errors.read().decode(errors="replace")


def _run(said: Sequence[str], prepare: Callable[[], None], end: Callable[[], None] = lambda: None) -> None:
    """Run a command and never return."""
    import anonscope.cli

    status = 1
    try:
        sys.argv = ["anonscope", *said]
        prepare()
        anonscope.cli.main()
        status = 0
    except SystemExit as code:
        status = code.code if isinstance(code.code, int) else 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        end()
        sys.stderr.flush()
        os._exit(status)


def waited(child: int) -> int:
    """Return the status of a child, which is killed if it does not end."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return HUNG


def load_for(said: Sequence[str]) -> None:
    """Load here what a command loads, so that no fork has to."""
    with tempfile.NamedTemporaryFile() as told:
        child = os.fork()
        if not child:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            _run(said, lambda: None, lambda: _void(Path(told.name).write_text(json.dumps(list(sys.modules)))))
        waited(child)
        for name in json.loads(Path(told.name).read_text() or "[]"):
            if name not in sys.modules:
                try:
                    importlib.import_module(name)
                except ImportError:  # made up by another module while it was loaded
                    continue


def _void(_: object) -> None:
    """Take what nobody wants."""


def _without_threads() -> None:
    """Have engines work in the thread that asks them: no other thread lives on in a fork."""
    import duckdb

    connect = duckdb.connect
    alone: dict[str, str | bool | int | float | list[str]] = {"threads": 1, "async_threads": 0}
    duckdb.connect = lambda database, config: connect(database, config=config | alone)


class Halted:
    """A command that stands still at its first access to a folder, and goes on from there in forks: each is disturbed at a point."""

    def __init__(self, said: Sequence[str], folder: Path, act: Callable[[int], None]) -> None:
        self._folder, self._act, self._point = folder, act, (0, 0)
        self._place = Path(tempfile.mkdtemp())
        # What the command keeps elsewhere is deleted by the first that ends, and laid out again for the next.
        self._temporary, self._saved, self._errors = self._place / "temporary", self._place / "saved", self._place / "errors"
        self._temporary.mkdir()
        asked, answered = os.pipe(), os.pipe()
        self._child = os.fork()
        if not self._child:
            os.close(asked[1])
            os.close(answered[0])
            self._asked, self._answered = asked[0], answered[1]
            self._redirect()
            _without_threads()
            tempfile.tempdir = str(self._temporary)
            os.environ["TMPDIR"] = str(self._temporary)
            _run(said, self._watch, self._tell)
        os.close(asked[0])
        os.close(answered[1])
        self._asked, self._answered = asked[1], answered[0]
        if os.read(self._answered, 4) != b"here":
            raise SystemExit(f"{said[0]} never came to its first file: {self._errors.read_text(errors='replace')}")
        shutil.copytree(self._temporary, self._saved)

    def run(self, point: Point) -> tuple[int, str]:
        """Go on, disturbed at a point; where the point is none, what is said is how many accesses there were."""
        shutil.rmtree(self._temporary, ignore_errors=True)
        shutil.copytree(self._saved, self._temporary)
        self._errors.write_text("")
        os.write(self._asked, json.dumps(point).encode().ljust(64))
        status = int.from_bytes(os.read(self._answered, 4), "little", signed=True)
        return status, self._errors.read_text(errors="replace")

    def __enter__(self) -> "Halted":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None) -> None:
        os.close(self._asked)
        os.close(self._answered)
        os.waitpid(self._child, 0)
        shutil.rmtree(self._place, ignore_errors=True)

    # In the child

    def _redirect(self) -> None:
        os.dup2(os.open(self._errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def _watch(self) -> None:
        under, halted = str(self._folder), False
        self._seen = 0

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal halted
            if event not in _EVENTS or not arguments or under not in str(arguments[0]):
                return
            if not halted:
                halted = True
                self._serve()
            self._seen += 1
            access, calls = self._point
            if access and self._seen >= access:
                if calls and self._seen == access:
                    sys.setprofile(self._after(calls))
                elif not calls:
                    self._act(self._seen - access)

        sys.addaudithook(hook)

    def _serve(self) -> None:
        """Return in a fork for every point that is asked for; the process itself ends here."""
        os.write(self._answered, b"here")
        while asked := os.read(self._asked, 64):
            # What was laid out again belongs to this run, or the next engine that is opened would take it for a dead one's and delete it.
            locks = [os.open(file, os.O_RDONLY) for file in self._temporary.glob("*/in-use")]
            for lock in locks:
                fcntl.flock(lock, fcntl.LOCK_EX)
            child = os.fork()
            if not child:
                self._point = tuple(json.loads(asked))
                self._redirect()
                # Whoever is started in the background ignores interruptions.
                signal.signal(signal.SIGINT, signal.default_int_handler)
                return
            for lock in locks:
                os.close(lock)
            os.write(self._answered, waited(child).to_bytes(4, "little", signed=True))
        os._exit(0)

    def _after(self, calls: int) -> Callable[[FrameType, str, object], None]:
        left = calls

        def count(frame: FrameType, event: str, argument: object) -> None:
            nonlocal left
            left -= 1
            if not left:
                sys.setprofile(None)
                self._act(0)

        return count

    def _tell(self) -> None:
        if self._point == (0, 0):
            sys.stderr.flush()
            self._errors.write_text(str(self._seen))
