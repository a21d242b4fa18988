"""The budget of a published table, counted again from its manifest by code that shares nothing with the ledger that kept it.

Charges are added up as fractions and held against what is said to be spent and allowed. That rho keeps epsilon and delta is shown by one
order of Rényi divergence (M. Bun and T. Steinke, 2016, for the divergence; C. Canonne, G. Kamath and T. Steinke, 2020, for the delta of
an order): the order is looked for on a grid, and the bound there is worked out in sixty digits and rounded against the claim.
"""

from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from anonscope.io.rounding import fraction_of

_PARTS = ("epsilon", "delta", "rho")
_ROUNDS = 12  # of a finer grid around the best order
_GRID = 40
_SLACK = Decimal(10) ** -40  # more than sixty digits can be off


def fault(told: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the budget that a manifest tells of a synthetic table; None if it adds up, or claims nothing."""
    guarantee, budget = told["guarantee"], told["budget"]
    if budget is None:
        return "an epsilon is stated, and no budget" if guarantee["epsilon"] is not None else None
    charged = {part: sum((fraction_of(charge[part]) for charge in budget["charges"]), Fraction()) for part in _PARTS}
    spent, allowed = ({part: fraction_of(budget[which][part]) for part in _PARTS} for which in ("spent", "budget"))
    if charged != spent:
        return "its charges do not add up to what is said to be spent"
    if any(spent[part] > allowed[part] for part in _PARTS):
        return "more was spent than its budget allows"
    if not guarantee["holds"]:
        return None
    epsilon, delta = fraction_of(guarantee["epsilon"]), fraction_of(guarantee["delta"])
    if allowed["rho"]:
        if spent["epsilon"] or spent["delta"] or not _kept(spent["rho"], epsilon, delta):
            return "what was spent loses more than the stated epsilon and delta"
    elif spent["epsilon"] > epsilon or spent["delta"] > delta:
        return "what was spent loses more than the stated epsilon and delta"
    return None


def _kept(rho: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether some order shows that rho loses no more than epsilon and delta."""
    if not rho:
        return True
    with localcontext() as context:
        context.prec = 60
        r, e, d = (Decimal(value.numerator) / Decimal(value.denominator) for value in (rho, epsilon, delta))

        def bound(above: Decimal) -> Decimal:
            """The logarithm of the delta that the order 1 + above shows."""
            order = 1 + above
            return above * (order * r - e) - above.ln() + order * (above / order).ln()

        low, high = Decimal("1e-6"), 4 * (e / r + 2)
        best = high
        for _ in range(_ROUNDS):
            ratio = (high / low) ** (Decimal(1) / _GRID)
            orders = [low * ratio**i for i in range(_GRID + 1)]
            best = min(orders, key=bound)
            low, high = best / ratio, best * ratio
        return bound(best) + _SLACK <= d.ln()
