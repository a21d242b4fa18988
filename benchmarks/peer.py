"""pyCANON on the same table. It pins its own pandas and numpy, so it lives in an environment of its own."""

import json
from statistics import median

from benchmarks.compare import job_of
from benchmarks.data import file_of
from benchmarks.environment import python_with
from benchmarks.job import ROOT, NotMeasured, Run, measure, run_in_fresh_process
from benchmarks.options import Options
from benchmarks.printing import Lines, at_least, megabytes, seconds
from benchmarks.tables import CENSUS, Size

PEER = "pycanon==1.3.6"
ENVIRONMENT = ROOT / ".venv-bench"
_ROWS, _SIX, _TIME_LIMIT = 300_000, 6, 600.0
_FASTER = 100.0


def against_pycanon(options: Options) -> None:
    """Our whole audit, reading included, against pyCANON's functions on a frame that is already in memory."""
    lines = Lines(
        f"pyCANON: {_ROWS:,} census-like records, {_SIX} quasi-identifiers, raw",
        ("", "s", "CPU s", "peak", "x our Parquet", "x our CSV", "target"),
    )
    ours: dict[str, Run] = {}
    for format in ("parquet", "csv"):
        job = job_of(CENSUS, file_of(CENSUS, Size(_ROWS), format), columns=_SIX, threads=options.threads)
        runs = [measure(job) for _ in range(options.repeat)]
        ours[format] = Run(median(r.wall for r in runs), median(r.cpu for r in runs), max(r.peak for r in runs), runs[0].facts)
        lines.add(f"whole audit, {format}", seconds(ours[format].wall), seconds(ours[format].cpu), megabytes(ours[format].peak))
    for title, what in (("pyCANON k, l, t", "conventional"), ("pyCANON full report", "report")):
        try:
            theirs = _measure_peer(what)
        except NotMeasured as reason:
            lines.note(title, reason)
            continue
        _say_if_different(theirs, ours["csv"])
        ratios = [theirs.wall / ours[format].wall for format in ("parquet", "csv")]
        target = at_least(min(ratios), _FASTER, "x") if what == "report" else "-"
        lines.add(title, seconds(theirs.wall), seconds(theirs.cpu), megabytes(theirs.peak), *(f"{r:.0f}x" for r in ratios), target)


def _measure_peer(what: str) -> Run:
    python = python_with(PEER, ENVIRONMENT)
    path = file_of(CENSUS, Size(_ROWS), "csv")
    asked = {"path": str(path), "quasi_identifiers": CENSUS.quasi_identifiers[:_SIX], "sensitive": CENSUS.sensitive, "what": what}
    return run_in_fresh_process([str(python), "-m", "benchmarks.peer_worker", json.dumps(asked)], time_limit=_TIME_LIMIT)


def _say_if_different(theirs: Run, ours: Run) -> None:
    """Speed means nothing if the numbers differ."""
    for name, value in theirs.facts.items():
        if abs(value - ours.facts[name]) > 1e-9:
            print(f"{name} differs: pyCANON {value}, ours {ours.facts[name]}")
