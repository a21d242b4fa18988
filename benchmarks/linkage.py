"""What linking a generalised release with an external table costs against an equi-join: python -m benchmarks.linkage.

Both tables have as many records: age, five-digit zip, sex and occupation. The release shows ages in bands of five years and three
digits of the zip. The yardstick joins the same keys without any generalisation, on the same engine with one thread: original against
external, by equality, and counts. A second line mixes three levels of detail in every column, as local recoding does.
"""

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import duckdb

from anonscope.attacks.linkage import link_tables
from anonscope.engines.duckdb import DuckDB
from anonscope.io.sources import open_source

_MOST = 10
_KEYS = "age, zip, sex, occupation"


def _uniform(salt: int) -> str:
    return f"((hash(i * 1000003 + {salt}) % 1000000007) / 1000000007.0)"


def _people(rows: int, salt: int) -> str:
    return f"""SELECT i, floor(18 + 72 * {_uniform(salt)})::INTEGER AS age,
  lpad(floor(20000 * pow({_uniform(salt + 1)}, 1.5))::INTEGER::VARCHAR, 5, '0') AS zip,
  CASE WHEN {_uniform(salt + 2)} < 0.5 THEN 'F' ELSE 'M' END AS sex,
  'occupation ' || floor(60 * pow({_uniform(salt + 3)}, 2))::INTEGER AS occupation
FROM range({rows}) AS r(i)"""


_BAND = "'[' || (age - age % {0}) || '-' || (age - age % {0} + {0} - 1) || ']'"
_ONE_LEVEL = f"SELECT {_BAND.format(5)} AS age, zip[1:3] || '**' AS zip, sex, occupation FROM original ORDER BY i"
# Which level a cell has depends on its record and column, so that every mixture of levels occurs.
_LEVELS = f"""SELECT CASE i % 3 WHEN 0 THEN age::VARCHAR WHEN 1 THEN {_BAND.format(5)} ELSE {_BAND.format(10)} END AS age,
  CASE i // 3 % 3 WHEN 0 THEN zip WHEN 1 THEN zip[1:3] || '**' ELSE '*' END AS zip,
  CASE i // 9 % 2 WHEN 0 THEN sex ELSE '*' END AS sex, CASE i // 18 % 2 WHEN 0 THEN occupation ELSE '*' END AS occupation
FROM original ORDER BY i"""


def took(work: Callable[[], Any]) -> tuple[float, float]:
    """Return seconds by the clock and of the processor."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    """Print the ratios of pairs of runs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.linkage", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=5)
    given = parser.parse_args()
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(f"CREATE TABLE original AS {_people(given.rows, 100)}")
        connection.execute(f"CREATE TABLE external AS {_people(given.rows, 200)}")
        external = connection.sql(f"SELECT {_KEYS} FROM external ORDER BY i").to_arrow_table()
        for title, select in (("one level", _ONE_LEVEL), ("36 mixtures of levels", _LEVELS)):
            release = connection.sql(select).to_arrow_table()
            ours, outside = DuckDB(threads=1), DuckDB(threads=1)
            one, other = open_source(release, ours), open_source(external, outside)
            join = f"SELECT COUNT(*) FROM original JOIN external USING ({_KEYS})"

            def link(ours: Any = ours, outside: Any = outside, one: Any = one, other: Any = other) -> None:
                link_tables(ours, one, other, external_engine=outside)

            def equal(join: str = join) -> None:
                connection.execute(join).fetchall()

            # Once for what is loaded on first use.
            took(equal), took(link)
            pairs = [(took(equal), took(link)) for _ in range(given.repeat)]
            ratios = sorted(linked[1] / joined[1] for joined, linked in pairs)
            seconds = [median(pair[i][1] for pair in pairs) for i in (0, 1)]
            print(
                f"{given.rows:,} x {given.rows:,} records, {title}: equi-join {seconds[0]:.2f} s of processor, linkage {seconds[1]:.2f} s, "
                f"ratio {median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f}), "
                f"{'met' if median(ratios) < _MOST else 'NOT met'}: under {_MOST}"
            )
            ours.close()
            outside.close()


if __name__ == "__main__":
    main()
