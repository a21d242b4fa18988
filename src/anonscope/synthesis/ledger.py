"""What may be lost about a person and what was, exactly: epsilon, delta and rho are fractions, and nothing is spent beyond the budget.

Sequential composition (C. Dwork and A. Roth, 2014, "The Algorithmic Foundations of Differential Privacy", theorem 3.16): epsilons add up,
and so do deltas. Under zero-concentrated privacy rho adds up (M. Bun and T. Steinke, 2016, lemma 2.3), an epsilon counts as epsilon²/2
(proposition 1.4), and what rho promises as epsilon and delta is the sharper bound of C. Canonne, G. Kamath and T. Steinke, 2020,
"The Discrete Gaussian for Differential Privacy", corollary 13.

A ledger is opened and charged before any record is read: what does not fit is refused then, with nothing spent.
Splitting by floating point once made a budget of a whole a little more than the whole; fractions cannot.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import exp, log, log1p
from typing import Any, Literal

from anonscope.errors import BudgetError
from anonscope.io.rounding import fraction_of
from anonscope.risk.privacy_loss import number

Measure = Literal["epsilon", "zcdp"]
Exact = Fraction | Decimal | int | float | str
# Digits of the logarithms behind a conversion; each is moved outwards by one unit of the last.
_DIGITS = 40
_SEARCHES = 60
# Outside of these no guarantee means anything, and noise and logarithms leave what numbers of a machine hold.
LEAST_EPSILON, MOST_EPSILON, LEAST_DELTA = Fraction(1, 10**9), Fraction(10**6), Fraction(1, 10**30)


def exact(value: Exact, name: str = "epsilon") -> Fraction:
    """Return a number exactly as it is written (0.1 is one tenth); raise if it is none, or not finite."""
    if isinstance(value, bool) or not isinstance(value, Fraction | Decimal | int | float | str):
        raise BudgetError(f"{name} must be a number, such as 0.5 or 1/2.")
    try:
        return fraction_of(repr(value) if isinstance(value, float) else value)
    except (ValueError, OverflowError, ZeroDivisionError):
        raise BudgetError(f"{name} must be a finite number, such as 0.5 or 1/2.") from None


def exact_epsilon(value: Exact) -> Fraction:
    """Return an epsilon exactly; raise unless it is above 0, and one that somebody can mean."""
    if (found := exact(value)) <= 0:
        raise BudgetError("epsilon must be above 0: at 0, an answer may not depend on the data at all.")
    if not LEAST_EPSILON <= found <= MOST_EPSILON:
        raise BudgetError(
            "epsilon must be from 1e-9 to 1e6: with less every answer is noise, with more nothing is promised. Usual ones are 0.1 to 10."
        )
    return found


def exact_delta(value: Exact) -> Fraction:
    """Return a delta exactly; raise unless it is 0, or below 1 and one that somebody can mean."""
    if not 0 <= (found := exact(value, "delta")) < 1:
        raise BudgetError("delta must be from 0 to below 1; it should be far below one in the number of people.")
    if 0 < found < LEAST_DELTA:
        raise BudgetError(
            "delta must be 0 or at least 1e-30: less is no chance that anybody can tell from none. Usual ones are 1e-6 to 1e-12."
        )
    return found


@dataclass(frozen=True, slots=True)
class Loss:
    """What a mechanism, or several, lose about a person."""

    epsilon: Fraction = Fraction()
    delta: Fraction = Fraction()
    rho: Fraction = Fraction()

    def __post_init__(self) -> None:
        if min(self.epsilon, self.delta, self.rho) < 0:
            raise BudgetError("A loss cannot be negative.")

    def __add__(self, other: "Loss") -> "Loss":
        return Loss(self.epsilon + other.epsilon, self.delta + other.delta, self.rho + other.rho)

    def fits(self, limit: "Loss") -> bool:
        """Return whether nothing is above the limit."""
        return self.epsilon <= limit.epsilon and self.delta <= limit.delta and self.rho <= limit.rho

    def __str__(self) -> str:
        named = (("epsilon", self.epsilon), ("delta", self.delta), ("rho", self.rho))
        return ", ".join(f"{name} {number(value)}" for name, value in named if value) or "nothing"


@dataclass(frozen=True, slots=True)
class Charge:
    """One thing that is spent on: what it is for, and what it loses."""

    purpose: str
    loss: Loss


@dataclass(slots=True)
class Ledger:
    """A budget and what was charged to it, in order. Open one with `pure`, `approximate` or `concentrated`."""

    budget: Loss
    promised: Loss  # the same as epsilon and delta, which is what people are told
    measure: Measure
    charges: list[Charge] = field(default_factory=list)

    @classmethod
    def pure(cls, epsilon: Exact) -> "Ledger":
        """Return a ledger of epsilon alone."""
        return cls.approximate(epsilon, 0)

    @classmethod
    def approximate(cls, epsilon: Exact, delta: Exact = 0) -> "Ledger":
        """Return a ledger in which epsilons and deltas add up."""
        whole = Loss(exact_epsilon(epsilon), exact_delta(delta))
        return cls(whole, whole, "epsilon")

    @classmethod
    def concentrated(cls, epsilon: Exact, delta: Exact) -> "Ledger":
        """Return a ledger in rho, of as much as epsilon and delta allow."""
        promised = Loss(exact_epsilon(epsilon), exact_delta(delta))
        if not promised.delta:
            raise BudgetError("Gaussian noise needs a delta above 0, such as 1e-9; with delta 0 there is only Laplace noise.")
        return cls(Loss(rho=rho_within(promised.epsilon, promised.delta)), promised, "zcdp")

    @property
    def spent(self) -> Loss:
        """What was charged so far."""
        return sum((charge.loss for charge in self.charges), Loss())

    @property
    def left(self) -> Loss:
        """What can still be charged."""
        spent = self.spent
        return Loss(self.budget.epsilon - spent.epsilon, self.budget.delta - spent.delta, self.budget.rho - spent.rho)

    def in_its_measure(self, loss: Loss) -> Loss:
        """Return a loss as this ledger counts it: in zCDP an epsilon is epsilon²/2."""
        if self.measure == "epsilon":
            if loss.rho:
                raise BudgetError("Gaussian noise loses rho, and this budget is in epsilon and delta: open a concentrated one.")
            return loss
        if loss.delta:
            raise BudgetError("A loss with a delta of its own does not add up in rho: open a budget in epsilon and delta.")
        return Loss(rho=loss.rho + loss.epsilon**2 / 2)

    def charge(self, purpose: str, loss: Loss) -> Charge:
        """Enter a loss, or refuse it and enter nothing."""
        return self.charge_all([(purpose, loss)])[0]

    def charge_all(self, wanted: Iterable[tuple[str, Loss]]) -> tuple[Charge, ...]:
        """Enter all of several losses, or none if together they are beyond the budget."""
        entered = tuple(Charge(purpose, self.in_its_measure(loss)) for purpose, loss in wanted)
        needed = sum((charge.loss for charge in entered), Loss())
        if not (self.spent + needed).fits(self.budget):
            what = entered[0].purpose if len(entered) == 1 else f"{len(entered)} questions together"
            raise BudgetError(
                f"Over budget: {what} would lose {needed}, and {self.left} of {self.budget} is left. Nothing was spent and no data was "
                "touched. Ask less, or allow more."
            )
        self.charges.extend(entered)
        return entered

    def shares(self, weights: Mapping[str, Exact]) -> dict[str, Loss]:
        """Return what is left, split in proportion to the weights: the parts make up the whole exactly."""
        exactly = {name: exact(weight, f"The weight of {name}") for name, weight in weights.items()}
        if not exactly or any(weight <= 0 for weight in exactly.values()):
            raise BudgetError("A budget is split by weights above 0.")
        left, whole = self.left, sum(exactly.values(), Fraction())
        parts = {name: weight / whole for name, weight in exactly.items()}
        return {name: Loss(left.epsilon * part, left.delta * part, left.rho * part) for name, part in parts.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; fractions as text, which is exact."""
        return {
            "measure": self.measure,
            "promised": _plain(self.promised),
            "budget": _plain(self.budget),
            "spent": _plain(self.spent),
            "left": _plain(self.left),
            "charges": [{"purpose": charge.purpose, **_plain(charge.loss)} for charge in self.charges],
        }


