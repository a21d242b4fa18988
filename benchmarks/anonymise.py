"""What finding a recoding costs: python -m benchmarks.anonymise [--repeat N] [--rows N] [--only SECTION] [--portfolio] [--curve SECONDS].

The real tables are looked for in the folder that ANONSCOPE_DATA names. The clock of a search starts when the table is in memory as
distinct tuples with counts; what it takes to get there is a line of its own, against a bare GROUP BY over the same columns.
"""

import argparse
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import duckdb

import anonscope as an
from anonscope.columns.hierarchy import read_hierarchy
from anonscope.risk.counting.columns import read_columns
from anonscope.transform.search.lattice import Solution, exhaust, search
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.local.checks import Checks
from anonscope.transform.search.local.greedy import cheapest_classes
from anonscope.transform.search.local.local import local_recoding, recoded
from anonscope.transform.search.local.resplit import deepened
from anonscope.transform.search.mondrian import mondrian_recoding
from anonscope.transform.search.prepare import SearchSettings, prepare
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding
from anonscope.transform.search.steps import SHARE, Steps
from anonscope.transform.search.targets import limits_of
from benchmarks.data import file_of
from benchmarks.portfolio import TABLES, against_arx, measured
from benchmarks.printing import Lines, at_most, seconds, times
from benchmarks.tables import CENSUS, Size

ADULT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class")
CPS = ("fips", "age_head", "age_spouse", "MARS", "XTOT", "nu18", "agi_bin")
# ARX 3.9.2 on two cores of the same kind: warm, and on the table of the Current Population Survey.
_ADULT_SECONDS, _ALL_NODES_SECONDS, _CPS_SECONDS, _MOST = 1.0, 6.0, 3.0, 10
# Mean normalised certainty penalty to reach on Adult by local recoding and its seconds; what ARX's local transformation leaves.
_LOCAL = {5: 0.058, 10: 0.085}
_LOCAL_SECONDS, _CPS_LOCAL_SECONDS, _ARX_LOCAL = 2.0, 3.1, {5: "0.066", 10: "0.090"}
SECTIONS = ("adult", "cps", "local", "rows")


def took(work: Callable[[], object]) -> tuple[float, float]:
    """Return seconds by the clock and of processors."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def posed(path: Path, columns: Sequence[str], hierarchies: str | None, settings: SearchSettings, sensitive: Sequence[str] = ()) -> Problem:
    """Return the problem of a file; `hierarchies` is the path of a column's file with a place for its name."""
    known = {name: read_hierarchy(path.parent / hierarchies.format(name)) for name in columns} if hierarchies else {}
    with an.read(path, quasi_identifiers=columns, sensitive=sensitive) as data:
        return prepare(read_columns(data.engine, data.relation, (*columns, *sensitive)), data.roles, known, settings).problem


def group_by(path: Path, columns: Sequence[str]) -> None:
    """Count the records once, as anybody would."""
    listed = ", ".join(f'"{name}"' for name in columns)
    with duckdb.connect() as connection:
        connection.execute(f"SELECT COUNT(*), MIN(n) FROM (SELECT COUNT(*) AS n FROM '{path}' GROUP BY {listed}) AS x").fetchall()


def adult(folder: Path, repeat: int) -> None:
    """Print the exact search on Adult: k = 5 and 5 % suppression are what ARX is timed by."""
    lines = Lines(
        "Exact search, Adult (30,162 records, 9 attributes, 12,960 nodes)", ("", "s", "CPU s", "nodes", "loss", "target"), first=52
    )
    path = folder / "arx_adult" / "adult.csv"
    for title, limits, sensitive, share, mode in (
        ("k=5, 5 % suppressed as in ARX", {"k_anonymity": 5}, (), 0.05, "unchecked"),
        ("k=5, 5 % suppressed, kept as '*'", {"k_anonymity": 5}, (), 0.05, "keep"),
        ("k=5, no suppression", {"k_anonymity": 5}, (), 0.0, "keep"),
        ("k=11, t=0.5 on salary-class, 5 % kept as '*'", {"k_anonymity": 11, "t_closeness": 0.5}, ("salary-class",), 0.05, "keep"),
        ("k=5, l=2 on salary-class, 5 % kept as '*'", {"k_anonymity": 5, "l_diversity": 2}, ("salary-class",), 0.05, "keep"),
    ):
        columns = tuple(name for name in ADULT if name not in sensitive)
        problem = posed(path, columns, "adult_hierarchy_{}.csv", SearchSettings(suppression=share, suppressed=mode), sensitive)
        _add(lines, title, problem, limits, "arx_loss", repeat, _ADULT_SECONDS)
    problem = posed(path, ADULT, "adult_hierarchy_{}.csv", SearchSettings(suppression=0.05, suppressed="unchecked"))
    asked = limits_of({"k_anonymity": 5}, problem)
    found: list[Solution] = []
    wall, cpu = took(lambda: found.append(exhaust(problem, asked, "arx_loss")))
    target = at_most(wall, _ALL_NODES_SECONDS, " s")
    lines.add("the first once more, looking at every node", seconds(wall), seconds(cpu), f"{found[0].evaluated:,}", _loss(found[0]), target)


