"""What each metric costs, over records and over quasi-identifiers: python -m benchmarks.metrics [--records N] [--widest N].

SCORR's figures 12 and 13 (J. Folz et al. 2025) and the ITPR paper's figures 6 and 7 show the time of a metric as records and as
quasi-identifiers grow. This measures the CPU seconds of an audit that is asked for one metric alone, reading included, on one thread, and
of an audit of everything. Values are drawn with a seed: quasi-identifiers of 2 to 20 values, a sensitive attribute of 10.
"""

import argparse
import time
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

import anonscope as an

METRICS = ("k_anonymity", "l_diversity", "t_closeness", "uniqueness", "uniformity", "correlation", "markov", "markov_chain", "itpr")
WIDTHS = (1, 2, 5, 10, 20, 30)
_WIDTH, _RECORDS = 8, 20_000


def draw(records: int, width: int, seed: int = 1) -> pa.Table:
    """Return a table of quasi-identifiers q0, q1, ... and a sensitive attribute s."""
    draws = np.random.default_rng(seed)
    columns = {f"q{i}": pa.array(draws.integers(0, 2 + (7 * i) % 19, records).astype(str)) for i in range(width)}
    return pa.table(columns | {"s": pa.array(draws.integers(0, 10, records).astype(str))})


def cost(table: pa.Table, width: int, metric: str | None) -> float:
    """Return the CPU seconds of an audit for one metric, or for all."""
    begun = time.process_time()
    with an.read(table, threads=1, quasi_identifiers=[f"q{i}" for i in range(width)], sensitive=["s"]) as data:
        an.audit(data, only=None if metric is None else [metric])
    return time.process_time() - begun


def show(title: str, sizes: Sequence[int], tables: Sequence[tuple[pa.Table, int]]) -> None:
    """Print a line a metric and a column a size, with how much the last step multiplied the cost."""
    print(title)
    print(f"| metric | {' | '.join(f'{size:,}' for size in sizes)} | last step |")
    print(f"| --- |{' --- |' * (len(sizes) + 1)}")
    for metric in (*METRICS, None):
        seconds = [cost(table, width, metric) for table, width in tables]
        print(
            f"| {metric or 'everything'} | {' | '.join(f'{s:.2f}' for s in seconds)} | x {seconds[-1] / max(seconds[-2], 0.01):.1f} |",
            flush=True,
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.metrics", description=__doc__)
    parser.add_argument("--records", type=int, default=10_000_000, help="the largest number of records")
    parser.add_argument("--widest", type=int, default=30, help="the largest number of quasi-identifiers")
    given = parser.parse_args()
    cost(draw(1000, 2), 2, None)  # what is loaded once is nobody's cost
    sizes = [10**e for e in range(3, 8) if 10**e <= given.records]
    show(f"CPU seconds over records, {_WIDTH} quasi-identifiers", sizes, [(draw(n, _WIDTH), _WIDTH) for n in sizes])
    widths = [w for w in WIDTHS if w <= given.widest]
    wide = draw(_RECORDS, widths[-1])
    show(f"CPU seconds over quasi-identifiers, {_RECORDS:,} records", widths, [(wide, w) for w in widths])


if __name__ == "__main__":
    main()
