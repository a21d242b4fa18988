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

from benchmarks.halted import HUNG, SECONDS, Halted, Point, forked, waited

__all__ = ["DISTURBANCES", "HUNG", "SECONDS", "Disturbance", "Point", "undisturbed"]
_MOST_CALLS = 30


def undisturbed(said: Sequence[str]) -> tuple[int, str]:
    """Run a command as it is."""
    return forked(said)


@dataclass(frozen=True)
class Disturbance:
    """A way to disturb: its name, and why it cannot be done here, if so."""

    name: str
    impossible: str | None = None

    @contextlib.contextmanager
    def ready(self, said: Sequence[str], folder: Path) -> Iterator["Run"]:
        """Return what runs the command, disturbed at a point."""
        yield lambda point: self.run(said, folder, point)

    def points(self, run: "Run", most: int, draw: random.Random) -> list[Point]:
        """Return where to disturb."""
        raise NotImplementedError

    @contextlib.contextmanager
    def around(self, folder: Path, kept: Path, point: Point) -> Iterator[None]:
        """Prepare where the command writes."""
        yield

    def run(self, said: Sequence[str], folder: Path, point: Point) -> tuple[int, str]:
        raise NotImplementedError


Run = Callable[[Point], tuple[int, str]]


@dataclass(frozen=True)
class AtPoints(Disturbance):
    """Something happens at an access to a file of the folder, or so many calls after one."""

    between: bool = False  # also between two accesses

    @contextlib.contextmanager
    def ready(self, said: Sequence[str], folder: Path) -> Iterator[Run]:
        with Halted(said, folder, self.act) as halted:
            yield halted.run

    def points(self, run: Run, most: int, draw: random.Random) -> list[Point]:
        """Return every access, as far as there are so many points; the rest lie somewhere between two."""
        status, said = run((0, 0))
        if status not in (0, 1):
            raise SystemExit(f"The command fails undisturbed, once it was halted: {said}")
        there = range(1, int(said or 0) + 1)
        chosen = [(access, 0) for access in draw.sample(there, min(most, len(there)))]
        if self.between and there:
            chosen += [(draw.choice(there), draw.randint(1, _MOST_CALLS)) for _ in range(most - len(chosen))]
        return sorted(chosen)

    def act(self, later: int) -> None:
        """Do it, so many accesses after the point."""
        raise NotImplementedError


@dataclass(frozen=True)
class Signalled(AtPoints):
    """A signal at a point, and again a little later."""

    number: signal.Signals = signal.SIGKILL
    again: int = 0

    def act(self, later: int) -> None:
        if later in (0, self.again):
            os.kill(os.getpid(), self.number)


@dataclass(frozen=True)
class Refused(AtPoints):
    """Every access from a point on finds no space, but for those that delete."""

    def act(self, later: int) -> None:
        # Above this one stand whoever counts, and whoever it was called by.
        if sys._getframe(2).f_code.co_name not in ("rmtree", "_rmtree_safe_fd", "unlink"):
            raise OSError(errno.ENOSPC, "No space left on device")


@dataclass(frozen=True)
class ShortFiles(Disturbance):
    """No file may become longer than so many bytes."""

    def points(self, run: Run, most: int, draw: random.Random) -> list[Point]:
        return [(2**power, 0) for power in range(4, 16)][:most]

    def run(self, said: Sequence[str], folder: Path, point: Point) -> tuple[int, str]:
        def limited() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (point[0], point[0]))

        return forked(said, limited)


@dataclass(frozen=True)
class LittleMemory(Disturbance):
    """A process of its own that may have so many megabytes, from too few to load anything to enough."""

    def points(self, run: Run, most: int, draw: random.Random) -> list[Point]:
        sizes = (100, 150, 200, 250, 300, 350, 400, 450, 500, 550, 600, 650, 700, 800, 900, 1000, 1100, 1200, 1600, 2400)
        return [(size, 0) for size in sizes[:: -(-len(sizes) // most)]]

    def run(self, said: Sequence[str], folder: Path, point: Point) -> tuple[int, str]:
        most = point[0] << 20
        child = subprocess.Popen(
            [sys.executable, "-m", "anonscope", *said],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        try:
            _, errors = child.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            return HUNG, ""
        return child.returncode, errors.decode(errors="replace")


@contextlib.contextmanager
def _small(folder: Path, size: int) -> Iterator[None]:
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@dataclass(frozen=True)
class SmallDisk(AtPoints):
    """A file system of its own with so many bytes left, page by page until there are enough."""

    def points(self, run: Run, most: int, draw: random.Random) -> list[Point]:
        return [(4096 * pages, 0) for pages in range(1, min(most, 30) + 1)]

    @contextlib.contextmanager
    def around(self, folder: Path, kept: Path, point: Point) -> Iterator[None]:
        used = 4096 * sum(-(-path.stat().st_size // 4096) if path.is_file() else 1 for path in kept.rglob("*"))
        with _small(folder, used + point[0]):
            subprocess.run(["cp", "-a", f"{kept}/.", str(folder)], check=True)
            yield


@dataclass(frozen=True)
class NoTemporary(Disturbance):
    """A temporary folder that is gone, or full but for so many bytes."""

    def points(self, run: Run, most: int, draw: random.Random) -> list[Point]:
        return [(size, 0) for size in ((0, 4096, 8192, 16384) if _MOUNTS is None else (0,))]

    def run(self, said: Sequence[str], folder: Path, point: Point) -> tuple[int, str]:
        place = folder.parent / "temporary"

        def used() -> None:
            tempfile.tempdir = None
            os.environ["TMPDIR"] = str(place)

        if not point[0]:
            return forked(said, used)
        place.mkdir()
        try:
            with _small(place, point[0]):
                return forked(said, used)
        finally:
            place.rmdir()


@dataclass(frozen=True)
class Clock(AtPoints):
    """A clock that jumps a day backwards at a point, and forwards again at the next but one, and so on."""

    def act(self, later: int) -> None:
        real, jump = _NOW, 86_400 * (1 if later // 2 % 2 else -1)
        time.time = lambda: real() + jump


_NOW = time.time


@dataclass(frozen=True)
class Beside(Disturbance):
    """Another run with the same target, begun at the same moment."""

    def points(self, run: Run, most: int, draw: random.Random) -> list[Point]:
        return [(number, 0) for number in range(max(1, most // 10))]

    def run(self, said: Sequence[str], folder: Path, point: Point) -> tuple[int, str]:
        other = os.fork()
        if not other:
            os._exit(max(0, forked(said)[0]))
        status, told = forked(said)
        theirs = waited(other)
        return max(status, theirs), told


_MOUNTS = None if os.name == "posix" and os.geteuid() == 0 else "only root may mount a small file system"
DISTURBANCES: tuple[Disturbance, ...] = (
    Signalled("kill -9", number=signal.SIGKILL, between=True),
    Signalled("SIGTERM", number=signal.SIGTERM, between=True),
    Signalled("Ctrl-C twice", number=signal.SIGINT, again=2),
    Refused("no space from a file on"),
    ShortFiles("no space within a file"),
    SmallDisk("a full disk", impossible=_MOUNTS),
    NoTemporary("no temporary folder, or a full one"),
    LittleMemory("little memory"),
    Clock("a clock that jumps"),
    Beside("two runs at once"),
)
