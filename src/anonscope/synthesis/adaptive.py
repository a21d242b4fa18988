"""`adaptive`: round after round, the pair or triple of columns is counted that the model so far gets most wrong.

After R. McKenna, B. Mullins, D. Sheldon and G. Miklau (2022), "AIM: An Adaptive and Iterative Mechanism for Differentially Private
Synthetic Data", VLDB 15(11). Candidates are all pairs and triples that are not drowned by noise and keep the junction tree under a limit of
cells; what the model expects of them is counted in records drawn from it, which costs no privacy.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import pi, sqrt
from typing import ClassVar

import numpy as np

from anonscope.errors import DomainError
from anonscope.risk.counting.arrays import Integers
from anonscope.synthesis.counts import RecordCounts
from anonscope.synthesis.curator import Candidate, Curator
from anonscope.synthesis.domain import Domain
from anonscope.synthesis.drawing import draw_records
from anonscope.synthesis.junction import Clique, Junction, NoisyMarginal, cells_of
from anonscope.synthesis.ledger import Ledger, Loss
from anonscope.synthesis.mechanisms import deviation
from anonscope.synthesis.method import Model, PrivateMethod
from anonscope.synthesis.tree import Columns, check_pairs, noisy_columns

_SPLIT = {"columns": Fraction(3, 10), "choice": Fraction(1, 10), "counts": Fraction(6, 10)}
_STEPS = 60  # towards what was measured, after every round
_LAST = 400
_WEIGHT = {2: 2, 3: 3}  # what a pair and a triple count: as many columns as they bring to all triples


@dataclass(frozen=True, slots=True, eq=False)
class JunctionModel(Model):
    """Columns, and a junction tree of what was counted together."""

    columns: Columns
    junction: Junction

    @property
    def total(self) -> float:
        return self.columns.total

    @property
    def structure(self) -> tuple[tuple[int, ...], ...]:
        return tuple(one.columns for one in self.junction.measured if len(one.columns) > 1)

    def draw(self, rows: int, chance: np.random.Generator) -> list[Integers]:
        return self.columns.apart(draw_records(self.junction.conditionals(), rows, chance), chance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Adaptive(PrivateMethod):
    """Adaptive choice of pairs and triples; `rounds` for every column, and a limit of `cells` for the junction tree."""

    name: ClassVar[str] = "adaptive"
    title: ClassVar[str] = "Adaptive choice of marginals on a junction tree"
    source: ClassVar[str] = 'R. McKenna, B. Mullins, D. Sheldon and G. Miklau (2022), "AIM", VLDB 15(11)'

    rounds: float = 2.0
    cells: int = 200_000

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= 16:
            raise self.fail(f"rounds is a number from 1 to 16 for every column, not {self.rounds:g}.")
        if self.cells < 1000:
            raise self.fail(f"cells is a limit of at least 1,000, not {self.cells:g}.")

    def check(self, domain: Domain) -> None:
        check_pairs(domain)
        if sum(domain.sizes) > self.cells:
            raise DomainError(
                f"The columns have {sum(domain.sizes):,} cells, and the limit is {self.cells:,}: too many columns for it. Declare fewer "
                "columns or cells, or raise the limit (--parameter cells=NUMBER). Nothing was spent."
            )

    def fit(self, curator: Curator, domain: Domain, ledger: Ledger) -> JunctionModel:
        rho, width, change = ledger.left.rho, len(curator.sizes), domain.records_per_unit
        columns = noisy_columns(curator, domain, ledger, rho * (_SPLIT["columns"] if width > 1 else 1))
        grouped = curator.grouped(columns.groups)
        sizes = grouped.sizes
        noise = deviation(rho * _SPLIT["columns"] / width, change)
        measured = [NoisyMarginal((i,), table, noise) for i, table in enumerate(columns.grouped)]
        junction = Junction(measured, sizes, columns.total)
        junction.fit(_STEPS)
        rounds = round(self.rounds * width) if width > 1 else 0
        if not rounds:
            return JunctionModel(columns, junction)
        each_choice, each_count = rho * _SPLIT["choice"] / rounds, rho * _SPLIT["counts"] / rounds
        noise = deviation(each_count, change)
        candidates = self._candidates(sizes, columns.total, noise)
        chance = np.random.default_rng(0)  # only for what the model expects: it decides nothing about records
        for _ in range(rounds):
            known = [one.columns for one in measured]
            fitting = [c for c in candidates if cells_of([*known, c], sizes) <= self.cells]
            if not fitting:
                break
            open_ones = self._expected(fitting, junction, noise, chance)
            ledger.charge("choice of columns", Loss(rho=each_choice))
            chosen = fitting[grouped.choose(open_ones, each_choice, change)]
            ledger.charge("counts of these columns", Loss(rho=each_count))
            (noisy,) = grouped.noisy([chosen], each_count, change)
            measured.append(NoisyMarginal(chosen, noisy.astype(np.float64), noise))
            junction = Junction(measured, sizes, columns.total)
            junction.fit(_STEPS)
        junction.fit(_LAST)
        return JunctionModel(columns, junction)

    def _candidates(self, sizes: tuple[int, ...], total: float, noise: float) -> list[Clique]:
        """Return the pairs, and the triples that noise does not drown."""
        drowned = max(64.0, total / (sqrt(2 / pi) * noise))
        found: list[Clique] = []
        for count, limit in ((2, self.cells), (3, min(drowned, self.cells))):
            sets: list[Clique] = [*combinations(range(len(sizes)), count)]
            found += [columns for columns in sets if np.prod([sizes[c] for c in columns], dtype=np.float64) <= limit]
        return found

    def _expected(self, fitting: list[Clique], junction: Junction, noise: float, chance: np.random.Generator) -> list[Candidate]:
        """Return candidates with what the model expects of them, and what noise would make of them, in whole records."""
        rows = int(max(2000, min(60_000, junction.total)))
        drawn = RecordCounts(draw_records(junction.conditionals(), rows, chance), junction.sizes)
        scale = junction.total / rows
        found = []
        for columns in fitting:
            expected = np.rint(drawn.of(columns) * scale).astype(np.int64)
            found.append(Candidate(columns, expected, int(sqrt(2 / pi) * noise * expected.size), _WEIGHT[len(columns)]))
        return found
