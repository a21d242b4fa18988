"""Synthetic tables beside the anchors: python -m benchmarks.synthesis [tree] [adaptive] [cart] [others] [growth] [--seeds N].

Adult in 14 discretised columns, 39,073 records to learn from and 9,769 kept aside, is read from ANONSCOPE_DATA. TV is the mean total
variation over all pairs and triples of columns; AUC is that of gradient boosting learnt from the synthetic table and tested on the
people kept aside; membership is the largest AUC with which members are told from them, 8,000 members and all people kept aside, of whom
half are the reference of the attack. Noise comes from OpenDP as in earnest, so no two runs are alike: `--seeds` says how often each is
repeated, and figures are means. Memory is the peak of a process that does nothing else. `growth` draws a table of 10^6 records and 20
columns and compares the tree with the GROUP BYs that it stands for.
"""

import argparse
import json
import os
import sys
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as parquet

import anonscope as an
from anonscope.synthesis.domain import Categories, Domain, Numbers
from anonscope.synthesis.mechanisms import OpenDP
from benchmarks import printing
from benchmarks.clock import Clock
from benchmarks.job import run_in_fresh_process
from benchmarks.printing import Lines

NUMBERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
LABEL = "income>50K"
TREE = {0.3: 0.090, 1.0: 0.055, 3.0: 0.045, 10.0: 0.043}
MST = {0.3: 0.0912, 1.0: 0.0555, 3.0: 0.0462, 10.0: 0.0468}


class Adult:
    """The table, its domain, and how near another one is to it."""

    def __init__(self) -> None:
        folder = Path(os.environ["ANONSCOPE_DATA"]) / "adult_discretised"
        sizes = json.loads((folder / "domain.json").read_text(encoding="utf-8"))
        self.names, self.sizes = list(sizes), list(sizes.values())
        self.train, self.test = (csv.read_csv(folder / f"{part}.csv").select(self.names) for part in ("train", "test"))
        self.domain = Domain(columns=tuple(_column(name, size) for name, size in sizes.items()))
        self._true = {k: self._shares(_matrix(self.train), k) for k in (2, 3)}

    def _shares(self, rows: Any, count: int) -> list[Any]:
        found = []
        for columns in combinations(range(len(self.sizes)), count):
            shape = [self.sizes[c] for c in columns]
            place = np.ravel_multi_index([rows[:, c] for c in columns], shape)
            found.append(np.bincount(place, minlength=int(np.prod(shape))).astype(np.float32) / len(rows))
        return found

    def distance(self, table: pa.Table, count: int) -> float:
        """Return the mean total variation over all sets of so many columns."""
        made = self._shares(_matrix(table.select(self.names)), count)
        return float(np.mean([0.5 * np.abs(a - b).sum() for a, b in zip(self._true[count], made, strict=True)]))

    def learnt(self, table: pa.Table) -> float:
        """Return the AUC of a classifier learnt from a table, on the people kept aside."""
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.metrics import roc_auc_score

        label = self.names.index(LABEL)
        made, test = _matrix(table.select(self.names)), _matrix(self.test)
        model = HistGradientBoostingClassifier(random_state=0).fit(np.delete(made, label, 1), made[:, label])
        return float(roc_auc_score(test[:, label], model.predict_proba(np.delete(test, label, 1))[:, 1]))


def _column(name: str, size: int) -> Categories | Numbers:
    if name in NUMBERS:
        return Numbers(name=name, lower=0, upper=size - 1, starts=tuple(map(float, range(size))), decimals=0)
    return Categories(name=name, categories=tuple(map(str, range(size))))


def _matrix(table: pa.Table) -> Any:
    return np.column_stack([column.cast(pa.int64()).to_numpy() for column in table.columns])


def made(adult: Adult, repeats: int, method: str, epsilon: float | None = None, *, attacked: bool = False) -> list[dict[str, float]]:
    """Return the figures of several tables that a method draws."""
    found = []
    for run in range(repeats):
        with an.read(adult.train, threads=1) as data:
            start = process_time()
            result = an.synthesise(data, adult.domain, method=method, epsilon=epsilon)  # type: ignore[arg-type]
            seconds = process_time() - start
        table = result.table
        found.append(
            {
                "pairs": adult.distance(table, 2),
                "triples": adult.distance(table, 3),
                "auc": adult.learnt(table),
                "seconds": seconds,
                **({"membership": told_apart(adult, table, run)} if attacked else {}),
            }
        )
    return found


def told_apart(adult: Adult, table: pa.Table, seed: int) -> float:
    """Return the largest AUC with which an attack tells those who were learnt from and those who were kept aside."""
    with an.read(adult.train, quasi_identifiers=adult.names[:1], threads=1) as data:
        found = an.attack(table, data, control=adult.test, attacks=["membership"], targets=8000, paired=False, seed=seed)
    return max(result.success or 0.0 for result in found.results if not result.smoke_test)


def megabytes(method: str, epsilon: float | None) -> str:
    """Return the peak of memory of a process that makes one table, the programs that it loads included."""
    command = [sys.executable, "-m", "benchmarks.synthesis", "--alone", method, *([str(epsilon)] if epsilon is not None else [])]
    return f"{run_in_fresh_process(command).peak:.0f}"


