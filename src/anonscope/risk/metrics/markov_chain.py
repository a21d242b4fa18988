"""Markov chain risk: how surely a record is found by going from one attribute to the next.

D. Vatsalan, T. Rakotoarivelo, R. Bhaskar, P. Tyler and D. Ladjal (2022), "Privacy risk quantification in education data using
Markov model", British Journal of Educational Technology 53(4), as the synthesis of anonymisation metrics for tabular data gives
it in equations 24 to 26. An attacker begins with attribute J and goes through the others in their order:

    PP = P(R(J)) (1 - P(S | R(J))) * product over the others of P(R(j) | R(the one before)) (1 - P(S | R(j)))

In the bounded reading, the default, S is the whole record and the risk is 1 - PP. In the literal reading of equation 24 S is what
lies outside J and the risk is 1 - n PP, which has no lower bound and is cut at 0. The paper's example cannot tell them apart.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from anonscope.risk.counting import StoredTuples, Tuples
from anonscope.risk.metrics.tuple_metric import TupleFinding, TupleMetric, TupleReading, summary

if TYPE_CHECKING:
    from numpy.typing import NDArray

Reading = Literal["bounded", "literal"]
_BLOCK = 2**15


def chain_risk(tuples: Tuples, start: int, reading: Reading = "bounded") -> "NDArray[Any]":
    """Return the risk of the records of every tuple when the chain begins with one attribute, factor by factor."""
    import numpy as np

    record, scale = tuples.n, 1
    if reading == "literal":
        outside = tuples.without(start)
        record, scale = outside.spread(outside.sums(tuples.n)), tuples.records
    begun = tuples.sharing(start)
    # Everybody with the start's value and with what lies outside is the whole record, in both readings.
    missed = begun / tuples.records * (1 - tuples.n / begun)
    last = start
    for j in (j for j in range(len(tuples.names)) if j != start):
        shared = tuples.sharing(j)
        missed = missed * tuples.step(last, j, tuples.values(last)).chances(tuples.codes[last], tuples.codes[j]) * (1 - record / shared)
        last = j
    risk: NDArray[Any] = np.clip(1 - scale * missed, 0, 1)
    return risk


class _Chains:
    """The bounded risk for every start, in a time that grows with the number of attributes and not with its square.

    All chains share most of their steps: the one that begins with J goes from J to the first attribute, along all steps before J,
    over the gap, and along all steps behind it. So two running products, from the front and from the back, serve every start. All
    factors are chances, so nothing grows too large, and what is too small for a double is nothing that a risk near 1 could show.
    """

    def __init__(self, tuples: Tuples) -> None:
        import numpy as np

        self.tuples, self.last = tuples, len(tuples.names) - 1
        self.shares = [np.maximum(tuples.values(j), 1) for j in range(self.last + 1)]
        one, other = range(self.last), range(1, self.last + 1)
        steps = sorted({*zip(one, other, strict=True), *((j, 0) for j in other), *((j - 1, j + 1) for j in other[:-1])})
        self.steps = {step: tuples.step(*step, self.shares[step[0]]) for step in steps}

    def block(self, begin: int) -> "NDArray[Any]":
        """Return smallest, sum over records and largest risk in a block of tuples: of the worst start, then of every start."""
        return _over_block(self.risks(begin), self.tuples.n[begin : begin + _BLOCK])

    def risks(self, begin: int) -> "list[NDArray[Any]]":
        """Return the risk of every tuple of a block: by the worst start, then by every start."""
        import numpy as np

        # So few at a time that everything stays in the processor's own memory.
        tuples, last, part = self.tuples, self.last, slice(begin, begin + _BLOCK)
        n, codes = tuples.n[part], [code[part] for code in tuples.codes]
        shared = [share[code] for share, code in zip(self.shares, codes, strict=True)]
        escaped = np.full(len(n), 1 / tuples.records)
        for share in shared:
            # Exactly 0 for whoever is alone with a value: nothing of the chain can miss them.
            escaped *= 1 - n / share
        chance = {step: found.chances(codes[step[0]], codes[step[1]], part) for step, found in self.steps.items()}
        # behind[j]: along all steps from attribute j to the last one.
        behind = [np.ones(len(n))]
        for j in range(last, 0, -1):
            behind.append(behind[-1] * chance[j - 1, j])
        behind.reverse()
        missed = [shared[0] * escaped * behind[0]]
        before = escaped
        for start in range(1, last + 1):
            own = shared[start] * before * chance[start, 0]
            if start < last:
                own *= chance[start - 1, start + 1]
                own *= behind[start + 1]
                before = before * chance[start - 1, start]
            missed.append(own)
        return [1 - np.minimum(m, 1) for m in (np.minimum.reduce(missed), *missed)]


def worst_chain_risk(tuples: Tuples) -> "NDArray[Any]":
    """Return the bounded risk of the records of every tuple by the worst start."""
    import numpy as np

    chains = _Chains(tuples)
    return np.concatenate([chains.risks(begin)[0] for begin in range(0, len(tuples.n), _BLOCK)])


def _measure(tuples: Tuples) -> Iterator[TupleFinding]:
    return _summaries(tuples, tuples.at_once(_Chains(tuples).block, range(0, len(tuples.n), _BLOCK)), None)


def _measure_literally(tuples: Tuples) -> Iterator[TupleFinding]:
    import numpy as np

    risks = [chain_risk(tuples, start, "literal") for start in range(len(tuples.names))]
    return _summaries(tuples, iter([_over_block([np.maximum.reduce(risks), *risks], tuples.n)]), "literal")


def _measure_stored(tuples: StoredTuples) -> Iterator[TupleFinding]:
    from anonscope.risk.metrics.stored_chain import bounded  # late: most tables lie in memory

    return bounded(tuples)


def _measure_stored_literally(tuples: StoredTuples) -> Iterator[TupleFinding]:
    from anonscope.risk.metrics.stored_chain import literal  # late: this too

    return literal(tuples)


def _over_block(risks: "Iterable[NDArray[Any]]", n: "NDArray[Any]") -> "NDArray[Any]":
    import numpy as np

    return np.array([(risk.min(), (risk * n).sum(), risk.max()) for risk in risks])


def _summaries(tuples: Tuples, blocks: "Iterator[NDArray[Any]]", variant: str | None) -> Iterator[TupleFinding]:
    import numpy as np

    found = np.stack(list(blocks))
    for i, (low, total, high) in enumerate(zip(found[:, :, 0].min(0), found[:, :, 1].sum(0), found[:, :, 2].max(0), strict=True)):
        yield TupleFinding(attribute=i - 1 if i else None, variant=variant, summary=summary(low, total / tuples.records, high))


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
    measure=TupleReading(fetched=_measure, stored=_measure_stored),
    literal=TupleReading(fetched=_measure_literally, stored=_measure_stored_literally),
)
