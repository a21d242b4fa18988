"""How much each quasi-identifier is to blame for the records at risk.

Leave-one-out: how many records would no longer be at risk if the attacker did not know the attribute. Attributes that say much
the same then look harmless, each for the other's sake, so the Shapley value stands beside it: the average, over all orders in
which an attacker may learn the attributes, of the records that this attribute newly puts at risk. Shapley values add up to all
records at risk. L. S. Shapley (1953), "A value for n-person games"; sampled as J. Castro et al. (2009), "Polynomial calculation
of the Shapley value based on sampling".
"""

from dataclasses import dataclass
from math import factorial
from typing import TYPE_CHECKING, Any

from anonscope.risk.counting.grouping import dense, grouped
from anonscope.risk.explain.all_sets import at_risk_by_set, fits
from anonscope.risk.explain.minimal_sets import Members, climb
from anonscope.risk.explain.tuples import ExplainedTuples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[Any]

EXACT_UP_TO = 12
SEED = 20250
# Sampled orders: many where tuples are few, fewer where every order takes long.
MOST_ORDERS, FEWEST_ORDERS = 400, 30
_TUPLES_TO_VISIT = 2 * 10**8
_NORMAL_95 = 1.959964


@dataclass(frozen=True, slots=True, kw_only=True)
class Blame:
    """One attribute's part: `shapley` records of those at risk, and how many fewer there were without it."""

    attribute: str
    shapley: float
    share: float  # of all records at risk
    without: int  # records no longer at risk if the attribute were not known
    unique_without: int  # records no longer unique
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Blames:
    """All attributes' parts, the largest first, and how they were computed."""

    limit: int
    at_risk: int
    unique: int
    attributes: tuple[Blame, ...]
    orders: int | None = None  # sampled orders; None: all of them, exactly
    seed: int | None = None


def blame(tuples: ExplainedTuples, attributes: tuple[int, ...], limit: int, *, exact: bool | None = None, seed: int = SEED) -> Blames:
    """Return the blame for records that fewer than `limit` people share; `exact` is decided by the number of attributes if not given."""
    import numpy as np

    count = len(attributes)
    if exact is None:
        exact = count <= EXACT_UP_TO
    at_risk, fewer = _left_out(tuples, attributes, limit)
    unique, fewer_unique = _left_out(tuples, attributes, 2)
    orders = None if exact else max(FEWEST_ORDERS, min(MOST_ORDERS, _TUPLES_TO_VISIT // (len(tuples) * count)))
    errors: Integers | None = None
    if orders is None:
        shapley = _exact(tuples, attributes, limit)
    else:
        shapley, errors = _sampled(tuples, attributes, limit, orders, seed)
    whole = at_risk - _at_risk_anyway(tuples, limit)
    found = [
        Blame(
            attribute=tuples.attributes[a],
            shapley=float(shapley[i]),
            share=float(shapley[i]) / whole if whole else 0.0,
            without=fewer[i],
            unique_without=fewer_unique[i],
            standard_error=None if errors is None else float(errors[i]),
            low=None if errors is None else max(0.0, float(shapley[i] - _NORMAL_95 * errors[i])),
            high=None if errors is None else min(float(whole), float(shapley[i] + _NORMAL_95 * errors[i])),
        )
        for i, a in enumerate(attributes)
    ]
    order = np.argsort(-shapley, kind="stable")
    return Blames(
        limit=limit,
        at_risk=at_risk,
        unique=unique,
        attributes=tuple(found[i] for i in order),
        orders=orders,
        seed=None if orders is None else seed,
    )


def tuples_at_risk(tuples: ExplainedTuples, attributes: tuple[int, ...], limit: int) -> "Integers":
    """Return which tuples fewer than `limit` people share, to somebody who knows these attributes."""
    groups, places = grouped([tuples.codes[a] for a in attributes], [tuples.radices[a] for a in attributes], len(tuples))
    found: Integers = (Members(tuples).sizes(None, groups, places) < limit)[groups]
    return found


def _left_out(tuples: ExplainedTuples, attributes: tuple[int, ...], limit: int) -> tuple[int, list[int]]:
    """Return how many records are at risk, and how many fewer without each attribute."""
    at_risk = _records(tuples, attributes, limit)
    return at_risk, [at_risk - _records(tuples, attributes[:i] + attributes[i + 1 :], limit) for i in range(len(attributes))]


def _records(tuples: ExplainedTuples, attributes: tuple[int, ...], limit: int) -> int:
    return int(tuples.n[tuples_at_risk(tuples, attributes, limit)].sum())


def _at_risk_anyway(tuples: ExplainedTuples, limit: int) -> int:
    """Return how many records are at risk if nothing is known: all of a table that is too small, otherwise none."""
    return _records(tuples, (), limit)


def _exact(tuples: ExplainedTuples, attributes: tuple[int, ...], limit: int) -> "Integers":
    """Return Shapley values from the records at risk by every set of attributes."""
    import numpy as np

    count = len(attributes)
    at_risk = at_risk_by_set(tuples, attributes, limit) if fits(tuples, attributes) else _climbed(tuples, attributes, limit)
    sets = np.arange(1 << count)
    size = np.bitwise_count(sets).astype(np.int64)
    weight = np.array([factorial(s) * factorial(count - s - 1) / factorial(count) for s in range(count)])
    shapley = np.zeros(count)
    for i in range(count):
        without = sets[(sets >> i) & 1 == 0]
        shapley[i] = np.sum(weight[size[without]] * (at_risk[without | (1 << i)] - at_risk[without]))
    return shapley


def _climbed(tuples: ExplainedTuples, attributes: tuple[int, ...], limit: int) -> "Integers":
    """Return the records at risk by every set, where persons are counted or tuples do not fit into one number."""
    import numpy as np

    bit = {a: 1 << i for i, a in enumerate(attributes)}
    at_risk = np.zeros(1 << len(attributes))
    at_risk[0] = _at_risk_anyway(tuples, limit)
    for reached in climb(tuples, attributes, limit, len(attributes)):
        at_risk[sum(bit[a] for a in reached.attributes)] = tuples.records - reached.safe_records
    return at_risk


def _sampled(tuples: ExplainedTuples, attributes: tuple[int, ...], limit: int, orders: int, seed: int) -> "tuple[Integers, Integers]":
    """Return estimates of the Shapley values from random orders, and their standard errors."""
    import numpy as np

    random = np.random.default_rng(seed)
    gained = np.zeros((orders, len(attributes)))
    for row in gained:
        order = random.permutation(len(attributes))
        row[order] = np.diff(_learnt_in_order(tuples, [attributes[i] for i in order], limit))
    return gained.mean(axis=0), gained.std(axis=0, ddof=1) / np.sqrt(orders)


def _learnt_in_order(tuples: ExplainedTuples, order: list[int], limit: int) -> "Integers":
    """Return the records at risk before and after each attribute becomes known; only who is still safe is looked at again."""
    import numpy as np

    members = Members(tuples)
    at_risk = np.full(len(order) + 1, float(tuples.records))
    at_risk[0] = _at_risk_anyway(tuples, limit)
    safe = np.arange(len(tuples) if at_risk[0] == 0 else 0)
    groups, places = np.zeros(len(safe), dtype=np.int64), 1
    for position, a in enumerate(order, start=1):
        if len(safe) == 0:
            break
        groups, places = dense(groups * tuples.radices[a] + tuples.codes[a][safe], places * tuples.radices[a])
        kept = members.sizes(safe, groups, places)[groups] >= limit
        safe, groups = safe[kept], groups[kept]
        at_risk[position] = tuples.records - int(tuples.n[safe].sum())
    return at_risk