def alone(method: str, epsilon: str | None = None) -> None:
    """Make one table in this process, and print what that took."""
    folder = Path(os.environ["ANONSCOPE_DATA"]) / "adult_discretised"
    sizes = json.loads((folder / "domain.json").read_text(encoding="utf-8"))
    clock = Clock()
    with an.read(folder / "train.csv", threads=1) as data:
        domain = Domain(columns=tuple(_column(name, size) for name, size in sizes.items()))
        an.synthesise(data, domain, method=method, epsilon=float(epsilon) if epsilon else None)  # type: ignore[arg-type]
    print(json.dumps(clock.read()))


def at_most(value: float, limit: float) -> str:
    """Return a figure, and whether it keeps below its limit."""
    return f"{value:g} {printing.at_most(value, limit, '')}"


def at_least(value: float, limit: float) -> str:
    """Return a figure, and whether it reaches its limit."""
    return f"{value:g} {printing.at_least(value, limit, '')}"


def mean(found: list[dict[str, float]], figure: str) -> float:
    """Return the mean of a figure over repeated runs."""
    return float(np.mean([one[figure] for one in found]))


def private(adult: Adult, repeats: int, wanted: set[str]) -> None:
    """Print the private methods beside their anchors."""
    lines = Lines("Private, delta 1e-9", ("method, epsilon", "TV pairs", "anchor", "TV triples", "AUC", "CPU s", "MB"), first=24)
    OpenDP()  # loaded before the clock runs
    for epsilon, limit in TREE.items() if "tree" in wanted else ():
        found = made(adult, repeats, "tree", epsilon)
        lines.add(
            f"tree, {epsilon:g}",
            at_most(round(mean(found, "pairs"), 4), limit),
            MST[epsilon],
            f"{mean(found, 'triples'):.4f}",
            f"{mean(found, 'auc'):.4f}",
            at_most(round(mean(found, "seconds"), 2), 2),
            at_most(float(megabytes("tree", epsilon)), 300),
        )
    if "adaptive" in wanted:
        found = made(adult, repeats, "adaptive", 1.0)
        lines.add(
            "adaptive, 1",
            at_most(round(mean(found, "pairs"), 4), 0.050),
            0.0557,
            at_most(round(mean(found, "triples"), 4), 0.105),
            at_least(round(mean(found, "auc"), 4), 0.895),
            at_most(round(mean(found, "seconds"), 2), 60),
            megabytes("adaptive", 1.0),
        )


def without_guarantee(adult: Adult, repeats: int, wanted: set[str]) -> None:
    """Print the methods that guarantee nothing, as they are unless somebody asks for more."""
    lines = Lines("No guarantee", ("method", "TV pairs", "TV triples", "AUC", "membership", "CPU s", "MB"), first=24)
    names = ["cart"] if "cart" in wanted else []
    names += ["condensation", "hybrid", "svd", "pca", "copula"] if "others" in wanted else []
    for name in names:
        found = made(adult, repeats, name, attacked=True)
        target = name == "cart"
        worst = mean(found, "membership")
        lines.add(
            name,
            at_most(round(mean(found, "pairs"), 4), 0.023) if target else f"{mean(found, 'pairs'):.4f}",
            f"{mean(found, 'triples'):.4f}",
            at_least(round(mean(found, "auc"), 4), 0.92) if target else f"{mean(found, 'auc'):.4f}",
            at_most(round(worst, 4), 0.525) if target else f"{worst:.4f}",
            at_most(round(mean(found, "seconds"), 2), 3) if target else f"{mean(found, 'seconds'):.2f}",
            megabytes(name, None),
        )
        print("  each run:", ", ".join(f"{one['pairs']:.4f} / {one['auc']:.4f} / {one['membership']:.4f}" for one in found))


def growth(rows: int = 1_000_000, width: int = 20, size: int = 10) -> None:
    """Print the tree on a large table against its GROUP BYs."""
    chance = np.random.default_rng(1)
    base = chance.integers(0, size, rows)
    columns = {f"c{i}": np.where(chance.random(rows) < 0.5, base, chance.integers(0, size, rows)).astype(np.int16) for i in range(width)}
    lines = Lines(f"{rows:,} records, {width} columns", ("what", "CPU s", "ratio"), first=44)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "large.parquet"
        parquet.write_table(pa.table(columns), path)
        domain = Domain(columns=tuple(_column(name, size) for name in columns))
        with an.read(path, threads=1) as data:
            start = process_time()
            sets = [*((i,) for i in range(width)), *combinations(range(width), 2)]
            for one in sets:
                listed = ", ".join(f"c{i}" for i in one)
                data.engine.rows(f"SELECT {listed}, COUNT(*) FROM {data.relation.origin} GROUP BY {listed}")
            baseline = process_time() - start
            start = process_time()
            an.synthesise(data, domain, epsilon=1)
            taken = process_time() - start
    lines.add(f"{len(sets)} GROUP BYs", f"{baseline:.1f}", "1")
    lines.add("tree, records drawn and all", f"{taken:.1f}", at_most(round(taken / baseline, 2), 5))


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--alone", nargs="+", metavar="METHOD", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        alone(*given.alone)
        return
    wanted = set(given.parts) or {"tree", "adaptive", "cart", "others", "growth"}
    if wanted & {"tree", "adaptive", "cart", "others"}:
        adult = Adult()
        if wanted & {"tree", "adaptive"}:
            private(adult, given.seeds, wanted)
        if wanted & {"cart", "others"}:
            without_guarantee(adult, given.seeds, wanted)
    if "growth" in wanted:
        growth()


if __name__ == "__main__":
    main()
