"""Randomised response one by one, jointly and in clusters, on Adult: python -m benchmarks.responses [--epsilon E] [--draws N].

R. Aufschläger et al. (2023), section 5.4, after J. Domingo-Ferrer and J. Soria-Comas (2020): answered one by one, the joint distribution is
estimated badly; answered jointly, it is so where the combinations are many. This answers columns of Adult in all three ways with the same
epsilon in all, estimates the joint distribution of two, three and five columns, and prints its total variation from the true one.
"""

import argparse
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

import anonscope as an
from anonscope.transform.steps import JointRandomisedResponse, RandomisedResponse
from anonscope.transform.transformation import Transformation

SETS = (
    ("sex", "income"),
    ("relationship", "marital.status"),
    ("sex", "race", "income"),
    ("sex", "race", "income", "relationship", "marital.status"),
)


def truth(table: pa.Table, answers: dict[str, tuple[str, ...]]) -> np.ndarray:
    """Return the share of every combination of answers."""
    codes = [np.asarray(pc.index_in(table[column].combine_chunks(), pa.array(known))) for column, known in answers.items()]
    shape = [len(known) for known in answers.values()]
    return np.bincount(np.ravel_multi_index(codes, shape), minlength=int(np.prod(shape))) / len(table)


def distance(table: pa.Table, steps: tuple[Transformation, ...], answers: dict[str, tuple[str, ...]]) -> float:
    """Return the total variation of an estimate, with what is below 0 put at 0, from the true shares."""
    with an.read(table, threads=1) as data:
        made = an.apply(list(steps), data).table
    with an.read(made, threads=1) as release:
        share = np.maximum(np.asarray(an.estimated_distribution(release, an.Recipe(steps), list(answers))["share"]), 0)
    return float(np.abs(share / share.sum() - truth(table, answers)).sum() / 2)


def ways(table: pa.Table, answers: dict[str, tuple[str, ...]], epsilon: float) -> dict[str, tuple[Transformation, ...]]:
    """Return the steps of the three ways, each of them losing epsilon in all; the clusters are chosen from a first release with as much."""
    alone = tuple(RandomisedResponse(column=c, values=known, epsilon=epsilon / len(answers)) for c, known in answers.items())
    with an.read(table, threads=1) as data:
        first = an.apply(list(alone), data).table
    with an.read(first, threads=1) as release:
        found = an.response_clusters(release, an.Recipe(alone), list(answers))
    return {
        "one by one": alone,
        "jointly": (JointRandomisedResponse(values=answers, epsilon=epsilon),),
        f"in clusters ({len(found.clusters)})": found.steps(epsilon / len(found.clusters)),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.responses", description=__doc__)
    parser.add_argument("--epsilon", type=float, default=4.0)
    parser.add_argument("--draws", type=int, default=20)
    given = parser.parse_args()
    table = pyarrow.csv.read_csv(Path(os.environ["ANONSCOPE_DATA"]) / "adult" / "adult_kaggle_order_32561.csv")
    print("| Columns | combinations | way | total variation |\n| --- | --- | --- | --- |")
    for columns in SETS:
        answers = {column: tuple(sorted(table[column].unique().to_pylist())) for column in columns}
        taken = table.select(list(columns))
        for way, steps in ways(taken, answers, given.epsilon).items():
            mean = np.mean([distance(taken, steps, answers) for _ in range(given.draws)])
            print(f"| {', '.join(columns)} | {int(np.prod([len(v) for v in answers.values()])):,} | {way} | {mean:.4f} |", flush=True)


if __name__ == "__main__":
    main()
