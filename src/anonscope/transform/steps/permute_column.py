"""Permutation: the values of a column are dealt out anew, so nobody's value is their own any more.

R. Aufschläger et al. (2023), section 4.4, equations 8 and 9 and figure 5: the i-th record gets the value of record sigma(i).
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from anonscope.columns.images import Everything, Exactly, Image
from anonscope.errors import shown
from anonscope.transform.randomness.draws import chance_of, moved, records
from anonscope.transform.seeds import Seed, check_seed, drawn_seed
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import Effect, Transformation


@dataclass(frozen=True, slots=True, kw_only=True)
class PermuteColumn(Transformation):
    """Deal the values of a column out anew among all records; missing values travel too."""

    name: ClassVar[str] = "permute_column"
    title: ClassVar[str] = "Permute a column"
    standard: ClassVar[str] = "permutation"
    effect: ClassVar[Effect] = "perturbation"
    in_order: ClassVar[bool] = True

    column: str
    seed: Seed | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise self.fail("column must be the name of a column")
        check_seed(self, self.seed)

    def mixes(self, column: str) -> bool:
        return column == self.column

    def seeded(self) -> Transformation:
        return self if self.seed is not None else replace(self, seed=drawn_seed())

    @property
    def reproducible(self) -> bool:
        return self.seed is not None

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    @property
    def words(self) -> str:
        return f"permute {shown(self.column)}"

    def apply(self, table: Table) -> Table:
        _, kind = table.at(self.column)
        stored = table.stored()
        source = chance_of(self.seed, self.name, self.column).permutation(records(stored))
        return moved(stored, self.column, source).assigned({self.column: Expression(f"CAST(drawn AS {kind})", kind)})

    def image(self, column: str, released: str | None) -> Image:
        return Everything() if column == self.column else Exactly(released)
