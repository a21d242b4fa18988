"""What a sample of groups is worth: python -m benchmarks.sketch [--records N] [--runs N] [--speed N].

Draws the raw table of the other benchmarks' kind (seven columns, most records alone), counts in how many of so many draws each interval
holds the truth, and compares the processor's time of a draw with that of the bare GROUP BY over the same Parquet file, in one run.
"""

import argparse
import tempfile
from collections import Counter
from pathlib import Path
from time import process_time

import duckdb

import anonscope as an

COLUMNS = ("county", "facility", "age", "zip", "gender", "race", "ethnicity")
DRAWN = """SELECT 'c' || floor(57 * random() ^ 2)::int AS county, 'f' || floor(220 * random() ^ 3)::int AS facility,
'g' || floor(5 * random())::int AS age, 'z' || floor(50 * random() ^ 2)::int AS zip,
CASE WHEN random() < 0.01 THEN 'U' WHEN random() < 0.5 THEN 'F' ELSE 'M' END AS gender,
'r' || floor(4 * random() ^ 2)::int AS race, 'e' || floor(4 * random() ^ 3)::int AS ethnicity FROM range({records})"""


def drawn(path: Path, records: int) -> None:
    """Write the table."""
    with duckdb.connect() as own:
        own.execute("SELECT setseed(0.4)")
        own.execute(f"COPY ({DRAWN.format(records=records)}) TO '{path}' (FORMAT parquet)")


def shares(path: Path, columns: tuple[str, ...]) -> dict[int, float]:
    """Return the share of records in groups of fewer than each size, counted by the bare GROUP BY."""
    with duckdb.connect() as own:
        sizes = own.execute(
            f"SELECT n, count(*) FROM (SELECT count(*) AS n FROM read_parquet('{path}') GROUP BY {', '.join(columns)}) GROUP BY n"
        ).fetchall()
    records = sum(n * c for n, c in sizes)
    return {k: sum(n * c for n, c in sizes if n < k) / records for k in (2, 3, 5, 10, 11, 20, 50)}


def coverage(path: Path, runs: int) -> None:
    """Print how often each interval holds the truth."""
    wanted: dict[object, float] = dict(shares(path, COLUMNS).items())
    wanted |= {column: shares(path, tuple(c for c in COLUMNS if c != column))[2] for column in COLUMNS}
    held: Counter[object] = Counter()
    with an.read(path, quasi_identifiers=COLUMNS) as data:
        for seed in range(runs):
            found = an.approximate(data, seed=seed)
            told = {b.k: b.share for b in found.below} | {w.attribute: w.unique for w in found.without}
            held.update(name for name, share in told.items() if share.low <= wanted[name] <= share.high)
    print(f"\nIntervals that hold the truth, of {runs} draws")
    for name, share in wanted.items():
        print(f"{f'fewer than {name}' if isinstance(name, int) else f'alone without {name}':<28}{share:>10.4f}{held[name]:>8}")


def speed(path: Path, pairs: int) -> None:
    """Print what a draw costs against the bare GROUP BY, in seconds of the processor."""
    ratios = []
    for _ in range(pairs):
        start = process_time()
        with duckdb.connect() as own:
            own.execute(
                f"SELECT count(*) FILTER (n = 1) FROM (SELECT count(*) AS n FROM read_parquet('{path}') GROUP BY {', '.join(COLUMNS)})"
            ).fetchall()
        bare = process_time() - start
        start = process_time()
        with an.read(path, quasi_identifiers=COLUMNS) as data:
            an.approximate(data)
        ratios.append((process_time() - start) / bare)
    print(
        f"\nAgainst the bare GROUP BY: {sorted(ratios)[len(ratios) // 2]:.2f} (median of {pairs}, {min(ratios):.2f} to {max(ratios):.2f})"
    )


def main() -> None:
    """Draw, count and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sketch", description=__doc__)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "raw.parquet"
        drawn(path, asked.records)
        print(f"{asked.records:,} records, {shares(path, COLUMNS)[2]:.1%} alone")
        speed(path, asked.pairs)
        if asked.runs:
            coverage(path, asked.runs)


if __name__ == "__main__":
    main()
