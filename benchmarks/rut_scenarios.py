"""Kim 2025's table 9 and table 10 on our scenarios and on ACS records: python -m benchmarks.rut_scenarios [--seeds N] [--acs FILE] [--all].

It is about truth and not about time. The scenarios were fixed from the paper's tables 5 and 6 before anything was measured; the levels
are those of table 5. ACS records are drawn from a file of 2019 (the paper's own is not at hand): as many as the paper had for the
release, and as many others for the outside. The paper does not say over which attributes classes are formed: here over those that are
known outside; with --all over every attribute, for the internal risk. Levels on ACS: P1 groups ages by 5 years as table 8 has it and
keeps the rest, P2 and P3 group ages by 10 and 20 years, amounts by 10 and 1,000 dollars (10,000 and 1,000,000 won), education and race
in ever fewer groups.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np

import anonscope as an
from anonscope.attacks.linkage import link_tables
from anonscope.engines.duckdb import DuckDB
from anonscope.io.sources import open_source
from anonscope.transform.ready.levels import LEVELS, make_level_recipe
from anonscope.transform.recipe import Recipe
from anonscope.transform.steps.generalise_mapping import GeneraliseMapping
from anonscope.transform.steps.round import Round
from anonscope.utility import align, measure_all, settled
from anonscope.utility.balance import (
    TABLE_7,
    AttributeKind,
    Balance,
    WeighedVersion,
    attribute_utility,
    measure_balance,
    measure_usefulness,
    sweep,
)
from benchmarks.scenarios import KNOWN_OUTSIDE, SCENARIOS, SEEDS, TITLES, diagnosis_hierarchy, draw_scenario

# Internal risk, external risk, safety, U and RUT as printed in tables 9 and 10.
PRINTED: Mapping[str, Sequence[float]] = {
    "S1 P1": (1.00, 0.48, 0.00, 1.00, 0.50),
    "S1 P2": (0.99, 0.48, 0.01, 0.89, 0.45),
    "S1 P3": (0.81, 0.48, 0.19, 0.76, 0.47),
    "S2 P1": (0.47, 0.28, 0.53, 1.00, 0.76),
    "S2 P2": (0.41, 0.21, 0.59, 0.86, 0.72),
    "S2 P3": (0.35, 0.21, 0.65, 0.75, 0.70),
    "S3 P1": (1.00, 0.46, 0.00, 1.00, 0.50),
    "S3 P2": (0.99, 0.46, 0.01, 0.81, 0.41),
    "S3 P3": (0.87, 0.47, 0.13, 0.74, 0.43),
    "ACS P1": (0.6151, 0.6260, 0.3740, 0.9972, 0.6856),
    "ACS P2": (0.2132, 0.2156, 0.7844, 0.8580, 0.8212),
    "ACS P3": (0.0739, 0.0725, 0.9261, 0.7579, 0.8420),
}
_KINDS: Mapping[str, AttributeKind] = {"age": "range", "zip": "code", "gender": "category", "income": "amount", "diagnosis": "grouped"}
_ACS_KEY = ("AGEP", "SEX", "RAC1P", "HISP", "EDU", "MSP")
_ACS_KINDS: Mapping[str, AttributeKind] = {"AGEP": "range", "PINCP": "amount", **dict.fromkeys(_ACS_KEY[1:], "category")}
_ACS_RECORDS = 5568
_EDUCATION = {
    "P2": (("1", "2", "3"), ("4", "5", "6"), ("7", "8"), ("9",), ("10", "11", "12")),
    "P3": (tuple("12345678"), ("9", "10", "11", "12")),
}
_RACE = {"P2": (("1",), ("2",), ("6",), ("3", "4", "5", "7", "8", "9")), "P3": (("1",), tuple("23456789"))}
_AGE_STEP = {"P1": 5, "P2": 10, "P3": 20}
_DOLLARS = {"P1": 1, "P2": 10, "P3": 1000}


@dataclass(frozen=True, slots=True)
class Case:
    """A table, what is known outside of it, and how its levels are made."""

    name: str
    original: Any
    external: Any
    key: tuple[str, ...]
    kinds: Mapping[str, AttributeKind]
    roles: Mapping[str, Any]
    recipe: Callable[[an.Data, str], Recipe]
    weight: str | None = None


def balance_of(case: Case, level: str, *, everything: bool) -> Balance:
    """Return risks, utility and balance of one level; the internal risk over the key, or over everything."""
    with an.read(case.original, **case.roles) as data:
        recipe = case.recipe(data, level)
        release = an.apply(recipe, data).table
    engine, outside = DuckDB(), DuckDB()
    try:
        original = settled(engine, open_source(case.original, engine))
        made = open_source(release, engine)
        aligned = align(engine, original, made, tuple(case.kinds), weight=case.weight, image=recipe.image)
        images = {column: partial(recipe.image, column) for column in case.key}
        linkage = link_tables(
            engine, made, open_source(case.external, outside), {c: c for c in case.key}, images=images, external_engine=outside
        )
    finally:
        engine.close()
        outside.close()
    wanted = {name for kind in case.kinds.values() for name in (*TABLE_7[kind].losses, *TABLE_7[kind].similarities)}
    values: dict[str, dict[str, float | None]] = {column: {} for column in case.kinds}
    for m in measure_all(aligned, wanted):
        if m.column is not None:
            # The default variant comes first.
            values[m.column].setdefault(m.utility, m.value)
    attributes = [attribute_utility(column, values[column], TABLE_7[kind]) for column, kind in case.kinds.items()]
    internal = _classes(release, tuple(case.kinds)) / release.num_rows if everything else linkage.internal_risk
    return measure_balance(level, internal, linkage.average_risk, measure_usefulness(attributes))


def _classes(release: Any, columns: tuple[str, ...]) -> int:
    listed = ", ".join(f'"{column}"' for column in columns)
    with duckdb.connect() as connection:
        connection.register("release", release)
        return int(connection.execute(f"SELECT COUNT(*) FROM (SELECT DISTINCT {listed} FROM release) AS x").fetchall()[0][0])


def scenario_case(name: Any, seed: int, folder: Path) -> Case:
    """Return a scenario of the paper."""
    drawn = draw_scenario(name, seed)
    hierarchy = folder / "diagnosis.csv"
    hierarchy.write_text(diagnosis_hierarchy(), encoding="utf-8")
    roles = {"quasi_identifiers": KNOWN_OUTSIDE, "sensitive": ("income", "diagnosis"), "hierarchies": {"diagnosis": str(hierarchy)}}

    def recipe(data: an.Data, level: str) -> Recipe:
        return make_level_recipe(data.engine, data.relation, data.roles, level)

    return Case(name, drawn.original, drawn.external, KNOWN_OUTSIDE, _KINDS, roles, recipe)


def acs_case(path: Path, seed: int) -> Case:
    """Return ACS records: a release's worth, and as many other people for the outside."""
    columns = ", ".join((*_ACS_KEY, "PINCP", "PWGTP"))
    with duckdb.connect() as connection:
        table = connection.sql(
            f"SELECT {columns} FROM read_csv('{path}', all_varchar = true) WHERE PINCP <> 'N' AND EDU <> 'N' AND MSP <> 'N'"
        ).to_arrow_table()
    order = np.random.Generator(np.random.PCG64(seed)).permutation(table.num_rows)
    original, external = table.take(order[:_ACS_RECORDS]), table.take(order[_ACS_RECORDS : 2 * _ACS_RECORDS])

    def recipe(data: an.Data, level: str) -> Recipe:
        steps: list[Any] = [Round(column="AGEP", to=_AGE_STEP[level]), Round(column="PINCP", to=_DOLLARS[level])]
        for column, groups in (("EDU", _EDUCATION), ("RAC1P", _RACE)):
            if level in groups:
                steps.append(GeneraliseMapping(column=column, groups=groups[level]))
        return Recipe(tuple(steps))

    roles = {"quasi_identifiers": _ACS_KEY, "sensitive": ("PINCP",), "weight": "PWGTP"}
    return Case("ACS", original, external.select(list(_ACS_KEY)), _ACS_KEY, _ACS_KINDS, roles, recipe, weight="PWGTP")


