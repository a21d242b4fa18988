"""Below what loss no local recoding can be: python -m benchmarks.lower_bound [--k K] [--cap C] [--rounds N].

The table is Adult without salary-class, as in `python -m benchmarks.anonymise --curve`, looked for in the folder that ANONSCOPE_DATA
names. A class lies in a box, a node of every attribute's hierarchy, and loses at least the penalty of the smallest one; a box is of
interest if it holds k records. Give every record a price, so that in no box the k highest prices are more than its penalty on
average: then a class of any k or more records pays for all of them, and all prices together are a bound (the dual of the linear
programme of a fractional partition into classes). It holds for classes that part equal records as well.

Prices begin at the penalty of the cheapest box around each record, which is the simple bound, and rise all at once: in each round a
box lets those of its records that still can rise share what is left of it. No price rises above a cap, so boxes that lose more than
that never stand in the way, and are left out.
"""

import argparse
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from anonscope.risk.counting.arrays import Flags, Floats, Integers
from anonscope.risk.counting.grouping import dense, grouped
from anonscope.transform.search.prepare import SearchSettings
from anonscope.transform.search.problem import Problem
from benchmarks.anonymise import ADULT, posed
from benchmarks.printing import Lines, seconds

_CAP, _ROUNDS = 0.3, 40
# What is left of a box below it is nothing, and what all prices rise by in the last round.
_NOTHING, _WORTHWHILE = 1e-7, 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Boxes with enough records that lose less than a cap: penalty, where its tuples begin, and for these their tuple and box."""

    penalty: Floats
    starts: Integers
    tuples: Integers
    of: Integers


def boxes(problem: Problem, k: int, cap: float) -> Boxes:
    """Return the boxes of a problem."""
    penalty, starts, tuples, made, listed = [], [], [], 0, 0
    for loses, members, begins in _of_nodes(problem, k, cap):
        penalty.append(loses)
        starts.append(listed + begins)
        tuples.append(members.astype(np.int32))
        made, listed = made + len(loses), listed + len(members)
    if not made:
        none = np.zeros(0, dtype=np.int64)
        return Boxes(np.zeros(0), none, none, none)
    every = np.concatenate(starts)
    return Boxes(
        np.concatenate(penalty), every, np.concatenate(tuples), np.repeat(np.arange(made), np.diff(every, append=listed)).astype(np.int32)
    )


def _of_nodes(problem: Problem, k: int, cap: float) -> Iterator[tuple[Floats, Integers, Integers]]:
    """Yield for every node of the lattice the penalties of its boxes, their tuples box by box, and where each box begins."""
    weights = np.array(problem.weights) / sum(problem.weights)
    for levels in product(*(range(ladder.height + 1) for ladder in problem.ladders)):
        loses = np.zeros(problem.tuples)
        for a, level in enumerate(levels):
            loses += weights[a] * problem.ladders[a].penalties[level][problem.coded(a, level)]
        cheap = np.flatnonzero(loses < cap)
        if not len(cheap):
            continue
        codes = [problem.coded(a, level)[cheap] for a, level in enumerate(levels)]
        key, places = dense(*grouped(codes, [problem.ladders[a].nodes(level) for a, level in enumerate(levels)], len(cheap)))
        large = np.flatnonzero((np.bincount(key, weights=problem.weight[cheap], minlength=places) >= k)[key])
        if len(large):
            order = large[np.argsort(key[large], kind="stable")]
            begins = np.flatnonzero(np.diff(key[order], prepend=-1))
            yield loses[cheap[order[begins]]], cheap[order], begins


def prices(problem: Problem, k: int, *, cap: float = _CAP, rounds: int = _ROUNDS) -> Iterator[Floats]:
    """Yield the price of a record of every tuple, after every round; whenever that ends, their sum is a bound of what is lost."""
    found = boxes(problem, k, cap)
    price = np.full(problem.tuples, cap)
    np.minimum.at(price, found.tuples, found.penalty[found.of])
    yield price
    copies = np.minimum(problem.n, k).astype(np.float64)
    for _ in range(rounds):
        if not len(found.penalty):
            return
        total, lowest = _highest(found, price, copies, k)
        left = np.maximum(k * found.penalty - total, 0)
        # Whoever is among the highest of a box that has nothing left stays where it is.
        stays = np.zeros(problem.tuples, dtype=bool)
        stays[found.tuples[(left < _NOTHING)[found.of] & (price[found.tuples] >= lowest[found.of])]] = True
        rising = np.add.reduceat(np.where(stays, 0.0, copies)[found.tuples], found.starts)
        share = left / np.clip(rising, 1, k)
        most = np.full(problem.tuples, cap)
        np.minimum.at(most, found.tuples, np.maximum(price[found.tuples], lowest[found.of]) + share[found.of])
        after = np.where(stays, price, np.maximum(price, most))
        gained = float((after - price) @ problem.weight)
        price = after
        yield price
        if gained < _WORTHWHILE * float(price @ problem.weight):
            return


def _highest(found: Boxes, price: Floats, copies: Floats, k: int) -> tuple[Floats, Floats]:
    """Return the sum of the k highest prices of every box, and the lowest of these."""
    left, total, lowest = np.full(len(found.penalty), float(k)), np.zeros(len(found.penalty)), np.zeros(len(found.penalty))
    prices, many = price[found.tuples], copies[found.tuples]
    for _ in range(k):
        highest = np.maximum.reduceat(prices, found.starts)
        taken: Flags = prices == highest[found.of]
        number = np.minimum(np.add.reduceat(np.where(taken, many, 0.0), found.starts), left)
        total += np.where(number > 0, number * highest, 0.0)
        lowest = np.where(number > 0, highest, lowest)
        left -= number
        prices[taken] = -1.0
        if not left.any():
            break
    return total, lowest


def excess(problem: Problem, k: int, price: Floats, *, cap: float = _CAP) -> float:
    """Return by how much the k highest prices of a box are at most above what it loses: nothing, or the bound is none."""
    found = boxes(problem, k, cap)
    if not len(found.penalty):
        return 0.0
    total, _ = _highest(found, price, np.minimum(problem.n, k).astype(np.float64), k)
    return float((total - k * found.penalty).max())


def main() -> None:
    """Print how the bound rises."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lower_bound", description=__doc__)
    parser.add_argument("--k", type=int, action="append", help="records of a class at least; may be repeated (default 5 and 10)")
    parser.add_argument("--rounds", type=int, default=_ROUNDS, help=f"rounds at most (default {_ROUNDS})")
    parser.add_argument("--cap", type=float, default=_CAP, help=f"the highest price of a record (default {_CAP}); more takes longer")
    given = parser.parse_args()
    columns = tuple(name for name in ADULT if name != "salary-class")
    path = Path(os.environ["ANONSCOPE_DATA"]) / "arx_adult" / "adult.csv"
    problem = posed(path, columns, "adult_hierarchy_{}.csv", SearchSettings())
    lines = Lines("Least mean penalty of any local recoding, Adult (8 attributes)", ("", "round", "CPU s", "at least"), first=20)
    for k in given.k or (5, 10):
        price, began = np.zeros(problem.tuples), time.process_time()
        for number, price in enumerate(prices(problem, k, cap=given.cap, rounds=given.rounds)):
            bound = float(price @ problem.weight) / problem.records
            lines.add(f"k={k}", str(number), seconds(time.process_time() - began), f"{bound:.5f}")
        print(f"k={k}: the k highest prices of a box are at most {excess(problem, k, price, cap=given.cap):.1e} above what it loses.")


if __name__ == "__main__":
    main()
