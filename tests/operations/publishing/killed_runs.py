"""Kill a run that publishes at one point of its work after the other, and look at what is left. Run as a program by the tests.

A run is killed at its n-th access to a file below the target's folder; no handler runs then, as when the power goes, or when a service
is stopped by SIGTERM, which anonscope leaves to the system, so that it stops at once even inside a long query. It prints a line of
JSON: how many points there were, and what was wrong at each.
"""

import json
import os
import random
import shutil
import signal
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb  # noqa: F401 (imported before the fork, as all that follows)
import pyarrow as pa
from pyarrow import csv, parquet  # noqa: F401

import anonscope as an
from anonscope.io import placing
from anonscope.operations import verify as verification  # noqa: F401

_EVENTS = ("open", "os.rename", "os.mkdir", "os.rmdir", "os.remove", "os.chmod", "shutil.rmtree", "tempfile.mkdtemp")
LIMITS = {"k_anonymity": 2}
SIGNAL = signal.Signals[sys.argv[4]] if len(sys.argv) > 4 else signal.SIGKILL


def table(shift: int) -> pa.Table:
    return pa.table({"age": [20 + shift, 21 + shift, 40 + shift, 41 + shift] * 3, "sex": ["f", "m"] * 6, "ill": ["a", "b", "c"] * 4})


def published(target: Path, shift: int) -> None:
    with an.read(table(shift), quasi_identifiers=["age", "sex"], sensitive=["ill"], threads=1) as data:
        an.anonymise(data, limits=LIMITS).write(target, force=True)


def killed(target: Path, point: int) -> int | None:
    """Publish in a child that is killed at a point; return None if it was, else how many points it had."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        seen = 0
        under = str(target.parent)

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal seen
            if event in _EVENTS and arguments and under in str(arguments[0]):
                seen += 1
                if seen == point:
                    os.kill(os.getpid(), SIGNAL)

        sys.addaudithook(hook)
        published(target, 5)
        os.write(writer, str(seen).encode())
        os._exit(0)
    os.close(writer)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reader) as answer:
        told = answer.read()
    if os.WIFSIGNALED(status):
        return None
    assert status == 0 and told, f"the child failed at point {point}"
    return int(told)


def problems(folder: Path, target: Path, *, replacing: bool) -> list[str]:
    """Return what is wrong after a kill: in the folder as it is, and after the next that looks."""
    found = []
    visible = {path.name for path in folder.iterdir() if not path.name.startswith(placing.PREFIX)}
    whole = {target.name, target.name + ".manifest.json", target.name + ".archive"}
    if not visible <= whole:
        found.append(f"left beside the target: {sorted(visible - whole)}")
    for private in folder.glob(placing.PREFIX + "*"):
        if stat.S_IMODE(private.stat().st_mode) != 0o700:
            found.append("a private folder that others may enter")
    archive = folder / (target.name + ".archive")
    if archive.exists() and any(stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (archive, *archive.rglob("*"))):
        found.append("an archive that others may read")
    if visible != whole and visible and placing.unfinished(target) is None and target.name in visible:
        found.append(f"a set that is not whole reads as finished: {sorted(visible)}")
    try:
        if not an.verify(target, threads=1).holds:
            found.append("what is left does not verify")
    except an.AnonscopeError:
        if target.exists() or replacing:
            found.append("neither the old set nor the new one is there")
    left = sorted(path.name for path in folder.iterdir())
    if left and set(left) != whole:
        found.append(f"left after the next look: {left}")
    return found


def in_a_child(work: Callable[[], None]) -> None:
    """Do something in a process of its own: what was forked after an engine has run must not run one."""
    child = os.fork()
    if not child:
        work()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, "the child failed"


def main() -> None:
    folder, replacing, most = Path(sys.argv[1]), sys.argv[2] == "replacing", int(sys.argv[3])
    before, target, answer = folder.with_name("before"), folder / "release.csv", folder.with_name("found.json")
    if replacing:
        in_a_child(lambda: published(target, 0))
    shutil.copytree(folder, before)

    def afresh() -> None:
        shutil.rmtree(folder)
        shutil.copytree(before, folder)

    points = killed(target, 0)
    assert points is not None, "nothing was to be killed yet"
    # In the second half files are put in place; of the first a few will do.
    draw = random.Random(7)
    chosen = [*draw.sample(range(1, points // 2), min(most // 3, points // 2 - 1)), *draw.sample(range(points // 2, points + 1), most)]
    wrong: dict[int, list[str]] = {}
    for point in sorted(chosen):
        afresh()
        if killed(target, point) is not None:
            wrong[point] = ["it was not killed"]
            continue
        in_a_child(lambda: void(answer.write_text(json.dumps(problems(folder, target, replacing=replacing)))))
        if found := json.loads(answer.read_text()):
            wrong[point] = found
    print(json.dumps({"points": points, "killed": len(chosen), "wrong": wrong}))


def void(_: object) -> None:
    """Take what nobody wants."""


if __name__ == "__main__":
    main()
