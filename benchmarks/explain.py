"""Blame and minimal unique sets against the GROUP BYs they stand for."""

import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from statistics import median

import duckdb

import anonscope as an
from anonscope.risk.counting import encode
from anonscope.risk.explain.blame import blame
from anonscope.risk.explain.minimal_unique import minimal_uniques
from anonscope.risk.explain.tuples import fetch
from benchmarks.data import file_of
from benchmarks.options import Options
from benchmarks.printing import Lines, at_most, seconds, times
from benchmarks.tables import CENSUS, Size

_SHAPLEY_ATTRIBUTES, _CLASS_SIZE, _MOST = 10, 11, 20
# sdcMicro's SUDA2 on 30,000 Adult records with 8 attributes, sets of up to 3, two cores.
_SUDA_ROWS, _SUDA_ATTRIBUTES, _SUDA_SIZE, _SDCMICRO = 30_000, 8, 3, 0.19


def explanations(options: Options) -> None:
    """Print what blame and minimal unique sets take."""
    lines = Lines("Why: fetching the tuples is part of it", ("", "GROUP BY s", "ours s", "ratio", "target"))
    path, columns = file_of(CENSUS, Size(options.rows)), CENSUS.quasi_identifiers[:_SHAPLEY_ATTRIBUTES]
    bare, ours = _measure(path, columns, [columns], min(options.repeat, 3), lambda t, a: blame(t, a, _CLASS_SIZE))
    title = f"Shapley, {len(columns)} attributes, {options.rows:,} records"
    lines.add(title, seconds(bare), seconds(ours), times(ours / bare), at_most(ours / bare, _MOST, "x"))
    path, columns = file_of(CENSUS, Size(_SUDA_ROWS)), CENSUS.quasi_identifiers[:_SUDA_ATTRIBUTES]
    sets = [chosen for size in range(1, _SUDA_SIZE + 1) for chosen in combinations(columns, size)]
    bare, ours = _measure(path, columns, sets, options.repeat, lambda t, a: minimal_uniques(t, a, _SUDA_SIZE))
    title = f"SUDA to size {_SUDA_SIZE}, {len(columns)} attributes, {_SUDA_ROWS:,} records"
    lines.add(title, seconds(bare), seconds(ours), times(ours / bare), at_most(ours, _SDCMICRO, " s"))


def _measure(
    path: Path, columns: tuple[str, ...], sets: list[tuple[str, ...]], repeat: int, explain: Callable[..., object]
) -> tuple[float, float]:
    """Return the medians of the bare GROUP BYs over some sets of columns, and of explaining the table once it is encoded."""
    bare: list[float] = []
    ours: list[float] = []
    with an.read(path, quasi_identifiers=columns) as data:
        layout = encode(data.engine, data.relation, data.roles)
        for _ in range(repeat):
            began = time.perf_counter()
            with duckdb.connect() as connection:
                for chosen in sets:
                    listed = ", ".join(f'"{column}"' for column in chosen)
                    connection.execute(
                        f"SELECT COUNT(*), SUM(n) FROM (SELECT COUNT(*) AS n FROM read_parquet('{path}') GROUP BY {listed}) AS x"
                    ).fetchall()
            bare.append(time.perf_counter() - began)
            began = time.perf_counter()
            explain(fetch(data.engine, layout), tuple(range(len(columns))))
            ours.append(time.perf_counter() - began)
    return median(bare), median(ours)
