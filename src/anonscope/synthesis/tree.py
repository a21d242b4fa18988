"""`tree`: noisy counts of every column, a private tree of the pairs that matter most, noisy counts of those, and records drawn from it.

After R. McKenna, G. Miklau and D. Sheldon (2021), "Winning the NIST Contest", Journal of Privacy and Confidentiality 11(3) (MST). On a
tree the distribution that has the noisy pairs as its marginals is known exactly: no iteration, no framework.

Three parts of the budget in rho: every column once; d - 1 choices of a pair that joins two parts of the tree, by how far the pair is from
what independent columns would give, less what noise would cost it; every chosen pair once. One person changes each count by at most as
many records as the domain allows, and each score too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import pi, sqrt
from typing import ClassVar

import numpy as np

from anonscope.errors import DomainError
from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.synthesis.curator import Candidate, Curator
from anonscope.synthesis.domain import Domain
from anonscope.synthesis.drawing import Conditional, draw_records, draw_within
from anonscope.synthesis.ledger import Ledger, Loss
from anonscope.synthesis.mechanisms import deviation
from anonscope.synthesis.method import Model, PrivateMethod
from anonscope.synthesis.projecting import onto_margins, onto_simplex

_SPLIT = {"columns": Fraction(4, 10), "choice": Fraction(1, 10), "pairs": Fraction(5, 10)}
_RARE = 3.0  # deviations of noise under which cells are counted together
MOST_CELLS = 2**24  # of a pair of columns


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """What is known of single columns: noisy counts made possible, and cells too rare to tell apart put together."""

    total: float
    single: list[Floats]
    groups: list[Integers]
    grouped: list[Floats]

    def apart(self, grouped: Sequence[Integers], chance: np.random.Generator) -> list[Integers]:
        """Return records with what was put together told apart again, as often as each is on its own."""
        found = []
        for codes, group, single in zip(grouped, self.groups, self.single, strict=True):
            if int(group.max()) + 1 == len(group):
                # Nothing was put together.
                found.append(np.argsort(group)[codes])
                continue
            table = np.zeros((int(group.max()) + 1, len(group)))
            table[group, np.arange(len(group))] = single + 1e-12
            found.append(draw_within(codes, table, chance))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class TreeModel(Model):
    """Columns joined in pairs without a circle, and how often every pair of values is."""

    columns: Columns
    edges: dict[tuple[int, int], Floats]

    @property
    def total(self) -> float:
        return self.columns.total

    @property
    def structure(self) -> tuple[tuple[int, ...], ...]:
        return tuple(self.edges)

    @property
    def conditionals(self) -> list[Conditional]:
        """The tree from its first column on: that one, then each given the one it hangs on."""
        count = len(self.columns.grouped)
        found = [Conditional(0, (), self.columns.grouped[0])]
        waiting, seen = [0], {0}
        while waiting:
            parent = waiting.pop()
            for (i, j), table in self.edges.items():
                child = j if i == parent else i if j == parent else None
                if child is not None and child not in seen:
                    found.append(Conditional(child, (parent,), table if parent == i else table.T))
                    seen.add(child)
                    waiting.append(child)
        assert len(seen) == count, "a tree joins all columns"
        return found

    def draw(self, rows: int, chance: np.random.Generator) -> list[Integers]:
        return self.columns.apart(draw_records(self.conditionals, rows, chance), chance)


def check_pairs(domain: Domain) -> None:
    """Raise if some pair of columns has more cells than can be counted."""
    largest = sorted(domain.sizes)[-2:]
    if len(largest) == 2 and largest[0] * largest[1] > MOST_CELLS:
        raise DomainError(
            f"Two columns of the domain have {largest[0] * largest[1]:,} cells together, and {MOST_CELLS:,} can be counted. "
            "Declare fewer bins or categories. Nothing was spent."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree(PrivateMethod):
    """Noisy columns and a private spanning tree of noisy pairs."""

    name: ClassVar[str] = "tree"
    title: ClassVar[str] = "Private spanning tree of pairs"
    source: ClassVar[str] = 'R. McKenna, G. Miklau and D. Sheldon (2021), "Winning the NIST Contest", JPC 11(3) (MST)'

    def check(self, domain: Domain) -> None:
        check_pairs(domain)

    def fit(self, curator: Curator, domain: Domain, ledger: Ledger) -> TreeModel:
        rho, width, change = ledger.left.rho, len(curator.sizes), domain.records_per_unit
        if width == 1:
            return TreeModel(noisy_columns(curator, domain, ledger, rho, rare=0.0), {})
        columns = noisy_columns(curator, domain, ledger, rho * _SPLIT["columns"])
        grouped = curator.grouped(columns.groups)
        each_choice, each_pair = rho * _SPLIT["choice"] / (width - 1), rho * _SPLIT["pairs"] / (width - 1)
        candidates = [_candidate(pair, columns, deviation(each_pair, change)) for pair in combinations(range(width), 2)]
        edges: dict[tuple[int, int], Floats] = {}
        part = list(range(width))
        for _ in range(width - 1):
            open_ones = [one for one in candidates if part[one.columns[0]] != part[one.columns[1]]]
            ledger.charge("choice of a pair", Loss(rho=each_choice))
            i, j = open_ones[grouped.choose(open_ones, each_choice, change)].columns
            ledger.charge("counts of a pair", Loss(rho=each_pair))
            (noisy,) = grouped.noisy([(i, j)], each_pair, change)
            edges[i, j] = onto_margins(noisy.astype(np.float64), columns.grouped[i], columns.grouped[j])
            joined, other = part[i], part[j]
            part = [joined if p == other else p for p in part]
        return TreeModel(columns, edges)


def noisy_columns(curator: Curator, domain: Domain, ledger: Ledger, rho: Fraction, *, rare: float = _RARE) -> Columns:
    """Return all columns counted once with noise, for rho in all; the total is what they agree on."""
    width = len(curator.sizes)
    each = rho / width
    ledger.charge_all([(f"counts of a column ({width})", Loss(rho=each))] * width)
    noisy = [found.astype(np.float64) for found in curator.noisy([(i,) for i in range(width)], each, domain.records_per_unit)]
    # The sum of a column with few cells has little noise.
    certain = np.array([1.0 / size for size in curator.sizes])
    total = max(1.0, float(sum(c * found.sum() for c, found in zip(certain, noisy, strict=True)) / certain.sum()))
    single = [onto_simplex(found[None, :], np.array([total]))[0] for found in noisy]
    least = rare * deviation(each, domain.records_per_unit)
    groups = [_together(found, least) for found in single]
    grouped = [np.bincount(group, weights=found) for group, found in zip(groups, single, strict=True)]
    return Columns(total, single, groups, grouped)


def _together(single: Floats, least: float) -> Integers:
    """Return a number for every cell: of its own where it is common enough, one for all the others."""
    kept = single >= least
    return np.where(kept, np.cumsum(kept) - 1, int(kept.sum())).astype(np.int64)


def _candidate(pair: tuple[int, int], columns: Columns, noise: float) -> Candidate:
    """Return a pair with what independent columns would give, and what noise would make of it, in whole records."""
    one, other = (columns.grouped[i] for i in pair)
    alone = np.rint(np.outer(one, other) / columns.total).astype(np.int64)
    return Candidate(pair, alone, int(sqrt(2 / pi) * noise * alone.size))
