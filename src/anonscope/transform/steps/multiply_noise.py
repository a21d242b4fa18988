"""Multiplicative noise: every number is off by a share of itself, so large ones are hidden as well as small ones.

J. J. Kim and W. E. Winkler (2003), "Multiplicative Noise for Masking Continuous Data", U.S. Bureau of the Census; R. Aufschläger
et al. (2023), section 4.5.
"""

from dataclasses import dataclass
from math import ulp
from typing import ClassVar, Literal

from anonscope.columns.images import Everything, Exactly, Image, Interval
from anonscope.errors import shown
from anonscope.transform.cells.numbers import as_noisy_number
from anonscope.transform.randomness.draws import RandomColumnTransformation, beside, noise, records
from anonscope.transform.steps.add_noise import DISTRIBUTIONS
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import positive


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiplyNoise(RandomColumnTransformation):
    """Multiply every number of a column by 1 + e: e uniform between -scale and scale, or normal with that standard deviation."""

    name: ClassVar[str] = "multiply_noise"
    title: ClassVar[str] = "Multiply by noise"
    standard: ClassVar[str] = "noise addition"

    scale: float
    distribution: Literal["uniform", "normal"] = "uniform"
    keep_sign: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        RandomColumnTransformation.__post_init__(self)
        positive(self, "scale", self.scale)
        if self.distribution not in DISTRIBUTIONS:
            raise self.fail(f"distribution must be one of {', '.join(DISTRIBUTIONS)}")

    @property
    def words(self) -> str:
        return f"multiply {shown(self.column)} by {self.distribution} noise"

    def drawn(self, table: Table) -> Table:
        import numpy as np
        import pyarrow as pa

        factor = 1 + noise(self.chance, self.distribution, self.scale, records(table))
        return beside(table, {"drawn": pa.array(np.abs(factor) if self.keep_sign else factor)})

    def expression(self, table: Table) -> Expression:
        noisy = f"({table.number(self.column)} * drawn)"
        if self.whole:
            noisy = f"FLOOR({noisy} + CAST(1 AS DOUBLE) / 2)"
        return as_noisy_number(table, self.column, noisy, whole=self.whole)

    def image_of(self, released: str) -> Image:
        if self.distribution != "uniform" or self.scale >= 1:
            return Everything()
        try:
            number = float(released)
        except ValueError:
            return Exactly(released)
        below, above = (number - 0.5, number + 0.5) if self.whole else (number, number)
        ends = [end / (1 + e) for end in (below, above) for e in (-self.scale, self.scale)]
        low, high = min(ends), max(ends)
        # A product is rounded to the nearest number that the machine has: wider by a hair, never too narrow.
        return Interval(low - 4 * ulp(low), high + 4 * ulp(high), closed=True)
