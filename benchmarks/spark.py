"""What an audit on Spark costs against the bare GROUP BY on the same session: python -m benchmarks.spark [--largest N] [--width N].

Both run in one session, in turns, after a first audit that compiles what must be compiled. The table is a folder of Parquet files
on the local disk. Shuffles are the stages that wrote what another stage read; jobs are what Spark was asked for.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import anonscope as an
from anonscope.engines.spark.engine import Spark
from benchmarks.data import file_of, folder_of
from benchmarks.printing import Lines, seconds, spread, times
from benchmarks.tables import CENSUS, DISCHARGES, Size, Table, wide

_WIDTHS = (5, 10, 20, 40, 80, 130)
_TABLES = {table.name: table for table in (DISCHARGES, CENSUS)}


@dataclass(frozen=True)
class Cost:
    """Wall clock of some work, and what Spark did for it."""

    wall: float
    jobs: int
    shuffles: int
    shuffled: float  # in megabytes


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description="Audits on Spark against its bare GROUP BY.")
    parser.add_argument("--master", default="local[2]", help="the master of Spark (default local[2])")
    parser.add_argument("--largest", type=int, default=10_000_000, help="records at which growth ends (default 10,000,000)")
    parser.add_argument("--width", type=int, default=1_000_000, help="records of the wide table (default 1,000,000; 0 leaves it out)")
    parser.add_argument("--smallest", type=int, default=100_000, help="records at which growth begins (default 100,000)")
    parser.add_argument("--repeat", type=int, default=3, help="pairs of audit and baseline; their median counts (default 3)")
    parser.add_argument("--table", choices=sorted(_TABLES), action="append", help="this table alone (default both)")
    parser.add_argument("--memory", default="8g", help="memory of the driver (default 8g)")
    given = parser.parse_args()
    engine = Spark(master=given.master, conf={"spark.driver.memory": given.memory, "spark.sql.shuffle.partitions": "8"})
    session = engine.session
    try:
        sizes = [10**power for power in range(5, 11) if given.smallest <= 10**power <= given.largest]
        for name in (given.table or sorted(_TABLES)) if sizes else []:
            over_rows(session, _TABLES[name], sizes, given.repeat)
        if given.width:
            over_width(session, given.width)
    finally:
        engine.close()


def over_rows(session: Any, table: Table, sizes: list[int], repeat: int) -> None:
    """The same columns, ten times as many records at each step."""
    known = table.quasi_identifiers
    _warm_up(session)
    lines = Lines(f"Growth over records on Spark: {table.name}, {len(known)} quasi-identifiers", ("records", *_COLUMNS), first=12)
    for rows in sizes:
        _line(lines, f"{rows:,}", *_compare(session, table, session.read.parquet(str(folder_of(table, Size(rows)))), known, repeat))


def over_width(session: Any, rows: int) -> None:
    """The same records, more quasi-identifiers at each step."""
    _warm_up(session)
    lines = Lines(f"Growth over width on Spark: {rows:,} records", ("columns", *_COLUMNS), first=12)
    table = wide()
    frame = session.read.parquet(str(file_of(table, Size(rows))))
    for width in _WIDTHS:
        _line(lines, str(width), *_compare(session, table, frame, table.quasi_identifiers[:width], 1))


def _warm_up(session: Any) -> None:
    """Audit something, so that what must be compiled is."""
    frame = session.read.parquet(str(folder_of(DISCHARGES, Size(100_000))))
    _compare(session, DISCHARGES, frame, DISCHARGES.quasi_identifiers, 1)


_COLUMNS = ("classes", "baseline s", "audit s", "ratio", "range", "jobs", "shuffles", "shuffled", "base shuffled")


def _compare(session: Any, table: Table, frame: Any, known: tuple[str, ...], repeat: int) -> tuple[list[Cost], list[Cost], int]:
    sensitive = [table.sensitive]
    baselines, audits, classes = [], [], 0

    def bare() -> None:
        frame.groupBy(*known, *sensitive).count().write.format("noop").mode("overwrite").save()

    def audit() -> None:
        nonlocal classes
        with an.read(frame, quasi_identifiers=known, sensitive=sensitive) as data:
            classes = an.audit(data).scenarios[0].sizes.classes

    for _ in range(repeat):
        baselines.append(_cost(session, bare))
        audits.append(_cost(session, audit))
    return baselines, audits, classes


def _cost(session: Any, work: Callable[[], None]) -> Cost:
    jobs, stages = _history(session)
    begin = time.perf_counter()
    work()
    wall = time.perf_counter() - begin
    more_jobs, more_stages = _history(session)
    new = [written for stage, written in more_stages.items() if stage not in stages and written > 0]
    return Cost(wall, more_jobs - jobs, len(new), sum(new) / 10**6)


def _history(session: Any) -> tuple[int, dict[int, int]]:
    """Return how many jobs there were, and how much each of the last stages wrote for another to read."""
    context = session.sparkContext
    context._jsc.sc().listenerBus().waitUntilEmpty()
    store = context._jsc.sc().statusStore()
    jobs = store.jobsList(None)
    stages = store.stageList(None, False, False, context._gateway.new_array(context._jvm.double, 0), None)
    found = {}
    for i in range(stages.size()):
        stage = stages.apply(i)
        found[stage.stageId()] = stage.shuffleWriteBytes()
    # The oldest are forgotten after a while, so their number is the number of the last one.
    return 1 + max((jobs.apply(i).jobId() for i in range(jobs.size())), default=-1), found


def _line(lines: Lines, title: str, baselines: list[Cost], audits: list[Cost], classes: int) -> None:
    ratios = [audit.wall / baseline.wall for baseline, audit in zip(baselines, audits, strict=True)]
    lines.add(
        title,
        f"{classes:,}",
        seconds(median(cost.wall for cost in baselines)),
        seconds(median(cost.wall for cost in audits)),
        times(median(ratios)),
        spread(ratios),
        audits[-1].jobs,
        audits[-1].shuffles,
        f"{audits[-1].shuffled:.1f} MB",
        f"{baselines[-1].shuffled:.1f} MB",
    )


if __name__ == "__main__":
    main()
