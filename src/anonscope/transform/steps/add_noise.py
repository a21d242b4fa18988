"""Additive noise: every number is off by a little, and means stay what they were but for chance.

R. Agrawal and R. Srikant (2000), "Privacy-Preserving Data Mining", SIGMOD, value distortion: uniform noise on [-a, a] or normal
noise of mean 0; R. Aufschläger et al. (2023), section 4.5.
"""

from dataclasses import dataclass
from math import inf, isfinite, nextafter, ulp
from typing import ClassVar, Literal

from anonscope.columns.images import Everything, Exactly, Image, Interval, number_text
from anonscope.errors import RecipeError, shown
from anonscope.transform.cells.numbers import as_noisy_number
from anonscope.transform.randomness.draws import RandomColumnTransformation, beside, noise, records
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import positive

DISTRIBUTIONS = ("uniform", "normal")


@dataclass(frozen=True, slots=True, kw_only=True)
class AddNoise(RandomColumnTransformation):
    """Add noise of mean 0 to every number of a column: uniform between -scale and scale, or normal with that standard deviation."""

    name: ClassVar[str] = "add_noise"
    title: ClassVar[str] = "Add noise"
    standard: ClassVar[str] = "noise addition"

    scale: float
    distribution: Literal["uniform", "normal"] = "uniform"
    relative: bool = False  # scale counts in standard deviations of the column
    whole: bool = False
    minimum: float | None = None
    maximum: float | None = None

    def __post_init__(self) -> None:
        RandomColumnTransformation.__post_init__(self)
        positive(self, "scale", self.scale)
        if self.distribution not in DISTRIBUTIONS:
            raise self.fail(f"distribution must be one of {', '.join(DISTRIBUTIONS)}")
        for key, bound in (("minimum", self.minimum), ("maximum", self.maximum)):
            if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int | float) or not isfinite(bound)):
                raise self.fail(f"{key} must be a number")
        if self.minimum is not None and self.maximum is not None and self.minimum >= self.maximum:
            raise self.fail("minimum must be below maximum")

    @property
    def words(self) -> str:
        return f"add {self.distribution} noise to {shown(self.column)}"

    def mixes(self, column: str) -> bool:
        return column == self.column and self.relative

    def drawn(self, table: Table) -> Table:
        import pyarrow as pa

        scale = self.scale * (self._spread(table) if self.relative else 1.0)
        return beside(table, {"drawn": pa.array(noise(self.chance, self.distribution, scale, records(table)))})

    def expression(self, table: Table) -> Expression:
        noisy = f"({table.number(self.column)} + drawn)"
        if self.whole:
            noisy = f"FLOOR({noisy} + CAST(1 AS DOUBLE) / 2)"
        for sign, bound in (("<", self.minimum), (">", self.maximum)):
            if bound is not None:
                limit = f"CAST({number_text(bound)} AS DOUBLE)"
                noisy = f"CASE WHEN {noisy} {sign} {limit} THEN {limit} ELSE {noisy} END"
        bounds_are_whole = all(bound is None or bound == int(bound) for bound in (self.minimum, self.maximum))
        return as_noisy_number(table, self.column, f"({noisy})", whole=self.whole and bounds_are_whole)

    def image_of(self, released: str) -> Image:
        if self.distribution != "uniform" or self.relative:
            return Everything()
        try:
            number = float(released)
        except ValueError:
            return Exactly(released)
        reach = self.scale + (0.5 if self.whole else 0.0)
        # A sum is rounded to the nearest number that the machine has: wider by a hair, never too narrow.
        reach += 4 * ulp(max(abs(number), reach))
        if self.maximum is not None and number >= self.maximum:
            return Interval(number - reach, inf)
        if self.minimum is not None and number <= self.minimum:
            return Interval(-inf, nextafter(number + reach, inf))
        return Interval(number - reach, number + reach, closed=True)

    def _spread(self, table: Table) -> float:
        spread = table.engine.rows(f"SELECT STDDEV_SAMP({table.number(self.column)}) FROM {table.origin}")[0][0]
        if spread is None or not 0 < spread < inf:
            raise RecipeError(
                f"{self.name}: the numbers of column {shown(self.column)} do not differ, so they have no standard deviation that "
                "noise could be relative to. Say relative = false and give a scale in the unit of the column."
            )
        return float(spread)
