"""The process that does one job and prints what it took: python -m benchmarks.worker JOB, with the job as JSON."""

import json
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

import anonscope as an
from anonscope.engines import DuckDB
from benchmarks.clock import Clock
from benchmarks.job import MEGABYTE, Job
from benchmarks.spill import watching


def audit(job: Job) -> dict[str, Any]:
    """Audit a file through the public functions, from opening it to the verdict."""
    clock = Clock()
    found, spilled = _audited(job)
    return clock.read(rows=found.rows, classes=found.scenarios[0].sizes.classes, spilled=spilled, **_conventional(found))


def baseline(job: Job) -> dict[str, Any]:
    """Count the same columns of the same file with one GROUP BY."""
    columns = [*job.quasi_identifiers, job.sensitive, *([job.person] if job.person else [])]
    grouped = ", ".join('"' + column.replace('"', '""') + '"' for column in columns)
    # Text is compared as written on both sides, so neither has to guess types.
    reader = f"read_csv('{job.path}', header = true, all_varchar = true)"
    if not job.path.endswith(".csv"):
        reader = f"read_parquet('{job.path}{'' if job.path.endswith('.parquet') else '/*.parquet'}')"
    clock = Clock()
    with (
        tempfile.TemporaryDirectory() as folder,
        watching(Path(folder)) as spilled,
        duckdb.connect(":memory:", config=_settings(job, folder)) as connection,
    ):
        counted = connection.execute(
            f"SELECT COUNT(*), SUM(n) FROM (SELECT COUNT(*) AS n FROM {reader} GROUP BY {grouped}) AS x"
        ).fetchone()
    assert counted is not None
    return clock.read(rows=int(counted[1]), groups=counted[0], spilled=spilled.bytes / MEGABYTE)


def statements(job: Job) -> dict[str, Any]:
    """Audit a file and time every statement the engine runs."""
    timed: list[tuple[str, float, float]] = []
    run = DuckDB._run

    def timed_run(engine: DuckDB, sql: str) -> list[tuple[Any, ...]]:
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            return run(engine, sql)
        finally:
            timed.append((_title(sql), time.perf_counter() - wall, time.process_time() - cpu))

    setattr(DuckDB, "_run", timed_run)  # noqa: B010 (a checker rightly forbids replacing a method; here it is the point)
    clock = Clock()
    found, _ = _audited(job)
    return clock.read(rows=found.rows, statements=timed)


def _audited(job: Job) -> tuple[an.Audit, float]:
    """Return an audit, and how many megabytes lay outside memory at most."""
    with an.read(
        job.path,
        quasi_identifiers=job.quasi_identifiers,
        sensitive=[job.sensitive],
        person=job.person,
        threads=job.threads,
        memory_limit=job.memory_limit,
    ) as data:
        with watching(data.engine.scratch) as spilled:
            found = an.audit(data, only=job.only)
        return found, spilled.bytes / MEGABYTE


def _conventional(found: an.Audit) -> dict[str, Any]:
    """Return k, l and t, to compare with another tool's."""
    distances = found.select("t_closeness", variant="equal")
    return {"k": found["k_anonymity"].value, "l": found["l_diversity"].value, "t": distances[0].value if distances else None}


def _settings(job: Job, folder: str) -> dict[str, Any]:
    settings: dict[str, Any] = {"temp_directory": folder}
    if job.threads is not None:
        settings["threads"] = job.threads
    if job.memory_limit is not None:
        settings["memory_limit"] = job.memory_limit
    return settings


def _title(sql: str) -> str:
    """Return what a statement makes, or how it begins and what it reads."""
    made = re.match(r"CREATE TEMPORARY (TABLE|VIEW) (\w+)", sql)
    if made:
        return f"make {made[2]}" if made[1] == "TABLE" else f"name {made[2]}"
    copied = re.match(r"COPY .* TO '.*?([^/']+)\.parquet'", sql, re.DOTALL)
    if copied:
        return f"stage {copied[1]}"
    if re.match(r"DROP|SET|DESCRIBE", sql):
        return sql.split()[0].lower()
    read = re.findall(r"\b(?:FROM|JOIN) (\w+)(?! *\()", sql)
    return f"fetch from {', '.join(dict.fromkeys(read))}" if read else f"fetch: {sql[:50]}"


def _warm_up() -> None:
    """Load on both sides what is loaded on first use: that is the start of Python, which the section `cli` measures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "two.csv"
        path.write_text("q,s,u\na,x,1\nb,y,2\n")
        with an.read(path, quasi_identifiers=["q"], sensitive=["s"], person="u") as data:
            an.audit(data)


KINDS: dict[str, Callable[[Job], dict[str, Any]]] = {"audit": audit, "baseline": baseline, "statements": statements}


if __name__ == "__main__":
    job = Job(**json.loads(sys.argv[1]))
    _warm_up()
    print(json.dumps(KINDS[job.kind](job)))
