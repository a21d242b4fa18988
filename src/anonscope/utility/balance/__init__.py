"""The balance of utility and safety of Kim 2025 (RUT): pure functions over risks, losses and similarities."""

from anonscope.utility.balance.form import DISTANCES, EXTERNAL_SCORES, NORMALISATIONS, BalanceForm
from anonscope.utility.balance.numbers import TOTALS, Total
from anonscope.utility.balance.risk import (
    COMBINATIONS,
    PROBABILITIES,
    UNMATCHED,
    combine_risks,
    external_risk,
    internal_risk,
    weighted_internal_risk,
)
from anonscope.utility.balance.sensitivity import ALPHAS, Exchange, Sweep, SweepStep, WeighedVersion, WeightChoice, sweep, weights_within
from anonscope.utility.balance.trade_off import (
    WEIGHT_PRESETS,
    Balance,
    BalanceWeights,
    measure_balance,
    rut,
)
from anonscope.utility.balance.usefulness import (
    KINDS,
    TABLE_7,
    AttributeKind,
    AttributeUtility,
    Components,
    Usefulness,
    attribute_kind,
    attribute_utilities,
    attribute_utility,
    measure_usefulness,
)

__all__ = [
    "ALPHAS",
    "COMBINATIONS",
    "DISTANCES",
    "EXTERNAL_SCORES",
    "KINDS",
    "NORMALISATIONS",
    "PROBABILITIES",
    "TABLE_7",
    "TOTALS",
    "UNMATCHED",
    "WEIGHT_PRESETS",
    "AttributeKind",
    "AttributeUtility",
    "Balance",
    "BalanceForm",
    "BalanceWeights",
    "Components",
    "Exchange",
    "Sweep",
    "SweepStep",
    "Total",
    "Usefulness",
    "WeighedVersion",
    "WeightChoice",
    "attribute_kind",
    "attribute_utilities",
    "attribute_utility",
    "combine_risks",
    "external_risk",
    "internal_risk",
    "measure_balance",
    "measure_usefulness",
    "rut",
    "sweep",
    "weighted_internal_risk",
    "weights_within",
]
