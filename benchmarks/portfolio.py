"""What every method leaves of real tables under several sets of limits: python -m benchmarks.anonymise --portfolio [--share STEPS].

Tables are cut to their first rows where `--portfolio-rows` says so. ARX's result stands beside ours where the folder that
ANONSCOPE_ORACLE names has one for the same question; its loss is another number than the mean penalty, so ours is asked for that too.
"""

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anonscope as an
from anonscope.columns.hierarchy.for_columns import hierarchies_for
from anonscope.risk.counting.columns import read_columns
from anonscope.risk.policy import load
from anonscope.transform.search.lattice import search
from anonscope.transform.search.methods import Method
from anonscope.transform.search.portfolio import METHODS, portfolio
from anonscope.transform.search.prepare import SearchSettings, prepare
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.steps import Steps
from anonscope.transform.search.targets import limits_of, obstacles
from benchmarks.printing import Lines, seconds


@dataclass(frozen=True)
class Table:
    """A file, its roles, and where hierarchies of its columns are, if somebody drew them."""

    name: str
    path: str
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    hierarchies: str | None = None


TABLES = (
    Table(
        "Adult",
        "arx_adult/adult.csv",
        ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"),
        ("salary-class",),
        "adult_hierarchy_{}.csv",
    ),
    Table("OULAD", "oulad/studentInfo.csv", ("gender", "region", "highest_education", "age_band", "disability"), ("final_result",)),
    Table("ACS", "nist_acs/national2019.csv", ("PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "EDU"), ("PINCP_DECILE",)),
    Table(
        "FARS",
        "fars/fars_subset.csv",
        ("iage", "irace", "isex", "ihispanic", "istatenum", "ideathmon", "ideathday"),
        ("iinjury",),
        "fars_hierarchy_{}.csv",
    ),
    Table("CPS", "cps/cps_280005.csv", ("fips", "age_head", "age_spouse", "MARS", "XTOT", "nu18"), ("agi_bin",)),
    Table(
        "SPARCS",
        "sparcs/sparcs_2016_sample1000.csv",
        ("Hospital County", "Age Group", "Zip Code - 3 digits", "Gender", "Race", "Ethnicity"),
        ("APR MDC Code",),
    ),
)
LIMITS: tuple[tuple[str, str | Mapping[str, float]], ...] = (
    ("k=5", {"k_anonymity": 5}),
    ("k=10", {"k_anonymity": 10}),
    ("k=5, l=2", {"k_anonymity": 5, "l_diversity": 2}),
    ("k=5, t=0.3", {"k_anonymity": 5, "t_closeness": 0.3}),
    ("scorr", "scorr"),
    ("discrimination rate 0.3", {"discrimination_rate": 0.3}),
    ("ITPR 0.66", {"itpr": 0.66}),
    ("k=2, marketer 0.02", {"k_anonymity": 2, "marketer": 0.02}),
    ("k=2, 10 % below 10", {"k_anonymity": 2, "records_at_risk:10": 0.1}),
)


def measured(folder: Path, rows: int, share: float, only: Sequence[str]) -> None:
    """Print the loss of each method and of the best of all, the best's own seconds of processor, and what cannot be met."""
    header = ("", *METHODS, "auto", "taken", "CPU s")
    for table in TABLES:
        if only and table.name not in only:
            continue
        problem = posed(folder, table, rows)
        about = f"{problem.records:,} records, {problem.tuples:,} combinations, 5 % suppression, detail lost in %"
        lines = Lines(f"{table.name} ({about})", header, first=26)
        for name, asked in LIMITS:
            limits = limits_of(load(asked) if isinstance(asked, str) else asked, problem)
            stops = {stop.limit for stop in obstacles(limits, problem)}
            within = tuple(limit for limit in limits if limit not in stops)
            cpu = time.process_time()
            found = portfolio(problem, within, share=share)
            spent = time.process_time() - cpu
            best = found.best
            each: dict[Method, str] = {one.method: _lost(one.met, one.loss) for one in reversed(found.reached) if one.start is None}
            told = f"{name} (within reach)" if stops else name
            taken = best.method + (f" from {best.start}" if best.start is not None else "")
            lines.add(told, *(each[method] for method in METHODS), _lost(best.met, best.loss), taken, seconds(spent))


def against_arx(folder: Path) -> None:
    """Print the exact optimum beside ARX's for the questions that its results have on Adult: one level a column, ARX's own loss."""
    oracle = os.environ.get("ANONSCOPE_ORACLE")
    if oracle is None:
        print("ANONSCOPE_ORACLE does not name the folder of ARX's results, so nothing stands beside ours.")
        return
    lines = Lines("ARX 3.9.2's global optimum and ours (ARX's loss, suppressed records unchecked as there)", ("", "ARX", "ours"), first=60)
    asked: list[dict[str, Any]] = json.loads((Path(oracle) / "arx.json").read_text())["anonymise"]
    for one in asked:
        config = one["config"]
        simple = set(config) == {"k", "supp", "metric"} and config["metric"] == "loss" and one.get("quality_score") is not None
        table = next((t for t in TABLES if t.path == one["dataset"] and t.hierarchies is not None), None)
        if not simple or table is None:
            continue
        made = Table(table.name, table.path, tuple(one["qis"]), (), table.hierarchies)
        problem = posed(folder, made, 0, SearchSettings(suppression=config["supp"], suppressed="unchecked"))
        found = search(problem, limits_of({"k_anonymity": config["k"]}, problem), "arx_loss", steps=Steps())
        ours = f"{found.loss:.6f}" if found.loss is not None else "not met"
        lines.add(f"{table.name}, {len(one['qis'])} columns, k={config['k']}, {config['supp']:.0%}", f"{one['quality_score']:.6f}", ours)


def posed(folder: Path, table: Table, rows: int, settings: SearchSettings | None = None) -> Problem:
    """Return the problem of a table, or of its first rows; columns without a file get a hierarchy made from the data."""
    source = folder / table.path
    given = {}
    if table.hierarchies is not None:
        known = {name: source.parent / table.hierarchies.format(name) for name in table.quasi_identifiers}
        given = {name: path for name, path in known.items() if path.exists()}
    with TemporaryDirectory() as place:
        path = source
        if rows:
            path = Path(place) / source.name
            with source.open(encoding="utf-8") as lines:
                path.write_text("".join(islice(lines, rows + 1)), encoding="utf-8")
        with an.read(path, quasi_identifiers=table.quasi_identifiers, sensitive=table.sensitive) as data:
            made = hierarchies_for(data.engine, data.relation, data.roles.attributes, given)
            columns = read_columns(data.engine, data.relation, (*table.quasi_identifiers, *table.sensitive))
            return prepare(columns, data.roles, made, settings or SearchSettings(suppression=0.05)).problem


def _lost(met: bool, loss: float | None) -> str:
    return f"{loss:.2%}" if met and loss is not None else "not met"
