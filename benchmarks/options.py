"""What may be said on the command line."""

import argparse
from dataclasses import dataclass

from benchmarks.tables import RAW_SHAPE

SECTIONS = ("parquet", "csv", "raw", "events", "memory", "statements", "pycanon", "rows", "columns", "width", "explain", "cli")
_ROUTINE_EVENTS, _ALL_EVENTS = 2_000_000, 10_000_000
_EVENTS_A_PERSON = 20
_ON_REQUEST = ("statements", "width")


@dataclass(frozen=True, slots=True)
class Options:
    """The sizes of a run."""

    rows: int
    events: int
    persons: int
    growth: tuple[int, ...]
    width: int
    repeat: int
    threads: int | None
    only: frozenset[str]
    seed: int = 0
    shape: str = RAW_SHAPE

    def wants(self, section: str) -> bool:
        """Return whether a section is to be measured."""
        return section in self.only


def parse(arguments: list[str] | None = None) -> Options:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure audits against their yardsticks, as ratios.")
    parser.add_argument("--rows", type=int, default=2_400_000, help="records of the person-level table (default 2,400,000)")
    parser.add_argument("--events", type=int, help="records of the event-level table (default 2,000,000; 10,000,000 with --full)")
    parser.add_argument("--persons", type=int, help="persons of the event-level table (default a twentieth of the events)")
    parser.add_argument("--repeat", type=int, default=5, help="pairs of audit and baseline; their median counts (default 5)")
    parser.add_argument("--threads", type=int, help="threads of audit and baseline alike (default all)")
    parser.add_argument("--largest", type=int, default=10_000_000, help="records at which growth ends (default 10,000,000)")
    parser.add_argument("--full", action="store_true", help="the sizes of the targets: 10 million events, and width at 10 million records")
    parser.add_argument(
        "--only", action="append", choices=SECTIONS, help="measure this alone; may be repeated (statements and width run only so)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the raw table")
    parser.add_argument("--shape", default=RAW_SHAPE, help=f"of the raw table: values^skew of each column ({RAW_SHAPE})")
    given = parser.parse_args(arguments)
    events = given.events or (_ALL_EVENTS if given.full else _ROUTINE_EVENTS)
    return Options(
        rows=given.rows,
        events=events,
        persons=given.persons or max(1, events // _EVENTS_A_PERSON),
        growth=tuple(10**power for power in range(5, 11) if 10**power <= given.largest),
        width=10_000_000 if given.full else 1_000_000,
        repeat=given.repeat,
        threads=given.threads,
        only=frozenset(given.only or [section for section in SECTIONS if section not in _ON_REQUEST]),
        seed=given.seed,
        shape=given.shape,
    )