def _plain(loss: Loss) -> dict[str, str]:
    return {"epsilon": str(loss.epsilon), "delta": str(loss.delta), "rho": str(loss.rho)}


@cache
def rho_within(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return a rho, nearly the largest, whose promise is kept by epsilon and delta, which is checked with logarithms rounded outwards."""
    if epsilon <= 0 or not 0 < delta < 1:
        raise BudgetError("A rho needs an epsilon above 0 and a delta between 0 and 1.")
    low, high = 0.0, float(epsilon) + 1
    for _ in range(_SEARCHES):
        middle = (low + high) / 2
        low, high = (middle, high) if middle and _near(middle, float(epsilon))[1] <= log(delta) else (low, middle)
    # Floating point only proposes; what is returned was checked exactly.
    for parts in range(1, _SEARCHES):
        rho = Fraction(low) * (1 - Fraction(parts**3, 10**9))
        if rho > 0 and delta_of(rho, epsilon) <= delta:
            return rho
    raise BudgetError("epsilon and delta are so small together that no noise can keep them. Allow more of either.")


@cache
def delta_of(rho: Fraction, epsilon: Fraction) -> Fraction:
    """Return a delta, rounded up, that goes with an epsilon where rho is lost (Canonne, Kamath, Steinke 2020, corollary 13)."""
    if not rho:
        return Fraction()
    # Any order above 1 is a valid bound, so where the search ends need not be exact; the bound at that order is.
    bound = _log_delta(Fraction(_near(float(rho), float(epsilon))[0]), rho, epsilon)
    with localcontext() as context:
        context.prec = _DIGITS
        return min(Fraction(bound.exp().next_plus()), Fraction(1))


def _near(rho: float, epsilon: float) -> tuple[float, float]:
    """Return the order at which the bound is nearly smallest, and the logarithm of the bound there, in floating point."""

    def bound(shifted: float) -> float:
        order = 1 + exp(shifted)
        return (order - 1) * (order * rho - epsilon) - shifted + order * log1p(-1 / order)

    low, high = -12.0, log(4 * (epsilon / rho + 2))
    for _ in range(_SEARCHES):
        third = (high - low) / 3
        low, high = (low, high - third) if bound(low + third) < bound(high - third) else (low + third, high)
    return 1 + exp((low + high) / 2), bound((low + high) / 2)


def _log_delta(order: Fraction, rho: Fraction, epsilon: Fraction) -> Decimal:
    """The logarithm of corollary 13 at one order alpha, rounded up: (a-1)(a rho - epsilon) - ln(a-1) + a ln(1 - 1/a)."""
    with localcontext() as context:
        context.prec = _DIGITS
        one = _up((order - 1) * (order * rho - epsilon))
        two = _down(order - 1).ln().next_minus()
        three = _up(1 - 1 / order).ln().next_plus()
        return ((one - two).next_plus() + (_down(order) * three).next_plus()).next_plus()


def _up(value: Fraction) -> Decimal:
    return (Decimal(value.numerator) / Decimal(value.denominator)).next_plus()


def _down(value: Fraction) -> Decimal:
    return (Decimal(value.numerator) / Decimal(value.denominator)).next_minus()
