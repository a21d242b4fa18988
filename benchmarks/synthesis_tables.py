"""Synthetic versions of two further tables: python -m benchmarks.synthesis_tables [acs] [oulad] [--seeds N] [--epsilon E ...].

ACS 2019 (national2019 of NIST's Deidentification challenge, 27,253 people) with a domain that is written from its data dictionary, and
OULAD (32,593 registrations of 28,785 students) once by registration, at most two of a student, and once as one record of each student.
Nothing was chosen on these tables. TV is the mean total variation over all pairs and triples of columns, in the cells of the domain,
against the table itself; independent columns and a bootstrap of the table stand beside it.
"""

import argparse
import os
from itertools import combinations
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import anonscope as an
from anonscope.operations.synthesising.per_person import per_person
from anonscope.synthesis.cells import cell_table
from anonscope.synthesis.domain import Categories, Domain, Numbers
from anonscope.synthesis.domain_file import parse_domain
from anonscope.synthesis.mechanisms import OpenDP
from benchmarks.printing import Lines

MODULES = [f"{letter}{letter}{letter}" for letter in "ABCDEFG"]
REGIONS = [
    *("East Anglian Region", "East Midlands Region", "Ireland", "London Region", "North Region", "North Western Region", "Scotland"),
    *("South East Region", "South Region", "South West Region", "Wales", "West Midlands Region", "Yorkshire Region"),
]
EDUCATION = ["No Formal quals", "Lower Than A Level", "A Level or Equivalent", "HE Qualification", "Post Graduate Qualification"]
BANDS = ["0-10%", "10-20", "20-30%", "30-40%", "40-50%", "50-60%", "60-70%", "70-80%", "80-90%", "90-100%"]


def oulad(per_student: bool) -> Domain:
    """Return the domain of OULAD, from its public description; per registration, or one record of each student."""
    take = "take = 'most'\n" if per_student else ""
    listed = {
        "gender": ["M", "F"],
        "region": REGIONS,
        "highest_education": EDUCATION,
        "imd_band": BANDS,
        "age_band": ["0-35", "35-55", "55<="],
        "disability": ["N", "Y"],
        "final_result": ["Distinction", "Pass", "Fail", "Withdrawn"],
        "code_module": MODULES,
        "code_presentation": ["2013B", "2013J", "2014B", "2014J"],
    }
    text = "person = 'id_student'\n" + ("" if per_student else "records_per_person = 2\n")
    for name, values in listed.items():
        text += f"[columns.{name}]\ncategories = {values}\nmissing = true\n{take}"
    credits, attempts = ("sum", "highest") if per_student else (None, None)
    text += "[columns.studied_credits]\nlower = 0\nupper = 360\nwhole = true\nbins = 12\n" + (f"take = '{credits}'\n" if credits else "")
    text += "[columns.num_of_prev_attempts]\nlower = 0\nupper = 6\nwhole = true\n" + (f"take = '{attempts}'\n" if attempts else "")
    if per_student:
        text += "[columns.registrations]\ntake = 'count'\nlower = 1\nupper = 5\nwhole = true\n"
    return parse_domain(text)


def acs() -> Domain:
    """Return the domain of the American Community Survey's extract, from its data dictionary; no state's or person's table was read."""
    import json

    folder = Path(os.environ["ANONSCOPE_DATA"]) / "nist_acs"
    dictionary = json.loads((folder / "data_dictionary.json").read_text(encoding="utf-8"))
    columns: list[Any] = [
        Numbers(name="AGEP", lower=0, upper=99, starts=tuple(map(float, range(0, 100, 5))), decimals=0),
        Numbers(name="NOC", lower=0, upper=10, starts=tuple(map(float, range(11))), decimals=0, missing=True),
        Numbers(name="NPF", lower=0, upper=20, starts=tuple(map(float, range(0, 21, 2))), decimals=0, missing=True),
        Numbers(name="POVPIP", lower=0, upper=501, starts=tuple(map(float, range(0, 501, 50))), decimals=0, missing=True),
    ]
    for name in (
        "SEX",
        "MSP",
        "HISP",
        "RAC1P",
        "HOUSING_TYPE",
        "OWN_RENT",
        "INDP_CAT",
        "EDU",
        "PINCP_DECILE",
        "DVET",
        "DREM",
        "DPHY",
        "DEYE",
        "DEAR",
    ):
        values = [value for value in dictionary[name]["values"] if value != "N"]
        columns.append(Categories(name=name, categories=tuple(values), other="other", missing=True))
    return Domain(columns=tuple(columns), record_is_person=True)