def cps(folder: Path, repeat: int) -> None:
    """Print the exact search on a survey of 280,005 records."""
    lines = Lines(
        "Exact search, Current Population Survey (280,005 records, 7 attributes)", ("", "s", "CPU s", "nodes", "loss", "target"), first=52
    )
    path = folder / "cps" / "cps_280005.csv"
    for share in (0.0, 0.05):
        problem = posed(path, CPS, "hierarchies/cps_hierarchy_{}.csv", SearchSettings(suppression=share))
        _add(lines, f"k=5, {share:.0%} suppressed, kept as '*'", problem, {"k_anonymity": 5}, "arx_loss", repeat, _CPS_SECONDS)


def local(folder: Path, repeat: int) -> None:
    """Print what local recoding and top-down partitioning leave of Adult without salary-class, and of the survey."""
    title = "Local recoding, Adult (8 attributes) and the survey: mean normalised certainty penalty"
    lines = Lines(title, ("", "s", "CPU s", "penalty", "ARX local", "target", ""), first=52)
    path, salary = folder / "arx_adult" / "adult.csv", "salary-class"
    attributes = tuple(name for name in ADULT if name != salary)
    table = posed(path, attributes, "adult_hierarchy_{}.csv", SearchSettings(), (salary,))
    for limits in ({"k_anonymity": 5}, {"k_anonymity": 10}, {"k_anonymity": 5, "t_closeness": 0.5}, {"k_anonymity": 5, "l_diversity": 2}):
        alone = len(limits) == 1
        asked = ", ".join(f"{name[0]}={limit:g}" for name, limit in limits.items())
        for name, method in (("unrefined", _unrefined), ("local", local_recoding), ("mondrian", mondrian_recoding)):
            if alone and method is local_recoding:
                _recode(lines, f"Adult, {asked}, {name}", table, limits, method, repeat, _LOCAL_SECONDS, int(limits["k_anonymity"]))
            else:
                _recode(lines, f"Adult, {asked}, {name}", table, limits, method, repeat)
    survey = posed(folder / "cps" / "cps_280005.csv", CPS, "hierarchies/cps_hierarchy_{}.csv", SearchSettings())
    _recode(lines, "survey, k=5, local", survey, {"k_anonymity": 5}, local_recoding, repeat, _CPS_LOCAL_SECONDS)
    _recode(lines, "survey, k=5, mondrian", survey, {"k_anonymity": 5}, mondrian_recoding, repeat)


def curve(folder: Path, budget: float) -> None:
    """Print how the loss of local recoding falls with time on Adult without salary-class, at k = 5 and 10."""
    lines = Lines(f"Local recoding, Adult (8 attributes), a time budget of {budget:g} s", ("", "s", "penalty", "steps"), first=20)
    attributes = tuple(name for name in ADULT if name != "salary-class")
    table = posed(folder / "arx_adult" / "adult.csv", attributes, "adult_hierarchy_{}.csv", SearchSettings())
    for k in (5, 10):
        problem = _fresh(table)
        limits = limits_of({"k_anonymity": k}, problem)
        steps, began, shown = Steps(None, budget, deep=True), time.perf_counter(), [0.0]

        def tell(lost: float, *, k: int = k, steps: Steps = steps, began: float = began, shown: list[float] = shown) -> None:
            now = time.perf_counter() - began
            if now > 1.2 * shown[0]:
                shown[0] = now
                lines.add(f"k={k}", seconds(now), f"{lost / table.records:.5f}", f"{steps.spent:,}")

        found = local_recoding(problem, limits, steps)
        tell(float(found.penalties().mean()) * table.records)
        found = deepened(found, limits, Checks(problem, limits, steps), tell)
        lines.add(f"k={k}, at the end", seconds(time.perf_counter() - began), f"{float(found.penalties().mean()):.5f}", f"{steps.spent:,}")


