"""What comparing a release with its original costs against one GROUP BY of either: python -m benchmarks.utility [--rows N].

2.4 million discharges with seven quasi-identifiers, and a release of them with facilities in sets, zip codes by their first digits and
one record in fifty suppressed. All measures of loss and similarity are taken but relative condensation loss, which is timed apart.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import duckdb

from anonscope.engines import DuckDB
from anonscope.io.sources import open_source
from anonscope.utility import Aligned, align, measure_all, settled
from benchmarks.data import FOLDER, file_of
from benchmarks.tables import DISCHARGES, Size

NAMES = DISCHARGES.quasi_identifiers


def release_of(original: Path) -> Path:
    """Return a release of the discharges, drawing it if it is not there yet."""
    path = FOLDER / f"released-{original.name}"
    if not path.exists():
        suppressed = 'hash("CCS Diagnosis Description", "Facility Name", "Age Group", "Race", "Ethnicity") % 50 = 0'
        coarser = {
            "Facility Name": "'{' || \"Facility Name\" || ', Facility elsewhere}'",
            "Zip Code - 3 digits": "left(\"Zip Code - 3 digits\", 1) || '**'",
        }
        told = {name: coarser.get(name, _quoted(name)) for name in NAMES}
        columns = ", ".join(f"CASE WHEN {suppressed} THEN '*' ELSE {text} END AS {_quoted(name)}" for name, text in told.items())
        unfinished = path.with_name(path.name + ".part")
        with duckdb.connect() as connection:
            connection.execute(f"COPY (SELECT {columns} FROM '{original}') TO '{unfinished}' (FORMAT PARQUET)")
        unfinished.replace(path)
    return path


def _quoted(name: str) -> str:
    return f'"{name}"'


def baseline(original: Path, release: Path, threads: int) -> None:
    """Group either table by its columns once."""
    columns = ", ".join(map(_quoted, NAMES))
    with duckdb.connect(config={"threads": threads}) as connection:
        for path in (original, release):
            connection.execute(f"SELECT COUNT(*), SUM(n) FROM (SELECT COUNT(*) AS n FROM '{path}' GROUP BY {columns}) AS x").fetchall()


def comparison(original: Path, release: Path, threads: int) -> Aligned:
    """Align both tables and take every measure."""
    engine = DuckDB(threads=threads)
    try:
        aligned = align(engine, settled(engine, open_source(original, engine)), open_source(release, engine), NAMES)
        measure_all(aligned, condensation=False)
        return aligned
    finally:
        engine.close()


def took(work: Callable[[], object]) -> tuple[float, float]:
    """Return seconds by the clock and of processors."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    """Print the ratios of pairs of runs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.utility", description=__doc__)
    parser.add_argument("--rows", type=int, default=2_400_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    original = file_of(DISCHARGES, Size(given.rows))
    release = release_of(original)
    # Once for what is loaded on first use.
    aligned = comparison(original, release, given.threads)
    pairs = [
        (took(lambda: baseline(original, release, given.threads)), took(lambda: comparison(original, release, given.threads)))
        for _ in range(given.repeat)
    ]
    for place, kind in enumerate(("wall", "CPU")):
        ratios = sorted(ours[place] / base[place] for base, ours in pairs)
        print(
            f"{given.rows:,} records, {len(NAMES)} columns, {given.threads} threads, {kind}: two GROUP BYs "
            f"{median(b[place] for b, _ in pairs):.2f} s, comparison {median(o[place] for _, o in pairs):.2f} s; "
            f"ratio {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}), target 4"
        )
    _, cpu = took(lambda: measure_all(aligned, ["relative_condensation_loss"]))
    print(f"relative condensation loss: {cpu:.2f} s more for {len(aligned.n):,} different pairs of tuples")


if __name__ == "__main__":
    main()
