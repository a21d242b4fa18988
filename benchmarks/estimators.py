"""How far the estimators of population uniqueness are from the truth: python -m benchmarks.estimators [--repetitions N].

Real tables are taken as whole populations, so the truth is known. Samples of several fractions are drawn from them with fixed
seeds, each estimator is given the class sizes of the sample, and its mean estimate and root mean square error are printed as
the Markdown tables of docs/risk/population-uniqueness.md. ANONSCOPE_DATA must name the folder of real microdata.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import anonscope as an
from anonscope.risk.measuring.population_estimates import ESTIMATORS, NoEstimate, estimate, sample_of

FRACTIONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
REPETITIONS = 20
SEED = 1991


@dataclass(frozen=True, slots=True)
class Known:
    """A population whose uniques can be counted: a file, and what an attacker knows of it."""

    title: str
    file: str
    quasi_identifiers: tuple[str, ...]


_ADULT = ("age", "education", "race", "sex")
_CPS = ("fips", "age_head", "MARS", "XTOT")
POPULATIONS = (
    Known("Adult, four attributes", "adult/adult_full_48842.csv", _ADULT),
    Known("Adult, seven attributes", "adult/adult_full_48842.csv", (*_ADULT, "marital-status", "occupation", "workclass")),
    Known("CPS, four attributes", "cps/cps_280005.csv", _CPS),
    Known("CPS, six attributes", "cps/cps_280005.csv", (*_CPS, "age_spouse", "nu18")),
)


def class_sizes(folder: Path, known: Known) -> "np.ndarray[Any, Any]":
    """Return the size of every class of a population."""
    with an.read(folder / known.file, quasi_identifiers=known.quasi_identifiers) as data:
        frequencies = an.audit(data).scenarios[0].sizes.records
    sizes, counts = np.array(frequencies).T
    return np.repeat(sizes, counts)


def estimates(sizes: "np.ndarray[Any, Any]", fraction: float, repetitions: int) -> dict[str, list[float]]:
    """Return what each estimator says of samples of a population; one that refuses says nothing."""
    people = int(sizes.sum())
    found: dict[str, list[float]] = {name: [] for name in ESTIMATORS}
    for repetition in range(repetitions):
        draws = np.random.default_rng((SEED, round(fraction * 1000), repetition))
        drawn = draws.multivariate_hypergeometric(sizes, round(people * fraction), method="marginals")
        seen, counts = np.unique(drawn[drawn > 0], return_counts=True)
        sample = sample_of(tuple(zip(seen.tolist(), counts.tolist(), strict=True)), people)
        for name in ESTIMATORS:
            try:
                found[name].append(estimate(name, sample))
            except NoEstimate:
                continue
    return found


def table(known: Known, sizes: "np.ndarray[Any, Any]", repetitions: int) -> Iterator[str]:
    """Yield the lines of one population's table."""
    truth = float((sizes == 1).sum() / sizes.sum())
    yield f"### {known.title}"
    yield ""
    yield f"{int(sizes.sum()):,} people, {len(sizes):,} classes of {', '.join(f'`{name}`' for name in known.quasi_identifiers)}."
    yield f"**{100 * truth:.2f} %** of them are unique."
    yield ""
    yield f"| Sampled | {' | '.join(name.capitalize() for name in ESTIMATORS)} |"
    yield f"| ---: |{' ---: |' * len(ESTIMATORS)}"
    for fraction in FRACTIONS:
        cells = [_cell(values, truth, repetitions) for values in estimates(sizes, fraction, repetitions).values()]
        yield f"| {100 * fraction:.0f} % | {' | '.join(cells)} |"
    yield ""


def _cell(values: list[float], truth: float, repetitions: int) -> str:
    if not values:
        return "no estimate"
    error = float(np.sqrt(np.mean((np.array(values) - truth) ** 2)))
    refused = f", {repetitions - len(values)} refused" if len(values) < repetitions else ""
    return f"{100 * np.mean(values):.2f} % ({100 * error:.2f}{refused})"


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    given = parser.parse_args()
    folder = os.environ.get("ANONSCOPE_DATA")
    if not folder:
        sys.exit("ANONSCOPE_DATA must name the folder of real microdata.")
    for known in POPULATIONS:
        print("\n".join(table(known, class_sizes(Path(folder), known), given.repetitions)))


if __name__ == "__main__":
    main()
