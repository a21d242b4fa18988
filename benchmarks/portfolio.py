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
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.losses import prepared
from anonscope.transform.search.methods import Method, Solved, mean_penalty
from anonscope.transform.search.nodes import Evaluator
from anonscope.transform.search.portfolio import METHODS, portfolio
from anonscope.transform.search.prepare import SearchSettings, prepare
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import everywhere
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
    header = ("", *METHODS, "auto", "taken", "CPU s", "")
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
            least = min((one.loss for one in found.reached if one.met and one.start is None and one.loss is not None), default=None)
            fails = least is not None and (not best.met or best.loss is None or best.loss > least + 1e-9)
            each: dict[Method, str] = {one.method: _lost(one.met, one.loss) for one in reversed(found.reached) if one.start is None}
            told = f"{name} (within reach)" if stops else name
            lines.add(
                told,
                *(each[method] for method in METHODS),
                _lost(best.met, best.loss),
                _taken(best),
                seconds(spent),
                "BEHIND" if fails else "ok",
            )


def against_arx(folder: Path, share: float) -> None:
    """Print the exact optimum beside ARX's for its results on whole tables, and what auto loses beside what ARX's solution does."""
    oracle = os.environ.get("ANONSCOPE_ORACLE")
    if oracle is None:
        print("ANONSCOPE_ORACLE does not name the folder of ARX's results, so nothing stands beside ours.")
        return
    header = ("", "ARX global", "ours global", "ARX detail lost", "auto detail lost", "taken", "CPU s", "")
    lines = Lines("ARX 3.9.2's global optimum and ours (ARX's loss); what that loses of the detail, and auto", header, first=60)
    asked: list[dict[str, Any]] = json.loads((Path(oracle) / "arx.json").read_text())["anonymise"]
    for one in asked:
        config = {name: value if name == "metric" else float(value) for name, value in one["config"].items()}
        table = next((t for t in TABLES if t.path == one["dataset"] and t.hierarchies is not None), None)
        # Where everything may be suppressed ARX's release has other records than ours, and other losses are not what auto goes by.
        if config["metric"] != "loss" or config["supp"] > 0.5 or table is None:
            continue
        made = Table(table.name, table.path, tuple(one["qis"]), (one["sa"],) if one["sa"] else (), table.hierarchies)
        problem = posed(folder, made, 0, SearchSettings(suppression=config["supp"], suppressed="unchecked"))
        names = {"k": "k_anonymity", "l": "l_diversity", "t": "t_closeness"}
        limits = limits_of({names[name]: limit for name, limit in config.items() if name in names}, problem)
        found = search(problem, limits, "arx_loss", steps=Steps())
        theirs = _theirs(problem, limits, [int(one["levels"][name]) for name in one["qis"]])
        cpu = time.process_time()
        best = portfolio(problem, limits, share=share).best
        spent = time.process_time() - cpu
        told = ", ".join(f"{name}={limit:g}" for name, limit in config.items() if name in names)
        ahead = best.met and best.loss is not None and best.loss <= theirs + 1e-9
        lines.add(
            f"{table.name}, {len(one['qis'])} columns, {told}{', ' + one['sa'] if one['sa'] else ''}, {config['supp']:.0%} suppressed",
            f"{float(one['quality_score']):.6f}",
            f"{found.loss:.6f}" if found.loss is not None else "not met",
            f"{theirs:.2%}",
            _lost(best.met, best.loss),
            _taken(best),
            seconds(spent),
            "ok" if ahead else "BEHIND ARX",
        )


def _theirs(problem: Problem, limits: Sequence[Limit], levels: Sequence[int]) -> float:
    """Return the mean penalty of ARX's solution: its levels, and what must be suppressed at them."""
    release = Evaluator(problem, limits, prepared("ncp", problem)).release(tuple(levels))
    return mean_penalty(problem, everywhere(problem, levels, release.mask))


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


def _taken(best: Solved) -> str:
    return best.method + (f" from {best.start}" if best.start is not None else "")


def _lost(met: bool, loss: float | None) -> str:
    return f"{loss:.2%}" if met and loss is not None else "not met"
