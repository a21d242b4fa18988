"""What a suggestion costs against counting every column once: python -m benchmarks.suggestion [--rows N] [--repeat N].

The table has 34 columns like a file of hospital discharges: most of few values, some of hundreds, two amounts that hardly repeat.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import duckdb

import anonscope as an
from benchmarks.data import FOLDER

# How many values each column has; the amounts have decimals and hardly repeat.
_VALUES = (9, 57, 180, 220, 225, 5, 50, 3, 4, 4, 120, 6, 19, 2, 263, 263, 231, 231, 314, 314, 25, 25, 5, 5, 4, 3, 10, 10, 10, 50, 2, 2)
_AMOUNTS = 2


def table(rows: int) -> Path:
    """Return the file of the table, drawing it if it is not there yet."""
    path = FOLDER / f"wide-{rows}-v1.parquet"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        drawn = [f"'value ' || floor({n} * pow((hash(i * 1000003 + {c}) % 1000003) / 1000003.0, 2))" for c, n in enumerate(_VALUES)]
        drawn += [f"((hash(i * 7919 + {c}) % 1000000007) / 100.0)::VARCHAR" for c in range(_AMOUNTS)]
        columns = ", ".join(f'{expression} AS "column {c}"' for c, expression in enumerate(drawn))
        unfinished = path.with_name(path.name + ".part")
        with duckdb.connect() as connection:
            connection.execute(f"COPY (SELECT {columns} FROM range({rows}) AS r(i)) TO '{unfinished}' (FORMAT PARQUET)")
        unfinished.replace(path)
    return path


def baseline(path: Path) -> None:
    """Count every column once."""
    with duckdb.connect() as connection:
        for c in range(len(_VALUES) + _AMOUNTS):
            connection.execute(f"SELECT COUNT(*), SUM(n) FROM (SELECT COUNT(*) AS n FROM '{path}' GROUP BY \"column {c}\") AS x").fetchall()


def suggestion(path: Path) -> None:
    """Propose roles, without the search for sets of columns, which has a time budget of its own."""
    an.suggest(path, time_budget=0)


def took(work: Callable[[Path], None], path: Path) -> tuple[float, float]:
    """Return seconds by the clock and of processors."""
    wall, cpu = time.perf_counter(), time.process_time()
    work(path)
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    """Print the ratios of pairs of runs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suggestion", description=__doc__)
    parser.add_argument("--rows", type=int, default=2_400_000)
    parser.add_argument("--repeat", type=int, default=5)
    given = parser.parse_args()
    path = table(given.rows)
    # Once for what is loaded on first use.
    took(baseline, path), took(suggestion, path)
    pairs = [(took(baseline, path), took(suggestion, path)) for _ in range(given.repeat)]
    ratios = sorted(ours[0] / base[0] for base, ours in pairs)
    columns = len(_VALUES) + _AMOUNTS
    print(f"{given.rows:,} records, {columns} columns, Parquet: counting each once {median(b[0] for b, _ in pairs):.2f} s,")
    print(f"suggestion {median(o[0] for _, o in pairs):.2f} s; ratio {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}),")
    print(f"CPU ratio {median(o[1] / b[1] for b, o in pairs):.2f}")


if __name__ == "__main__":
    main()
