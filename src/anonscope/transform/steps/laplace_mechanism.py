"""The Laplace mechanism on every value by itself: local differential privacy for numbers.

C. Dwork et al. (2006), "Calibrating Noise to Sensitivity in Private Data Analysis": noise of scale (upper - lower) / epsilon, because
one person's value may be anything between the bounds. The noise is OpenDP's.
"""

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

from anonscope.errors import shown
from anonscope.transform.cells.numbers import as_noisy_number
from anonscope.transform.randomness.differential_privacy import HAIR, LocalMechanism, present_numbers, promised
from anonscope.transform.randomness.draws import beside
from anonscope.transform.table import Expression, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceMechanism(LocalMechanism):
    """Move every number of a column into the bounds, and add Laplace noise that makes it epsilon-differentially private."""

    name: ClassVar[str] = "laplace_mechanism"
    title: ClassVar[str] = "Laplace mechanism"
    standard: ClassVar[str] = "differential privacy, local model"

    lower: float
    upper: float
    clip: bool = False

    def __post_init__(self) -> None:
        LocalMechanism.__post_init__(self)
        for key, bound in (("lower", self.lower), ("upper", self.upper)):
            if isinstance(bound, bool) or not isinstance(bound, int | float) or not isfinite(bound):
                raise self.fail(f"{key} must be a number")
        if self.lower >= self.upper:
            raise self.fail("lower must be below upper")

    @property
    def words(self) -> str:
        return f"add Laplace noise to {shown(self.column)} (epsilon {self.epsilon:g})"

    def apply(self, table: Table) -> Table:
        import numpy as np
        import pyarrow as pa

        table.at(self.column)
        dp = self.open_dp()
        stored = table.stored()
        present, given = present_numbers(stored, self.column, self.lower, self.upper)
        space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
        width = float(self.upper) - float(self.lower)
        mechanism = dp.m.make_laplace(*space, scale=width / self.epsilon * (1 + HAIR))
        # One value of one record may change by the whole width; the others of the vector are other people's.
        promised(mechanism.map(width), self.epsilon)
        drawn = np.zeros(len(present))
        if len(given):
            drawn[present] = mechanism(given)
        if self.clip:
            drawn = np.clip(drawn, self.lower, self.upper)
        return LocalMechanism.apply(self, beside(stored, {"drawn": pa.array(drawn)}))

    def expression(self, table: Table) -> Expression:
        return as_noisy_number(table, self.column, "drawn", whole=False)
