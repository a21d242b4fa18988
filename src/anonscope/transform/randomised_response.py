"""Randomised response: everyone's answer can be denied, and frequencies can still be estimated.

S. L. Warner (1965), Journal of the American Statistical Association 60(309); for d answers with local differential privacy:
P. Kairouz, S. Oh and P. Viswanath (2014), "Extremal Mechanisms for Local Differential Privacy": the true answer with a chance of
e^epsilon / (e^epsilon + d - 1), and else any other one, each as likely.
"""

from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, ClassVar

from anonscope.errors import shown
from anonscope.transform.chance import RandomColumnTransformation, beside_texts, coded
from anonscope.transform.post_randomise import others
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import positive

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomisedResponse(RandomColumnTransformation):
    """Replace the values of a column so that each is epsilon-differentially private: true by a known chance, else any other one."""

    name: ClassVar[str] = "randomised_response"
    title: ClassVar[str] = "Randomised response"
    standard: ClassVar[str] = "randomisation"

    epsilon: float
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        RandomColumnTransformation.__post_init__(self)
        positive(self, "epsilon", self.epsilon)
        if not isinstance(self.values, tuple) or not all(isinstance(value, str) for value in self.values):
            raise self.fail("values must be the texts of all possible answers")
        if len(set(self.values)) < 2 or len(set(self.values)) < len(self.values):
            raise self.fail("values must be at least two, each once")
        if self.otherwise == "keep":
            raise self.fail("otherwise cannot be keep: a value that is released as it is has no such privacy")

    @property
    def words(self) -> str:
        return f"answer {shown(self.column)} at random (epsilon {self.epsilon:g})"

    @property
    def truthful(self) -> float:
        """The chance of the true answer."""
        return 1 / (1 + (len(self.values) - 1) * exp(-self.epsilon))

    def drawn(self, table: Table) -> Table:
        known, codes = coded(table, self.column)
        return beside_texts(table, list(self.values), others(self._answers(known)[codes], len(self.values), self.truthful, self.chance))

    def expression(self, table: Table) -> Expression:
        return Expression("drawn", "VARCHAR", "drawn IS NULL", "are not among the values of the step")

    def _answers(self, known: list[str]) -> "NDArray[np.int64]":
        """Return which answer every value of the data is; -1 for none, and at the end for a missing one."""
        import numpy as np

        place = {value: i for i, value in enumerate(self.values)}
        return np.array([*(place.get(value, -1) for value in known), -1], dtype=np.int64)