def growth(rows: int, repeat: int) -> None:
    """Print what it takes to turn many records into distinct tuples, and to search over these."""
    columns = CENSUS.quasi_identifiers[:7]
    lines = Lines(f"From {rows:,} records to tuples, 7 attributes, Parquet", ("", "GROUP BY s", "ours s", "ratio", "target"))
    path = file_of(CENSUS, Size(rows))
    group_by(path, columns), posed(path, columns, None, SearchSettings())
    pairs = [
        (took(lambda: group_by(path, columns))[0], took(lambda: posed(path, columns, None, SearchSettings()))[0])
        for _ in range(min(repeat, 3))
    ]
    bare, ours, ratio = (median(x) for x in ([b for b, _ in pairs], [o for _, o in pairs], [o / b for b, o in pairs]))
    lines.add("reading and counting", seconds(bare), seconds(ours), times(ratio), at_most(ratio, _MOST, "x"))
    problem = posed(path, columns, None, SearchSettings(suppression=0.05))
    wall, _ = took(lambda: search(problem, limits_of({"k_anonymity": 5}, problem)))
    lines.add(f"k=5, 5 % suppressed, {problem.tuples:,} tuples", "", seconds(wall), "", "")


def _add(lines: Lines, title: str, problem: Problem, limits: dict[str, float], loss: str, repeat: int, most: float) -> None:
    asked = limits_of(limits, problem)
    found: list[Solution] = []
    runs = [took(lambda: found.append(search(_fresh(problem), asked, loss))) for _ in range(repeat)]
    wall, cpu = median(wall for wall, _ in runs), median(cpu for _, cpu in runs)
    lines.add(title, seconds(wall), seconds(cpu), f"{found[0].evaluated:,}", _loss(found[0]), at_most(wall, most, " s"))


def _recode(
    lines: Lines,
    title: str,
    problem: Problem,
    limits: dict[str, float],
    method: Callable[[Problem, Sequence[Limit]], Recoding],
    repeat: int,
    most: float | None = None,
    k: int | None = None,
) -> None:
    asked = limits_of(limits, problem)
    found: list[Recoding] = []
    runs = [took(lambda: found.append(method(_fresh(problem), asked))) for _ in range(repeat)]
    wall, cpu = median(wall for wall, _ in runs), median(cpu for _, cpu in runs)
    penalty = float(found[0].penalties().mean())
    told = "not met" if found[0].broken else f"{penalty:.4f}"
    in_time = at_most(cpu, most, " CPU s") if most is not None else ""
    lines.add(title, seconds(wall), seconds(cpu), told, _ARX_LOCAL[k] if k else "", at_most(penalty, _LOCAL[k], "") if k else "", in_time)


def _unrefined(problem: Problem, limits: Sequence[Limit]) -> Recoding:
    return recoded(problem, limits, cheapest_classes, improve=False)


def _loss(found: Solution) -> str:
    return f"{found.loss:.4f}" if found.loss is not None else "not met"


def _fresh(problem: Problem) -> Problem:
    """Return a problem that has forgotten what earlier searches have counted."""
    return Problem(
        problem.ladders,
        problem.codes,
        problem.n,
        problem.sensitive,
        suppression=problem.suppression,
        suppressed=problem.suppressed,
    )


def _portfolio(rows: int, share: float, only: Sequence[str]) -> None:
    folder = os.environ.get("ANONSCOPE_DATA")
    if folder is None:
        print("ANONSCOPE_DATA does not name the folder of real microdata, so nothing is measured.")
        return
    measured(Path(folder), rows, share, only)
    if not only:
        against_arx(Path(folder), share)


def main() -> None:
    """Print the sections that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.anonymise", description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="runs of each search; their median counts (default 5)")
    parser.add_argument("--rows", type=int, default=2_400_000, help="records of the drawn table (default 2,400,000)")
    parser.add_argument("--only", action="append", choices=SECTIONS, help="measure this alone; may be repeated")
    parser.add_argument("--portfolio", action="store_true", help="print what every method and the best of all lose, and nothing else")
    parser.add_argument("--portfolio-rows", type=int, default=5_000, help="first rows of each table; 0 is all (default 5,000)")
    parser.add_argument("--share", type=float, default=SHARE, help="steps of each method (default: as auto has)")
    parser.add_argument("--table", action="append", default=[], choices=[table.name for table in TABLES], help="this table alone")
    parser.add_argument("--curve", type=float, help="print the loss of local recoding over so many seconds, and nothing else")
    given = parser.parse_args()
    if given.curve is not None:
        curve(Path(os.environ["ANONSCOPE_DATA"]), given.curve)
        return
    if given.portfolio:
        _portfolio(given.portfolio_rows, given.share, given.table)
        return
    wanted = given.only or SECTIONS
    folder = os.environ.get("ANONSCOPE_DATA")
    if folder is None:
        print("ANONSCOPE_DATA does not name the folder of real microdata, so Adult and the survey are not measured.")
    else:
        if "adult" in wanted:
            adult(Path(folder), given.repeat)
        if "cps" in wanted:
            cps(Path(folder), given.repeat)
        if "local" in wanted:
            local(Path(folder), given.repeat)
    if "rows" in wanted:
        growth(given.rows, given.repeat)


if __name__ == "__main__":
    main()
