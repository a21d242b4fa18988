"""OpenDP, asked for noise whose privacy it has proved: what the local mechanisms share.

Its generator is cryptographic and takes no seed, because noise that can be drawn again can be taken off again.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from anonscope.columns.images import Everything, Image
from anonscope.errors import MissingExtra, RecipeError
from anonscope.transform.randomness.draws import numbers
from anonscope.transform.table import Table
from anonscope.transform.transformation import ColumnTransformation, Effect, positive

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# OpenDP rounds its bounds outwards, so what it answers may exceed what was asked for by a hair.
HAIR = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalMechanism(ColumnTransformation):
    """A step that makes every value of a column differentially private by itself, before anybody sees the table."""

    effect: ClassVar[Effect] = "perturbation"
    in_order: ClassVar[bool] = True
    private: ClassVar[bool] = True

    epsilon: float

    def __post_init__(self) -> None:
        ColumnTransformation.__post_init__(self)
        positive(self, "epsilon", self.epsilon)
        if self.otherwise == "keep":
            raise self.fail("otherwise cannot be keep: a value that is released as it is has no such privacy")

    @property
    def reproducible(self) -> bool:
        return False

    def image_of(self, released: str) -> Image:
        return Everything()

    def open_dp(self) -> Any:
        """Return the package, or say how to get it."""
        try:
            import opendp.prelude as dp
        except ImportError:
            raise MissingExtra(f"{self.title} ({self.name})", "opendp") from None
        # What OpenDP calls contributed are its constructors whose proofs have not all been vetted yet: nearly all of them.
        dp.enable_features("contrib")
        return dp


def present_numbers(table: Table, column: str, low: float, high: float) -> "tuple[NDArray[np.bool_], NDArray[np.float64]]":
    """Return which records of a stored table have a number, and those numbers, each moved into the bounds."""
    import numpy as np

    found = numbers(table, column)
    present = ~np.isnan(found)
    return present, np.clip(found[present], low, high)


def promised(loss: float, limit: float) -> None:
    """Raise if a mechanism loses more privacy than was promised, by however little."""
    if loss > limit:
        raise RecipeError(f"OpenDP cannot keep this promise: it would lose {loss:g} where {limit:g} was asked for. Lower epsilon.")
