"""Personal information factor: how many bits a record gives away, attribute by attribute.

CSIRO's Data61 (2021), "Personal Information Factor (PIF) tool", and NSW Government, "Privacy Preserving Data Sharing Frameworks".
Somebody who knows all quasi-identifiers of a record but one expects that one to be spread as it is among the records that agree
on all the others; somebody who knows nothing expects it to be spread as it is in the whole table. What lies between the two is the
Kullback-Leibler divergence, in bits. A sensitive attribute is held against all quasi-identifiers. A record's information is the sum
over its attributes. The factor is the 95th percentile over records.
"""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from anonscope.risk.counting import StoredTuples, Tuples
from anonscope.risk.metrics.evaluate import Summary
from anonscope.risk.metrics.tuple_metric import TupleFinding, TupleMetric, TupleReading, over_records, summary

if TYPE_CHECKING:
    from numpy.typing import NDArray

PERCENTILE = 95
_EVERY = "every record"
_BANDS, _FEW = 2**14, 2**12


def _cell_information(tuples: Tuples, log_n: "NDArray[Any]", attribute: int) -> "tuple[NDArray[Any], Summary]":
    """Return the bits that the attribute's cell holds in every tuple, and their summary over records."""
    import numpy as np

    records, cell, found = tuples.records, np.empty(len(tuples.n)), []
    log_shares = np.log(np.maximum(tuples.values(attribute), 1))
    for part, alike in tuples.parts_without(attribute):
        n = tuples.n[part]
        size = alike.sums(n)
        # A tuple is one value of the attribute in one group, so with p = n / size among the alike and q = c / N in the table a
        # group's divergence, the sum of p log (p / q), is (sum of n log (n / c)) / size - log (size / N).
        bits = alike.sums(n * (log_n[part] - log_shares[tuples.codes[attribute][part]]))
        bits /= size
        bits -= np.log(size / records)
        # A divergence is never negative; rounding may leave one a hair below.
        np.maximum(bits, 0, out=bits)
        bits /= np.log(2)
        cell[part] = alike.spread(bits)
        found.append((bits.min(), (bits * size).sum(), bits.max()))
    low, total, high = np.array(found).T
    return cell, summary(low.min(), float(total.sum()) / records, high.max())


def percentile(information: "NDArray[Any]", tuples: Tuples, percent: int = PERCENTILE) -> float:
    """Return the smallest number of bits that is not exceeded by this percentage of the records (nearest rank)."""
    import numpy as np

    # In whole numbers: 0.95 times the number of records may fall on either side of a rank.
    rank, n = -(-percent * tuples.records // 100), tuples.n
    while len(information) > _FEW:
        # Only the band that holds the rank is ever sorted.
        low, high = information.min(), information.max()
        if low == high:
            return float(low)
        band = ((information - low) * (_BANDS / (high - low))).astype(np.int64)
        reached = np.cumsum(np.bincount(band, weights=n))
        chosen = int(np.searchsorted(reached, rank))
        kept = band == chosen
        if kept.all():
            break
        rank -= int(reached[chosen - 1]) if chosen else 0
        information, n = information[kept], n[kept]
    order = np.argsort(information, kind="stable")
    return float(information[order][np.searchsorted(np.cumsum(n[order]), rank)])


def _measure(tuples: Tuples) -> Iterator[TupleFinding]:
    import numpy as np

    record, singles = np.zeros(len(tuples.n)), []
    cells = tuples.at_once(partial(_cell_information, tuples, np.log(tuples.n)), range(len(tuples.names)))
    for attribute, (cell, over_all) in enumerate(cells):
        singles.append(TupleFinding(attribute=attribute, variant=_EVERY, summary=over_all))
        record += cell
    for name, told in tuples.told:
        cell = np.maximum(told, 0)
        singles.append(TupleFinding(sensitive=name, variant=_EVERY, summary=over_records(cell, tuples)))
        record += cell
    yield TupleFinding(variant=f"{PERCENTILE}th percentile", value=percentile(record, tuples))
    yield TupleFinding(variant=_EVERY, summary=over_records(record, tuples))
    yield from singles


def _measure_stored(tuples: StoredTuples) -> Iterator[TupleFinding]:
    from anonscope.risk.metrics.stored_information import information  # late: most tables lie in memory

    return information(tuples, PERCENTILE, _EVERY)


PERSONAL_INFORMATION = TupleMetric(
    name="personal_information",
    title="Personal information factor",
    symbol="PIF",
    question="How many bits does a record give away, cell by cell?",
    reading="0 means that the rest of a record says nothing about any of its cells; 95 % of the records have at most this many bits.",
    formula="PIF = 95th percentile over records of the sum over attributes of KL(attribute given the other quasi-identifiers || attribute)",
    attack="inference",
    family="information",
    source="CSIRO Data61 2021",
    safer="lower",
    range=(0, None),
    scopes=("whole", "each"),
    measure=TupleReading(fetched=_measure, stored=_measure_stored),
    telling=True,
)
