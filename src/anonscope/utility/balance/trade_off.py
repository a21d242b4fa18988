"""RUT, Kim's (2025) balance of utility and safety: one number to compare versions of a release by.

S. Kim (2025), Electronics 14(21), 4350, section 3.3 and table 4. RUT = alpha * U + beta * (1 - R) with alpha + beta = 1, from 0 to 1,
as tables 7 to 10 have it. Two other forms that the paper prints are named options: `difference`, alpha * U - beta * R, which is the
same less beta; and `ratio`, U / R, which has no bound and no value where there is no risk. Its alpha * U + beta * R rewards risk
unless R stands for safety, and then it is the default.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from anonscope.errors import OptionError
from anonscope.utility.balance.numbers import check_share
from anonscope.utility.balance.risk import Combination, combine_risks
from anonscope.utility.balance.usefulness import Usefulness


@dataclass(frozen=True, slots=True)
class BalanceWeights:
    """How much utility (alpha) and safety (beta) count; together 1."""

    alpha: float

    def __post_init__(self) -> None:
        check_share("alpha, the weight of utility,", self.alpha)

    @property
    def beta(self) -> float:
        """The weight of safety."""
        return 1 - self.alpha


# Table 4, by what a release is for.
WEIGHT_PRESETS: Mapping[str, BalanceWeights] = {
    "internal-analytics": BalanceWeights(0.7),
    "balanced": BalanceWeights(0.5),
    "partner-sharing": BalanceWeights(0.4),
    "public-release": BalanceWeights(0.3),
}


@dataclass(frozen=True, slots=True)
class Balance:
    """One version of a release: its risks, its utility and their balance under every preset."""

    version: str
    internal_risk: float
    external_risk: float | None  # None where there is no external table
    risk: float
    combination: Combination
    usefulness: Usefulness
    by_preset: tuple[tuple[str, float], ...]

    @property
    def safety(self) -> float:
        """1 - R."""
        return 1 - self.risk

    @property
    def utility(self) -> float:
        """U, from 0 to 1."""
        assert self.usefulness.utility is not None  # a ratio is refused when the balance is made
        return self.usefulness.utility

    def rut(self, weights: BalanceWeights) -> float:
        """Return the balance under these weights."""
        return rut(self.utility, self.risk, weights)

    def difference(self, weights: BalanceWeights) -> float:
        """Return alpha * U - beta * R, from -beta to alpha."""
        return weights.alpha * self.utility - weights.beta * self.risk

    @property
    def ratio(self) -> float | None:
        """U / R; None where there is no risk."""
        return self.utility / self.risk if self.risk > 0 else None


def rut(utility: float, risk: float, weights: BalanceWeights = BalanceWeights(0.5)) -> float:  # noqa: B008 (frozen)
    """Return alpha * U + beta * (1 - R), from 0 (useless and risky) to 1 (useful and safe)."""
    check_share("Utility", utility)
    check_share("Risk", risk)
    return weights.alpha * utility + weights.beta * (1 - risk)


def measure_balance(
    version: str,
    internal: float,
    external: float | None,
    useful: Usefulness,
    *,
    combination: Combination = "maximum",
    internal_weight: float = 0.5,
) -> Balance:
    """Return the balance of one version from its two risks and its utility."""
    if useful.form != "weighted" or useful.utility is None:
        raise OptionError("A balance needs a utility from 0 to 1, so the weighted form and not the ratio.")
    utility = useful.utility
    risk = combine_risks(internal, external, combination, internal_weight=internal_weight)
    by_preset = tuple((name, rut(utility, risk, weights)) for name, weights in WEIGHT_PRESETS.items())
    return Balance(version, internal, external, risk, combination, useful, by_preset)
