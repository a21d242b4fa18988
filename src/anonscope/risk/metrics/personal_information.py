"""Personal information factor: how many bits a record gives away, attribute by attribute.

CSIRO's Data61 (2021), "Personal Information Factor (PIF) tool", and NSW Government, "Privacy Preserving Data Sharing Frameworks".
Somebody who knows all quasi-identifiers of a record but one expects that one to be spread as it is among the records that agree
on all the others; somebody who knows nothing expects it to be spread as it is in the whole table. What lies between the two is the
Kullback-Leibler divergence, in bits. A sensitive attribute is held against all quasi-identifiers. A record's information is the sum
over its attributes. The factor is the 95th percentile over records.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from anonscope.risk.counting import StoredTuples, Tuples
from anonscope.risk.metrics.stored_information import information
from anonscope.risk.metrics.tuple_metric import TupleFinding, TupleMetric, TupleReading, over_records

if TYPE_CHECKING:
    from numpy.typing import NDArray

PERCENTILE = 95
_EVERY = "every record"


def cell_information(tuples: Tuples, attribute: int) -> "NDArray[Any]":
    """Return the bits that the attribute's cell holds in every tuple."""
    import numpy as np

    alike = tuples.without(attribute)
    size = alike.sums(tuples.n)
    # A tuple is one value of the attribute in one group, so with p = n / size among the alike and q = c / N in the table a
    # group's divergence, the sum of p log (p / q), is (sum of n log (n / c)) / size - log (size / N).
    told = alike.sums(tuples.n * (np.log(tuples.n) - tuples.log_sharing(attribute)))
    # A divergence is never negative; rounding may leave one a hair below.
    return alike.spread(np.maximum(told / size - np.log(size / tuples.records), 0) / np.log(2))


def percentile(information: "NDArray[Any]", tuples: Tuples, percent: int = PERCENTILE) -> float:
    """Return the smallest number of bits that is not exceeded by this percentage of the records (nearest rank)."""
    import numpy as np

    order = np.argsort(information, kind="stable")
    reached = np.cumsum(tuples.n[order].astype(np.int64))
    # In whole numbers: 0.95 times the number of records may fall on either side of a rank.
    rank = -(-percent * tuples.records // 100)
    return float(information[order][np.searchsorted(reached, rank)])


def _measure(tuples: Tuples) -> Iterator[TupleFinding]:
    import numpy as np

    record, singles = np.zeros(len(tuples.n)), []
    for attribute in range(len(tuples.names)):
        cell = cell_information(tuples, attribute)
        singles.append(TupleFinding(attribute=attribute, variant=_EVERY, summary=over_records(cell, tuples)))
        record += cell
    for name, told in tuples.told:
        cell = np.maximum(told, 0)
        singles.append(TupleFinding(sensitive=name, variant=_EVERY, summary=over_records(cell, tuples)))
        record += cell
    yield TupleFinding(variant=f"{PERCENTILE}th percentile", value=percentile(record, tuples))
    yield TupleFinding(variant=_EVERY, summary=over_records(record, tuples))
    yield from singles


def _measure_stored(tuples: StoredTuples) -> Iterator[TupleFinding]:
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
)
