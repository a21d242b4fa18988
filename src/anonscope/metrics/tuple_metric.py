"""A metric that looks at distinct tuples from several sides at once, which one expression over class sizes cannot say."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonscope.count import Tuples
from anonscope.metrics.evaluate import Summary
from anonscope.metrics.metric import Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class TupleFinding:
    """One number about tuples: of all attributes together or of one, a value or a summary over records."""

    attribute: int | None = None
    sensitive: str | None = None
    variant: str | None = None
    value: float | None = None
    summary: Summary | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TupleMetric(Metric):
    """A measure of tuples; `literal` is a further reading of the definition, measured when somebody asks for it."""

    measure: Callable[[Tuples], Iterator[TupleFinding]]
    literal: Callable[[Tuples], Iterator[TupleFinding]] | None = None


def over_records(risk: "NDArray[Any]", tuples: Tuples) -> Summary:
    """Return min, mean and max over records of a number that every tuple has."""
    low, high = float(risk.min()), float(risk.max())
    # Adding up may end a hair outside what was added.
    mean = min(max(float((risk * tuples.n).sum()) / tuples.records, low), high)
    return Summary(low, mean, high)
