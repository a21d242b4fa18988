"""The post-randomisation method (PRAM): categories change by a known chance, so statistics can be corrected for it.

P. Kooiman, L. Willenborg and J. Gouweleeuw (1997), "PRAM: a method for disclosure limitation of microdata", Statistics Netherlands;
J. Gouweleeuw et al. (1998), Journal of Official Statistics 14(4), for the invariant form, which keeps frequencies in expectation.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from anonscope.columns.images import Everything, Image, Values
from anonscope.errors import shown
from anonscope.transform.randomness.draws import RandomColumnTransformation, as_before, beside_texts, check_share, coded
from anonscope.transform.randomness.words import Chance
from anonscope.transform.table import Expression, Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class PostRandomise(RandomColumnTransformation):
    """Replace the values of a column at random: by a chance to `keep` them, or by a `matrix` of chances."""

    name: ClassVar[str] = "post_randomise"
    title: ClassVar[str] = "Post-randomise"
    standard: ClassVar[str] = "randomisation"

    keep: float | None = None
    rest: Literal["uniform", "marginal"] = "uniform"
    matrix: dict[str, dict[str, float]] | None = None

    def __post_init__(self) -> None:
        RandomColumnTransformation.__post_init__(self)
        if (self.keep is None) == (self.matrix is None):
            raise self.fail("give either keep or a matrix")
        if self.keep is not None:
            check_share(self, "keep", self.keep)
        if self.rest not in ("uniform", "marginal"):
            raise self.fail("rest must be uniform or marginal")
        if self.matrix is not None:
            self._check_matrix(self.matrix)

    def _check_matrix(self, matrix: Any) -> None:
        if self.rest != "uniform":
            raise self.fail("rest has no meaning beside a matrix; leave it out")
        if not isinstance(matrix, dict) or not matrix or not all(isinstance(row, dict) and row for row in matrix.values()):
            raise self.fail("matrix must be a table with a table of chances for every value")
        for i, row in enumerate(matrix.values()):
            for chance in row.values():
                check_share(self, f"matrix row {i + 1}: every chance", chance)
            if abs(sum(row.values()) - 1) > _TOLERANCE:
                raise self.fail(f"matrix row {i + 1}: the chances must add up to 1")

    @property
    def words(self) -> str:
        return f"post-randomise {shown(self.column)}"

    def mixes(self, column: str) -> bool:
        # Without a matrix, values are drawn from those that the column has.
        return column == self.column and self.matrix is None

    def drawn(self, table: Table) -> Table:
        values, codes = coded(table, self.column)
        if self.matrix is not None:
            return self._by_matrix(table, values, codes, self.matrix)
        assert self.keep is not None
        if self.rest == "uniform":
            return beside_texts(table, values, others(codes, len(values), self.keep, self.chance))
        return beside_texts(table, values, redrawn(codes, len(values), self.keep, self.chance))

    def _by_matrix(self, table: Table, values: list[str], codes: "NDArray[np.int64]", matrix: dict[str, dict[str, float]]) -> Table:
        import numpy as np

        targets = sorted({target for row in matrix.values() for target in row})
        place = {target: i for i, target in enumerate(targets)}
        draws = self.chance.uniform(len(codes))
        chosen = np.full(len(codes), -1, dtype=np.int64)
        order = np.argsort(codes, kind="stable")
        ends = np.searchsorted(codes[order], np.arange(len(values) + 1))
        for code, value in enumerate(values):
            row = matrix.get(value)
            if row is None:
                continue
            records = order[ends[code] : ends[code + 1]]
            possible = [target for target, chance in row.items() if chance > 0]
            reached = np.cumsum([row[target] for target in possible])
            # The last chance ends at 1 exactly, or a draw just below 1 could fall behind it.
            drawn = np.searchsorted(reached[:-1], draws[records], side="right")
            chosen[records] = np.array([place[target] for target in possible])[drawn]
        return beside_texts(table, targets, chosen)

    def expression(self, table: Table) -> Expression:
        sql, kind = as_before(table, self.column, "drawn") if self.matrix is None else ("drawn", "VARCHAR")
        return Expression(sql, kind, "drawn IS NULL", "are no rows of the matrix")

    def image_of(self, released: str) -> Image:
        if self.matrix is None:
            return Everything()
        sources = frozenset(value for value, row in self.matrix.items() if row.get(released, 0) > 0)
        # Values that are no rows may have been kept or suppressed.
        return Values(sources, released) if sources and self.otherwise == "error" else Everything()


def others(codes: "NDArray[np.int64]", count: int, keep: float, chance: Chance) -> "NDArray[np.int64]":
    """Return codes that stay with a chance of `keep`, and else become any other one, each as likely; -1 stays."""
    import numpy as np

    leaves = (chance.uniform(len(codes)) >= keep) & (codes >= 0)
    if count < 2:
        return codes
    other = chance.integers(count - 1, len(codes))
    return np.where(leaves, other + (other >= codes), codes)


def redrawn(codes: "NDArray[np.int64]", count: int, keep: float, chance: Chance) -> "NDArray[np.int64]":
    """Return codes that stay with a chance of `keep`, and else are drawn anew as they are distributed; -1 stays.

    With p the distribution and P = keep I + (1 - keep) 1 p, p P = p: the frequencies stay as they are in expectation.
    """
    import numpy as np

    present = np.flatnonzero(codes >= 0)
    if not len(present):
        return codes
    leaves = chance.uniform(len(codes)) >= keep
    # Drawing a record is drawing from the distribution.
    new = codes[present[chance.integers(len(present), len(codes))]]
    return np.where(leaves & (codes >= 0), new, codes)
