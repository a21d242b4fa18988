"""Randomised response: everyone's answer can be denied, and frequencies can still be estimated.

S. L. Warner (1965), Journal of the American Statistical Association 60(309); for d answers with local differential privacy:
P. Kairouz, S. Oh and P. Viswanath (2014), "Extremal Mechanisms for Local Differential Privacy": the true answer with a chance of
e^epsilon / (e^epsilon + d - 1), and else any other one, each as likely.

The draws are the operating system's, and the chances are exact: whole numbers by 2^64, rounded so that epsilon is never passed.
"""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, localcontext
from typing import TYPE_CHECKING, ClassVar

from anonscope.errors import shown
from anonscope.transform.randomness.draws import RandomColumnTransformation, beside_texts, coded
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import Transformation, positive

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS = 2**64
# Below it the two chances differ by less than a word can tell.
SMALLEST_EPSILON = 1e-12
_DIGITS = 60
UNKNOWN = "are not among the values of the step"


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomisedResponse(RandomColumnTransformation):
    """Replace the values of a column so that each is epsilon-differentially private: true by a known chance, else any other one."""

    name: ClassVar[str] = "randomised_response"
    title: ClassVar[str] = "Randomised response"
    standard: ClassVar[str] = "randomisation"
    private: ClassVar[bool] = True

    epsilon: float
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        RandomColumnTransformation.__post_init__(self)
        check_epsilon(self, self.epsilon)
        check_answers(self, self.values)
        if self.otherwise == "keep":
            raise self.fail("otherwise cannot be keep: a value that is released as it is has no such privacy")

    @property
    def words(self) -> str:
        return f"answer {shown(self.column)} at random (epsilon {self.epsilon:g})"

    def seeded(self) -> "RandomisedResponse":
        # What may be drawn again may be taken off again: then it is not private, and claims nothing.
        return self

    @property
    def truthful(self) -> float:
        """The chance of the true answer."""
        return self.threshold / WORDS

    @property
    def threshold(self) -> int:
        """The chance of the true answer, times 2^64: rounded down, so that no answer is more than e^epsilon times as likely as another."""
        return truthful_words(self.epsilon, len(self.values))

    def drawn(self, table: Table) -> Table:
        import numpy as np

        known, codes = coded(table, self.column)
        answers, chance = answer_codes(known, self.values)[codes], self.chance
        other = chance.integers(len(self.values) - 1, len(answers))
        lies = ~chance.below(self.threshold, len(answers)) & (answers >= 0)
        return beside_texts(table, list(self.values), np.where(lies, other + (other >= answers), answers))

    def expression(self, table: Table) -> Expression:
        return Expression("drawn", "VARCHAR", "drawn IS NULL", UNKNOWN)


def check_epsilon(step: Transformation, epsilon: float) -> None:
    """Raise unless an epsilon is one that whole numbers by 2^64 can keep."""
    positive(step, "epsilon", epsilon)
    if epsilon < SMALLEST_EPSILON:
        raise step.fail(f"epsilon must be at least {SMALLEST_EPSILON:g}")


def check_answers(step: Transformation, answers: object) -> None:
    """Raise unless answers are at least two different texts."""
    if not isinstance(answers, tuple) or not all(isinstance(value, str) for value in answers):
        raise step.fail("values must be the texts of all possible answers")
    if len(set(answers)) < 2 or len(set(answers)) < len(answers):
        raise step.fail("values must be at least two, each once")


def truthful_words(epsilon: float, answers: int) -> int:
    """Return the chance of the true one of several answers, times 2^64 and rounded down."""
    with localcontext() as context:
        context.prec = _DIGITS
        # The epsilon that is written, and not the binary number next to it; a unit in the last place below its exponential.
        weight = Decimal(repr(float(epsilon))).exp().next_minus()
        share = (WORDS * weight / (weight + answers - 1)).next_minus()
        return min(int(share.to_integral_value(ROUND_FLOOR)), WORDS - 1)


def answer_codes(known: list[str], answers: tuple[str, ...]) -> "NDArray[np.int64]":
    """Return which answer every value of the data is; -1 for none, and at the end for a missing one."""
    import numpy as np

    place = {value: i for i, value in enumerate(answers)}
    return np.array([*(place.get(value, -1) for value in known), -1], dtype=np.int64)
