"""Markov chain risk by statements, for tuples that stay on their engine.

What a chain that begins with J misses is a product of counts: of everybody with a pair of neighbouring values, divided by everybody
with the values in between. Its logarithm adds up logarithms of counts, each taken once, none, or away, as the chain has it.

    chain_plan(step, word, lo, hi, other_word, other_lo, other_hi, single, s0..)
        every count that some chain needs, of one attribute (single) or two; how often it stands in the chain that begins with 0..
    chain_count(step, a, b, n, l)           how many records have a value, or two values, and the logarithm
    chain_tuple(q, n, alone, escaped, l0..) for every tuple the logarithm of each chain; and of the product of all 1 - P(R | R(j)),
                                            which is 0 for whoever is alone with a value
    chain_risk(n, r0..)                     the risk of every start; literal_risk is the same of the other reading
    literal_tuple(q, s0.., c0..)            how many share all that lies outside each attribute, and how many its value
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from anonscope.risk.counting import StoredTuples
from anonscope.risk.metrics.tuple_metric import TupleFinding, summary

if TYPE_CHECKING:
    from anonscope.risk.counting.encode import Radix

# Below it some engines refuse to take the exponential; there is nothing left of it to add.
_VANISHING = 700


def bounded(tuples: StoredTuples) -> Iterator[TupleFinding]:
    """Yield the summaries of the bounded reading: of the worst start, then of every start."""
    _open_chain(tuples)
    missed = [
        f"CASE WHEN c.alone = 1 THEN CAST(0 AS DOUBLE) ELSE {_exponential(f'c.escaped + c.l{start}')} / w.n END"
        for start in _starts(tuples)
    ]
    yield from _summaries(tuples, missed, "chain_tuple AS c CROSS JOIN total AS w", None)


def literal(tuples: StoredTuples) -> Iterator[TupleFinding]:
    """Yield the same of the literal reading; the bounded one must have been measured just before."""
    _open_literal(tuples)
    missed = []
    for start in _starts(tuples):
        others = (f"(1 - x.s{start} / CAST(x.c{j} AS DOUBLE))" for j in _starts(tuples) if j != start)
        missed.append(" * ".join([_exponential(f"c.l{start}"), f"(1 - c.n / CAST(x.c{start} AS DOUBLE))", *others]))
    yield from _summaries(tuples, missed, "chain_tuple AS c JOIN literal_tuple AS x ON c.q = x.q", "literal")


def _starts(tuples: StoredTuples) -> range:
    return range(len(tuples.names))


def _open_chain(tuples: StoredTuples) -> None:
    if tuples.joined:
        _open_joined_chain(tuples)
        return
    words = tuples.words
    tuples.engine.define("chain_plan", _plan(tuples.radices))
    signs = [f"s{start}" for start in _starts(tuples)]
    held = (
        f"SELECT c.q, c.n, p.step, p.lo, p.hi, p.other_lo, p.other_hi, p.single, {', '.join(f'p.{sign}' for sign in signs)}, "
        f"{words.holding('p.word')} AS w, {words.holding('p.other_word')} AS v FROM {words.beside('class')} CROSS JOIN chain_plan AS p"
    )
    steps = (
        f"SELECT q, n, step, single, (w % hi) - (w % lo) AS a, (v % other_hi) - (v % other_lo) AS b, {', '.join(signs)} FROM ({held}) AS y"
    )
    counted = "CAST(SUM(n) AS BIGINT) AS n, LN(CAST(SUM(n) AS DOUBLE)) AS l"
    tuples.engine.materialise("chain_count", f"SELECT step, a, b, {counted} FROM ({steps}) AS x GROUP BY step, a, b")
    logarithms = ", ".join(f"SUM(x.{sign} * d.l) AS l{start}" for start, sign in enumerate(signs))
    left = "SUM(CASE WHEN x.single = 1 AND x.n < d.n THEN LN(1 - x.n / CAST(d.n AS DOUBLE)) ELSE CAST(0 AS DOUBLE) END)"
    tuples.engine.materialise(
        "chain_tuple",
        f"SELECT x.q, MIN(x.n) AS n, MAX(CASE WHEN x.single = 1 AND x.n = d.n THEN 1 ELSE 0 END) AS alone, {left} AS escaped, {logarithms} "
        f"FROM ({steps}) AS x JOIN chain_count AS d "
        "ON x.step = d.step AND x.a = d.a AND x.b = d.b GROUP BY x.q",
    )


def _open_joined_chain(tuples: StoredTuples) -> None:
    """Make the same with every count beside the others: a join each, and no tuple stands in more than one row."""
    signs = sorted(_signs(len(tuples.names)).items())
    words = [radix.word for radix in tuples.radices]
    counted, joins = [], []
    for step, ((one, other), _) in enumerate(signs):
        first, second = f"x.a{one}", "CAST(0 AS BIGINT)"
        if one != other and words[one] == words[other]:
            # Both have places of their own in one word: a key of one number is found faster than one of two.
            first = f"{first} + x.a{other}"
        elif one != other:
            second = f"x.a{other}"
        counted.append(
            f"SELECT {step} AS step, a, b, CAST(SUM(n) AS BIGINT) AS n, LN(CAST(SUM(n) AS DOUBLE)) AS l "
            f"FROM (SELECT {first} AS a, {second} AS b, n FROM tuple_code AS x) AS y{step} GROUP BY a, b"
        )
        # Every tuple has its counts. Said as an outer join, an engine does not guess that few are left after so many joins.
        joins.append(f"LEFT JOIN chain_count AS d{step} ON d{step}.step = {step} AND d{step}.a = {first} AND d{step}.b = {second}")
    tuples.engine.materialise("chain_count", " UNION ALL ".join(counted))
    singles = [step for step, ((one, other), _) in enumerate(signs) if one == other]
    alone = " OR ".join(f"x.n = d{step}.n" for step in singles)
    left = " + ".join(
        f"CASE WHEN x.n < d{step}.n THEN LN(1 - x.n / CAST(d{step}.n AS DOUBLE)) ELSE CAST(0 AS DOUBLE) END" for step in singles
    )
    logarithms = ", ".join(
        " + ".join(f"{sign[start]} * d{step}.l" for step, (_, sign) in enumerate(signs) if sign[start]) + f" AS l{start}"
        for start in _starts(tuples)
    )
    found = f"CASE WHEN {alone} THEN 1 ELSE 0 END AS alone, {left} AS escaped, {logarithms}"
    tuples.engine.materialise("chain_tuple", f"SELECT x.q, x.n, {found} FROM tuple_code AS x {' '.join(joins)}")


def _open_literal(tuples: StoredTuples) -> None:
    if tuples.joined:
        sides = ", ".join(f"alike{p} AS s{p}, shared{p} AS c{p}" for p in _starts(tuples))
        tuples.engine.materialise("literal_tuple", f"SELECT q, {sides} FROM ({tuples.all_sides()}) AS y")
        return
    pivoted = ", ".join(
        f"CAST(SUM(CASE WHEN attribute = {radix.attribute} THEN {side} ELSE 0 END) AS BIGINT) AS {column}{place}"
        for side, column in (("alike", "s"), ("shared", "c"))
        for place, radix in enumerate(tuples.radices)
    )
    tuples.engine.materialise("literal_tuple", f"SELECT q, {pivoted} FROM ({tuples.sides()}) AS y GROUP BY q")


def _plan(radices: "Sequence[Radix]") -> str:
    """Return `chain_plan` as a SELECT; integers only."""
    rows = []
    for step, ((one, other), signs) in enumerate(sorted(_signs(len(radices)).items())):
        first, second = radices[one], radices[other]
        # A single attribute stands beside nothing: what is taken apart by 1 is 0.
        lo, hi = (1, 1) if one == other else (second.lo, second.hi)
        rows.append(
            f"SELECT {step} AS step, {first.word} AS word, CAST({first.lo} AS BIGINT) AS lo, CAST({first.hi} AS BIGINT) AS hi, "
            f"{second.word} AS other_word, CAST({lo} AS BIGINT) AS other_lo, CAST({hi} AS BIGINT) AS other_hi, "
            f"{int(one == other)} AS single, {', '.join(f'{sign} AS s{start}' for start, sign in enumerate(signs))}"
        )
    return " UNION ALL ".join(rows)


def _signs(attributes: int) -> dict[tuple[int, int], list[int]]:
    """Return how often the count of one attribute (with itself) or of two stands in the chain of every start."""
    signs = {(j, j): [0] * attributes for j in range(attributes)}
    for start in range(attributes):
        chain = [start, *(j for j in range(attributes) if j != start)]
        for one, other in pairwise(chain):
            signs.setdefault((min(one, other), max(one, other)), [0] * attributes)[start] += 1
        # P(R(j) | R(i)) is the count of both over the count of i, and the first count cancels.
        for j in chain[1:-1] if attributes > 1 else chain:
            signs[j, j][start] += -1 if attributes > 1 else 1
    return signs


def _exponential(logarithm: str) -> str:
    return f"CASE WHEN {logarithm} < -{_VANISHING} THEN CAST(0 AS DOUBLE) ELSE EXP({logarithm}) END"


def _summaries(tuples: StoredTuples, missed: Sequence[str], origin: str, variant: str | None) -> Iterator[TupleFinding]:
    """Summarise risks over records, first the largest of every tuple; `missed` are the chances to be missed, one for every start."""
    risks = [f"r{start}" for start in _starts(tuples)]
    chances = ", ".join(f"{chance} AS {risk}" for risk, chance in zip(risks, missed, strict=True))
    # A risk is what is not missed; it is cut at 0, which the literal reading can go below.
    cut = ", ".join(f"CASE WHEN {risk} > 1 THEN CAST(0 AS DOUBLE) ELSE 1 - {risk} END AS {risk}" for risk in risks)
    # Stored, because an engine that puts one statement into the other would take every exponential anew wherever it is compared.
    stored = f"{variant or 'chain'}_risk"
    tuples.engine.materialise(stored, f"SELECT n, {cut} FROM (SELECT c.n, {chances} FROM {origin}) AS x")
    select, worst = _with_largest(f"SELECT n, {', '.join(risks)} FROM {stored}", risks)
    columns = ", ".join(f"MIN({r}), SUM(n * {r}) / SUM(n), MAX({r})" for r in (worst, *risks))
    (row,) = tuples.engine.rows(f"SELECT {columns} FROM ({select}) AS y")
    for i in range(len(risks) + 1):
        yield TupleFinding(attribute=i - 1 if i else None, variant=variant, summary=summary(*row[3 * i : 3 * i + 3]))


def _with_largest(select: str, columns: Sequence[str]) -> tuple[str, str]:
    """Return the SELECT with the largest of some columns beside them, and its name: winners of pairs, then of pairs of winners."""
    left, kept = list(columns), ", ".join(["n", *columns])
    depth = 0
    while len(left) > 1:
        depth += 1
        pairs = [left[i : i + 2] for i in range(0, len(left), 2)]
        winners = ", ".join(
            f"{pair[0]} AS m{i}" if len(pair) == 1 else f"CASE WHEN {pair[0]} < {pair[1]} THEN {pair[1]} ELSE {pair[0]} END AS m{i}"
            for i, pair in enumerate(pairs)
        )
        select = f"SELECT {kept}, {winners} FROM ({select}) AS z{depth}"
        left = [f"m{i}" for i in range(len(pairs))]
    return select, left[0]
