"""Below what loss no recoding keeps a limit on the discrimination rate: python -m benchmarks.rate_bound [--rate R] [--rows N].

The table is OULAD as in `python -m benchmarks.anonymise --portfolio`, looked for in the folder that ANONSCOPE_DATA names. The rate of
re-identification is 1 - sum of n log n / (N log N) over classes of n records, so the limit asks for a least sum. A class is some of the
tuples of a box, a node of every attribute's hierarchy, and loses at least the penalty of the box. The linear programme of a fractional
partition into such classes, with the least sum, is a bound for all partitions; its classes are made as they are needed. With a price
for every record and for the sum, the class of a box that spares most has its dearest tuples: what it spares grows by a straight line
from one tuple to the next, less a concave term, and so is largest where a tuple ends. By what classes spare at most for a record the
prices are too high, and that taken off, they are a proof.
"""

import argparse
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from anonscope.risk.counting.arrays import Integers
from anonscope.transform.search.portfolio import portfolio
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.targets import limits_of
from benchmarks.portfolio import TABLES, posed
from benchmarks.printing import Lines, seconds

_NOTHING = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """The tuples that a node of every attribute covers, and what a record of a class that needs all of it loses."""

    tuples: Integers
    penalty: float


def boxes(problem: Problem) -> list[Box]:
    """Return every set of tuples that some nodes cover, each once, with the least penalty."""
    found: dict[bytes, Box] = {}
    weights = np.array(problem.weights) / sum(problem.weights)
    for levels in product(*(range(ladder.height + 1) for ladder in problem.ladders)):
        codes = np.stack([problem.coded(a, level) for a, level in enumerate(levels)])
        lost = sum(weights[a] * problem.ladders[a].penalties[level][codes[a]] for a, level in enumerate(levels))
        _, first, number = np.unique(codes, axis=1, return_index=True, return_inverse=True)
        order = np.argsort(number.ravel(), kind="stable")
        for place, tuples in zip(first, np.split(order, np.cumsum(np.bincount(number.ravel()))[:-1]), strict=True):
            box = Box(tuples, float(np.asarray(lost)[place]))
            known = found.setdefault(tuples.tobytes(), box)
            if box.penalty < known.penalty:
                found[tuples.tobytes()] = box
    return list(found.values())


def bounds(problem: Problem, rate: float) -> Iterator[float]:
    """Yield bounds of the mean penalty of any recoding that keeps a rate of re-identification, until they rise no more."""
    from scipy.optimize import linprog
    from scipy.sparse import csc_array

    all_boxes, n, records = boxes(problem), problem.weight, float(problem.records)
    least = (1 - rate) * np.log(records)
    classes = [(box.tuples, box.penalty) for box in all_boxes]
    known = {(tuples.tobytes(), penalty) for tuples, penalty in classes}
    while True:
        sizes = np.array([n[tuples].sum() for tuples, _ in classes])
        starts = np.cumsum([0, *(len(tuples) for tuples, _ in classes)])
        members = np.concatenate([tuples for tuples, _ in classes])
        solved = linprog(
            sizes * np.array([penalty for _, penalty in classes]) / records,
            A_eq=csc_array((np.ones(len(members)), members, starts), shape=(problem.tuples, len(classes))),
            b_eq=np.ones(problem.tuples),
            A_ub=-(sizes * np.log(sizes) / records)[None, :],
            b_ub=[-least],
            bounds=(0, None),
            method="highs",
        )
        if solved.x is None:
            yield np.inf
            return
        price, worth = solved.eqlin.marginals * records / n, -float(solved.ineqlin.marginals[0])
        too_high, new = 0.0, 0
        for box in all_boxes:
            dearest = box.tuples[np.argsort(-price[box.tuples], kind="stable")]
            size = np.cumsum(n[dearest])
            spared = np.cumsum(n[dearest] * (price[dearest] - box.penalty)) + worth * size * np.log(size)
            too_high = max(too_high, float((spared / size).max()))
            best = np.sort(dearest[: int(np.argmax(spared)) + 1])
            if spared.max() > _NOTHING * records and (best.tobytes(), box.penalty) not in known:
                known.add((best.tobytes(), box.penalty))
                classes.append((best, box.penalty))
                new += 1
        yield float(price @ n) / records + worth * least - too_high
        if not new:
            return


def main() -> None:
    """Print how the bound rises, and what is found beside it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rate_bound", description=__doc__)
    parser.add_argument("--rate", type=float, default=0.3, help="the discrimination rate that is kept (default 0.3)")
    parser.add_argument("--rows", type=int, default=5_000, help="first rows of the table (default 5,000)")
    given = parser.parse_args()
    problem = posed(Path(os.environ["ANONSCOPE_DATA"]), next(table for table in TABLES if table.name == "OULAD"), given.rows)
    lines = Lines(f"Least mean penalty at a discrimination rate of {given.rate:g}, OULAD", ("", "CPU s", "at least"), first=20)
    began, highest = time.process_time(), 0.0
    for number, bound in enumerate(bounds(problem, given.rate), start=1):
        highest = max(highest, bound)
        lines.add(f"round {number}", seconds(time.process_time() - began), f"{highest:.5f}")
    best = portfolio(problem, limits_of({"discrimination_rate": given.rate}, problem)).best
    print(f"Found by auto: {best.loss:.5f}" if best.met and best.loss is not None else "Found by auto: nothing")


if __name__ == "__main__":
    main()