def cells_of(data: an.Data, domain: Domain) -> Any:
    """Return the records as cells of the domain, those that count."""
    if domain.summarised:
        data = per_person(data, domain)
    name = cell_table(data.engine, data.relation, domain)
    listed = ", ".join(f"k{j}" for j in range(len(domain.columns)))
    return np.column_stack(data.engine.arrays(f"SELECT {listed} FROM {name}"))


def shares(rows: Any, sizes: tuple[int, ...], count: int) -> list[Any]:
    """Return the share of records in every cell, of all sets of so many columns."""
    found = []
    for columns in combinations(range(len(sizes)), count):
        place = np.ravel_multi_index([rows[:, c] for c in columns], [sizes[c] for c in columns])
        found.append(np.bincount(place, minlength=int(np.prod([sizes[c] for c in columns]))).astype(np.float32) / len(rows))
    return found


def distance(some: list[Any], others: list[Any]) -> float:
    """Return the mean total variation."""
    return float(np.mean([0.5 * np.abs(a - b).sum() for a, b in zip(some, others, strict=True)]))


def measure(title: str, path: Path, domain: Domain, roles: dict[str, Any], seeds: int, epsilons: list[float]) -> None:
    """Print all methods on a table."""
    from dataclasses import replace

    plain = replace(
        domain, unit=None, records_per_unit=1, columns=tuple(replace(c, take=None, of=None, value=None) for c in domain.columns)
    )
    with an.read(path, threads=1, **roles) as data:
        real = cells_of(data, domain)
    true = {k: shares(real, domain.sizes, k) for k in (2, 3)}
    lines = Lines(f"{title}: {len(real):,} records, {len(domain.columns)} columns", ("method", "TV pairs", "TV triples", "CPU s"), first=26)
    chance = np.random.default_rng(1)
    alone = np.column_stack([chance.permutation(real[:, c]) for c in range(real.shape[1])])
    for name, rows in (("bootstrap", real[chance.integers(0, len(real), len(real))]), ("independent columns", alone)):
        lines.add(name, *(f"{distance(true[k], shares(rows, domain.sizes, k)):.4f}" for k in (2, 3)), "-")
    wanted: list[tuple[str, float | None]] = [("tree", e) for e in epsilons] + [("adaptive", 1.0)]
    wanted += [("cart", None)] if not domain.summarised else []
    for method, epsilon in wanted:
        figures = []
        for _ in range(seeds if method != "adaptive" else 1):
            with an.read(path, threads=1, **roles) as data:
                start = process_time()
                made = an.synthesise(data, domain, method=method, epsilon=epsilon)  # type: ignore[arg-type]
                taken = process_time() - start
            with an.read(made.table, threads=1) as data:
                rows = cells_of(data, plain)
            figures.append([*(distance(true[k], shares(rows, domain.sizes, k)) for k in (2, 3)), taken])
        means = np.mean(figures, axis=0)
        lines.add(f"{method}{f', {epsilon:g}' if epsilon else ''}", f"{means[0]:.4f}", f"{means[1]:.4f}", f"{means[2]:.2f}")


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="TABLE")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epsilon", type=float, nargs="*", default=[0.3, 1.0, 3.0, 10.0])
    given = parser.parse_args()
    wanted = set(given.tables) or {"acs", "oulad"}
    folder = Path(os.environ["ANONSCOPE_DATA"])
    OpenDP()  # loaded before the clock runs
    if "acs" in wanted:
        measure("ACS 2019", folder / "nist_acs" / "national2019.csv", acs(), {"insensitive": ["WGTP", "PWGTP"]}, given.seeds, given.epsilon)
    if "oulad" in wanted:
        path, roles = folder / "oulad" / "studentInfo.csv", {"person": "id_student"}
        measure("OULAD by registration", path, oulad(per_student=False), roles, given.seeds, given.epsilon)
        measure("OULAD by student", path, oulad(per_student=True), roles, given.seeds, given.epsilon)


if __name__ == "__main__":
    main()
