"""What ITPR alone and a whole audit cost, up to 130 quasi-identifiers: python -m benchmarks.itpr_costs [--records N] [--engine E].

The ITPR paper's figures 6 and 7 (A. Bkakria et al. 2021) show the time of ITPR over records and over quasi-identifiers on a cluster of
Spark. This draws a Parquet file with a seed, quasi-identifiers of 2 to 20 values and a sensitive attribute of 10, and prints a line a width
as soon as it is measured: on DuckDB the CPU seconds of one thread, on Spark the seconds of a session of this machine (local[2]), whose
workers are processes of their own. --seconds ends it after the width that passes that time.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb

import anonscope as an

WIDTHS = (1, 10, 30, 60, 90, 130)


def draw(path: Path, records: int, width: int) -> None:
    """Write the table."""
    columns = ", ".join(f"CAST(hash(i, {j}) % {2 + (7 * j) % 19} AS VARCHAR) AS q{j}" for j in range(width))
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT {columns}, CAST(hash(i, -1) % 10 AS VARCHAR) AS s FROM range({records}) AS t(i)) TO '{path}' (FORMAT PARQUET)"
        )


def cost(path: Path, width: int, engine: str, metrics: list[str] | None) -> float:
    """Return what an audit of these metrics, or of all, took from opening the file on."""
    clock = time.process_time if engine == "duckdb" else time.monotonic
    limits: dict[str, Any] = {"threads": 1} if engine == "duckdb" else {"engine": "spark", "spark_master": "local[2]"}
    begun = clock()
    with an.read(path, quasi_identifiers=[f"q{i}" for i in range(width)], sensitive=["s"], **limits) as data:
        an.audit(data, only=metrics)
    return clock() - begun


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.itpr_costs", description=__doc__)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--widths", type=int, nargs="*", default=WIDTHS)
    parser.add_argument("--engine", choices=("duckdb", "spark"), default="duckdb")
    parser.add_argument("--seconds", type=float, default=600)
    given = parser.parse_args()
    end = time.monotonic() + given.seconds
    print(f"{given.engine}, {given.records:,} records", flush=True)
    print("| quasi-identifiers | ITPR alone | everything |\n| --- | --- | --- |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.parquet"
        draw(small, 1000, 2)
        cost(small, 2, given.engine, None)  # what is loaded, or started, once is nobody's cost
        for width in given.widths:
            # A file of its own for each: columns without a role would be looked at too, and that is no cost of ITPR.
            path = Path(folder) / f"table{width}.parquet"
            draw(path, given.records, width)
            alone = cost(path, width, given.engine, ["itpr"])
            print(f"| {width} | {alone:.2f} |", end="", flush=True)
            print(f" {cost(path, width, given.engine, None):.2f} |", flush=True)
            if time.monotonic() > end:
                break


if __name__ == "__main__":
    main()
