"""Markov chain risk: how surely a record is found by going from one attribute to the next.

D. Vatsalan, T. Rakotoarivelo, R. Bhaskar, P. Tyler and D. Ladjal (2022), "Privacy risk quantification in education data using
Markov model", British Journal of Educational Technology 53(4), as the synthesis of anonymisation metrics for tabular data gives
it in equations 24 to 26. An attacker begins with attribute J and goes through the others in their order:

    PP = P(R(J)) (1 - P(S | R(J))) * product over the others of P(R(j) | R(the one before)) (1 - P(S | R(j)))

In the bounded reading, the default, S is the whole record and the risk is 1 - PP. In the literal reading of equation 24 S is what
lies outside J and the risk is 1 - n PP, which has no lower bound and is cut at 0. The paper's example cannot tell them apart.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from anonscope.risk.counting import Tuples
from anonscope.risk.metrics import stored_chain
from anonscope.risk.metrics.tuple_metric import TupleFinding, TupleMetric, TupleReading, over_records

if TYPE_CHECKING:
    from numpy.typing import NDArray

Reading = Literal["bounded", "literal"]


def chain_risk(tuples: Tuples, start: int, reading: Reading = "bounded") -> "NDArray[Any]":
    """Return the risk of the records of every tuple when the chain begins with one attribute, factor by factor."""
    import numpy as np

    record, scale = tuples.n, 1
    if reading == "literal":
        outside = tuples.without(start)
        record, scale = outside.spread(outside.sums(tuples.n)), tuples.records
    before = tuples.sharing(start)
    # Everybody with the start's value and with what lies outside is the whole record, in both readings.
    missed = before / tuples.records * (1 - tuples.n / before)
    last = start
    for j in (j for j in range(len(tuples.names)) if j != start):
        shared = tuples.sharing(j)
        missed = missed * np.exp(tuples.log_sharing_both(last, j)) / before * (1 - record / shared)
        last, before = j, shared
    risk: NDArray[Any] = np.clip(1 - scale * missed, 0, 1)
    return risk


def _chain_risks(tuples: Tuples) -> "Iterator[NDArray[Any]]":
    """Yield the bounded risk for every start, in a time that grows with the number of attributes and not with its square.

    All chains share most of their steps: the one that begins with J leaves out the steps into and out of J, and has a step
    from J to the first attribute and one over the gap instead. Products of many chances are sums of logarithms.
    """
    import numpy as np

    last = len(tuples.names) - 1
    escaped = np.ones(len(tuples.n))
    for j in range(last + 1):
        # Exactly 0 for whoever is alone with a value: nothing of the chain can miss them.
        escaped *= 1 - tuples.n / tuples.sharing(j)
    logs = [tuples.log_sharing(j) for j in range(last + 1)]
    both = [tuples.log_sharing_both(j, j + 1) for j in range(last)]
    # c0/n * c01/c0 * c12/c1 * ... is the product of all neighbouring pairs over all attributes but the first and the last, over n.
    chain = sum(both, np.zeros(len(tuples.n))) - sum(logs[1:last], np.zeros(len(tuples.n))) if last else logs[0]
    for start in range(last + 1):
        own = chain
        if start > 0:
            own = own - both[start - 1] + tuples.log_sharing_both(start, 0) - logs[0]
        if 0 < start < last:
            own = own - both[start] + tuples.log_sharing_both(start - 1, start + 1) + logs[start]
        elif start > 0:
            own = own + logs[start - 1]
        yield np.clip(1 - escaped * np.exp(own) / tuples.records, 0, 1)


def _measure(tuples: Tuples) -> Iterator[TupleFinding]:
    return _summaries(tuples, _chain_risks(tuples), None)


def _measure_literally(tuples: Tuples) -> Iterator[TupleFinding]:
    return _summaries(tuples, (chain_risk(tuples, start, "literal") for start in range(len(tuples.names))), "literal")


def _summaries(tuples: Tuples, by_start: "Iterator[NDArray[Any]]", variant: str | None) -> Iterator[TupleFinding]:
    import numpy as np

    worst, singles = np.zeros(len(tuples.n)), []
    for start, risk in enumerate(by_start):
        singles.append(TupleFinding(attribute=start, variant=variant, summary=over_records(risk, tuples)))
        worst = np.maximum(worst, risk)
    yield TupleFinding(variant=variant, summary=over_records(worst, tuples))
    yield from singles


MARKOV_CHAIN = TupleMetric(
    name="markov_chain",
    title="Markov chain risk",
    symbol="PR",
    question="How surely is a record found by going from one attribute to the next?",
    reading="Near 1 for almost every table; only comparisons between versions of one table mean something.",
    formula="PR = 1 - P(R(J)) (1 - P(R | R(J))) product over the other attributes of P(R(j) | R(previous)) (1 - P(R | R(j)))",
    attack="singling out",
    family="extended",
    source="Vatsalan 2022; Aufschläger 2023, eqs. 24 to 26, bounded",
    safer="lower",
    range=(0, 1),
    positive=True,
    scopes=("whole", "each"),
    measure=TupleReading(fetched=_measure, stored=stored_chain.bounded),
    literal=TupleReading(fetched=_measure_literally, stored=stored_chain.literal),
)
