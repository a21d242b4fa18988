"""What each metric costs, over records and over quasi-identifiers: python -m benchmarks.metrics [records] [widths] [--only METRIC ...].

SCORR's figures 12 and 13 (J. Folz et al. 2025) and the ITPR paper's figures 6 and 7 show the time of a metric as records and as
quasi-identifiers grow. This measures the CPU seconds of an audit of a Parquet file that is asked for one metric alone, from opening it on,
with one thread, and of an audit of everything. Values are drawn: quasi-identifiers of 2 to 20 values, a sensitive attribute of 10.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.itpr_costs import cost, draw

METRICS = ("k_anonymity", "l_diversity", "t_closeness", "uniqueness", "uniformity", "correlation", "markov", "markov_chain", "itpr")
EVERYTHING = "everything"
WIDTHS = (1, 2, 5, 10, 20, 30)
_WIDTH, _RECORDS = 8, 20_000


def show(title: str, sizes: Sequence[int], files: Sequence[tuple[Path, int]], wanted: Sequence[str]) -> None:
    """Print a line a metric and a column a size, with how much the last step multiplied the cost."""
    print(title)
    print(f"| metric | {' | '.join(f'{size:,}' for size in sizes)} | last step |")
    print(f"| --- |{' --- |' * (len(sizes) + 1)}")
    for metric in wanted:
        seconds = [cost(file, width, "duckdb", None if metric == EVERYTHING else [metric]) for file, width in files]
        step = f"x {seconds[-1] / max(seconds[-2], 0.01):.1f}" if len(seconds) > 1 else "-"
        print(f"| {metric} | {' | '.join(f'{s:.2f}' for s in seconds)} | {step} |", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.metrics", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help="records, widths, or both")
    parser.add_argument("--records", type=int, default=10_000_000, help="the largest number of records")
    parser.add_argument("--widest", type=int, default=30, help="the largest number of quasi-identifiers")
    parser.add_argument("--only", nargs="*", default=[*METRICS, EVERYTHING], metavar="METRIC")
    given = parser.parse_args()
    parts = given.parts or ["records", "widths"]
    with tempfile.TemporaryDirectory() as folder:

        def file(records: int, width: int) -> tuple[Path, int]:
            path = Path(folder) / f"{records}-{width}.parquet"
            draw(path, records, width)
            return path, width

        cost(*file(1000, 2), "duckdb", None)  # what is loaded once is nobody's cost
        if "records" in parts:
            sizes = [10**e for e in range(3, 8) if 10**e <= given.records]
            show(f"CPU seconds over records, {_WIDTH} quasi-identifiers", sizes, [file(n, _WIDTH) for n in sizes], given.only)
        if "widths" in parts:
            widths = [w for w in WIDTHS if w <= given.widest]
            title = f"CPU seconds over quasi-identifiers, {_RECORDS:,} records"
            show(title, widths, [file(_RECORDS, w) for w in widths], given.only)


if __name__ == "__main__":
    main()
