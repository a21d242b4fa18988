"""What is left when something goes wrong while files are written? python -m benchmarks.faults [--points 20] [--seed 0] [--only COMMAND]

Every command that writes replaces what it wrote before, and is disturbed: killed, ended, interrupted twice, without space, memory or a
temporary folder, with a clock that jumps, and beside another run with the same target. Fine is the old set or the new one, after the next
run or `verify` has looked, and nothing beside it; an error in a sentence; no value in it.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.disturbed import DISTURBANCES, HUNG, SECONDS, Disturbance, undisturbed
from benchmarks.halted import load_for
from benchmarks.printing import Lines

CANARY = "canary-71c4"
RECIPE = 'schema = "anonscope/recipe/1"\n\n[[steps]]\napply = "round"\ncolumn = "age"\nto = 10\n'


@dataclass(frozen=True)
class Command:
    """A command that writes: what is said, what it writes, and whether `verify` can say whether that is whole."""

    name: str
    options: tuple[str, ...]
    writes: tuple[str, ...]
    verifies: bool = True
    fine: tuple[int, ...] = (0,)

    def said(self, source: Path, folder: Path) -> list[str]:
        """Return the command for a source and the folder that it writes to."""
        places = {"SOURCE": str(source), "RECIPE": str(source.with_name("recipe.toml")), "TARGET": str(folder / self.writes[0])}
        return [self.name, *(places.get(option, option) for option in self.options), "--threads", "1"]


_SET = ("release.csv", "release.csv.manifest.json", "release.csv.archive")
_ROLES = ("-q", "age", "-q", "zip", "-s", "ill")
COMMANDS = (
    Command("anonymise", ("SOURCE", *_ROLES, "--limit", "k_anonymity=2", "-o", "TARGET", "--force", "--quiet"), _SET),
    Command("apply", ("RECIPE", "SOURCE", *_ROLES, "-o", "TARGET", "--force", "--quiet"), _SET),
    Command("fragment", ("SOURCE", *_ROLES, "--limit", "k_anonymity=2", "--assemble", "-o", "TARGET", "--force", "--quiet"), _SET),
    Command("pipeline", ("SOURCE", *_ROLES, "--policy", "arx-default", "-o", "TARGET", "--force", "--quiet"), _SET),
    Command("audit", ("SOURCE", *_ROLES, "--no-plan", "-o", "TARGET", "--quiet"), ("report.json",), verifies=False, fine=(0, 1)),
    Command("suggest", ("SOURCE", "--save-roles", "TARGET"), ("roles.toml",), verifies=False),
)


def source(path: Path, seed: int) -> Path:
    """Write a table that every command can release, and the recipe beside it."""
    draw = random.Random(seed)
    lines = (f"{20 + draw.randrange(4) * 10},0{draw.randrange(3)},{CANARY}-{draw.randrange(3)}" for _ in range(120))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("age,zip,ill\n" + "\n".join(lines) + "\n")
    path.with_name("recipe.toml").write_text(RECIPE)
    return path


def content(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder, hidden ones too."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def whole(path: Path) -> bool:
    """Return whether a file without papers is one to its end."""
    try:
        return bool((tomllib if path.suffix == ".toml" else json).loads(path.read_text()))
    except (OSError, ValueError):
        return False


def wrong(command: Command, folder: Path, before: dict[str, bytes], status: int, said: str, again: list[str]) -> Iterator[str]:
    """Yield what is wrong after a disturbance, once somebody has looked after the folder."""
    if status == HUNG:
        yield f"took over {SECONDS} s"
    if status == 3 or "Traceback" in said or -status in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS):
        yield "reported as our defect"
    if CANARY in said:
        yield "a value in a message"
    target = folder / command.writes[0]
    if command.verifies:
        checked, _ = undisturbed(["verify", str(target)])
        if checked:
            yield "what is left does not verify"
    elif content(folder).get(command.writes[0]) != before[command.writes[0]] and not whole(target):
        yield "a file that is neither the old one nor the new one"
    # Where a disk is still full, the next run is refused as this one was.
    if not command.verifies and undisturbed(again)[0] not in (*command.fine, 2 if status == 2 else 0):
        yield "the next run fails"
    left = {path.name for path in folder.iterdir()}
    if left != set(command.writes):
        yield "something is missing, or left beside it"


def disturbed(
    command: Command, disturbance: Disturbance, points: int, draw: random.Random, place: Path, *, told: bool = False
) -> tuple[int, int, Counter[str]]:
    """Disturb a command at points of its work; return how often, how often it ended well all the same, and what was wrong."""
    old, new, folder, kept = source(place / "old" / "people.csv", 1), source(place / "new" / "people.csv", 2), place / "out", place / "kept"
    folder.mkdir()
    status, said = undisturbed(command.said(old, folder))
    if status not in command.fine:
        raise SystemExit(f"{command.name} fails undisturbed: {said}")
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
                print(f"    {command.name}, {disturbance.name}, {point}: {'; '.join(amiss)}: status {status}, {said[-300:].strip()!r}")
    return len(chosen), ended, found


def prepare(command: Command) -> None:
    """Load what a command and a look at its work need, once."""
    with tempfile.TemporaryDirectory() as place:
        said = command.said(source(Path(place) / "s" / "people.csv", 1), Path(place))
        load_for(said)
        load_for(["verify", str(Path(place) / command.writes[0])])


def main() -> None:
    """Disturb everything, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__.partition("\n")[0])
    parser.add_argument("--points", type=int, default=20, help="points at which each command is disturbed in each way (default 20)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=[command.name for command in COMMANDS], help="one command")
    parser.add_argument("--by", choices=[disturbance.name for disturbance in DISTURBANCES], help="one disturbance")
    given = parser.parse_args()
    draw, total = random.Random(given.seed), 0
    lines = Lines("What is left after a disturbance", ("command, disturbance", "points", "ended well", "wrong"))
    for command in COMMANDS:
        if given.only not in (None, command.name):
            continue
        prepare(command)
        for disturbance in (one for one in DISTURBANCES if given.by in (None, one.name)):
            if disturbance.impossible is not None:
                lines.note(f"{command.name}, {disturbance.name}", disturbance.impossible)
                continue
            with tempfile.TemporaryDirectory() as place:
                points, ended, found = disturbed(command, disturbance, given.points, draw, Path(place), told=True)
            total += found.total()
            lines.add(f"{command.name}, {disturbance.name}", points, ended, "; ".join(f"{n} x {what}" for what, n in found.items()) or 0)
    print(f"\n{total} wrong")
    sys.exit(1 if total else 0)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
