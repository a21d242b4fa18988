"""How many hide how well, from one pass and a few thousand groups: for tables too large to be grouped whole.

Groups are drawn by a hash of what their records share, so a group is in the sample with all its records or not at all, and only sampled
groups are ever kept in memory (the idea of KMV and KHyperLogLog: Z. Bar-Yossef et al. (2002), RANDOM 2002; P. H. Chia et al. (2019),
"KHyperLogLog", IEEE S&P). Sizes of sampled groups are exact. How many records there are is known, which makes estimates better: what is
counted in the sample is corrected by how many records it should have held (the regression estimator of survey sampling, C.-E. Särndal, B.
Swensson and J. Wretman (1992), "Model Assisted Survey Sampling", 6.4). Leaving an attribute out makes other groups: they are drawn in the
same pass, by the hash without it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from anonscope.engines import Engine
from anonscope.engines.values import canonical
from anonscope.errors import ColumnNotFound, OptionError
from anonscope.io.sources import Relation

GROUPS = 50_000
SIZES = (2, 3, 5, 10, 11, 20, 50)
# Hashes have 64 bits; groups are drawn by the last 40 of them.
_BITS = 40
_Z = 1.959963984540054
# With fewer groups than this share of what was asked for, the draw is made again from what the first one found.
_TOO_FEW = 0.25
_MOST_PASSES = 3
# With fewer groups than these on one side of a question, how sizes are spread there is not known from the sample.
_FEW = 100


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval; without sampling all three are the same."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Below:
    """The share of records in groups of fewer than k."""

    k: int
    share: Estimate


@dataclass(frozen=True, slots=True)
class Without:
    """The share of records that are alone when an attribute is left out."""

    attribute: str
    unique: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """What a sample of groups says of all of them."""

    source: str
    attributes: tuple[str, ...]
    records: int
    groups: Estimate
    below: tuple[Below, ...]
    without: tuple[Without, ...]
    rate: float
    sampled: int
    passes: int
    seed: int

    @property
    def exact(self) -> bool:
        """Whether every group was counted."""
        return self.rate >= 1

    @property
    def unique(self) -> Estimate:
        """The share of records that are alone."""
        return self.below[0].share


def sketch(
    engine: Engine, relation: Relation, attributes: Sequence[str], *, groups: int = GROUPS, seed: int = 1, rows: int | None = None
) -> Sketch:
    """Return how well records hide among those that share all attributes, estimated from about so many groups."""
    if not attributes:
        raise OptionError("Groups are made by quasi-identifiers, and none is named. Name some (-q COLUMN, quasi_identifiers=[...]).")
    for column in attributes:
        if column not in relation.names:
            raise ColumnNotFound(column, relation.names)
    source = relation.origin if rows is None else f"(SELECT * FROM {relation.origin} LIMIT {rows}) AS s"
    ((count,),) = engine.rows(f"SELECT COUNT(*) FROM {source}")
    records = int(count)
    if not records:
        raise OptionError("The table has no records, so there is nobody to hide.")
    # No table has more groups than records, so that memory is bounded before anything is known of them.
    rate = min(1.0, groups / records)
    for passes in range(1, _MOST_PASSES + 1):
        sizes = _drawn(engine, relation, source, attributes, rate, seed)
        sampled = sum(sizes[0].values())
        if rate >= 1 or sampled >= _TOO_FEW * groups or passes == _MOST_PASSES:
            break
        rate = min(1.0, rate * groups / (sampled + _Z * math.sqrt(sampled) + 2))
    return Sketch(
        source=relation.name,
        attributes=tuple(attributes),
        records=records,
        groups=_bounded(_estimated({n: (c, 1.0) for n, c in sizes[0].items()}, rate, records, 1.0), float(sampled), float(records)),
        below=tuple(Below(k, _share(sizes[0], k, rate, records)) for k in SIZES),
        without=tuple(Without(column, _share(sizes[i], 2, rate, records)) for i, column in enumerate(attributes, start=1)),
        rate=rate,
        sampled=sampled,
        passes=passes,
        seed=seed,
    )


def _drawn(engine: Engine, relation: Relation, source: str, attributes: Sequence[str], rate: float, seed: int) -> list[dict[int, int]]:
    """Return how many sampled groups have each size: by all attributes, and with each of them left out."""
    marks = []
    for i, column in enumerate(attributes):
        place = relation.position(column)
        text = canonical(f"c{place}", relation.columns[place].type, column)
        # Hashed twice, with a number of the column between: else the same text in two columns would cancel out.
        marks.append(f"HASH(XOR(HASH(COALESCE({text}, {engine.text('')})), {_salt(seed, i)})) AS h{i}")
    every = "h0"
    for i in range(1, len(attributes)):
        every = f"XOR({every}, h{i})"
    # Leaving the only attribute out leaves a single group, which is no question of a sample.
    left_out = range(len(attributes)) if len(attributes) > 1 else ()
    # Every key has a name of its own before anything is asked of it: dialects differ on what binds first.
    keys = ["h", *(f"k{i}" for i in left_out)]
    made = ", ".join(["h", *(f"XOR(h, h{i}) AS k{i}" for i in left_out)])
    limit, mask = max(1, round(rate * 2**_BITS)), 2**_BITS - 1
    chosen = [f"({key} & {mask}) < {limit}" for key in keys]
    parts = ", ".join(f"h{i}" for i in range(len(attributes)))
    engine.materialise(
        "sketch_drawn",
        f"SELECT {', '.join(keys)}, COUNT(*) AS n FROM (SELECT {made} FROM (SELECT {every} AS h, {parts} FROM "
        f"(SELECT {', '.join(marks)} FROM {source}) AS m) AS x) AS y WHERE {' OR '.join(chosen)} GROUP BY {', '.join(keys)}",
    )
    found = []
    for key, of_sample in zip(keys, chosen, strict=True):
        rows = engine.rows(
            f"SELECT n, COUNT(*) AS c FROM (SELECT SUM(n) AS n FROM sketch_drawn WHERE {of_sample} GROUP BY {key}) AS g GROUP BY n"
        )
        found.append({int(n): int(c) for n, c in rows})
    if len(attributes) == 1:
        ((count,),) = engine.rows(f"SELECT COUNT(*) FROM {source}")
        found.append({int(count): 1})
    return found


def _salt(seed: int, place: int) -> int:
    """Return a number of a column under a seed, small enough for signed whole numbers of 64 bits."""
    return int.from_bytes(sha256(f"{seed} {place}".encode()).digest()[:8]) >> 2


def _share(sizes: dict[int, int], k: int, rate: float, records: int) -> Estimate:
    """Return the share of records in groups of fewer than k."""
    found = _estimated({n: (c, float(n) if n < k else 0.0) for n, c in sizes.items()}, rate, records, float(k - 1))
    return _bounded(Estimate(found.value / records, found.low / records, found.high / records), 0.0, 1.0)


def _estimated(sampled: dict[int, tuple[int, float]], rate: float, records: int, largest: float) -> Estimate:
    """Return the total over all groups of what sampled ones have, given by size as how many and how much each.

    The sample should hold as many records as its rate says; by how many it does not, what depends on their number is corrected.
    """
    total = sum(c * y for c, y in sampled.values())
    if rate >= 1:
        return Estimate(total, total, total)
    held, squares = sum(n * c for n, (c, _) in sampled.items()), sum(n * n * c for n, (c, _) in sampled.items())
    slope = sum(n * c * y for n, (c, y) in sampled.items()) / squares if squares else 0.0
    value = (total + slope * (rate * records - held)) / rate
    spread = (1 - rate) * sum(c * (y - slope * n) ** 2 for n, (c, y) in sampled.items()) / rate**2
    half = _Z * math.sqrt(spread)
    low, high = value - half, value + half
    counted, others = sum(c for c, y in sampled.values() if y), sum(c for c, y in sampled.values() if not y)
    if counted < _FEW:
        # What a single group more would add: a score interval, so that it has a width where nothing was found.
        one = (sum(c * y * y for c, y in sampled.values()) / total if total else largest) / rate
        half = _Z * math.sqrt(spread + (one * _Z / 2) ** 2)
        low, high = value + one * _Z**2 / 2 - half, value + one * _Z**2 / 2 + half
    if others < _FEW:
        # How large the others are that were not drawn is told by nothing, so that the number of records is of no use.
        plain = _Z * math.sqrt((1 - rate) * sum(c * y * y for c, y in sampled.values())) / rate
        low, high = min(low, total / rate - plain), max(high, total / rate + plain)
    return Estimate(value, low, high)


def _bounded(found: Estimate, low: float, high: float) -> Estimate:
    value, least, most = (min(max(x, low), high) for x in (found.value, found.low, found.high))
    return Estimate(value, min(least, value), max(most, value))
