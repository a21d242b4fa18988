"""Damaged files of every format, made by seeded mutations: python -m benchmarks.fuzz [--seconds 600] [--seed 0] [--format NAME].

Every file is read to its last cell in a process of its own kind. Fine is what is read or refused in a sentence; everything else is
counted: an error that is none of ours, a process that dies, one that takes over thirty seconds, and a message that repeats a value. What
is read is read by a second library too (benchmarks/second_reader.py) and must be the same.
"""

import argparse
import contextlib
import os
import random
import select
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from anonscope.engines import DuckDB
from anonscope.errors import AnonscopeError, EngineError
from anonscope.io.sources import open_source
from anonscope.io.sources.relation import ReadOptions
from benchmarks import second_reader
from benchmarks.damaged_files import CANARY, READERS, SEEDS, damaged, whole
from benchmarks.second_reader import Read

_SECONDS = 30.0
_ENGINES: list[DuckDB] = []


# The dialect is stated, as whoever reads with Python's csv states it: what is detected is another question.
_STATED = ReadOptions(delimiter=",", quote='"')


def read_to_the_end(path: Path) -> Read:
    """Read every cell of a table, as an audit would, on an engine that outlives those tables that do it no harm."""
    if not _ENGINES:
        _ENGINES.append(DuckDB(threads=1))
    engine = _ENGINES[0]
    try:
        relation = open_source(path, engine, _STATED if ".csv" in path.name else None)
        origin = relation.origin
        if relation.stage:
            engine.stage("fuzzed", f"SELECT * FROM {origin}", large=False, ordered=True)
            origin = "fuzzed"
        names = tuple(column.name for column in relation.columns)
        return Read(names, engine.rows(f"SELECT {', '.join(f'CAST(c{i} AS VARCHAR)' for i in range(len(names)))} FROM {origin}"))
    except EngineError:
        _ENGINES.pop().close()
        raise


@dataclass
class Outcome:
    """How many files ended how, and the faults: the number of the mutation and what went wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, int, str]] = field(default_factory=list)


def fuzz(
    form: str, numbers: Iterator[int], seed: int, until: float, outcome: Outcome, *, read: Callable[[Path], object] = read_to_the_end
) -> None:
    """Read damaged files one after the other in a child; one that dies or hangs is counted, and another goes on."""
    whole(form)
    left = True
    while left and time.monotonic() < until:
        left = _child(form, numbers, seed, until, outcome, read)


def _child(form: str, numbers: Iterator[int], seed: int, until: float, outcome: Outcome, read: Callable[[Path], object]) -> bool:
    """Run one child until it dies, hangs or nothing is left, and return whether something is."""
    requests, answers = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(requests[1])
        os.close(answers[0])
        _answer(form, seed, requests[0], answers[1], read)
    os.close(requests[0])
    os.close(answers[1])
    try:
        for number in numbers:
            if time.monotonic() > until:
                return False
            os.write(requests[1], number.to_bytes(8, "little"))
            if not select.select([answers[0]], [], [], _SECONDS)[0]:
                os.kill(child, signal.SIGKILL)
                outcome.counts["hang"] += 1
                outcome.faults.append((form, number, "hang"))
                return True
            said = os.read(answers[0], 4096).decode(errors="replace")
            if not said:
                _, status = os.waitpid(child, 0)
                child = 0
                outcome.counts["crash"] += 1
                outcome.faults.append((form, number, f"crash, status {status}"))
                return True
            kind = said.partition(":")[0]
            outcome.counts[kind] += 1
            outcome.counts["same"] += said == "read: same"
            if kind not in ("read", "refused"):
                outcome.faults.append((form, number, said))
        return False
    finally:
        os.close(requests[1])
        os.close(answers[0])
        if child:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)


def _answer(form: str, seed: int, requests: int, answers: int, read: Callable[[Path], object]) -> None:
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / SEEDS[form][0]
        while asked := os.read(requests, 8):
            path.write_bytes(damaged(form, random.Random(f"{seed}/{form}/{int.from_bytes(asked, 'little')}")))
            os.write(answers, _tried(form, path, READERS.get(form, read)).encode())
        while _ENGINES:
            _ENGINES.pop().close()
    os._exit(0)


def _tried(form: str, path: Path, read: Callable[[Path], object]) -> str:
    try:
        found = read(path)
    except AnonscopeError as error:
        if CANARY in str(error):
            return "canary: in a message"
        return f"refused: {type(error).__name__}"
    except BaseException as error:
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        where = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else ""
        return f"defect: {type(error).__name__} {str(error)[:200]} {where}"
    if not isinstance(found, Read) or form not in second_reader.READERS:
        return "read:"
    said = second_reader.compared(form, path, found)
    return {second_reader.SAME: "read: same", second_reader.NOT_READ: "read:"}.get(said, f"different: {said}")


def main() -> None:
    """Print a table: a line for every format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--mutations", type=int, default=None, help="so many of every format, however long it takes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--format", choices=list(SEEDS), action="append")
    given = parser.parse_args()
    forms, begun = given.format or list(SEEDS), time.monotonic()
    titles = ("files", "read", "refused", "defect", "crash", "hang", "canary", "same", "other")
    print(f"{'format':10} " + " ".join(f"{title:>8}" for title in titles))
    worst = 0
    for form in forms:
        outcome = Outcome()
        numbers = iter(range(given.mutations if given.mutations is not None else sys.maxsize))
        until = time.monotonic() + (given.seconds / len(forms) if given.mutations is None else 10**6)
        fuzz(form, numbers, given.seed, until, outcome)
        c = outcome.counts
        told = [c.total() - c["same"], *(c[name] for name in ("read", "refused", "defect", "crash", "hang", "canary"))]
        second = [c["same"], c["different"]] if form in second_reader.READERS else ["—", "—"]
        print(f"{form:10} " + " ".join(f"{number:>8}" for number in (*told, *second)), flush=True)
        for fault in outcome.faults[:5]:
            print("   ", *fault)
        worst += len(outcome.faults)
    print(f"{worst} faults, {time.monotonic() - begun:.0f} s, seed {given.seed}")
    sys.exit(1 if worst else 0)


if __name__ == "__main__":
    main()
