"""What automatic hierarchies lose beside those that people drew: python -m benchmarks.ladders [--rows N] [--table NAME].

Every table is recoded at k = 2, 5, 10 and 20, once with hand-made hierarchies where the folder that ANONSCOPE_DATA names has any, and
once with those that are made from the data. The penalty of a cell does not depend on the hierarchy it was coarsened by, so the two
stand beside each other. Where nobody drew one, the loss stands alone.
"""

import argparse
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from anonscope.columns.hierarchy.automatic import automatic
from anonscope.transform.search.methods import Method, alone
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.steps import SHARE, Steps
from anonscope.transform.search.targets import limits_of
from benchmarks.portfolio import TABLES, Table, posed
from benchmarks.printing import Lines, at_most, seconds

SIZES = (2, 5, 10, 20)
_METHODS: tuple[Method, ...] = ("global", "local")
# How much more than a hand-made hierarchy an automatic one may lose.
_MOST = 1.15
_SECONDS = 0.3
_DRAWN = {"CPS": "hierarchies/cps_hierarchy_{}.csv"}
_FURTHER = (
    Table(
        "ms_mock 500",
        "ms_mock/df_500_rows/stage_1_df_mock_500.csv",
        ("edss", "age", "comorbidities", "covid19_symptoms", "ms_type"),
        ("bmi",),
    ),
    Table("ms_mock 1000", "ms_mock/df_1000_rows/stage_1_df_mock_1000.csv", ("age", "comorbidities", "covid19_symptoms"), ("bmi",)),
)


def measured(folder: Path, rows: int, only: Sequence[str], share: float) -> None:
    """Print the detail lost in per cent, by hand-made and by automatic hierarchies, and the one by the other."""
    lines = Lines(f"Detail lost, in %, of the first {rows:,} records", ("", *(f"k={k}" for k in SIZES), "mean", "limit"), first=40)
    for table in (*TABLES, *_FURTHER):
        if only and table.name not in only:
            continue
        drawn = replace(table, hierarchies=_DRAWN.get(table.name, table.hierarchies))
        made = posed(folder, replace(table, hierarchies=None), rows)
        given = posed(folder, drawn, rows) if drawn.hierarchies is not None else None
        for method in _METHODS:
            by_data = _losses(made, method, share)
            lines.add(f"{table.name}, {method}, automatic", *_printed(by_data))
            if given is not None:
                by_hand = _losses(given, method, share)
                lines.add(f"{table.name}, {method}, hand-made", *_printed(by_hand))
                ratios = [a / b if b else 1.0 for a, b in zip(by_data, by_hand, strict=True)]
                mean = sum(by_data) / sum(by_hand)
                lines.add("  automatic by hand-made", *(f"{ratio:.2f}" for ratio in ratios), f"{mean:.2f}", at_most(mean, _MOST, ""))


def made_in(folder: Path) -> None:
    """Print how long it takes to make the hierarchies of Adult, counts given."""
    lines = Lines("Making the hierarchies of Adult (30,162 records, 8 columns)", ("", "CPU s", "limit"))
    problem = posed(folder, replace(TABLES[0], hierarchies=None), 0)
    columns = [(a.labels[0][1:], problem.counts(i, 0)[1:].astype(int).tolist()) for i, a in enumerate(problem.ladders)]
    cpu = time.process_time()
    for values, counts in columns:
        texts = [value or "" for value in values]
        automatic("x", texts, counts, "integer" if all(text.isdigit() for text in texts) else "category")
    spent = time.process_time() - cpu
    lines.add("all eight", seconds(spent), at_most(spent, _SECONDS, " s"))


def _losses(problem: Problem, method: Method, share: float) -> list[float]:
    found = []
    for k in SIZES:
        solved = alone(problem, limits_of({"k_anonymity": k}, problem), method, steps=Steps(share))
        found.append(solved.loss if solved.met and solved.loss is not None else 1.0)
    return found


def _printed(losses: Sequence[float]) -> tuple[str, ...]:
    return (*(f"{100 * loss:.2f}" for loss in losses), f"{100 * sum(losses) / len(losses):.2f}")


def main() -> None:
    """Print the losses of the tables that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ladders", description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000, help="first rows of each table; 0 is all (default 5,000)")
    parser.add_argument("--share", type=float, default=SHARE, help="steps of each search (default: as auto has)")
    parser.add_argument("--table", action="append", default=[], help="this table alone; may be repeated")
    given = parser.parse_args()
    folder = os.environ.get("ANONSCOPE_DATA")
    if folder is None:
        print("ANONSCOPE_DATA does not name the folder of real microdata, so nothing is measured.")
        return
    measured(Path(folder), given.rows, given.table, given.share)
    made_in(Path(folder))


if __name__ == "__main__":
    main()
