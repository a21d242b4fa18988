"""SCORR's experiment (J. Folz et al. 2025, section V) by stated recipes: python -m benchmarks.scorr [--rows N].

Original and three levels of OULAD's studentInfo, of Adult in Kaggle's order and of a hospital table (the SPARCS sample; the paper's HID is
not to be had), 5,000 records each where there are as many. The paper made its levels with ARX and prints their k: here every level is the
best global recoding that `anonymise` finds for that k and t <= 0.5 (hospital: 0.8, as the paper's could not reach 0.5), without
suppressed records. Printed beside: its table 3, and the worst
record's R_uq, R_uf, R_co and R_mm of figures 8 to 10; then which of its findings hold.
"""

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import duckdb

import anonscope as an

ROWS = 5000
METRICS = ("k_anonymity", "l_diversity", "t_closeness", "uniqueness", "uniformity", "correlation", "markov")


@dataclass(frozen=True, slots=True)
class Case:
    """A table of the paper, or what stands for it, with the k of its three levels."""

    file: str
    quasi_identifiers: tuple[str, ...]
    sensitive: str
    levels: tuple[int, ...]
    most_t: float
    printed: tuple[tuple[float, float, float], ...]  # k, l and t of original and levels, as table 3 has them (the hospital's: of HID)


CASES: Mapping[str, Case] = {
    "OULAD": Case(
        "oulad/studentInfo.csv",
        ("gender", "region", "highest_education", "age_band", "disability"),
        "final_result",
        (12, 20, 25),
        0.5,
        ((1, 1, 0.918), (12, 3, 0.273), (20, 4, 0.355), (25, 4, 0.192)),
    ),
    "Adult": Case(
        "adult/adult_kaggle_order_32561.csv",
        ("age", "workclass", "education", "marital.status", "occupation", "relationship", "race", "sex"),
        "income",
        (11, 14, 20),
        0.5,
        ((1, 1, 0.519), (11, 2, 0.426), (14, 2, 0.462), (20, 2, 0.483)),
    ),
    "hospital": Case(
        "sparcs/sparcs_2016_sample1000.csv",
        ("Age Group", "Gender", "Race", "Ethnicity", "Type of Admission"),
        "APR Severity of Illness Description",
        (11, 14, 19),
        0.8,
        ((1, 1, 1), (11, 9, 0.764), (14, 4, 0.781), (19, 11, 0.713)),
    ),
}


def versions(case: Case, folder: Path, rows: int) -> list[tuple[str, dict[str, float | None]]]:
    """Return the worst of every metric, of the original and of every level that could be made."""
    roles = {"quasi_identifiers": list(case.quasi_identifiers), "sensitive": [case.sensitive]}
    found = []
    listed = ", ".join(f'"{column}"' for column in (*case.quasi_identifiers, case.sensitive))
    with duckdb.connect() as connection:
        people = connection.sql(
            f"SELECT {listed} FROM read_csv('{folder / case.file}', all_varchar = true, parallel = false) LIMIT {rows}"
        ).to_arrow_table()
    with an.read(people, threads=2, **roles) as data:
        found.append(("original", scores(an.audit(data))))
        for k in case.levels:
            made = an.anonymise(data, limits={"k_anonymity": k, "t_closeness": case.most_t}, method="global", suppression=0.0)
            if made.release is None:
                found.append((f"k {k}: no recoding without suppression", {}))
                continue
            with an.read(made.release.table, threads=2, **roles) as release:
                found.append((f"k {k}", scores(an.audit(release))))
    return found


def scores(audit: an.Audit) -> dict[str, float | None]:
    """Return k, l and t, and the worst record's extended scores, whole and over single attributes."""
    found: dict[str, float | None] = {}
    for name in METRICS:
        whole = [m for m in audit.select(name) if m.attributes is None and m.level == "record" and m.status == "measured"]
        values = [m.max if m.max is not None else m.value for m in whole]
        found[name] = values[0] if values else None
    for name in ("uniformity", "correlation"):
        each = [m.max for m in audit.select(name) if m.attributes is not None and m.max is not None]
        found[f"{name}, worst attribute"] = max(each, default=None)
    return found


def findings(made: Mapping[str, Sequence[tuple[str, dict[str, float | None]]]]) -> None:
    """Print which of the paper's findings hold on these tables."""
    for name, lines in made.items():
        known = [scores for _, scores in lines if scores]
        if len(known) < 2:
            print(f"{name}: no level could be made, so nothing is said.")
            continue

        def falls(metric: str, known: Sequence[dict[str, float | None]] = known) -> str:
            values = [v[metric] for v in known if v.get(metric) is not None]
            told = " -> ".join(f"{v:.3f}" for v in values)
            steadily = all(a >= b for a, b in pairwise(values))
            return f"{told} ({'falls at every level' if steadily else 'does not fall at every level'})"

        print(f"{name}")
        print(f"  1 uniqueness falls with k: {falls('uniqueness')}")
        print(f"  2 uniformity of the whole falls: {falls('uniformity')}")
        print(f"  3 uniformity of single attributes was low before: {known[0]['uniformity, worst attribute']:.3f}")
        print(f"  4 correlation stays: {falls('correlation')}; single attributes {falls('correlation, worst attribute')}")
        print(f"  5 the Markov score stays near 1: {falls('markov')}")
        print(f"  6 t falls at every level: {falls('t_closeness')}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scorr", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    given = parser.parse_args()
    folder = Path(os.environ["ANONSCOPE_DATA"])
    made = {}
    for name, case in CASES.items():
        made[name] = versions(case, folder, given.rows)
        print(f"\n{name}, {', '.join(case.quasi_identifiers)}; about {case.sensitive}")
        for (title, scored), (size, diversity, closeness) in zip(made[name], case.printed, strict=True):
            told = "  ".join(f"{metric} {'-' if value is None else f'{value:.3f}'}" for metric, value in scored.items())
            print(f"  {title:12}{told}  [table 3: k {size}, l {diversity}, t {closeness}]", flush=True)
    print()
    findings(made)


if __name__ == "__main__":
    main()
