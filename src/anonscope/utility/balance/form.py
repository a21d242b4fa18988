"""How the balance is struck: which of the readings that Kim 2025 offers is taken, and with what weights.

S. Kim (2025), Electronics 14(21), 4350, sections 3.1 to 3.3. The defaults are those of its experiments (tables 7 to 10) where they can be
told; the others have names, and their formulas stand in docs/utility/balance.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from anonscope.errors import OptionError
from anonscope.utility.balance.numbers import TOTALS, Total, check_share
from anonscope.utility.balance.risk import COMBINATIONS, Combination
from anonscope.utility.measure import BINS

Distance = Literal["manhattan", "euclidean"]
DISTANCES: tuple[Distance, ...] = get_args(Distance)
Normalisation = Literal["range", "step", "min-max"]
NORMALISATIONS: tuple[Normalisation, ...] = get_args(Normalisation)
# What stands for the external risk: the mean of 1 / matching people, one of the three scores of section 3.1, or their mean.
ExternalScore = Literal["matches", "probability", "correlation", "unique", "mean"]
EXTERNAL_SCORES: tuple[ExternalScore, ...] = get_args(ExternalScore)


@dataclass(frozen=True, slots=True, kw_only=True)
class BalanceForm:
    """The weights and the readings by which risk and utility are measured and balanced."""

    weights: Mapping[str, float] | None = None  # what a column counts in L_total and S_total
    total: Total = "mean"
    similarity_weight: float = 0.5  # wS; wL is 1 less it
    distance: Distance = "manhattan"
    normalisation: Normalisation = "range"
    combination: Combination = "maximum"
    internal_weight: float = 0.5
    sensitivities: Mapping[str, float] | None = None
    external_score: ExternalScore = "matches"
    utility_weight: float | None = None  # the paper's alpha
    bins: int = BINS

    def __post_init__(self) -> None:
        for value, known, word in (
            (self.total, TOTALS, "A total"),
            (self.distance, DISTANCES, "The distance of numbers"),
            (self.normalisation, NORMALISATIONS, "What losses are divided by"),
            (self.combination, COMBINATIONS, "How risks are combined"),
            (self.external_score, EXTERNAL_SCORES, "What stands for the external risk"),
        ):
            if value not in known:
                raise OptionError(f"{word} is one of {', '.join(known)}, not {value!r}.")
        check_share("The weight of similarity", self.similarity_weight)
        check_share("The weight of the internal risk", self.internal_weight)
        if self.utility_weight is not None:
            check_share("The weight of utility", self.utility_weight)
        for weight in (self.sensitivities or {}).values():
            if not 0 <= weight < float("inf"):
                raise OptionError(f"The sensitivity of a column must be a number of at least 0, not {weight:g}.")
        if self.sensitivities and not any(self.sensitivities.values()):
            raise OptionError("All sensitivities are 0: at least one column must count.")
