"""The way of a call through the house: python -m benchmarks.traces [--most 15] [--packed] [audit|plan|anonymise|compare|explore|what-if].

A module is entered when one of its functions runs; a hand-over is a pair of modules of which one calls the other. Calls that happen while
modules are being loaded count for nothing, so every call is made once before it is traced. Calls through other libraries are theirs.
`explore` opens a table, asks once and shows the answer; `what-if` is what a slider asks then, of a table that has been counted.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pyarrow as pa

import anonscope as an

_PACKAGE = "anonscope."


@dataclass
class Trace:
    """How often each module was entered, and which handed over to which."""

    entered: Counter[str] = field(default_factory=Counter)
    handed: Counter[tuple[str, str]] = field(default_factory=Counter)

    def follow(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call, as `sys.setprofile` tells it."""
        if event != "call":
            return
        name = str(frame.f_globals.get("__name__", ""))
        if not name.startswith(_PACKAGE):
            return
        self.entered[name] += 1
        caller = frame.f_back
        before = str(caller.f_globals.get("__name__", "")) if caller is not None else ""
        if before.startswith(_PACKAGE) and before != name:
            self.handed[before, name] += 1


def traced(call: Callable[[], object]) -> Trace:
    """Return the way of a call that has been made before, so that everything is loaded."""
    call()
    trace = Trace()
    sys.setprofile(trace.follow)
    try:
        call()
    finally:
        sys.setprofile(None)
    return trace


def packed(trace: Trace, most: int = 400) -> tuple[int, int]:
    """Return modules and hand-overs if the modules of every folder were laid together in files of at most so many lines: a bound.

    The longest go first, each into the first file with room. Nobody would read such files; it says what merging alone could give.
    """
    files: dict[Path, list[int]] = {}
    place: dict[str, tuple[Path, int]] = {}
    lines = {name: Path(str(sys.modules[name].__file__)) for name in trace.entered}
    sizes = {name: len(path.read_text().splitlines()) for name, path in lines.items()}
    for name in sorted(sizes, key=lambda entered: (-sizes[entered], entered)):
        room = files.setdefault(lines[name].parent, [])
        number = next((i for i, taken in enumerate(room) if taken + sizes[name] <= most), len(room))
        if number == len(room):
            room.append(0)
        room[number] += sizes[name]
        place[name] = lines[name].parent, number
    pairs = {(place[caller], place[called]) for caller, called in trace.handed}
    return sum(map(len, files.values())), sum(caller != called for caller, called in pairs)


def people() -> pa.Table:
    """Return three hundred people, the same at every call."""
    chance = Random(3)
    return pa.table(
        {
            "age": [chance.randint(18, 90) for _ in range(300)],
            "zip": [f"{chance.randint(10_000, 10_400)}" for _ in range(300)],
            "sex": [chance.choice("FM") for _ in range(300)],
            "diagnosis": [chance.choice(["flu", "gout", "cold", "asthma"]) for _ in range(300)],
        }
    )


def calls() -> dict[str, Callable[[], object]]:
    """Return what is traced, from an open table to its report as text."""
    table, limits = people(), {"k_anonymity": 4.0}
    roles = {"quasi_identifiers": ["age", "zip", "sex"], "sensitive": ["diagnosis"]}
    with an.read(table, **roles) as data:
        made = an.anonymise(data, limits=limits, method="global").release
        assert made is not None, "four people a group are found at once"
        release = made.table
        counted = an.explore(data, limits=limits)
    sliders = count(1)

    def opened(work: Callable[[an.Data], Any]) -> Callable[[], object]:
        def call() -> object:
            with an.read(table, **roles) as data:
                return work(data).render("text")

        return call

    def compared(data: an.Data) -> Any:
        with an.read(release) as other:
            return an.compare(data, other)

    return {
        "audit": opened(an.audit),
        "plan": opened(lambda data: an.plan(data, limits=limits)),
        "anonymise": opened(lambda data: an.anonymise(data, limits=limits, method="global")),
        "compare": opened(compared),
        "explore": opened(lambda data: an.explore(data, limits=limits, levels={"age": 2})),
        "what-if": lambda: counted.at({"age": next(sliders), "zip": 1}),
    }


def main() -> None:
    """Print a line a verb, and the hand-overs that happen most often."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verbs", nargs="*")
    parser.add_argument("--most", type=int, default=0, help="so many hand-overs, the most frequent first")
    parser.add_argument("--pairs", action="store_true", help="every hand-over, by the module that calls")
    parser.add_argument("--packed", action="store_true", help="also what merging files could give at most")
    given = parser.parse_args()
    for verb, call in calls().items():
        if given.verbs and verb not in given.verbs:
            continue
        trace = traced(call)
        print(f"{verb:10} {len(trace.entered):4} modules {len(trace.handed):4} hand-overs")
        if given.packed:
            print("{:10} {:4} modules {:4} hand-overs if every folder were packed".format("", *packed(trace)))
        for (caller, called), times in trace.handed.most_common(given.most):
            print(f"  {times:7,}  {caller.removeprefix(_PACKAGE)} -> {called.removeprefix(_PACKAGE)}")
        if given.pairs:
            for caller, called in sorted(trace.handed):
                print(f"  {caller.removeprefix(_PACKAGE)} -> {called.removeprefix(_PACKAGE)}")


if __name__ == "__main__":
    main()
