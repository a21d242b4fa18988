"""What is left when something goes wrong while files are written? python -m benchmarks.faults [--points 20] [--seed 0] [--only COMMAND]

Every command that writes replaces what it wrote before, and is disturbed: killed, ended, interrupted twice, without space, memory or a
temporary folder, with a clock that jumps, and beside another run with the same target. Fine is the old set or the new one, after the next
run or `verify` has looked, and nothing beside it; an error in a sentence; no value in it.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from anonscope.io.placing import recover
from benchmarks.disturbed import DISTURBANCES, HUNG, SECONDS, Disturbance, undisturbed
from benchmarks.halted import load_for
from benchmarks.printing import Lines
from benchmarks.writing_commands import CANARY, COMMANDS, Command, source, whole


def content(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder, hidden ones too."""
    return {path.name: content_of(path) for path in sorted(folder.iterdir())}


def content_of(path: Path) -> bytes:
    """Return what a file holds, or all files of a folder."""
    if path.is_dir():
        return b"".join(name.name.encode() + b"\0" + content_of(name) for name in sorted(path.iterdir()))
    return path.read_bytes()


def wrong(command: Command, folder: Path, before: dict[str, bytes], status: int, said: str, again: list[str]) -> Iterator[str]:
    """Yield what is wrong after a disturbance, once somebody has looked after the folder."""
    if status == HUNG:
        yield f"took over {SECONDS} s"
    if status == 3 or "Traceback" in said or -status in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS):
        yield "reported as our defect"
    if CANARY in said:
        yield "a value in a message"
    if command.verifies:
        checked, found = undisturbed(["verify", str(folder / command.writes[0])])
        if checked == HUNG:
            yield f"to verify it takes over {SECONDS} s"
        elif checked:
            yield f"what is left does not verify: status {checked}, {found[-200:].strip()}"
    else:
        yield from _unverified(command, folder, before, status, again)
    left = {path.name for path in folder.iterdir()}
    # Of what is never replaced nothing stood there, and nothing does where the disk is still full.
    if left != {*command.writes, *command.beside} and not (command.fresh and status == 2 and left == set(command.beside)):
        yield "something is missing, or left beside it"


def _unverified(command: Command, folder: Path, before: dict[str, bytes], status: int, again: list[str]) -> Iterator[str]:
    """Yield what is wrong with files that have no papers, before and after the next run."""
    recover([folder])  # as the next run does first of all
    now = {name: (folder / name).exists() and content_of(folder / name) for name in command.writes}
    old = {name: now[name] == before.get(name, False) for name in command.writes}
    if not all(old.values()) and not all(whole(folder / name) for name in command.writes if not old[name]):
        yield "a file that is neither the old one nor the new one"
    if any(old.values()) and not all(old.values()):
        yield "some are old and some are new"
    next_time, said = undisturbed(again)
    # Where a disk is still full, the next run is refused as this one was; what is never replaced, or never registered twice, was in place.
    done = not any(old.values()) and all(whole(folder / name) for name in command.writes)
    if next_time not in (*command.fine, 2 if status == 2 or (done and (command.fresh or command.name == "register")) else 0):
        yield f"the next run fails: {said[-200:].strip()}"
    elif next_time in command.fine and not all(whole(folder / name) for name in command.writes):
        yield "the next run does not mend it"


def disturbed(
    command: Command, disturbance: Disturbance, points: int, draw: random.Random, place: Path, *, told: bool = False
) -> tuple[int, int, Counter[str]]:
    """Disturb a command at points of its work; return how often, how often it ended well all the same, and what was wrong."""
    old, new, folder, kept = source(place / "old" / "people.csv", 1), source(place / "new" / "people.csv", 2), place / "out", place / "kept"
    folder.mkdir()
    for seen in (new, old):
        for earlier in command.preparing(seen, folder):
            _must(earlier, (0,))
    if not command.fresh:
        _must(command.said(old, folder), command.fine)
    shutil.copytree(folder, kept)
    before = content(kept)
    found: Counter[str] = Counter()
    ended = 0
    ordered = command.said(new, folder)
    with disturbance.ready(ordered, folder) as run:
        chosen = disturbance.points(run, points, draw)
        for point in chosen:
            for path in folder.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            shutil.copytree(kept, folder, dirs_exist_ok=True)
            with disturbance.around(folder, kept, point):
                status, said = run(point)
                ended += status in command.fine
                amiss = list(wrong(command, folder, before, status, said, ordered))
            found.update(amiss)
            if amiss and told:
                print(f"    {command.called}, {disturbance.name}, {point}: {'; '.join(amiss)}: status {status}, {said[-300:].strip()!r}")
    return len(chosen), ended, found


def _must(said: list[str], fine: tuple[int, ...]) -> None:
    status, told = undisturbed(said)
    if status not in fine:
        raise SystemExit(f"{' '.join(said)} fails undisturbed: {told}")


def prepare(command: Command) -> None:
    """Load what a command and a look at its work need, once."""
    with tempfile.TemporaryDirectory() as place:
        table, folder = source(Path(place) / "s" / "people.csv", 1), Path(place) / "out"
        folder.mkdir()
        for said in (*command.preparing(table, folder), command.said(table, folder)):
            load_for(said)
        load_for(["verify", str(folder / command.writes[0])])


def main() -> None:
    """Disturb everything, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__.partition("\n")[0])
    parser.add_argument("--points", type=int, default=20, help="points at which each command is disturbed in each way (default 20)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=[command.called for command in COMMANDS], action="append", help="one command; may be said again")
    parser.add_argument("--by", choices=[disturbance.name for disturbance in DISTURBANCES], help="one disturbance")
    given = parser.parse_args()
    draw, total = random.Random(given.seed), 0
    lines = Lines("What is left after a disturbance", ("command, disturbance", "points", "ended well", "wrong"))
    for command in COMMANDS:
        if given.only and command.called not in given.only:
            continue
        prepare(command)
        for disturbance in (one for one in DISTURBANCES if given.by in (None, one.name)):
            if disturbance.impossible is not None:
                lines.note(f"{command.called}, {disturbance.name}", disturbance.impossible)
                continue
            with tempfile.TemporaryDirectory() as place:
                points, ended, found = disturbed(command, disturbance, given.points, draw, Path(place), told=True)
            total += found.total()
            lines.add(f"{command.called}, {disturbance.name}", points, ended, "; ".join(f"{n} x {what}" for what, n in found.items()) or 0)
    print(f"\n{total} wrong")
    sys.exit(1 if total else 0)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
