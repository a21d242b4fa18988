"""One measurement: what is to be run, and how it is run alone in a process of its own.

A fresh process makes the peak of memory honest: nothing that ran before has left anything behind.
"""

import json
import re
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MEGABYTE = 10**6


class NotMeasured(Exception):
    """A measurement could not be taken; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Something to measure: `kind` is a function of `worker`."""

    kind: str
    path: str
    quasi_identifiers: tuple[str, ...]
    sensitive: str
    person: str | None = None
    threads: int | None = None
    memory_limit: str | None = None
    only: tuple[str, ...] | None = None  # the metrics to measure


@dataclass(frozen=True, slots=True)
class Run:
    """What a job took. `facts` is what it found, to see that two jobs did the same work."""

    wall: float
    cpu: float
    peak: float  # megabytes
    facts: dict[str, Any] = field(default_factory=dict)


def measure(job: Job) -> Run:
    """Run a job in a fresh process."""
    return run_in_fresh_process([sys.executable, "-m", "benchmarks.worker", json.dumps(asdict(job))])


def run_in_fresh_process(command: list[str], *, time_limit: float | None = None) -> Run:
    """Run a command that prints a `Run` as JSON on its last line."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=time_limit)
    except subprocess.TimeoutExpired:
        raise NotMeasured(f"stopped after {time_limit:.0f} s") from None
    if done.returncode != 0:
        raise NotMeasured(_reason(done.stderr) or f"exit status {done.returncode}")
    return Run(**json.loads(done.stdout.splitlines()[-1]))


def _reason(said: str) -> str:
    """Return the line of a traceback that names the error: some messages go on for several lines."""
    lines = said.strip().splitlines()
    return next((line for line in reversed(lines) if re.match(r"[\w.]+(Error|Exception|Interrupt)\b", line)), lines[-1] if lines else "")