def show(found: Mapping[str, Sequence[Balance]]) -> None:
    """Print a line a version in the shape of table 9: mean and range over the seeds, with the printed value below."""
    print(f"{'':8}{'R_internal':>22}{'R_external':>22}{'R_safety':>22}{'U':>22}{'RUT':>22}")
    for version, balances in found.items():
        rows = [(b.internal_risk, b.external_risk or 0.0, b.safety, b.utility, dict(b.by_preset)["balanced"]) for b in balances]
        cells = [f"{mean(values):.3f} ({min(values):.3f}-{max(values):.3f})" for values in zip(*rows, strict=True)]
        print(f"{version:8}" + "".join(f"{cell:>22}" for cell in cells))
        print(f"{'printed':8}" + "".join(f"{value:>22.2f}" if version[0] == "S" else f"{value:>22.4f}" for value in PRINTED[version]))


def findings(found: Mapping[str, Sequence[Balance]], names: Sequence[str], seeds: int) -> None:
    """Print in how many seeds the paper's findings hold."""
    for name in names:
        levels = [found[f"{name} {level}"] for level in LEVELS]
        safer = sum(a.safety <= b.safety <= c.safety for a, b, c in zip(*levels, strict=True))
        poorer = sum(a.utility >= b.utility >= c.utility for a, b, c in zip(*levels, strict=True))
        best = [max(row, key=lambda b: dict(b.by_preset)["balanced"]).version for row in zip(*levels, strict=True)]
        sweeps = [sweep([WeighedVersion(b.version, b.utility, b.risk) for b in row]) for row in zip(*levels, strict=True)]
        held = sum(s.stable_best for s in sweeps)
        print(
            f"{name}: safety rises with the level in {safer} of {seeds} seeds, utility falls in {poorer}; best level at equal weights "
            f"{', '.join(f'{level} {best.count(level)}x' for level in LEVELS)}; the same at every alpha from 0.2 to 0.8 in {held}"
        )
    if "S2" in names:
        for level in LEVELS:
            rows = zip(*(found[f"{name} {level}"] for name in SCENARIOS), strict=True)
            won = sum(max(SCENARIOS, key=lambda n, row=row: dict(row[SCENARIOS.index(n)].by_preset)["balanced"]) == "S2" for row in rows)
            print(f"S2 has the best balance at {level} in {won} of {seeds} seeds")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rut_scenarios", description=__doc__)
    parser.add_argument("--seeds", type=int, default=len(SEEDS))
    parser.add_argument("--acs", type=Path, help="national2019.csv of NIST's excerpts of the American Community Survey")
    parser.add_argument("--all", action="store_true", help="form classes over all attributes")
    given = parser.parse_args()
    seeds = range(1, given.seeds + 1)
    with TemporaryDirectory() as folder:
        cases: dict[str, Callable[[int], Case]] = {name: partial(scenario_case, name, folder=Path(folder)) for name in SCENARIOS}
        if given.acs is not None:
            cases["ACS"] = partial(acs_case, given.acs)
        found: dict[str, list[Balance]] = {f"{name} {level}": [] for name in cases for level in LEVELS}
        for name, case in cases.items():
            for seed in seeds:
                drawn = case(seed)
                for level in LEVELS:
                    found[f"{name} {level}"].append(balance_of(drawn, level, everything=given.all))
    print("Mean and range over", len(seeds), "seeds;", ", ".join(f"{name} {title}" for name, title in TITLES.items()))
    show(found)
    findings(found, tuple(cases), len(seeds))


if __name__ == "__main__":
    main()
