"""What a recipe costs against DuckDB copying the table with hand-written SQL: python -m benchmarks.transform [--rows N] [--repeat N].

Both read the same Parquet file and write a Parquet file in the order of the records. Ours also checks every step and counts what
changed; both are parts of its time. The hashes of files in a manifest are not.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import duckdb
import numpy as np
import pyarrow as pa

import anonscope as an
from anonscope.engines import DuckDB
from anonscope.io.sources import open_source
from anonscope.transform.carry_out import carry_out
from anonscope.transform.recipe import Recipe, parse
from anonscope.transform.release.writing import write_release
from benchmarks.data import file_of
from benchmarks.printing import Lines, at_most, seconds, spread, times
from benchmarks.tables import ADMISSIONS, Size

_DIAGNOSES, _CHAPTERS = 262, 20
_RECIPE = """schema = "anonscope/recipe/1"

[[steps]]
apply = "generalise_interval"
column = "Age"
width = 10

[[steps]]
apply = "generalise_prefix"
column = "Zip Code - 3 digits"
characters = 2

[[steps]]
apply = "generalise_mapping"
column = "Race"
otherwise = "keep"
[steps.mapping]
"Other Race" = "Other"
Multi-racial = "Other"

[[steps]]
apply = "generalise_hierarchy"
column = "CCS Diagnosis Description"
file = "diagnoses.csv"
level = 1

[[steps]]
apply = "round"
column = "Total Charges"
to = 1000

[[steps]]
apply = "top_code"
column = "Length of Stay"
ceiling = 30

[[steps]]
apply = "drop_column"
column = "Facility Name"
"""
_BY_HAND = """SELECT "Hospital County", "Age Group",
  CASE WHEN length("Zip Code - 3 digits") > 2 THEN substr("Zip Code - 3 digits", 1, 2) || '*' ELSE "Zip Code - 3 digits" END AS "Zip",
  "Gender", CASE WHEN "Race" IN ('Other Race', 'Multi-racial') THEN 'Other' ELSE "Race" END AS "Race", "Ethnicity",
  chapter AS "CCS Diagnosis Description", '[' || ("Age" // 10 * 10) || '-' || ("Age" // 10 * 10 + 9) || ']' AS "Age",
  CASE WHEN "Length of Stay" > 30 THEN 30 ELSE "Length of Stay" END AS "Length of Stay",
  floor("Total Charges" / 1000 + 0.5) * 1000 AS "Total Charges"
FROM read_parquet('{path}') LEFT JOIN chapters ON "CCS Diagnosis Description" = diagnosis"""


def chapter(diagnosis: int) -> str:
    return f"Chapter {diagnosis * _CHAPTERS // _DIAGNOSES}"


def by_hand(source: Path, folder: Path, threads: int | None) -> None:
    """Copy the table with the SQL that somebody would write who knows the data."""
    with duckdb.connect(config={"threads": threads} if threads else {}) as connection:
        connection.register("chapters", chapters())
        connection.execute(f"COPY ({_BY_HAND.format(path=source)}) TO '{folder / 'by_hand.parquet'}' (FORMAT PARQUET)")


def by_recipe(source: Path, folder: Path, threads: int | None) -> None:
    """Carry out the recipe and write the release."""
    engine = DuckDB(threads=threads)
    try:
        read = parse(_RECIPE)
        recipe = Recipe(read.steps, folder=folder)
        table, _ = carry_out(engine, open_source(str(source), engine), recipe)
        write_release(table, folder / "by_recipe.parquet")
    finally:
        engine.close()


def chapters() -> pa.Table:
    numbers = range(_DIAGNOSES)
    return pa.table({"diagnosis": [f"Diagnosis {i}" for i in numbers], "chapter": [chapter(i) for i in numbers]})


def took(work: Callable[[], object]) -> tuple[float, float]:
    """Return seconds by the clock and of processors."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def same(folder: Path) -> bool:
    """Return whether both files hold the same numbers of the same values, so that they did the same work."""
    with duckdb.connect() as connection:

        def tally(name: str) -> list[tuple[object, ...]]:
            select = '"Age", "Race", "CCS Diagnosis Description", "Length of Stay"'
            return connection.execute(
                f"SELECT {select}, COUNT(*), SUM(\"Total Charges\") FROM '{folder / name}' GROUP BY {select} ORDER BY ALL"
            ).fetchall()

        return tally("by_hand.parquet") == tally("by_recipe.parquet")


def recipes(rows: int, repeat: int, threads: int | None) -> None:
    """Print the ratio of pairs of runs."""
    source = file_of(ADMISSIONS, Size(rows))
    lines = Lines(
        f"Recipe of 7 steps on {rows:,} records", ("", "by hand s", "recipe s", "ratio", "range", "CPU ratio", "target"), first=20
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "diagnoses.csv").write_text("".join(f"Diagnosis {i};{chapter(i)};*\n" for i in range(_DIAGNOSES)), encoding="utf-8")
        # Once for what is loaded on first use.
        pairs = [
            (took(lambda: by_hand(source, folder, threads)), took(lambda: by_recipe(source, folder, threads))) for _ in range(repeat + 1)
        ]
        agreed = same(folder)
    ratios = [ours[0] / base[0] for base, ours in pairs[1:]]
    lines.add(
        "same result" if agreed else "ANOTHER RESULT",
        seconds(median(base[0] for base, _ in pairs[1:])),
        seconds(median(ours[0] for _, ours in pairs[1:])),
        times(median(ratios)),
        spread(ratios),
        times(median(ours[1] / base[1] for base, ours in pairs[1:])),
        at_most(median(ratios), 2, "x"),
    )


def groups(repeat: int, threads: int | None) -> None:
    """Print what microaggregation takes."""
    lines = Lines("Microaggregation (MDAV)", ("", "k", "wall s", "CPU s", "target"), first=36)
    for rows, kinds, k in ((30_000, 4, 3), (30_000, 4, 5), (30_000, 4, 10), (200_000, 4, 5)):
        chance = np.random.default_rng(rows + k)
        table = pa.table({f"x{i}": chance.normal(size=rows) for i in range(kinds)})
        step = an.transform.Microaggregate(columns=tuple(table.column_names), k=k)

        def run(table: pa.Table = table, step: an.transform.Transformation = step) -> None:
            with an.read(table, threads=threads) as data:
                an.apply(step, data)

        found = [took(run) for _ in range(repeat if rows <= 30_000 else 1)]
        wall, cpu = median(f[0] for f in found), median(f[1] for f in found)
        lines.add(
            f"{rows:,} records of {kinds} numbers", k, seconds(wall), seconds(cpu), at_most(wall, 10, " s") if rows <= 30_000 else "-"
        )


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.transform", description="Measure recipes and microaggregation.")
    parser.add_argument("--rows", type=int, default=2_400_000, help="records of the table (default 2,400,000)")
    parser.add_argument("--repeat", type=int, default=5, help="pairs of runs; their median counts (default 5)")
    parser.add_argument("--threads", type=int, help="threads of both alike (default all)")
    given = parser.parse_args()
    recipes(given.rows, given.repeat, given.threads)
    groups(min(given.repeat, 3), given.threads)


if __name__ == "__main__":
    main()
