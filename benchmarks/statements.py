"""Where the time of an audit goes, statement by statement: what to look at before changing the SQL."""

from dataclasses import replace
from statistics import median

from benchmarks.against_baseline import MEMORY_LIMIT
from benchmarks.compare import job_of
from benchmarks.data import file_of
from benchmarks.job import Job, measure
from benchmarks.options import Options
from benchmarks.printing import Lines, seconds
from benchmarks.tables import DISCHARGES, VISITS, Size, raw

_WIDTH = 70
_WORTH_SHOWING = 0.01


def statements(options: Options) -> None:
    """Print every statement that takes its hundredth of an audit, in order."""
    discharges = [file_of(DISCHARGES, Size(options.rows), format) for format in ("parquet", "csv")]
    raw_table = raw(options.seed, options.shape)
    visits = file_of(VISITS, Size(options.events, options.persons))
    for title, job in (
        ("Person level, Parquet", job_of(DISCHARGES, discharges[0], threads=options.threads)),
        ("Raw, Parquet", job_of(raw_table, file_of(raw_table, Size(options.rows)), threads=options.threads)),
        ("Person level, CSV", job_of(DISCHARGES, discharges[1], threads=options.threads)),
        ("Event level, Parquet", job_of(VISITS, visits, threads=options.threads)),
        (f"Event level, Parquet, memory limit {MEMORY_LIMIT}", job_of(VISITS, visits, threads=options.threads, memory_limit=MEMORY_LIMIT)),
    ):
        _breakdown(title, job, options.repeat)


def _breakdown(title: str, job: Job, repeat: int) -> None:
    lines = Lines(f"{title}: statements, medians of {repeat} runs", ("statement", "s", "CPU s", "share of CPU"), first=_WIDTH)
    runs = [measure(replace(job, kind="statements")) for _ in range(repeat)]
    # Every run makes the same statements in the same order, so the n-th of each are one and the same.
    timed = [
        (same[0][0], median(wall for _, wall, _ in same), median(cpu for _, _, cpu in same))
        for same in zip(*(run.facts["statements"] for run in runs), strict=True)
    ]
    whole, whole_cpu = median(run.wall for run in runs), median(run.cpu for run in runs)
    for statement, wall, cpu in timed:
        if cpu >= _WORTH_SHOWING * whole_cpu:
            lines.add(statement[:_WIDTH], seconds(wall), seconds(cpu), f"{cpu / whole_cpu:.0%}")
    inside = sum(cpu for _, _, cpu in timed)
    lines.add(f"all {len(timed)} statements", seconds(sum(wall for _, wall, _ in timed)), seconds(inside), f"{inside / whole_cpu:.0%}")
    lines.add("the whole audit", seconds(whole), seconds(whole_cpu), "100%")
