"""Noise on Spark's workers: counts are made and made noisy there, and nothing else leaves the cluster.

Counts are stored where the engine stores everything; every answer reads them, and goes through OpenDP on one worker. SQL's own random
numbers are never used. What is fetched is fetched once: an answer drawn twice would be two answers.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import count
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from anonscope.engines import Engine
from anonscope.errors import EngineError, OptionError
from anonscope.risk.counting.arrays import Integers
from anonscope.synthesis.curator import Candidate, Together
from anonscope.synthesis.ledger import Loss
from anonscope.synthesis.mechanisms import Noise, Ranks, choice_scale, open_dp, spendable
from anonscope.synthesis.workers import COUNTED, Promise, Work, adding_noise, choosing, counting, placing_ranks

if TYPE_CHECKING:
    from numpy.typing import NDArray


def check_inside(engine: Engine) -> None:
    """Raise unless noise can be added where the data is."""
    if engine.title != "Spark":
        raise OptionError(
            "--noise-inside (noise_inside) is for Spark, whose workers run OpenDP. Elsewhere counts come to this machine, and noise is "
            "added here."
        )


def told(engine: Any, select: str, work: Work) -> "dict[int, Any]":
    """Return what workers make of a SELECT of counts: for every number its values, in the order of their cells."""
    # One row more, so that there is a part even where nothing was counted.
    found: dict[int, list[tuple[int, int]]] = {}
    for s, cell, n in engine.worked(f"{select} UNION ALL SELECT -1 AS s, 0 AS cell, 0 AS n", work, COUNTED):
        found.setdefault(int(s), []).append((int(cell), int(n)))
    return {s: np.array([n for _, n in sorted(cells)], dtype=np.int64) for s, cells in found.items()}


def noisy(engine: Any, select: str, possible: "NDArray[np.bool_]", noise: Noise) -> Integers:
    """Return the numbers of all possible cells of a SELECT with noise."""
    place = np.where(possible.ravel(), np.cumsum(possible.ravel()) - 1, -1)
    size = int(possible.sum())
    work = adding_noise(noise.kind, Promise(noise.scale, noise.change, noise.loss), [(0, possible.size, place, size)])
    found: Integers = told(engine, select, work).get(0, np.zeros(0, dtype=np.int64))
    return found


def ranks(engine: Any, select: str, shape: tuple[int, ...], asked: Sequence[Ranks], bins: int) -> Integers:
    """Return the bins that ranks fall into, by group, quantile and target."""
    promised = [(one.at.numerator, one.at.denominator, Promise(one.scale, one.change, spendable(one.loss)), one.targets) for one in asked]
    found: Integers = told(engine, select, placing_ranks(promised, prod(shape), bins, shape[-1]))[0]
    return found


class Stored:
    """Counts of the cells of a table, stored on the cluster under numbers, each counted once."""

    def __init__(self, engine: Any, table: str, sizes: Sequence[int]) -> None:
        self.engine, self.sizes = engine, tuple(sizes)
        self._table, self._known, self._numbers, self._names = table, dict[Together, tuple[str, int]](), count(), count()

    def several(self, sets: Sequence[Together]) -> list[tuple[str, int]]:
        """Return under which name and number the counts over some columns are stored."""
        lacking = [(next(self._numbers), columns) for columns in dict.fromkeys(sets) if columns not in self._known]
        if lacking:
            name = f"inside_{next(self._names)}"
            listed = ", ".join(f"k{j}" for j in range(len(self.sizes)))
            work = counting([(number, [(c, self.sizes[c]) for c in columns]) for number, columns in lacking])
            self.engine.map(f"{name}_parts", f"SELECT {listed} FROM {self._table}", work, COUNTED)
            self.engine.materialise(name, f"SELECT s, cell, SUM(n) AS n FROM {name}_parts GROUP BY s, cell")
            self._known |= {columns: (name, number) for number, columns in lacking}
        return [self._known[columns] for columns in sets]

    def select(self, places: Sequence[tuple[str, int]]) -> str:
        """Return the statement that reads stored counts."""
        by_name: dict[str, list[int]] = {}
        for name, number in places:
            by_name.setdefault(name, []).append(number)
        parts = [f"SELECT s, cell, n FROM {name} WHERE s IN ({', '.join(map(str, sorted(set(ns))))})" for name, ns in by_name.items()]
        return " UNION ALL ".join(parts)


class Inside:
    """A curator whose counts never leave Spark."""

    guarded = True

    def __init__(self, stored: Stored, groups: Sequence[Integers] | None = None) -> None:
        open_dp()
        self._stored = stored
        self._groups = list(groups) if groups is not None else None

    @property
    def sizes(self) -> tuple[int, ...]:
        return self._stored.sizes if self._groups is None else tuple(int(group.max()) + 1 for group in self._groups)

    def noisy(self, sets: Sequence[Together], rho: Fraction, change: int) -> list[Integers]:
        noise = Noise.for_loss(Loss(rho=rho), one=change, squared=change**2)
        places = self._stored.several(sets)
        work = adding_noise("gaussian", Promise(noise.scale, float(change), rho), self._asked(sets, places))
        found = told(self._stored.engine, self._stored.select(places), work)
        return [found[number].reshape([self.sizes[c] for c in columns]) for (_, number), columns in zip(places, sets, strict=True)]

    def choose(self, candidates: Sequence[Candidate], rho: Fraction, change: int) -> int:
        sets = [candidate.columns for candidate in candidates]
        most = change * max(candidate.weight for candidate in candidates)
        places = self._stored.several(sets)
        expected = [(candidate.expected.ravel(), candidate.off, candidate.weight) for candidate in candidates]
        work = choosing(Promise(choice_scale(rho, most), most, rho), self._asked(sets, places), expected)
        ((chosen,),) = (
            [int(cell)]
            for s, cell, _ in self._stored.engine.worked(
                f"{self._stored.select(places)} UNION ALL SELECT -1 AS s, 0 AS cell, 0 AS n", work, COUNTED
            )
            if s == 0
        )
        return int(chosen)

    def moments(self, features: Sequence[Integers], constant: int, rho: Fraction, change: int) -> Integers:
        raise EngineError("The sums of products of this method are not made noisy on Spark's workers. Use tree or adaptive there.")

    def grouped(self, groups: Sequence[Integers]) -> "Inside":
        return Inside(self._stored, groups)

    def _asked(self, sets: Sequence[Together], places: Sequence[tuple[str, int]]) -> list[tuple[int, int, Any, int]]:
        """Return every set for the workers: its number and cells, and to which new cell each of them belongs."""
        found: list[tuple[int, int, Any, int]] = []
        for columns, (_, number) in zip(sets, places, strict=True):
            old, new = (prod(sizes[c] for c in columns) for sizes in (self._stored.sizes, self.sizes))
            place = None
            if self._groups is not None:
                place = np.zeros([self._stored.sizes[c] for c in columns], dtype=np.int64)
                for axis, c in enumerate(columns):
                    shape = [-1 if a == axis else 1 for a in range(len(columns))]
                    place = place * self.sizes[c] + self._groups[c].reshape(shape)
                place = place.ravel()
            found.append((number, old, place, new))
        return found
