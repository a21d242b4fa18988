"""Randomised response of several columns at once: one draw for the whole combination, and one epsilon for it.

J. Domingo-Ferrer and J. Soria-Comas (2020), "Multi-Dimensional Randomized Response": answered column by column, what columns have to do
with each other is estimated badly; answered together, a combination of D answers is true with a chance of e^epsilon / (e^epsilon + D - 1)
only. So columns that hang together are answered in clusters: one step of this kind for each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, prod
from typing import TYPE_CHECKING, Any, ClassVar

from anonscope.columns.images import EVERYTHING, Everything, Exactly, Image
from anonscope.transform.randomness.draws import beside, chance_of, coded, texts
from anonscope.transform.seeds import Seed, check_seed
from anonscope.transform.steps.randomised_response import (
    SMALLEST_EPSILON,
    UNKNOWN,
    WORDS,
    RandomisedResponse,
    answer_codes,
    check_answers,
    check_epsilon,
    truthful_words,
)
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import Effect, Otherwise, Transformation, listed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A combination is drawn by its number, and a distribution is estimated over all of them.
MOST_COMBINATIONS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class JointRandomisedResponse(Transformation):
    """Replace the values of several columns so that their combination is epsilon-differentially private: all true, else any other."""

    name: ClassVar[str] = "joint_randomised_response"
    title: ClassVar[str] = "Joint randomised response"
    standard: ClassVar[str] = "randomisation"
    effect: ClassVar[Effect] = "perturbation"
    in_order: ClassVar[bool] = True
    private: ClassVar[bool] = True
    together: ClassVar[bool] = True

    epsilon: float
    values: Mapping[str, tuple[str, ...]]
    seed: Seed | None = None
    otherwise: Otherwise = "error"

    def __post_init__(self) -> None:
        check_seed(self, self.seed)
        check_epsilon(self, self.epsilon)
        if not isinstance(self.values, Mapping) or len(self.values) < 2:
            raise self.fail("values must have at least two columns, each with the texts of all its possible answers")
        for answers in self.values.values():
            check_answers(self, answers)
        if self.combinations > MOST_COMBINATIONS:
            raise self.fail(
                f"values have {self.combinations:,} combinations, more than {MOST_COMBINATIONS:,}; answer fewer columns together"
            )
        if self.otherwise not in ("error", "suppress"):
            raise self.fail("otherwise must be error or suppress: a value that is released as it is has no such privacy")

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.values)

    @property
    def words(self) -> str:
        return f"answer {listed(self.columns)} at random together (epsilon {self.epsilon:g})"

    @property
    def combinations(self) -> int:
        """How many combinations of answers there are."""
        return prod(map(len, self.values.values()))

    @property
    def reproducible(self) -> bool:
        return self.seed is not None

    @property
    def threshold(self) -> int:
        """The chance that all answers are true, times 2^64: rounded down, so that epsilon is never passed."""
        return truthful_words(self.epsilon, self.combinations)

    def truthful_in(self, columns: Sequence[str]) -> float:
        """The chance that the answers of some of the columns are all true.

        They are when all are, and in those other combinations that differ in the other columns only.
        """
        others = self.combinations // prod(len(self.values[column]) for column in columns)
        return self.threshold / WORDS + self._untrue * (others - 1) / (self.combinations - 1)

    def alone(self, column: str) -> RandomisedResponse:
        """Return what the step does to one of its columns by itself: a randomised response too, with a smaller epsilon."""
        answers = self.values[column]
        each = self._untrue * (self.combinations // len(answers)) / (self.combinations - 1)
        epsilon = max(log(self.truthful_in([column]) / each), SMALLEST_EPSILON)
        return RandomisedResponse(column=column, values=answers, epsilon=epsilon, seed=self.seed)

    @property
    def _untrue(self) -> float:
        return (WORDS - self.threshold) / WORDS

    def mixes(self, column: str) -> bool:
        # Which other combination is drawn hangs on the whole one; where nobody can draw again, that is what epsilon covers.
        return column in self.columns

    def apply(self, table: Table) -> Table:
        for column in self.columns:
            table.at(column)
        stored = table.stored()
        answers = [answer_codes(known, self.values[column])[codes] for column in self.columns for known, codes in [coded(stored, column)]]
        drawn = {
            f"drawn{i}": texts(list(self.values[column]), codes)
            for i, (column, codes) in enumerate(zip(self.columns, self._drawn(answers), strict=True))
        }
        return beside(stored, drawn).replaced({column: self._change(stored, i) for i, column in enumerate(self.columns)})

    def image(self, column: str, released: str | None) -> Image:
        return Everything() if column in self.columns and released is not None else Exactly(released)

    def _change(self, table: Table, i: int) -> Expression:
        if self.otherwise == "error":
            return Expression(f"drawn{i}", "VARCHAR", f"drawn{i} IS NULL", UNKNOWN)
        return Expression(f"COALESCE(drawn{i}, {table.engine.text(EVERYTHING)})", "VARCHAR")

    def _drawn(self, answers: "Sequence[NDArray[np.int64]]") -> "list[NDArray[Any]]":
        """Return the answers that are given, column by column; -1 stays.

        Where an answer is missing any takes its place for the draw, and is taken out again: the others are as true as everybody's.
        """
        import numpy as np

        shape = tuple(map(len, self.values.values()))
        count, chance = len(answers[0]), chance_of(self.seed, self.name, *self.columns)
        true = np.ravel_multi_index([np.maximum(codes, 0) for codes in answers], shape)
        other = chance.integers(self.combinations - 1, count)
        given = np.where(chance.below(self.threshold, count), true, other + (other >= true))
        return [np.where(codes < 0, -1, place) for codes, place in zip(answers, np.unravel_index(given, shape), strict=True)]
