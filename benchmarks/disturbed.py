"""Ways to disturb a command while it works: at a point of its work, or by what it has to work with."""

import contextlib
import errno
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_EVENTS = ("open", "os.rename", "os.mkdir", "os.rmdir", "os.remove", "os.chmod", "shutil.rmtree", "tempfile.mkdtemp")
_SECONDS = 120


def forked(said: Sequence[str], prepare: Callable[[], None] = lambda: None, end: Callable[[], None] = lambda: None) -> tuple[int, str]:
    """Run a command in a fork, so that nothing is loaded again; return its status (negative: a signal) and its errors."""
    import anonscope.cli
    import anonscope.operations.verify

    with tempfile.TemporaryFile() as errors:
        child = os.fork()
        if not child:
            os.dup2(errors.fileno(), 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
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
        status = _waited(child)
        errors.seek(0)
        return status, errors.read().decode(errors="replace")


def _waited(child: int) -> int:
    until = time.monotonic() + _SECONDS
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 3  # a hang counts as a defect


def undisturbed(said: Sequence[str]) -> tuple[int, str]:
    """Run a command as it is."""
    return forked(said)


def at_point(folder: Path, point: int, act: Callable[[int], None]) -> Callable[[], None]:
    """Return what counts accesses to files below a folder, and acts from the given one on."""

    def prepare() -> None:
        seen, under = 0, str(folder)

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal seen
            if event in _EVENTS and arguments and under in str(arguments[0]):
                seen += 1
                if seen >= point:
                    act(seen - point)

        sys.addaudithook(hook)

    return prepare


def accesses(said: Sequence[str], folder: Path) -> int:
    """Return how often a command accesses files below a folder."""
    with tempfile.NamedTemporaryFile() as told:
        seen = 0

        def one(_: int) -> None:
            nonlocal seen
            seen += 1

        forked(said, at_point(folder, 1, one), lambda: void(Path(told.name).write_text(str(seen))))
        return int(Path(told.name).read_text() or 0)


def void(_: object) -> None:
    """Take what nobody wants."""


@dataclass(frozen=True)
class Disturbance:
    """A way to disturb: its name, and why it cannot be done here, if so."""

    name: str
    impossible: str | None = None

    def points(self, said: Sequence[str], folder: Path, most: int, draw: random.Random) -> list[int]:
        """Return where to disturb."""
        there = accesses(said, folder)
        return sorted(draw.sample(range(1, there + 1), min(most, there)))

    @contextlib.contextmanager
    def around(self, folder: Path, kept: Path, point: int) -> Iterator[Path]:
        """Prepare where the command writes."""
        yield folder

    def run(self, said: Sequence[str], folder: Path, point: int) -> tuple[int, str]:
        raise NotImplementedError


@dataclass(frozen=True)
class Signalled(Disturbance):
    """A signal at a point, and again a little later."""

    number: signal.Signals = signal.SIGKILL
    again: int = 0

    def run(self, said: Sequence[str], folder: Path, point: int) -> tuple[int, str]:
        return forked(said, at_point(folder, point, lambda later: os.kill(os.getpid(), self.number) if later in (0, self.again) else None))


@dataclass(frozen=True)
class Refused(Disturbance):
    """Every access from a point on finds no space."""

    def run(self, said: Sequence[str], folder: Path, point: int) -> tuple[int, str]:
        def full(_: int) -> None:
            frame = sys._getframe(2)
            if frame.f_code.co_name not in ("rmtree", "_rmtree_safe_fd", "unlink"):
                raise OSError(errno.ENOSPC, "No space left on device")

        return forked(said, at_point(folder, point, full))


@dataclass(frozen=True)
class Limited(Disturbance):
    """A limit of the process: of the bytes of a file, or of memory."""

    what: int = resource.RLIMIT_FSIZE
    sizes: tuple[int, ...] = ()

    def points(self, said: Sequence[str], folder: Path, most: int, draw: random.Random) -> list[int]:
        return list(self.sizes[:: max(1, len(self.sizes) // most)])

    def run(self, said: Sequence[str], folder: Path, point: int) -> tuple[int, str]:
        def limited() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(self.what, (point, point))

        return forked(said, limited)


@dataclass(frozen=True)
class SmallDisk(Disturbance):
    """A file system of its own with so many bytes left."""

    def points(self, said: Sequence[str], folder: Path, most: int, draw: random.Random) -> list[int]:
        return [4096 * pages for pages in range(1, most + 1)]

    @contextlib.contextmanager
    def around(self, folder: Path, kept: Path, point: int) -> Iterator[Path]:
        used = 4096 * sum(-(-path.stat().st_size // 4096) if path.is_file() else 1 for path in kept.rglob("*"))
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={used + point}", "tmpfs", str(folder)], check=True)
        try:
            subprocess.run(["cp", "-a", f"{kept}/.", str(folder)], check=True)
            yield folder
        finally:
            subprocess.run(["umount", "-l", str(folder)], check=True)

    def run(self, said: Sequence[str], folder: Path, point: int) -> tuple[int, str]:
        return forked(said)


@dataclass(frozen=True)
class NoTemporary(Disturbance):
    """A temporary folder that is gone, or full."""

    def points(self, said: Sequence[str], folder: Path, most: int, draw: random.Random) -> list[int]:
        return [0]

    def run(self, said: Sequence[str], folder: Path, point: int) -> tuple[int, str]:
        def gone() -> None:
            tempfile.tempdir = None
            os.environ["TMPDIR"] = str(folder.parent / "nowhere")

        return forked(said, gone)


@dataclass(frozen=True)
class Clock(Disturbance):
    """A clock that jumps a day, forwards or backwards, at a point."""

    def run(self, said: Sequence[str], folder: Path, point: int) -> tuple[int, str]:
        real, jump = time.time, 86_400 * (1 if point % 2 else -1)

        def jumped(_: int) -> None:
            time.time = lambda: real() + jump

        return forked(said, at_point(folder, point, jumped))


@dataclass(frozen=True)
class Beside(Disturbance):
    """Another run with the same target, begun at the same moment."""

    def points(self, said: Sequence[str], folder: Path, most: int, draw: random.Random) -> list[int]:
        return list(range(max(1, most // 5)))

    def run(self, said: Sequence[str], folder: Path, point: int) -> tuple[int, str]:
        other = os.fork()
        if not other:
            os._exit(max(0, forked(said)[0]))
        status, told = forked(said)
        theirs = _waited(other)
        return max(status, theirs), told


_MOUNTS = None if os.name == "posix" and os.geteuid() == 0 else "only root may mount a small file system"
DISTURBANCES: tuple[Disturbance, ...] = (
    Signalled("kill -9", number=signal.SIGKILL),
    Signalled("SIGTERM", number=signal.SIGTERM),
    Signalled("Ctrl-C twice", number=signal.SIGINT, again=2),
    Refused("no space from a file on"),
    Limited("no space within a file", what=resource.RLIMIT_FSIZE, sizes=tuple(2**power for power in range(4, 16))),
    SmallDisk("a full disk", impossible=_MOUNTS),
    NoTemporary("no temporary folder"),
    Limited("little memory", what=resource.RLIMIT_AS, sizes=tuple(mb << 20 for mb in (600, 800, 1000, 1200, 1600, 2400))),
    Clock("a clock that jumps"),
    Beside("two runs at once"),
)
