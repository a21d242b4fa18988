"""Whether a choice between versions hangs on the weights: the sweep over alpha, and weights that follow from limits.

S. Kim (2025), Electronics 14(21), 4350, section 3.3, "RUT (alpha, beta) Weight-Selection". The balance is a straight line in alpha, so
two versions change places at most once, and what happens between the ends of the sweep follows from the ends.

Weights from limits. The paper sets "the smaller weight so that it satisfies the constraint" R <= tau_R or U >= tau_U. A weight changes
no version's R or U, only which version is best; so this is read as: the smallest weight of safety under which the best version keeps
R <= tau_R, or the smallest weight of utility under which the best version keeps U >= tau_U, and 1 minus it for the other. At that very
weight the version is level with one that does not keep the limit, and is preferred.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from anonscope.errors import OptionError
from anonscope.risk.rounding import ROUNDING
from anonscope.utility.balance.numbers import check_share
from anonscope.utility.balance.trade_off import BalanceWeights, rut

ALPHAS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


@dataclass(frozen=True, slots=True)
class WeighedVersion:
    """What the balance of a version is made of."""

    name: str
    utility: float
    risk: float

    def __post_init__(self) -> None:
        check_share("Utility", self.utility)
        check_share("Risk", self.risk)


@dataclass(frozen=True, slots=True)
class SweepStep:
    """The versions by their balance at one alpha, the best first."""

    alpha: float
    ranking: tuple[tuple[str, float], ...]

    @property
    def best(self) -> str:
        return self.ranking[0][0]


@dataclass(frozen=True, slots=True)
class Exchange:
    """Two versions that change places: the first is better below this alpha, the second above it."""

    alpha: float
    below: str
    above: str


@dataclass(frozen=True, slots=True)
class Sweep:
    """The ranking of versions over a range of alphas, and how far it holds."""

    steps: tuple[SweepStep, ...]
    exchanges: tuple[Exchange, ...]
    stable_pairs: float  # the share of pairs of versions that never change places; 1 for one version

    @property
    def stable_best(self) -> bool:
        """Whether one version is best all along."""
        return len({step.best for step in self.steps}) == 1


@dataclass(frozen=True, slots=True)
class WeightChoice:
    """The weights that limits ask for, and the version they make best; without weights `reason` says why there are none."""

    weights: BalanceWeights | None
    version: str | None
    reason: str | None = None


def sweep(versions: Sequence[WeighedVersion], alphas: Sequence[float] = ALPHAS) -> Sweep:
    """Return how versions rank from the lowest to the highest alpha."""
    _check(versions)
    if not alphas:
        raise OptionError("A sweep needs at least one alpha.")
    ordered = sorted(BalanceWeights(alpha).alpha for alpha in alphas)
    steps = tuple(SweepStep(alpha, tuple((v.name, value) for v, value in _ranked(versions, alpha))) for alpha in ordered)
    exchanges = [found for one, other in combinations(versions, 2) if (found := _exchange(one, other, ordered[0], ordered[-1]))]
    pairs = len(versions) * (len(versions) - 1) // 2
    return Sweep(steps, tuple(sorted(exchanges, key=lambda found: found.alpha)), 1 - len(exchanges) / pairs if pairs else 1.0)


def weights_within(
    versions: Sequence[WeighedVersion], *, most_risk: float | None = None, least_utility: float | None = None
) -> WeightChoice:
    """Return the weights under which the best version keeps the limits on risk (tau_R), on utility (tau_U), or on both."""
    _check(versions)
    if most_risk is None and least_utility is None:
        raise OptionError("Weights that follow from limits need a limit: the most risk, the least utility, or both.")
    limits: dict[str, list[WeighedVersion]] = {}
    if most_risk is not None:
        check_share("The most risk", most_risk)
        limits["risk"] = [version for version in versions if version.risk <= most_risk]
    if least_utility is not None:
        check_share("The least utility", least_utility)
        limits["utility"] = [version for version in versions if version.utility >= least_utility]
    for name, kept in limits.items():
        if not kept:
            return WeightChoice(None, None, f"No version keeps the limit on {name}.")
    if not any(all(version in kept for kept in limits.values()) for version in versions):
        return WeightChoice(None, None, "No version keeps both limits.")
    return _chosen(versions, limits)


def _chosen(versions: Sequence[WeighedVersion], limits: Mapping[str, Sequence[WeighedVersion]]) -> WeightChoice:
    # The winner changes only where two lines cross, so the smallest weight that serves is 0 or one of the crossings.
    crossings = {alpha for one, other in combinations(versions, 2) if (alpha := _crossing(one, other)) is not None and 0 <= alpha <= 1}
    # Safety is served first: its smallest weight is the largest alpha. With a limit on utility alone it is the other way round.
    for alpha in sorted({0.0, 1.0, *crossings}, reverse="risk" in limits):
        ranked = _ranked(versions, alpha)
        level = [version for version, value in ranked if value >= ranked[0][1] - ROUNDING]
        for version in level:
            if all(version in kept for kept in limits.values()):
                return WeightChoice(BalanceWeights(alpha), version.name)
    return WeightChoice(
        None, None, "A version keeps the limits, but no weights make it the best one: others beat it on utility and on safety."
    )


def _ranked(versions: Sequence[WeighedVersion], alpha: float) -> list[tuple[WeighedVersion, float]]:
    balances = [(version, rut(version.utility, version.risk, BalanceWeights(alpha))) for version in versions]
    # Sorting is stable: level versions stay in the order given.
    return sorted(balances, key=lambda entry: -round(entry[1], 12))


def _crossing(one: WeighedVersion, other: WeighedVersion) -> float | None:
    """Return the alpha at which two versions are level, if there is one."""
    slope = (one.utility - other.utility) + (one.risk - other.risk)
    return (one.risk - other.risk) / slope if abs(slope) > ROUNDING else None


def _exchange(one: WeighedVersion, other: WeighedVersion, low: float, high: float) -> Exchange | None:
    """Return where two versions change places within the sweep; level at an end is no change."""
    ahead = [rut(one.utility, one.risk, BalanceWeights(a)) - rut(other.utility, other.risk, BalanceWeights(a)) for a in (low, high)]
    if min(map(abs, ahead)) <= ROUNDING or (ahead[0] > 0) == (ahead[1] > 0):
        return None
    alpha = _crossing(one, other)
    assert alpha is not None
    return Exchange(alpha, *((one.name, other.name) if ahead[0] > 0 else (other.name, one.name)))


def _check(versions: Sequence[WeighedVersion]) -> None:
    if not versions:
        raise OptionError("There is no version to compare.")
    if len({version.name for version in versions}) < len(versions):
        raise OptionError("Two versions have the same name.")
