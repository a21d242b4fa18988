"""The exponential mechanism on every value by itself: local differential privacy for a choice among given values.

F. McSherry and K. Talwar (2007), "Mechanism Design via Differential Privacy": a candidate y is released for x with a chance in
proportion to exp(epsilon u(x, y) / 2), where the score u changes by at most 1. OpenDP draws it by adding Gumbel noise to the scores
and taking the largest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

from anonscope.columns.images import number_text
from anonscope.errors import shown
from anonscope.transform.cells.numbers import NOT_A_NUMBER
from anonscope.transform.randomness.differential_privacy import HAIR, LocalMechanism, present_numbers, promised
from anonscope.transform.randomness.draws import beside_texts, coded
from anonscope.transform.table import Expression, Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# So many draws for one value are asked for at once; a call costs as much as several draws.
_AT_ONCE = (4096, 256, 16, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExponentialMechanism(LocalMechanism):
    """Release one of the given values for every value of a column: a near number, or an equal text, more likely than others."""

    name: ClassVar[str] = "exponential_mechanism"
    title: ClassVar[str] = "Exponential mechanism"
    standard: ClassVar[str] = "differential privacy, local model"

    values: tuple[str, ...] | tuple[float, ...]

    def __post_init__(self) -> None:
        LocalMechanism.__post_init__(self)
        given: Any = self.values
        if not isinstance(given, tuple) or not (all(isinstance(v, str) for v in given) or all(_is_number(v) for v in given)):
            raise self.fail("values must be texts only, or numbers only")
        if len(set(given)) < 2 or len(set(given)) < len(given):
            raise self.fail("values must be at least two, each once")

    @property
    def words(self) -> str:
        return f"choose {shown(self.column)} by the exponential mechanism (epsilon {self.epsilon:g})"

    @property
    def _labels(self) -> list[str]:
        return [value if isinstance(value, str) else number_text(value) for value in self.values]

    @property
    def _numeric(self) -> bool:
        return not isinstance(self.values[0], str)

    def apply(self, table: Table) -> Table:
        import numpy as np

        table.at(self.column)
        dp = self.open_dp()
        stored = table.stored()
        present, which, given = self._taking_part(stored)
        chosen = np.full(len(present), -1, dtype=np.int64)
        chosen[present] = self._choices(dp, which, given)
        return LocalMechanism.apply(self, beside_texts(stored, self._labels, chosen))

    def expression(self, table: Table) -> Expression:
        problem = NOT_A_NUMBER if self._numeric else "are not among the values of the step"
        return Expression("drawn", "VARCHAR", "drawn IS NULL", problem)

    def _taking_part(self, table: Table) -> "tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.float64]]":
        """Return which records take part, which distinct value each of these has, and those: numbers, or places among the candidates."""
        import numpy as np

        if self._numeric:
            candidates = np.array(self.values, dtype=np.float64)
            present, found = present_numbers(table, self.column, float(candidates.min()), float(candidates.max()))
            distinct, which = np.unique(found, return_inverse=True)
            return present, which, distinct
        texts, codes = coded(table, self.column)
        place = {value: i for i, value in enumerate(self._labels)}
        answers = np.array([*(place.get(text, -1) for text in texts), -1], dtype=np.int64)[codes]
        return answers >= 0, answers[answers >= 0], np.arange(len(self.values), dtype=np.float64)

    def _score(self, given: float) -> "NDArray[np.float64]":
        """Return the scores of all candidates for a value, from 0 to 1 or from -1 to 0: they change by at most 1 from value to value."""
        import numpy as np

        if not self._numeric:
            return np.asarray(np.arange(len(self.values)) == given, dtype=np.float64)
        candidates = np.array(self.values, dtype=np.float64)
        return np.asarray(-np.abs(candidates - given) / (candidates.max() - candidates.min()))

    def _choices(self, dp: Any, which: "NDArray[np.int64]", given: "NDArray[np.float64]") -> "NDArray[np.int64]":
        """Return the candidate drawn for every record: one call for many records that have the same value."""
        import numpy as np

        space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
        # This measure of privacy makes OpenDP use Gumbel noise. A mechanism of epsilon then costs epsilon squared by 8
        # (M. Cesar and R. Rogers, 2021), which is what it is checked by.
        one = dp.m.make_noisy_max(*space, dp.zero_concentrated_divergence(), scale=2 / self.epsilon * (1 + HAIR))
        promised(one.map(1.0), self.epsilon**2 / 8)
        several = {size: dp.c.make_composition([one] * size) for size in _AT_ONCE}
        order = np.argsort(which, kind="stable")
        ends = np.searchsorted(which[order], np.arange(len(given) + 1))
        chosen = np.empty(len(which), dtype=np.int64)
        for value, x in enumerate(given):
            first, last = int(ends[value]), int(ends[value + 1])
            chosen[order[first:last]] = _drawn(several, self._score(x).tolist(), last - first)
        return chosen


def _drawn(several: dict[int, Any], scores: Sequence[float], count: int) -> list[int]:
    found: list[int] = []
    for size in _AT_ONCE:
        while count - len(found) >= size:
            found += several[size](scores)
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
