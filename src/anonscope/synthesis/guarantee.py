"""What differential privacy guarantees, in words, and what no proof here covers.

"By at most a factor, plus delta": never "except with probability delta", which is not what the definition says.
"""

from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from math import ceil

from anonscope.risk.privacy_loss import number
from anonscope.synthesis.domain import Domain
from anonscope.synthesis.ledger import Ledger, Loss

_BEYOND = 10_000  # an epsilon above which nobody reads the factor
_PER_TEN = Fraction(43_429_448_191, 10**11)  # powers of ten in a power of e, rounded up


def in_words(ledger: Ledger, domain: Domain, exact: int = 0) -> str:
    """Return the guarantee of everything that was charged to a ledger: the whole budget, whether or not all of it was spent.

    So many `exact` tables beside it are told first: with them in hand "any result" would be no true word.
    """
    promised = factor_in_words(ledger.promised)
    if exact:
        tables = "a table" if exact == 1 else f"{exact:,} tables"
        promised = f"Of the noisy answers alone, and not of {tables} without noise beside them: {promised[0].lower()}{promised[1:]}"
    return f"{promised}; {unit_in_words(domain)}; the domain was declared."


def factor_in_words(loss: Loss) -> str:
    """Return what an epsilon and a delta mean for one person."""
    plus = f", plus {_decimal(loss)}" if loss.delta else ""
    named = f"epsilon {number(loss.epsilon)}" + (f", delta {_decimal(loss)}" if loss.delta else "")
    return f"Whether somebody is in the table changes the probability of any result by at most a factor {_factor(loss)}{plus} ({named})"


def unit_in_words(domain: Domain) -> str:
    """Return who is protected."""
    if domain.unit is None:
        return f"every record is taken for a person of its own, which is {'declared' if domain.record_is_person else 'assumed'}"
    if domain.summarised:
        return f"a {domain.unit_kind} is one {domain.unit}, all of whose records were made one"
    most = domain.records_per_unit
    return f"a {domain.unit_kind} is one {domain.unit} with at most {most:,} record{'s' if most != 1 else ''}"


def unproven(domain: Domain, *, noisy: bool = True, exact: bool = False, cut: bool = False) -> tuple[str, ...]:
    """Return what is not guaranteed, each in a sentence."""
    found: list[str] = []
    if noisy and not domain.declared:
        found.append(
            f"No guarantee: read from the data instead of declared: {', '.join(domain.drafted)}. Declare what is known without the data."
        )
    if noisy and cut:
        found.append(
            "No guarantee: only the first records were read, and which these are depends on everybody's: without one, another moves up."
        )
    if exact:
        found.append("Tables without noise are counted exactly: they are outside of any guarantee, and protected by their own rules only.")
    if noisy:
        found += [
            "Noise and its scale are OpenDP's, with proofs; that this program counts and bounds as it says is tested, not proven.",
            "How the table was read is outside of it: the encoding, separators and types of a file that does not state them are found in "
            "its content.",
            "How long an answer takes, and what an error says, are outside of the guarantee.",
            "What else is known or released about the same people adds up: a budget is for all of it.",
        ]
    return tuple(found)


def _factor(loss: Loss) -> str:
    """Return e^epsilon in three digits, rounded up; of what is beyond all measure only the power of ten."""
    if loss.epsilon > _BEYOND:
        return f"10^{ceil(loss.epsilon * _PER_TEN)}"
    with localcontext() as context:
        context.prec = 30
        value = (Decimal(loss.epsilon.numerator) / Decimal(loss.epsilon.denominator)).exp()
        context.prec, context.rounding = 3, ROUND_CEILING
        rounded = +value
    return f"{rounded:,f}" if rounded < 10**9 else f"{rounded:.2E}"


def _decimal(loss: Loss) -> str:
    with localcontext() as context:
        context.prec, context.rounding = 6, ROUND_CEILING
        return f"{(Decimal(loss.delta.numerator) / Decimal(loss.delta.denominator)).normalize():f}"
